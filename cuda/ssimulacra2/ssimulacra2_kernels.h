// The kernels behind ssimulacra2. They run one after the other; all but the first two work on all scales at once.
#pragma once

#include "cuda/device/frame.h"
#include "cuda/device/kernel_name.h"
#include "cuda/math/ordered_sum.h"
#include "ssimulacra2/ssimulacra2_arithmetic.h"
#include "ssimulacra2/ssimulacra2_record.h"

namespace qc::cuda {

// What is blurred.
enum Ssimulacra2Signal { kMean1, kMean2, kSquare1, kSquare2, kProduct, kBlurSignals };

// Terms of a chunk, and chunks of a group, in the sums of errors.
constexpr int kErrorChunk = 256;
constexpr int kErrorGroup = 64;

// Planes have rows of `width` values without gaps, one plane after the other.
struct Ssimulacra2Scale {
  int width;
  int height;
  int chunks;  // of the errors of a channel
  int groups;
  uint32_t ssim;   // bit c: whether channel c's SSIM error is wanted
  uint32_t edges;  // likewise its edge change
  float* light;    // R, G, B of the reference, then of the distorted picture; none at scale 0
  float* xyb;      // X, Y, B likewise
  float* blurred;  // kBlurSignals planes for each channel, along the rows only
  double* errors;  // SSIM error and edge change for each channel
  // For each channel and each kind of sum, an array over the chunks or groups.
  double* chunk_sum;
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
  int from;  // the scale that kSsimulacra2Next starts from
  int scales;
  Ssimulacra2Scale scale[ssimulacra2::kScales];
  Ssimulacra2Record* record;
};

// XYB of scale 0 and the linear picture of scale 1. Grid: pairs of columns, kLightRows rows, 2.
constexpr int kLightThreads = 128;
constexpr int kLightRows = 8;
constexpr KernelName<Ssimulacra2Args> kSsimulacra2Yuv{"qc_ssimulacra2_yuv"};
constexpr KernelName<Ssimulacra2Args> kSsimulacra2Rgb{"qc_ssimulacra2_rgb"};
// XYB of scale `from` and the linear picture of the next. Grid likewise.
constexpr KernelName<Ssimulacra2Args> kSsimulacra2Next{"qc_ssimulacra2_next"};
constexpr KernelName<Ssimulacra2Args> kSsimulacra2NextRgb{"qc_ssimulacra2_next_rgb"};

// Blur along the rows: a warp for each signal, a lane for each row. Grid: strips of rows of every channel and scale.
constexpr int kBlurThreads = 32 * kBlurSignals;
constexpr int kStripRows = 32;
constexpr KernelName<Ssimulacra2Args> kSsimulacra2Rows{"qc_ssimulacra2_rows"};
constexpr KernelName<Ssimulacra2Args> kSsimulacra2RowsRgb{"qc_ssimulacra2_rows_rgb"};

// Blur down the columns, and the errors: a warp for each signal, a lane for each column. Grid: strips of columns
// likewise.
constexpr int kStripColumns = 32;
constexpr KernelName<Ssimulacra2Args> kSsimulacra2Columns{"qc_ssimulacra2_columns"};
constexpr KernelName<Ssimulacra2Args> kSsimulacra2ColumnsRgb{"qc_ssimulacra2_columns_rgb"};

// The sums of the errors in raster order (ordered_sum.h, for terms that are not negative). Grids: kErrorThreads / 32
// chunks a block, of every channel and scale; a block for each sum; a block for each group; a block for each sum.
constexpr int kErrorThreads = 256;
constexpr int kErrorGuessThreads = 512;
constexpr KernelName<Ssimulacra2Args> kSsimulacra2ChunkSums{"qc_ssimulacra2_chunk_sums"};
constexpr KernelName<Ssimulacra2Args> kSsimulacra2Guesses{"qc_ssimulacra2_guesses"};
constexpr KernelName<Ssimulacra2Args> kSsimulacra2Maps{"qc_ssimulacra2_maps"};
constexpr KernelName<Ssimulacra2Args> kSsimulacra2Walk{"qc_ssimulacra2_walk"};

}  // namespace qc::cuda
