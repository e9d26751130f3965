// What a frame's kernels leave for the feature vif, on host and device alike.
#pragma once

#include <cstdint>

namespace qc {

constexpr int kVifScales = 4;

// Sums over the pixels of one scale (vif.md §6). Logarithms are in units of 1/2048.
struct VifScaleSums {
  int64_t log_numerator;    // pixels with a signal: information that the distorted picture keeps
  int64_t log_denominator;  // information of the reference
  int64_t flat_numerator;   // pixels without: variances of the distorted picture
  int64_t flat_count;       // number of pixels without
};

struct VifRecord {
  VifScaleSums scale[kVifScales];
};

}  // namespace qc
