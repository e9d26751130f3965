#include "cuda/device/prelude.h"
//
#include "cuda/ssimulacra2/ssimulacra2_kernels.h"

namespace qc::cuda {
namespace {

using namespace qc::device;
using namespace qc::ssimulacra2;

constexpr int kWarp = 32;

// One channel of a scale, and a strip of it.
struct Strip {
  Ssimulacra2Scale scale;
  int channel;
  int index;
  bool ssim;
  bool edges;

  // Whether a signal is needed.
  QC_DEVICE bool needs(int signal) const { return ssim || (edges && signal < kSquare1); }
};

// Which strip the block has, where a channel of a scale has count(scale) of them; the larger scales come first.
template <class Count>
QC_DEVICE Strip find_strip(const Ssimulacra2Args& args, const Count& count) {
  int index = static_cast<int>(block_x());
  QC_UNROLL
  for (int s = 0; s < kScales; ++s) {
    const int strips = s < args.scales ? count(args.scale[s]) : 0;
    if (index < kChannels * strips) {
      const int channel = index / strips;
      return {args.scale[s], channel, index % strips, (args.scale[s].ssim >> channel & 1) != 0,
              (args.scale[s].edges >> channel & 1) != 0};
    }
    index -= kChannels * strips;
  }
  return {};
}

QC_DEVICE float signal_of(int signal, float r, float t) {
  switch (signal) {
    case kMean1:
      return r;
    case kMean2:
      return t;
    case kSquare1:
      return r * r;
    case kSquare2:
      return t * t;
    default:
      return r * t;
  }
}

// A step is known by the column that it takes in ahead: it gives column ahead - kAhead.
constexpr int kTile = 32;
constexpr int kRing = 2 * kTile;
constexpr int kPictures = 2;
// Values that a thread fetches of a tile.
constexpr int kFetch = (kPictures * kStripRows * kTile + kBlurThreads - 1) / kBlurThreads;

struct RowsMemory {
  float ring[kPictures][kStripRows][kRing + 1];
  float out[kBlurSignals][kStripRows][kTile + 1];
};

template <bool kRgb>
QC_DEVICE void blur_rows(const Ssimulacra2Args& args) {
  QC_BLOCK_SHARED RowsMemory memory;
  const Strip strip =
      find_strip(args, [](const Ssimulacra2Scale& s) { return (s.height + kStripRows - 1) / kStripRows; });
  if (!strip.needs(kMean1)) return;
  const int n = strip.scale.width;
  const int top = strip.index * kStripRows;
  const int64_t pixels = int64_t{n} * strip.scale.height;
  const int thread = static_cast<int>(thread_x());
  const int signal = thread / kWarp;
  const int lane = thread % kWarp;
  const bool needed = strip.needs(signal);
  const float* xyb = strip.scale.xyb + strip.channel * pixels;
  float* blurred = strip.scale.blurred + (strip.channel * kBlurSignals + signal) * pixels;

  float fetched[kFetch];
  const auto fetch = [&](int first) {
    QC_UNROLL
    for (int i = 0; i < kFetch; ++i) {
      const int item = thread + i * kBlurThreads;
      const int picture = item / (kStripRows * kTile);
      const int row = top + item / kTile % kStripRows;
      const int column = first + item % kTile;
      fetched[i] = picture < kPictures && row < strip.scale.height && column < n
                       ? xyb[picture * kChannels * pixels + int64_t{row} * n + column]
                       : 0.0f;
    }
  };
  const auto keep = [&](int first) {
    QC_UNROLL
    for (int i = 0; i < kFetch; ++i) {
      const int item = thread + i * kBlurThreads;
      if (item < kPictures * kStripRows * kTile)
        memory.ring[item / (kStripRows * kTile)][item / kTile % kStripRows][(first + item % kTile) % kRing] =
            fetched[i];
    }
  };
  // Zeros before the rows begin.
  QC_UNROLL
  for (float& f : fetched) f = 0.0f;
  keep(kTile);
  fetch(0);
  keep(0);

  BlurState state{};
  for (int first = 0; first < n + kAhead; first += kTile) {
    const bool more = first + kTile < n + kAhead;
    sync_block();
    if (more) fetch(first + kTile);
    const auto sum_at = [&](int ahead) {
      const int behind = (ahead + kRing - kAhead - kBehind) % kRing;
      return signal_of(signal, memory.ring[0][lane][behind], memory.ring[1][lane][behind]) +
             signal_of(signal, memory.ring[0][lane][ahead % kRing], memory.ring[1][lane][ahead % kRing]);
    };
    if (!needed) {
      // The other warps' signals do.
    } else if constexpr (kRgb) {
      for (int j = 0; j < kTile; j += RgbDialect::kBlock) {
        const int k = first + j - kAhead;
        float sums[RgbDialect::kBlock];
        float values[RgbDialect::kBlock];
        QC_UNROLL
        for (int i = 0; i < RgbDialect::kBlock; ++i) sums[i] = sum_at(first + j + i);
        if (k >= RgbDialect::kFirstBlock && k < n - RgbDialect::kBlocksUntil) {
          RgbDialect::blur_block(state, sums, values);
        } else {
          QC_UNROLL
          for (int i = 0; i < RgbDialect::kBlock; ++i) values[i] = RgbDialect::blur_single(state, sums[i]);
        }
        QC_UNROLL
        for (int i = 0; i < RgbDialect::kBlock; ++i) memory.out[signal][lane][j + i] = values[i];
      }
    } else {
      QC_UNROLL
      for (int j = 0; j < kTile; ++j) memory.out[signal][lane][j] = YuvDialect::blur(state, sum_at(first + j));
    }
    sync_warp();
    const int k = first + lane - kAhead;
    if (needed && k >= 0 && k < n)
      for (int row = 0; row < kStripRows && top + row < strip.scale.height; ++row)
        blurred[int64_t{top + row} * n + k] = memory.out[signal][row][lane];
    sync_block();
    if (more) keep(first + kTile);
  }
}

// Rows of a step of the block: each warp has as many of them for the errors.
constexpr int kStepRows = 15;
static_assert(kStepRows % kBlurSignals == 0);
constexpr int kHistory = kAhead + kBehind;

template <class Dialect>
QC_DEVICE void blur_columns(const Ssimulacra2Args& args) {
  QC_BLOCK_SHARED float memory[kBlurSignals][kStepRows][kStripColumns];
  const Strip strip =
      find_strip(args, [](const Ssimulacra2Scale& s) { return (s.width + kStripColumns - 1) / kStripColumns; });
  if (!strip.needs(kMean1)) return;
  const int width = strip.scale.width;
  const int height = strip.scale.height;
  const int64_t pixels = int64_t{width} * height;
  const int thread = static_cast<int>(thread_x());
  const int signal = thread / kWarp;
  const int lane = thread % kWarp;
  const int x = strip.index * kStripColumns + lane;
  const bool inside = x < width;
  const bool needed = strip.needs(signal);
  const float* blurred = strip.scale.blurred + (strip.channel * kBlurSignals + signal) * pixels + x;
  const float* xyb1 = strip.scale.xyb + strip.channel * pixels + x;
  const float* xyb2 = xyb1 + kChannels * pixels;
  double* ssim = strip.scale.errors + strip.channel * 2 * pixels + x;
  double* change = ssim + pixels;
  const int64_t narrow = pixels - pixels % Dialect::kWidePixels;

  // The last kHistory rows, and those of this step.
  float window[kHistory + kStepRows];
  QC_UNROLL
  for (float& w : window) w = 0.0f;
  const auto fetch = [&](int first) {
    QC_UNROLL
    for (int j = 0; j < kStepRows; ++j)
      window[kHistory + j] = needed && inside && first + j < height ? blurred[int64_t{first + j} * width] : 0.0f;
  };
  fetch(0);
  BlurState state{};
  for (int first = 0; first < height + kAhead; first += kStepRows) {
    QC_UNROLL
    for (int j = 0; needed && j < kStepRows; ++j)
      memory[signal][j][lane] = Dialect::blur(state, window[j] + window[kHistory + j]);
    QC_UNROLL
    for (int j = 0; j < kHistory; ++j) window[j] = window[kStepRows + j];
    fetch(first + kStepRows);
    sync_block();
    QC_UNROLL
    for (int i = 0; i < kStepRows / kBlurSignals; ++i) {
      const int j = signal + i * kBlurSignals;
      const int y = first + j - kAhead;
      if (!inside || y < 0 || y >= height) continue;
      const int64_t at = int64_t{y} * width;
      const Moments m = {memory[kMean1][j][lane], memory[kMean2][j][lane], memory[kSquare1][j][lane],
                         memory[kSquare2][j][lane], memory[kProduct][j][lane]};
      if (strip.ssim) ssim[at] = Dialect::ssim_error(m);
      if (strip.edges) change[at] = Dialect::edge_error(xyb1[at], xyb2[at], m, at + x >= narrow);
    }
    sync_block();
  }
}

}  // namespace

QC_KERNEL_RESIDENT(qc_ssimulacra2_rows, Ssimulacra2Args, kBlurThreads, 3) { blur_rows<false>(args); }
QC_KERNEL_RESIDENT(qc_ssimulacra2_rows_rgb, Ssimulacra2Args, kBlurThreads, 3) { blur_rows<true>(args); }
QC_KERNEL(qc_ssimulacra2_columns, Ssimulacra2Args, kBlurThreads) { blur_columns<YuvDialect>(args); }
QC_KERNEL(qc_ssimulacra2_columns_rgb, Ssimulacra2Args, kBlurThreads) { blur_columns<RgbDialect>(args); }

}  // namespace qc::cuda
