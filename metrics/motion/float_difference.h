// Sum of the magnitudes of the difference of two low-pass filtered planes, in float32.
#pragma once

#include <vector>

#include "math/plane_view.h"
#include "motion/float_motion_arithmetic.h"
#include "motion/float_motion_record.h"

namespace qc {

// Buffers of a worker. They keep their memory from frame to frame.
struct FloatMotionScratch {
  std::vector<float> rows[2];      // of the planes, older and newer
  std::vector<float> vertical[2];  // a row after the vertical pass
  std::vector<float> blurred[2];   // whole planes, for halving them
  std::vector<float> terms;        // rows of magnitudes
  std::vector<float> sums;         // of rows
};

// The planes have the same size, more than half the filter a side, and the same depth of 8 to 16 bits; their sample
// layouts may differ. `half` of the result is 0 unless `halve`. `luma_width`: of the picture, since libvmaf halves
// chroma planes with a pitch that depends on it (float_motion.md §4).
FloatDifference float_difference(const PlaneView& older, const PlaneView& newer, const float_motion::Filter& filter,
                                 bool halve, int luma_width, FloatMotionScratch& scratch);

}  // namespace qc
