// PSNR and its relatives: definitions (psnr.md).
#pragma once

#include "core/feature.h"

namespace qc {

extern const FeatureDef kPsnr;
extern const FeatureDef kFloatPsnr;
extern const FeatureDef kFloatMoment;
extern const FeatureDef kFloatAnsnr;

}  // namespace qc
