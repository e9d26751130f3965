// Motion of the reference: definitions (motion.md, motion_v2.md, float_motion.md).
#pragma once

#include "core/feature.h"

namespace qc {

extern const FeatureDef kFloatMotion;
extern const FeatureDef kMotion;
extern const FeatureDef kMotionV2;

}  // namespace qc
