// The SSIM family: definitions (ssim.md).
#pragma once

#include "core/feature.h"

namespace qc {

extern const FeatureDef kSsim;
extern const FeatureDef kFloatSsim;
extern const FeatureDef kFloatMsSsim;

}  // namespace qc
