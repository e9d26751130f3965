// The feature ssimulacra2: its definition (ssimulacra2.md).
#pragma once

#include "core/feature.h"

namespace qc {

extern const FeatureDef kSsimulacra2;

}  // namespace qc
