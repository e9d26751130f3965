// SSIM of two float32 planes in an 11x11 Gaussian window (ssim.md §2.2, §2.3), row by row.
#pragma once

#include "ssim/aligned_buffer.h"
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

// Takes the rows of both planes from top to bottom and keeps only what the windows of the coming rows need.
class WindowedSsim {
 public:
  // Begin planes of width x height samples. They may be too small for a window.
  void start(int width, int height, SsimTerms terms);
  // The next row of both planes; ssim::kRowPadding samples behind them are read, and their values don't matter.
  void push_row(const float* x, const float* y);
  // After the last row.
  SsimMeans means() const;

 private:
  int width_ = 0;
  int height_ = 0;
  int next_row_ = 0;
  SsimTerms terms_ = SsimTerms::All;
  SsimSums sums_;
  ssim::AlignedBuffer<float> filtered_;  // the last kWindowTaps rows, each of the five row-filtered quantities
  ssim::AlignedBuffer<float> products_;
};

}  // namespace qc
