// The kernels behind vif.
#pragma once

#include "cuda/device/frame.h"
#include "cuda/device/kernel_name.h"
#include "vif/vif_record.h"

namespace qc::cuda {

// A thread a column; the columns at both ends of a block only feed the filters of the others.
constexpr int kVifThreads = 256;
// Rows of a block.
constexpr int kVifRows = 8;
// Columns of a block with results, a multiple of 4, for a filter of this radius.
template <int kRadius>
constexpr int kVifColumns = (kVifThreads - 2 * kRadius) / 4 * 4;
// The same of the next scale's pictures; the radius is the next scale's.
template <int kRadius>
constexpr int kVifNextColumns = (kVifThreads - 2 * kRadius) / 2;

// Reference and distorted picture of scales 1 to 3: rows of `width` samples without gaps.
struct VifPictures {
  uint16_t* samples[2];
  int width;
  int height;
};

// What the vertical pass makes of a column of samples.
struct VifMoments {
  uint32_t means;  // reference, distorted: 16 bits each, reference low
  uint32_t square_r;
  uint32_t square_d;
  uint32_t product;
};

struct VifSumsArgs {
  const FrameParameters* frame;  // scale 0
  VifPictures pictures;          // other scales; of scale 0 only the size
  VifPictures previous;          // scale 3: scale 2's
  VifMoments*
      leftover;  // scale 2's of the last row, column 1: written at scale 2, read at scale 3 by pictures of one column
  const uint8_t* residuals;  // the table of vif_log.h
  double gain_limit;
  VifScaleSums* sums;  // added to
};
// Grid: columns, rows. Scale 0 for samples of one and of two bytes.
constexpr KernelName<VifSumsArgs> kVifSums8{"qc_vif_sums_8"};
constexpr KernelName<VifSumsArgs> kVifSums16{"qc_vif_sums_16"};
constexpr KernelName<VifSumsArgs> kVifSums1{"qc_vif_sums_1"};
constexpr KernelName<VifSumsArgs> kVifSums2{"qc_vif_sums_2"};
constexpr KernelName<VifSumsArgs> kVifSums3{"qc_vif_sums_3"};

struct VifNextArgs {
  const FrameParameters* frame;  // for scale 1
  VifPictures from;              // for other scales; for scale 1 only the size
  VifPictures to;
};
// Pictures of the next scale. Grid: columns, rows, 2.
constexpr KernelName<VifNextArgs> kVifNext8{"qc_vif_next_8"};
constexpr KernelName<VifNextArgs> kVifNext16{"qc_vif_next_16"};
constexpr KernelName<VifNextArgs> kVifNext2{"qc_vif_next_2"};
constexpr KernelName<VifNextArgs> kVifNext3{"qc_vif_next_3"};

}  // namespace qc::cuda
