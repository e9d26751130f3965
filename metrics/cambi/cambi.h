// Banding of a picture: definition (cambi.md).
#pragma once

#include "core/feature.h"

namespace qc {

extern const FeatureDef kCambi;

}  // namespace qc
