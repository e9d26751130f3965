// Visual information fidelity in fixed point: definition (vif.md).
#pragma once

#include "core/feature.h"

namespace qc {

extern const FeatureDef kFloatVif;
extern const FeatureDef kVif;

}  // namespace qc
