// The kernels behind speed_chroma and speed_temporal. A frame has two images (reference, distorted) for each plane that
// is scored: image 2 p is plane p's reference, 2 p + 1 its distorted picture.
#pragma once

#include "cuda/device/frame.h"
#include "cuda/device/kernel_name.h"
#include "speed/speed_arithmetic.h"
#include "speed/speed_log2.h"
#include "speed/speed_record.h"

namespace qc::cuda {

// Of the largest speed_kernelscale.
constexpr int kSpeedAntialiasTaps = 35;
constexpr int kSpeedMeanTaps = 9;

// What the images are.
enum class SpeedImages {
  Chroma,              // Cb and Cr
  Changes,             // how luma of the previous pair differs from that of this one
  ChangesToReference,  // the same, of both previous pictures from this reference
};

// metrics/speed's Sizes.
struct SpeedSizes {
  int scaled_width;
  int scaled_height;
  int reduced_width;
  int reduced_height;
  int blocks_x;
  int blocks_y;
  int positions_x;
  int positions_y;
};

// metrics/speed's Resampling of columns or rows.
struct SpeedResampling {
  const int* index;
  const float* weight;
};

struct SpeedFilterArgs {
  const FrameParameters* frame;
  SpeedImages images;
  SpeedSizes sizes;
  int resampling_taps;  // 0: not prescaled
  bool normalised;
  SpeedResampling columns;
  SpeedResampling rows;
  int taps;
  float tap[kSpeedAntialiasTaps];
  float* low;  // [image][reduced_height][reduced_width]
};
// Low-pass filters the images and keeps one sample of 16x16. A block makes kSpeedOutputs samples of a row: a thread for
// each column under the default filter. Grid: columns, rows, images. For samples of one and of two bytes.
constexpr int kSpeedOutputs = 32;
constexpr int kSpeedFilterThreads = 288;
constexpr KernelName<SpeedFilterArgs> kSpeedFilter8{"qc_speed_filter_8"};
constexpr KernelName<SpeedFilterArgs> kSpeedFilter16{"qc_speed_filter_16"};

struct SpeedLocalMeanArgs {
  SpeedSizes sizes;
  int taps;
  float tap[kSpeedMeanTaps];
  const float* low;
  float* reduced;  // like `low`
};
// Takes the local mean away. Grid: samples of an image, images.
constexpr int kSpeedLocalMeanThreads = 256;
constexpr KernelName<SpeedLocalMeanArgs> kSpeedLocalMean{"qc_speed_local_mean"};

struct SpeedMeansArgs {
  SpeedSizes sizes;
  const float* reduced;
  float* means;  // [image][offset]
};
// The window's mean at each offset. Grid: images. A thread of the first warp sums an offset; the others read ahead.
constexpr int kSpeedMeansThreads = 160;
constexpr KernelName<SpeedMeansArgs> kSpeedMeans{"qc_speed_means"};

struct SpeedCovarianceArgs {
  SpeedSizes sizes;
  const float* reduced;
  const float* means;
  float* covariance;  // [image][offset][offset]
};
// A block makes kSpeedPairs elements of a covariance matrix: eight threads each, and one for the columns that are left
// over; the last two warps read ahead. Grid: pairs, images.
constexpr int kSpeedPairs = 8;
constexpr int kSpeedCovarianceThreads = 128;
constexpr KernelName<SpeedCovarianceArgs> kSpeedCovariance{"qc_speed_covariance"};

// What is made of a covariance matrix.
struct SpeedMatrices {
  float eigenvalue[speed::kOffsets];
  float orthogonal[speed::kOffsets * speed::kOffsets];
  float triangle[speed::kOffsets * speed::kOffsets];
  int singular[2];  // by eigenvalues, by pivots
};

struct SpeedMatricesArgs {
  const float* covariance;
  SpeedMatrices* matrices;  // of each image
};
// Eigenvalues in one block, the triangular form in another. Grid: 2, images.
constexpr int kSpeedMatricesThreads = 640;
constexpr KernelName<SpeedMatricesArgs> kSpeedMatrices{"qc_speed_matrices"};

struct SpeedBlocksArgs {
  SpeedSizes sizes;
  speed::Weighting weighting;
  float noise;
  float least_entropy;
  const float* reduced;
  const SpeedMatrices* matrices;
  const speed::Log2Entry* log2_table;
  float* block_scores;  // [plane][block]
};
// A thread a block of samples. Grid: blocks, planes.
constexpr int kSpeedBlocksThreads = 64;
constexpr KernelName<SpeedBlocksArgs> kSpeedBlocks{"qc_speed_blocks"};

struct SpeedTotalArgs {
  int blocks;
  const SpeedMatrices* matrices;
  const float* block_scores;
  SpeedRecord* record;
};
// The mean of the block scores, in order. Grid: planes.
constexpr int kSpeedTotalThreads = 256;
constexpr KernelName<SpeedTotalArgs> kSpeedTotal{"qc_speed_total"};

}  // namespace qc::cuda
