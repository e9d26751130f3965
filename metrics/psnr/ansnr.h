// Filtered signal and noise energy of a pair of lumas, row by row, for float_ansnr.
#pragma once

#include <vector>

#include "hwy/aligned_allocator.h"
#include "math/plane_view.h"

namespace qc {

// Buffers that persist from frame to frame.
struct AnsnrScratch {
  hwy::AlignedFreeUniquePtr<float[]> strip;  // row sums and squares of a strip of columns
  std::vector<float> signal;                 // a row's sum each
  std::vector<float> noise;
};

// Sums each row of the pictures, at least 3 samples wide and high, into scratch.signal and scratch.noise.
void ansnr_rows(const PlaneView& reference, const PlaneView& distorted, AnsnrScratch& scratch);

}  // namespace qc
