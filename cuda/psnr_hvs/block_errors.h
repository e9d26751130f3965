// The kernels behind psnr_hvs.
//
// A plane's sum is a float32 accumulator over its terms in order: the blocks in raster order, 64 terms each.
// Consecutive blocks of a row of blocks form groups of kGroupBlocks, the last ones filled up with zeros, which don't
// change a sum. Terms are made group by group; approximate sums tell the binade that the accumulator is in before each
// group, as far as any order of addition can; groups become maps for that binade and its neighbours
// (math/ordered_sum.h); a walk over the groups applies them, and looks at a group's blocks, and at last at a block's
// terms, where no map holds.
#pragma once

#include "cuda/device/frame.h"
#include "cuda/device/kernel_name.h"
#include "math/ordered_sum.h"
#include "psnr_hvs/hvs_weights.h"
#include "psnr_hvs/psnr_hvs_record.h"

namespace qc::cuda {

constexpr int kGroupBlocks = 32;
constexpr int kGroupTerms = kGroupBlocks * hvs::kBlockTerms;
// A float32 accumulator of many terms lags behind the exact sum, or runs ahead of it.
constexpr int kBinades = 4;
constexpr int kBinadesBelow = 2;

// One plane's terms and what is made of them.
struct ErrorPlane {
  int blocks_across;
  int groups_across;
  int groups;
  float* terms;               // kGroupTerms a group: term i of block b at i * kGroupBlocks + b
  double* group_sum;          // in any order
  int* exponent;              // of the lowest of a group's binades
  GrowingRunMap<float>* map;  // kBinades a group
};

struct BlockErrorsArgs {
  const FrameParameters* frame;
  int plane;
  hvs::Weights weights;
  ErrorPlane out;
};
// A thread for each block and picture of a group. Blocks: groups. For samples of up to 12 bits, and of more.
constexpr int kBlockErrorThreads = 2 * kGroupBlocks;
constexpr KernelName<BlockErrorsArgs> kBlockErrors{"qc_block_errors"};
constexpr KernelName<BlockErrorsArgs> kWideBlockErrors{"qc_wide_block_errors"};

struct ErrorSumArgs {
  ErrorPlane plane[3];
  PsnrHvsRecord* record;
};
constexpr int kErrorGuessThreads = 1024;
constexpr int kErrorMapThreads = 128;
constexpr int kErrorWalkThreads = 32;
// In this order. One block a plane; a warp a group, in blocks across and planes; one block a plane.
constexpr KernelName<ErrorSumArgs> kErrorGuesses{"qc_error_guesses"};
constexpr KernelName<ErrorSumArgs> kErrorMaps{"qc_error_maps"};
constexpr KernelName<ErrorSumArgs> kErrorWalk{"qc_error_walk"};

}  // namespace qc::cuda
