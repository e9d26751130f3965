// The kernels that decimate luma for float_ssim and float_ms_ssim (ssim.md §2.4, §4.4). Both pictures at once.
#pragma once

#include "cuda/device/frame.h"
#include "cuda/device/kernel_name.h"

namespace qc::cuda {

struct BoxDecimationArgs {
  const FrameParameters* frame;
  float scale;  // of luma samples, 2^-(depth - 8)
  int factor;
  float* out[2];  // width * height samples without padding
  int width;
  int height;
};
constexpr int kBoxThreads = 128;
// Blocks: positions of a row, rows, pictures.
constexpr KernelName<BoxDecimationArgs> kBoxDecimation{"qc_box_decimation"};

struct LowPassDecimationArgs {
  const FrameParameters* frame;
  float scale;
  const float* in[2];  // in_width * in_height samples without padding, or null
  int in_width;
  int in_height;
  float* out[2];  // half the size, rounded up
};
// Positions that a thread computes, one below the other.
constexpr int kLumaLowPassStep = 2;
constexpr int kPlaneLowPassStep = 2;
constexpr int kLowPassColumns = 32;
constexpr int kLowPassThreads = 256;
// Rows of a tile.
template <int kStep>
constexpr int kLowPassRows = kLowPassThreads / kLowPassColumns* kStep;
// Blocks: tiles across, tiles down, pictures. From luma of one and of two bytes a sample (`in` null), and from planes.
constexpr KernelName<LowPassDecimationArgs> kLumaLowPass8{"qc_luma_low_pass_8"};
constexpr KernelName<LowPassDecimationArgs> kLumaLowPass16{"qc_luma_low_pass_16"};
constexpr KernelName<LowPassDecimationArgs> kPlaneLowPass{"qc_plane_low_pass"};
// The same with sums as pairs of float32 (math/float_pair.h).
constexpr KernelName<LowPassDecimationArgs> kLumaLowPass8Pairs{"qc_luma_low_pass_8_pairs"};
constexpr KernelName<LowPassDecimationArgs> kLumaLowPass16Pairs{"qc_luma_low_pass_16_pairs"};
constexpr KernelName<LowPassDecimationArgs> kPlaneLowPassPairs{"qc_plane_low_pass_pairs"};

}  // namespace qc::cuda
