// The kernels that compute SSIM in the 11x11 window of float_ssim and float_ms_ssim (ssim.md §2.3).
#pragma once

#include "cuda/device/frame.h"
#include "cuda/device/kernel_name.h"
#include "ssim/ssim_record.h"

namespace qc::cuda {

constexpr int kWindowThreads = 128;  // window positions across a block
constexpr int kWindowResidentBlocks = 5;
constexpr int kMostPlanes = 5;

// The terms of which means are taken, in the order of SsimMeans.
enum SsimTerm : int { kProductTerm, kLuminanceTerm, kContrastTerm, kStructureTerm, kSsimTerms };

// Sums over a block's positions, added in no particular order.
struct SsimPartialSums {
  double sum[kSsimTerms];
  double magnitude[kSsimTerms];
};

// A pair of planes of float32 samples, or the frame's luma if x is null.
struct WindowedPlane {
  const float* x;  // width * height samples without padding
  const float* y;
  int width;
  int height;
  int rows_per_block;  // rows of window positions
  int blocks_across;
  int blocks;
  unsigned wanted;                // bit i: term i
  SsimPartialSums* partial_sums;  // one a block; 0 for terms that are not wanted
};

struct WindowedSsimArgs {
  const FrameParameters* frame;
  float scale;  // of luma samples, 2^-(depth - 8)
  int planes;
  WindowedPlane plane[kMostPlanes];  // their blocks follow each other in the grid
  // Unless null: this term of the first plane, at each position in raster order.
  double* terms;
  SsimTerm term;
};
// For luma of one and of two bytes a sample; for float planes of non-negative, and of any samples.
constexpr KernelName<WindowedSsimArgs> kWindowedSsim8{"qc_windowed_ssim_8"};
constexpr KernelName<WindowedSsimArgs> kWindowedSsim16{"qc_windowed_ssim_16"};
constexpr KernelName<WindowedSsimArgs> kWindowedSsimPositive{"qc_windowed_ssim_positive"};
constexpr KernelName<WindowedSsimArgs> kWindowedSsimSigned{"qc_windowed_ssim_signed"};
// The same with windows' sums as pairs of float32 (math/float_pair.h).
constexpr KernelName<WindowedSsimArgs> kWindowedSsim8Pairs{"qc_windowed_ssim_8_pairs"};
constexpr KernelName<WindowedSsimArgs> kWindowedSsim16Pairs{"qc_windowed_ssim_16_pairs"};
constexpr KernelName<WindowedSsimArgs> kWindowedSsimPositivePairs{"qc_windowed_ssim_positive_pairs"};
constexpr KernelName<WindowedSsimArgs> kWindowedSsimSignedPairs{"qc_windowed_ssim_signed_pairs"};

// Means of the wanted terms, where the sums tell them for certain. An error of the sums beyond `margin` * 2^-53 * (sum
// of the terms' magnitudes) is ruled out.
struct SsimMeansArgs {
  struct Plane {
    int columns;  // window positions, maybe none or a negative number
    int rows;
    int blocks;
    const SsimPartialSums* partial_sums;
    double margin;
    unsigned wanted;  // bit i: term i
    SsimMeans* means;
    uint32_t* uncertain;  // bit i is set where term i needs the sum in order
  };
  Plane plane[kMostPlanes];
};
constexpr int kMeansThreads = 256;
// One block a plane.
constexpr KernelName<SsimMeansArgs> kSsimMeans{"qc_ssim_means"};

struct OrderedMeanArgs {
  const double* sum;
  int columns;
  int rows;
  float* mean;
};
// One block.
constexpr KernelName<OrderedMeanArgs> kOrderedMean{"qc_ordered_mean"};

}  // namespace qc::cuda
