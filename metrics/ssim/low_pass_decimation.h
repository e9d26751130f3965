// Decimation of float_ms_ssim (ssim.md §4.4): every second sample of every second row after a 9x9 low-pass filter.
#pragma once

#include "ssim/aligned_buffer.h"

namespace qc {

// Takes the rows of a plane from top to bottom and hands out those of the decimated plane as soon as they can be
// computed. Sides are at least 5 samples.
class LowPassDecimation {
 public:
  // `exact`: all samples are multiples of 2^-8 from 0 to 256, which allows a faster way to the same result.
  void start(int width, int height, bool exact);
  // The next row.
  void push_row(const float* row);
  // Whether the next row of the decimated plane can be computed.
  bool ready() const;
  // Write that row to `out`; up to ssim::kRowPadding more samples are written.
  void next_row(float* out);

 private:
  float* extended_row(int row);
  double* row_sums(int row);

  int width_ = 0;
  int height_ = 0;
  bool exact_ = false;
  int pushed_ = 0;
  int made_ = 0;
  ssim::AlignedBuffer<float> rows_;
  ssim::AlignedBuffer<double> sums_;
};

}  // namespace qc
