// The kernels behind float_vif.
#pragma once

#include "cuda/device/frame.h"
#include "cuda/device/kernel_name.h"
#include "vif/float_vif_arithmetic.h"

namespace qc::cuda {

// A block of the fast kernels filters kFloatVifRows rows: a thread a column, some of them beside those that it scores.
constexpr int kFloatVifThreads = 256;
constexpr int kFloatVifRows = 8;
QC_HD constexpr int float_vif_columns(int taps) { return (kFloatVifThreads - (taps - 1)) / 4 * 4; }

// Reference and distorted of one scale: float32 planes, or null for luma as it is.
struct FloatVifPictures {
  float* plane[2];
  int width;
  int height;
  int pitch;
};

// Terms of the sums, rows `pitch` apart, a multiple of 4.
struct FloatVifTerms {
  float* numerators;
  float* denominators;
  int pitch;
};

struct FloatVifScaleArgs {
  const FrameParameters* frame;
  FloatVifPictures pictures;
  float sample_scale;  // of luma
  float_vif::Filter filter;
  float_vif::Channel channel;
  FloatVifTerms terms;
  float* filtered;  // five planes of the pictures' pitch after the vertical pass, for filters of any size
};

// Filters of 17, 9, 5 and 3 taps in one pass over the pictures. Grid: columns / float_vif_columns, rows /
// kFloatVifRows.
constexpr KernelName<FloatVifScaleArgs> kFloatVifLuma8{"qc_float_vif_luma_8"};  // 17 taps
constexpr KernelName<FloatVifScaleArgs> kFloatVifLuma16{"qc_float_vif_luma_16"};
constexpr KernelName<FloatVifScaleArgs> kFloatVif17{"qc_float_vif_17"};
constexpr KernelName<FloatVifScaleArgs> kFloatVif9{"qc_float_vif_9"};
constexpr KernelName<FloatVifScaleArgs> kFloatVif5{"qc_float_vif_5"};
constexpr KernelName<FloatVifScaleArgs> kFloatVif3{"qc_float_vif_3"};
// Filters of any size, first down the columns, then along the rows. Grid: columns / kFloatVifThreads, rows.
constexpr KernelName<FloatVifScaleArgs> kFloatVifVertical8{"qc_float_vif_vertical_8"};
constexpr KernelName<FloatVifScaleArgs> kFloatVifVertical16{"qc_float_vif_vertical_16"};
constexpr KernelName<FloatVifScaleArgs> kFloatVifVertical{"qc_float_vif_vertical"};
constexpr KernelName<FloatVifScaleArgs> kFloatVifHorizontal{"qc_float_vif_horizontal"};

// The pictures of the next scale: every second row and column after the filter.
struct FloatVifNextArgs {
  const FrameParameters* frame;
  FloatVifPictures from;
  FloatVifPictures to;
  float sample_scale;
  float_vif::Filter filter;
};
// Columns of a block for a filter.
QC_HD constexpr int float_vif_next_columns(int taps) { return (kFloatVifThreads - (taps - 1)) / 2; }
// Grid: columns / float_vif_next_columns, rows / kFloatVifRows, pictures.
constexpr KernelName<FloatVifNextArgs> kFloatVifNext8{"qc_float_vif_next_8"};
constexpr KernelName<FloatVifNextArgs> kFloatVifNext16{"qc_float_vif_next_16"};
constexpr KernelName<FloatVifNextArgs> kFloatVifNext{"qc_float_vif_next"};

// Luma at another size.
struct FloatVifResampleArgs {
  const FrameParameters* frame;
  float sample_scale;
  int column_taps;
  const int* column_index;  // of the taps of each column, one column after the other
  const float* column_weight;
  int row_taps;
  const int* row_index;
  const float* row_weight;
  bool normalised;
  FloatVifPictures to;
};
// For samples of one and of two bytes. Grid: columns / kFloatVifThreads, rows, pictures.
constexpr KernelName<FloatVifResampleArgs> kFloatVifResample8{"qc_float_vif_resample_8"};
constexpr KernelName<FloatVifResampleArgs> kFloatVifResample16{"qc_float_vif_resample_16"};

}  // namespace qc::cuda
