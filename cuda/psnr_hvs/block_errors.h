// The kernels behind psnr_hvs.
//
// A plane's sum is a float32 accumulator over its terms in order: the blocks in raster order, 64 terms each.
// Consecutive blocks of a row of blocks form groups of kGroupBlocks, the last ones filled up with zeros, which don't
// change a sum. Terms are made group by group; approximate sums tell the binade that the accumulator is in before each
// group, as far as any order of addition can; blocks and groups become maps for that binade and its neighbours
// (math/ordered_sum.h); a walk applies the maps of 32 groups at a time, and looks at the groups, a group's blocks, and
// at last at a block's terms, where no map holds.
#pragma once

#include "cuda/device/frame.h"
#include "cuda/device/kernel_name.h"
#include "math/ordered_sum.h"
#include "psnr_hvs/hvs_weights.h"

namespace qc::cuda {

constexpr int kGroupBlocks = 32;
constexpr int kGroupTerms = kGroupBlocks * hvs::kBlockTerms;
// A float32 accumulator of many terms lags behind the exact sum, or runs ahead of it.
constexpr int kBinades = 4;
constexpr int kBinadesBelow = 2;

// Instead of an exponent: of a group that changes no sum.
constexpr int kOnlyZeros = 1 << 20;

// The maps of a run in kBinades binades.
struct alignas(16) BinadeMaps {
  GrowingRunMap<float> map[kBinades];
};

// One plane's terms and what is made of them.
struct ErrorPlane {
  int blocks_across;
  int groups_across;
  int groups;
  float* terms;           // kGroupTerms a group: term i of block b at i * kGroupBlocks + b
  double* group_sum;      // in any order
  int* exponent;          // of the lowest of the binades of a group's maps
  BinadeMaps* block_map;  // kGroupBlocks a group; of groups of zeros there are no maps
  BinadeMaps* group_map;
};

struct BlockErrorsArgs {
  const FrameParameters* frame;
  int plane;
  hvs::Weights weights;
  ErrorPlane out;
};
// A thread for each block and picture of a group. Blocks: groups. For samples of up to 12 bits, and of more.
constexpr int kBlockErrorThreads = 2 * kGroupBlocks;
constexpr int kBlockErrorResidentBlocks = 12;
constexpr KernelName<BlockErrorsArgs> kBlockErrors{"qc_block_errors"};
constexpr KernelName<BlockErrorsArgs> kWideBlockErrors{"qc_wide_block_errors"};

struct ErrorSumArgs {
  ErrorPlane plane[2];
  float* error;  // a sum each
};
constexpr int kErrorGuessThreads = 1024;
constexpr int kErrorMapThreads = 128;
constexpr int kErrorWalkThreads = 1024;
// In this order. One block a plane; a warp a group, in blocks across and planes; one block a plane.
constexpr KernelName<ErrorSumArgs> kErrorGuesses{"qc_error_guesses"};
constexpr KernelName<ErrorSumArgs> kErrorMaps{"qc_error_maps"};
constexpr KernelName<ErrorSumArgs> kErrorWalk{"qc_error_walk"};

}  // namespace qc::cuda
