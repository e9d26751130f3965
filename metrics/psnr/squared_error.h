// Sum of squared sample differences of two planes.
#pragma once

#include <cstdint>

#include "math/plane_view.h"

namespace qc {

// Exact for every size and depth. The planes have the same size and depth.
uint64_t squared_error(const PlaneView& reference, const PlaneView& distorted);

}  // namespace qc
