// What a frame's kernels leave for the feature float_ansnr, on host and device alike.
#pragma once

namespace qc {

// Float32 sums of the columns of a row from left to right, then of the rows from top to bottom (psnr.md §4.2).
struct FloatAnsnrRecord {
  float signal;  // squares of the filtered reference
  float noise;   // squared differences of the filtered pictures
};

}  // namespace qc
