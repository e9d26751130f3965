// What a frame's kernels leave for the features motion and motion_v2, on host and device alike.
#pragma once

#include <cstdint>

namespace qc {

struct MotionRecord {
  uint64_t blurred_difference;  // sum of the magnitudes of the blurred difference of two reference pictures
};

}  // namespace qc
