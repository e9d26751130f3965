// What a frame's kernels leave for the feature float_vif, on host and device alike.
#pragma once

namespace qc {

constexpr int kFloatVifScales = 4;

// Sums over the pixels of one scale, rows first, then the rows' sums, each in order (float_vif.md §6).
struct FloatVifSums {
  float numerator;    // information that the distorted picture keeps
  float denominator;  // information of the reference
};

struct FloatVifRecord {
  FloatVifSums scale[kFloatVifScales];
};

}  // namespace qc
