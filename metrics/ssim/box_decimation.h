// Decimation of float_ssim (ssim.md §2.4): the mean of factor x factor samples around each position.
#pragma once

#include "math/plane_view.h"
#include "ssim/aligned_buffer.h"

namespace qc {

// Decimates a plane row by row. A picture smaller than half the factor isn't defined.
class BoxDecimation {
 public:
  void start(const PlaneView& plane, int factor);
  // Write row y of the decimated plane, scaled to 0 … 255.996, to `out`.
  void row(int y, float* out);

 private:
  PlaneView plane_{};
  int factor_ = 1;
  ssim::AlignedBuffer<float> samples_;
  ssim::AlignedBuffer<float> float_sums_;
  ssim::AlignedBuffer<double> double_sums_;
};

}  // namespace qc
