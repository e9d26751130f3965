// The kernels behind float_ansnr.
#pragma once

#include "cuda/device/frame.h"
#include "cuda/device/kernel_name.h"
#include "psnr/float_ansnr_record.h"

namespace qc::cuda {

// A block sums kAnsnrRows rows, a stretch of kAnsnrColumns columns at a time.
constexpr int kAnsnrRows = 4;
constexpr int kAnsnrColumns = 256;
constexpr int kAnsnrThreads = 256;

struct AnsnrRowsArgs {
  const FrameParameters* frame;
  float scale;    // 2^-(depth - 8)
  float* signal;  // a row's sum each
  float* noise;
};
constexpr KernelName<AnsnrRowsArgs> kAnsnrRowSums{"qc_ansnr_row_sums"};

struct AnsnrTotalArgs {
  const float* signal;
  const float* noise;
  int rows;
  FloatAnsnrRecord* record;
};
// One block.
constexpr KernelName<AnsnrTotalArgs> kAnsnrTotal{"qc_ansnr_total"};

}  // namespace qc::cuda
