// SSIM by integer moments (ssim.md §1).
#pragma once

#include "math/plane_view.h"
#include "ssim/aligned_buffer.h"

namespace qc {

class MomentSsim {
 public:
  // Sum of ssim::moment_term() over two planes of one size and depth, in raster order.
  double sum(const PlaneView& x, const PlaneView& y);

 private:
  ssim::AlignedBuffer<float> rows_;       // the rows of both planes that a window covers, and a row of zeros
  ssim::AlignedBuffer<double> vertical_;  // moments of the columns of a stretch of windows
  ssim::AlignedBuffer<double> weights_;   // horizontal weight of each column's windows
};

}  // namespace qc
