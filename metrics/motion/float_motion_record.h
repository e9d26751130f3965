// What a frame's kernels leave for the feature float_motion, on host and device alike.
#pragma once

namespace qc {

// Of one plane of two pictures: sums of the magnitudes of the difference of the low-pass filtered planes, in the order
// of float_motion.md §4, and the same after halving both planes' sides.
struct FloatDifference {
  float full;
  float half;
};

struct FloatMotionRecord {
  FloatDifference plane[3];
};

}  // namespace qc
