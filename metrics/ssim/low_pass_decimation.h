// Decimation of float_ms_ssim (ssim.md §4.4): every second sample of every second row after a 9x9 low-pass filter.
#pragma once

#include "ssim/aligned_buffer.h"

namespace qc {

// Takes the rows of a plane from top to bottom and hands out those of the decimated plane as soon as they can be
// computed. Sides are at least 5 samples.
class LowPassDecimation {
 public:
  void start(int width, int height);
  // The next row; ssim::kRowPadding samples behind it are readable.
  void push_row(const float* row);
  // Whether the next row of the decimated plane can be computed.
  bool ready() const;
  // That row, valid until the next call; ssim::kRowPadding more samples are readable.
  const float* next_row();

 private:
  float* extended_row(int row);

  int width_ = 0;
  int height_ = 0;
  int pushed_ = 0;
  int made_ = 0;
  ssim::AlignedBuffer<float> rows_;
  ssim::AlignedBuffer<float> out_;
};

}  // namespace qc
