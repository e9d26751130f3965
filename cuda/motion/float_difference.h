// The kernels behind float_motion.
#pragma once

#include "cuda/device/frame.h"
#include "cuda/device/kernel_name.h"
#include "motion/float_motion_arithmetic.h"

namespace qc::cuda {

// A block filters kFloatMotionRows rows of kFloatMotionColumns columns: a thread a column, two more on both sides.
constexpr int kFloatMotionThreads = 256;
constexpr int kFloatMotionColumns = kFloatMotionThreads - 4;
constexpr int kFloatMotionRows = 16;

// Whole planes after the filter, older and newer, laid out as libvmaf has them: what lies between a row's end and the
// next row is 0.
struct BlurredPlanes {
  float* plane[2];
  int pitch;
};

// Magnitudes of the difference of the filtered planes.
struct FloatDifferenceArgs {
  const FrameParameters* frame;
  int plane;
  float sample_scale;
  float_motion::Filter filter;
  float* terms;
  int pitch;
  BlurredPlanes blurred;  // null: not kept
};
// By the bytes of a sample and the taps of the filter. Grid: columns, rows.
constexpr KernelName<FloatDifferenceArgs> kFloatDifference[2][3] = {
    {{"qc_float_difference_8_1"}, {"qc_float_difference_8_3"}, {"qc_float_difference_8_5"}},
    {{"qc_float_difference_16_1"}, {"qc_float_difference_16_3"}, {"qc_float_difference_16_5"}}};

// The same after halving the filtered planes.
struct HalfDifferenceArgs {
  const FrameParameters* frame;
  BlurredPlanes blurred;
  int pitch_read;  // the pitch that libvmaf reads them with
  int width;       // before halving
  int height;
  float* terms;
  int pitch;
};
// Grid: columns / kFloatMotionThreads, rows, after halving.
constexpr KernelName<HalfDifferenceArgs> kHalfDifference{"qc_half_difference"};

}  // namespace qc::cuda
