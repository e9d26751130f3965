// The kernels behind the feature ssim (ssim.md §1).
#pragma once

#include "cuda/device/frame.h"
#include "cuda/device/kernel_name.h"

namespace qc::cuda {

struct MomentSsimArgs {
  const FrameParameters* frame;
  int depth;
  int rows_per_block;
  double* terms;  // in raster order
};
// At 8 bits a window's moments fit 32 bits, up to 12 bits those of a row do; above they need 64, and a block has room
// for fewer columns.
constexpr int kMomentThreads = 128;
constexpr int kWideMomentThreads = 64;
// Blocks: stretches of columns, stretches of rows.
constexpr KernelName<MomentSsimArgs> kByteMomentSsim{"qc_byte_moment_ssim"};
constexpr KernelName<MomentSsimArgs> kMomentSsim{"qc_moment_ssim"};
constexpr KernelName<MomentSsimArgs> kWideMomentSsim{"qc_wide_moment_ssim"};

}  // namespace qc::cuda
