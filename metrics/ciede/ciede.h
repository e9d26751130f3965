// The definition of the feature in this folder.
#pragma once

#include "core/feature.h"

namespace qc {

extern const FeatureDef kCiede;

}  // namespace qc
