// The kernel behind float_ansnr; cuda/math/ordered_rows.h sums what it makes.
#pragma once

#include "cuda/device/frame.h"
#include "cuda/device/kernel_name.h"

namespace qc::cuda {

struct AnsnrSquaresArgs {
  const FrameParameters* frame;
  float scale;  // 2^-(depth - 8)
  int pitch;    // from row to row of the squares, even
  float* signal;
  float* noise;
};
// Blocks: stretches of kAnsnrColumns columns, of kAnsnrRows rows.
constexpr int kAnsnrThreads = 128;
constexpr int kAnsnrColumns = 256;
constexpr int kAnsnrRows = 32;
constexpr KernelName<AnsnrSquaresArgs> kAnsnrSquares{"qc_ansnr_squares"};

}  // namespace qc::cuda
