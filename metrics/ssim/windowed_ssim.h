// SSIM of two float32 planes in an 11x11 Gaussian window (ssim.md §2.2, §2.3), a few rows at a time.
#pragma once

#include "ssim/aligned_buffer.h"
#include "ssim/ssim_arithmetic.h"
#include "ssim/ssim_record.h"

namespace qc {

// Which means are wanted. The others are given as 0.
enum class SsimTerms {
  Product,            // ssim
  ContrastStructure,  // c and s
  All,
};

// Sums of the terms over the window positions, in raster order.
struct SsimSums {
  double product = 0;
  double l = 0;
  double c = 0;
  double s = 0;
};

// Takes the rows of both planes from top to bottom. Rows are worked on in blocks of kWindowTaps; what windows that
// reach into the next block need is kept, so that the memory depends on the width alone.
class WindowedSsim {
 public:
  // Begin planes of width x height samples. They may be too small for a window.
  void start(int width, int height, SsimTerms terms);
  // Where the next row of each plane goes. There is room for ssim::kRowPadding samples behind it, whose values don't
  // matter.
  float* x_row() { return x_.data() + row_offset(); }
  float* y_row() { return y_.data() + row_offset(); }
  // Both rows have been written. Their content stays until the next call.
  void row_written();
  // After the last row: the sums of the wanted terms, and their means.
  const SsimSums& sums();
  SsimMeans means();

 private:
  size_t row_offset() const { return static_cast<size_t>(rows_ % ssim::kWindowTaps) * ssim::row_pitch(width_); }
  void process_block(int rows);

  int width_ = 0;
  int height_ = 0;
  int rows_ = 0;
  bool finished_ = false;
  SsimTerms terms_ = SsimTerms::All;
  SsimSums sums_;
  ssim::AlignedBuffer<float> x_;  // the rows of a block
  ssim::AlignedBuffer<float> y_;
  ssim::AlignedBuffer<float> filtered_;
  ssim::AlignedBuffer<double> window_sums_;
  ssim::AlignedBuffer<double> row_terms_;
};

}  // namespace qc
