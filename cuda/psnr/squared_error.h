// The kernels that sum squared differences of planes.
#pragma once

#include "cuda/device/frame.h"
#include "cuda/device/kernel_name.h"
#include "psnr/psnr_record.h"

namespace qc::cuda {

struct SquaredErrorArgs {
  const FrameParameters* frame;
  PsnrRecord* record;  // added to
  int planes;          // 1 or 3
};

constexpr int kSquaredErrorThreads = 256;
// For samples of one and of two bytes. Any number of blocks.
constexpr KernelName<SquaredErrorArgs> kSquaredError8{"qc_squared_error_8"};
constexpr KernelName<SquaredErrorArgs> kSquaredError16{"qc_squared_error_16"};

}  // namespace qc::cuda
