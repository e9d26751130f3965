// The kernels behind ssimulacra2. They run one after the other; all but the first two work on several scales at once.
#pragma once

#include "cuda/device/frame.h"
#include "cuda/device/kernel_name.h"
#include "cuda/math/ordered_sum.h"
#include "ssimulacra2/ssimulacra2_arithmetic.h"
#include "ssimulacra2/ssimulacra2_record.h"

namespace qc::cuda {

// What is blurred.
enum Ssimulacra2Signal { kMean1, kMean2, kSquare1, kSquare2, kProduct, kBlurSignals };
// The signals that a channel needs: all for SSIM, the means alone for edges.
constexpr int kEdgeSignals = kSquare1;

// Planes that are walked over along rows and along columns lie in stripes of so many columns, each with its rows one
// after the other, so that both ways neighbouring lanes find neighbouring bytes.
constexpr int kStripe = 8;

// Columns of a chunk, a part of a row, and chunks of a group, in the sums of errors.
constexpr int kErrorChunk = 256;
constexpr int kErrorGroup = 64;
// Columns of a piece of a chunk.
constexpr int kErrorPiece = 32;
constexpr int kChunkPieces = kErrorChunk / kErrorPiece;

struct Ssimulacra2Scale {
  int width;
  int height;
  int stripes;       // of a plane
  int row_chunks;    // of the errors of a row of a channel
  int chunks;        // of the errors of a channel
  int groups;        // likewise
  int light_pitch;   // from one row of `light` to the next, a multiple of 4
  uint32_t sums[3];  // of each channel: bit k: whether sum k is wanted
  float* light;      // R, G, B of the reference, then of the distorted picture, by rows; none at scale 0
  float* xyb;        // X, Y, B likewise, by stripes; zero past the end of a row
  float* blurred;    // kBlurSignals planes for each channel, along the rows only, by stripes
  double* errors;    // SSIM error and edge change for each channel, by rows without gaps
  // For each channel and each kind of sum, an array over the chunks (or their pieces) or the groups.
  float* piece_sum;
  PackedBinade* chunk_binade;  // of the sum before each chunk, as far as any order of addition tells
  GrowingRunMap<double>* chunk_map;
  PackedBinade* group_binade;
  GrowingRunMap<double>* group_map;
};

struct Ssimulacra2Args {
  const FrameParameters* frame;
  ssimulacra2::Colour colour[2];
  const float* transfer[2];
  int chroma_width;
  int chroma_height;
  int from;  // the first scale that the kernel works on, and the only one of kSsimulacra2Next
  int to;    // the one after the last
  int scales;
  Ssimulacra2Scale scale[ssimulacra2::kScales];
  Ssimulacra2Record* record;
};

// XYB of scale 0 and the linear picture of scale 1. A thread has kLightColumns columns of two rows; a warp is 8 threads
// wide. Grid: blocks of kLightBlockColumns columns (of YUV, kYuvSteps times as many), of kLightRows rows, 2.
constexpr int kLightThreads = 128;
constexpr int kLightColumns = 4;
constexpr int kLightBlockColumns = 8 * kLightColumns;
constexpr int kYuvSteps = 4;
constexpr int kLightRows = 2 * kLightThreads / 8;
constexpr KernelName<Ssimulacra2Args> kSsimulacra2Yuv{"qc_ssimulacra2_yuv"};
constexpr KernelName<Ssimulacra2Args> kSsimulacra2Rgb{"qc_ssimulacra2_rgb"};
// XYB of scale `from` and the linear picture of the next. Grid likewise.
constexpr KernelName<Ssimulacra2Args> kSsimulacra2Next{"qc_ssimulacra2_next"};
constexpr KernelName<Ssimulacra2Args> kSsimulacra2NextRgb{"qc_ssimulacra2_next_rgb"};

// Blur along the rows. A block, of one warp, has a strip of rows of one signal, a lane each row. Grid: the strips of
// every signal, channel and scale.
constexpr int kRowThreads = 32;
constexpr int kStripRows = kRowThreads;
constexpr KernelName<Ssimulacra2Args> kSsimulacra2Rows{"qc_ssimulacra2_rows"};
constexpr KernelName<Ssimulacra2Args> kSsimulacra2RowsRgb{"qc_ssimulacra2_rows_rgb"};

// Blur down the columns, the errors, and what they sum to in each row of the strip: a warp for each signal, a lane for
// each column. Grid: strips of columns of every channel and scale.
constexpr int kColumnThreads = 32 * kBlurSignals;
constexpr int kStripColumns = kErrorPiece;
constexpr KernelName<Ssimulacra2Args> kSsimulacra2Columns{"qc_ssimulacra2_columns"};
constexpr KernelName<Ssimulacra2Args> kSsimulacra2ColumnsRgb{"qc_ssimulacra2_columns_rgb"};

// The sums of the errors in raster order (ordered_sum.h, for terms that are not negative). Grids: a block for each sum;
// a block for each group; a block for each sum.
constexpr int kErrorThreads = 256;
constexpr int kErrorGuessThreads = 1024;
constexpr int kErrorWalkThreads = 32;
constexpr KernelName<Ssimulacra2Args> kSsimulacra2Guesses{"qc_ssimulacra2_guesses"};
constexpr KernelName<Ssimulacra2Args> kSsimulacra2Maps{"qc_ssimulacra2_maps"};
constexpr KernelName<Ssimulacra2Args> kSsimulacra2Walk{"qc_ssimulacra2_walk"};

}  // namespace qc::cuda
