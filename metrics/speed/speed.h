// SpEED: entropic differences of chroma, and of changes in time (speed.md).
#pragma once

#include "core/feature.h"

namespace qc {

extern const FeatureDef kSpeedChroma;
extern const FeatureDef kSpeedTemporal;

}  // namespace qc
