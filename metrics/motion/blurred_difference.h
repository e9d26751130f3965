// Sum of the magnitudes of the low-pass filtered difference of two pictures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "math/plane_view.h"

namespace qc {

// Row buffers of a worker. They keep their memory from frame to frame.
struct MotionScratch {
  std::vector<int16_t> narrow_rows;
  std::vector<int32_t> wide_rows;
  std::vector<int32_t> blurred_row;
  std::vector<int16_t> narrow_blurred_row;
};

// Exact for every depth of 8 to 16 bits. The planes have the same size, at least 3x3, and the same depth; their sample
// layouts may differ. The difference is `older` minus `newer`; its sign decides ties in the rounding.
uint64_t blurred_difference(const PlaneView& older, const PlaneView& newer, MotionScratch& scratch);

}  // namespace qc
