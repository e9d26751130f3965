// The kernels behind float_psnr and float_moment.
#pragma once

#include "cuda/device/frame.h"
#include "cuda/device/kernel_name.h"

namespace qc::cuda {

// Which terms are summed: a sample's square is that of its float32 value, rounded to float32.
enum class LumaTerm : int { SquaredError, ReferenceSquare, DistortedSquare };

struct LumaSumsArgs {
  const FrameParameters* frame;
  uint64_t* squared_error;  // added to, unless null
  uint64_t* sum[2];         // reference, distorted; added to, unless null
  uint64_t* square_sum[2];  // added to, together with `sum`
};

constexpr int kLumaSumsThreads = 256;
// For samples of one and of two bytes. Any number of blocks.
constexpr KernelName<LumaSumsArgs> kLumaSums8{"qc_luma_sums_8"};
constexpr KernelName<LumaSumsArgs> kLumaSums16{"qc_luma_sums_16"};

struct LumaTermsArgs {
  const FrameParameters* frame;
  LumaTerm term;
  double* terms;  // in raster order
};
// One block a row.
constexpr KernelName<LumaTermsArgs> kLumaTerms{"qc_luma_terms"};

}  // namespace qc::cuda
