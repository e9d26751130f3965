// The kernels behind motion and motion_v2.
#pragma once

#include "cuda/device/frame.h"
#include "cuda/device/kernel_name.h"
#include "motion/motion_record.h"

namespace qc::cuda {

// A block sums kMotionRows rows of kMotionColumns columns: a thread a column, two more on both sides for the filter.
constexpr int kMotionThreads = 256;
constexpr int kMotionColumns = kMotionThreads - 4;
constexpr int kMotionRows = 16;

struct BlurredDifferenceArgs {
  const FrameParameters* frame;
  MotionRecord* record;  // added to
  int distance;          // from the earlier picture in frames, 1 or 2. Nothing is added before there is one
};
// For samples of one and of two bytes. Grid: columns, rows.
constexpr KernelName<BlurredDifferenceArgs> kBlurredDifference8{"qc_blurred_difference_8"};
constexpr KernelName<BlurredDifferenceArgs> kBlurredDifference16{"qc_blurred_difference_16"};

}  // namespace qc::cuda
