// Sums of float32 terms along the rows of planes, then over the rows, every addition in order.
#pragma once

#include "cuda/device/frame.h"
#include "cuda/device/kernel_name.h"

namespace qc::cuda {

constexpr int kMostOrderedPlanes = 8;

struct OrderedPlane {
  const float* terms;  // rows of `width`, `pitch` apart
  int width;
  int height;
  int pitch;
  float* row_sums;  // `height` of them
  float* total;
};

struct OrderedRowsArgs {
  const FrameParameters* frame;
  int earlier;  // pairs before the current one without which there are no terms, and nothing is summed
  OrderedPlane plane[kMostOrderedPlanes];
};

// A lane a row. Grid: rows / kOrderedRowsBlock of the highest plane, planes.
constexpr int kOrderedRowsBlock = 32;
constexpr int kOrderedRowsThreads = 256;
constexpr KernelName<OrderedRowsArgs> kOrderedRowSums{"qc_ordered_row_sums"};
// Afterwards. Grid: planes.
constexpr int kOrderedTotalsThreads = 256;
constexpr KernelName<OrderedRowsArgs> kOrderedTotals{"qc_ordered_totals"};

}  // namespace qc::cuda
