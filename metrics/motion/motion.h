// Motion of the reference: definitions (motion.md, motion_v2.md).
#pragma once

#include "core/feature.h"

namespace qc {

extern const FeatureDef kMotion;
extern const FeatureDef kMotionV2;

}  // namespace qc
