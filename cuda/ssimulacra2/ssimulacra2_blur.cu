#include "cuda/device/prelude.h"
//
#include "cuda/ssimulacra2/ssimulacra2_kernels.h"

namespace qc::cuda {
namespace {

using namespace qc::device;
using namespace qc::ssimulacra2;

constexpr int kWarp = 32;

QC_DEVICE bool has_ssim(uint32_t sums) { return (sums & (1U << kSsim | 1U << kSsim4)) != 0; }
QC_DEVICE bool has_edges(uint32_t sums) { return (sums & ~(1U << kSsim | 1U << kSsim4)) != 0; }
// How many signals a channel needs.
QC_DEVICE int signals_of(uint32_t sums) { return has_ssim(sums) ? kBlurSignals : has_edges(sums) ? kEdgeSignals : 0; }

// One channel of a scale, and a strip of it.
struct Strip {
  Ssimulacra2Scale scale;
  int channel;
  int index;
  uint32_t sums;
};

// Which strip the block has, where a channel of a scale has count(scale, sums) of them; the larger scales come first.
template <class Count>
QC_DEVICE Strip find_strip(const Ssimulacra2Args& args, const Count& count) {
  int index = static_cast<int>(block_x());
  QC_UNROLL
  for (int s = 0; s < kScales; ++s) {
    QC_UNROLL
    for (int channel = 0; channel < kChannels; ++channel) {
      const uint32_t sums = args.scale[s].sums[channel];
      const int strips = s >= args.from && s < args.to ? count(args.scale[s], sums) : 0;
      if (index >= 0 && index < strips) return {args.scale[s], channel, index, sums};
      index -= strips;
    }
  }
  return {};
}

struct alignas(16) Four {
  float value[4];
};

QC_DEVICE int64_t plane_size(const Ssimulacra2Scale& s) { return int64_t{s.stripes} * s.height * kStripe; }

// --- along the rows --------------------------------------------------------------------------------------------------

constexpr int kHistory = kAhead + kBehind;
// Samples are taken in four at a time, and so many fours are fetched ahead.
constexpr int kFours = 8;
static_assert(kAhead == 4 && kStripe == 8 && RgbDialect::kBlock == 4);

// `kSquared`: blurs the product of two pictures, or the square of one.
template <bool kRgb, bool kTwo, bool kSquared>
QC_DEVICE void blur_rows(const float* from1, const float* from2, float* to, int width, int stripes, int64_t pitch,
                         bool inside) {
  const int fours = 2 * stripes;
  Four next1[kFours];
  Four next2[kFours];
  const auto fetch = [&](int first) {
    QC_UNROLL
    for (int i = 0; i < kFours; ++i) {
      const int64_t at = (first + i) / 2 * pitch + i % 2 * 4;
      if (first + i < fours) {
        next1[i] = *reinterpret_cast<const Four*>(from1 + at);
        if (kTwo) next2[i] = *reinterpret_cast<const Four*>(from2 + at);
      } else {
        next1[i] = next2[i] = {};
      }
    }
  };
  fetch(0);
  float window[kHistory + 4 * kFours];
  QC_UNROLL
  for (float& w : window) w = 0.0f;
  BlurState state{};
  // Having taken in four `f`, the recursions give four f - 1.
  for (int first = 0; first <= fours; first += kFours) {
    QC_UNROLL
    for (int j = 0; j < 4 * kFours; ++j) {
      const float a = next1[j / 4].value[j % 4];
      window[kHistory + j] = !kSquared ? a : a * (kTwo ? next2[j / 4].value[j % 4] : a);
    }
    fetch(first + kFours);
    QC_UNROLL
    for (int i = 0; i < kFours; ++i) {
      Four out;
      float sums[4];
      QC_UNROLL
      for (int j = 0; j < 4; ++j) sums[j] = window[4 * i + j] + window[kHistory + 4 * i + j];
      if constexpr (kRgb) {
        const int k = 4 * (first + i - 1);
        if (k >= RgbDialect::kFirstBlock && k < width - RgbDialect::kBlocksUntil) {
          RgbDialect::blur_block(state, sums, out.value);
        } else {
          QC_UNROLL
          for (int j = 0; j < 4; ++j) out.value[j] = RgbDialect::blur_single(state, sums[j]);
        }
      } else {
        QC_UNROLL
        for (int j = 0; j < 4; ++j) out.value[j] = YuvDialect::blur(state, sums[j]);
      }
      const int f = first + i - 1;
      // `first` is even.
      const int64_t at = (first + (i + 1) / 2 * 2 - 2) / 2 * pitch + (i + 1) % 2 * 4;
      if (inside && f >= 0 && f < fours) *reinterpret_cast<Four*>(to + at) = out;
    }
    QC_UNROLL
    for (int j = 0; j < kHistory; ++j) window[j] = window[4 * kFours + j];
  }
}

template <bool kRgb>
QC_DEVICE void blur_along_rows(const Ssimulacra2Args& args) {
  const Strip strip = find_strip(args, [](const Ssimulacra2Scale& s, uint32_t sums) {
    return (s.height + kStripRows - 1) / kStripRows * signals_of(sums);
  });
  const int signals = signals_of(strip.sums);
  const int signal = strip.index % signals;
  const int row = strip.index / signals * kStripRows + static_cast<int>(thread_x());
  const bool inside = row < strip.scale.height;
  const int64_t plane = plane_size(strip.scale);
  const int64_t pitch = int64_t{strip.scale.height} * kStripe;
  const int64_t at = int64_t{kStripe} * (inside ? row : strip.scale.height - 1);
  const float* xyb1 = strip.scale.xyb + strip.channel * plane + at;
  const float* xyb2 = xyb1 + kChannels * plane;
  float* to = strip.scale.blurred + (strip.channel * kBlurSignals + signal) * plane + at;
  const float* from = signal == kMean2 || signal == kSquare2 ? xyb2 : xyb1;
  if (signal <= kMean2)
    blur_rows<kRgb, false, false>(from, from, to, strip.scale.width, strip.scale.stripes, pitch, inside);
  else if (signal <= kSquare2)
    blur_rows<kRgb, false, true>(from, from, to, strip.scale.width, strip.scale.stripes, pitch, inside);
  else
    blur_rows<kRgb, true, true>(xyb1, xyb2, to, strip.scale.width, strip.scale.stripes, pitch, inside);
}

// --- down the columns ------------------------------------------------------------------------------------------------

// Rows of a step of the block: each warp has as many of them for the errors.
constexpr int kStepRows = 15;
static_assert(kStepRows % kBlurSignals == 0);
constexpr int kErrorRows = kStepRows / kBlurSignals;

// What a pixel adds to sum `which`, nearly.
QC_DEVICE float about(int which, float ssim, float change) {
  float v = ssim;
  if (which / 2 == kArtifact / 2) v = change > 0.0f ? change : 0.0f;
  if (which / 2 == kDetail / 2) v = change < 0.0f ? -change : 0.0f;
  return which % 2 != 0 ? (v * v) * (v * v) : v;
}

template <class Dialect>
QC_DEVICE void blur_down_columns(const Ssimulacra2Args& args) {
  QC_BLOCK_SHARED float memory[2][kBlurSignals][kStepRows][kStripColumns];
  const Strip strip = find_strip(args, [](const Ssimulacra2Scale& s, uint32_t sums) {
    return sums != 0 ? (s.width + kStripColumns - 1) / kStripColumns : 0;
  });
  const bool with_ssim = has_ssim(strip.sums);
  const bool with_edges = has_edges(strip.sums);
  const int width = strip.scale.width;
  const int height = strip.scale.height;
  const int64_t pixels = int64_t{width} * height;
  const int64_t plane = plane_size(strip.scale);
  const int thread = static_cast<int>(thread_x());
  const int signal = thread / kWarp;
  const int lane = thread % kWarp;
  const int x = strip.index * kStripColumns + lane;
  const bool inside = x < width;
  const bool needed = signal < signals_of(strip.sums);
  // Lanes outside read the last column.
  const int from = inside ? x : width - 1;
  const int64_t column = int64_t{from / kStripe} * height * kStripe + from % kStripe;
  const float* blurred = strip.scale.blurred + (strip.channel * kBlurSignals + signal) * plane + column;
  const float* xyb1 = strip.scale.xyb + strip.channel * plane + column;
  const float* xyb2 = xyb1 + kChannels * plane;
  double* ssim = strip.scale.errors + strip.channel * 2 * pixels + x;
  double* change = ssim + pixels;
  const int pieces = strip.scale.row_chunks * kChunkPieces;
  float* piece_sum =
      strip.scale.piece_sum + int64_t{strip.channel} * kSums * strip.scale.chunks * kChunkPieces + strip.index + lane;
  // Of the pieces of a row's last chunk, the last strip fills those that lie outside.
  const bool writes = lane == 0 || (x - lane + kStripColumns >= width && strip.index + lane < pieces);
  const int64_t narrow = pixels - pixels % Dialect::kWidePixels;

  // The last kHistory rows, and those of this step.
  float window[kHistory + kStepRows];
  QC_UNROLL
  for (float& w : window) w = 0.0f;
  const auto fetch = [&](int first) {
    QC_UNROLL
    for (int j = 0; j < kStepRows; ++j)
      window[kHistory + j] = needed && first + j < height ? blurred[(first + j) * kStripe] : 0.0f;
  };
  // The row that the thread finds the errors of in the step that takes in `first` and so on.
  const auto error_row = [&](int first, int i) { return first + signal + i * kBlurSignals - kAhead; };
  float xyb[2][kErrorRows];
  const auto fetch_xyb = [&](int first) {
    QC_UNROLL
    for (int i = 0; i < kErrorRows; ++i) {
      const int y = error_row(first, i);
      const bool there = with_edges && y >= 0 && y < height;
      xyb[0][i] = there ? xyb1[y * kStripe] : 0.0f;
      xyb[1][i] = there ? xyb2[y * kStripe] : 0.0f;
    }
  };
  fetch(0);
  fetch_xyb(0);
  BlurState state{};
  int turn = 0;
  for (int first = 0; first < height + kAhead; first += kStepRows) {
    QC_UNROLL
    for (int j = 0; needed && j < kStepRows; ++j)
      memory[turn][signal][j][lane] = Dialect::blur(state, window[j] + window[kHistory + j]);
    QC_UNROLL
    for (int j = 0; j < kHistory; ++j) window[j] = window[kStepRows + j];
    fetch(first + kStepRows);
    // The memory of the last step is free once every warp has come here.
    sync_block();
    const auto moments = [&](int i) {
      const int j = signal + i * kBlurSignals;
      return Moments{memory[turn][kMean1][j][lane], memory[turn][kMean2][j][lane], memory[turn][kSquare1][j][lane],
                     memory[turn][kSquare2][j][lane], memory[turn][kProduct][j][lane]};
    };
    // Rows outside the picture are computed, too, so that the three overlap.
    double s[kErrorRows] = {};
    double c[kErrorRows] = {};
    if (with_ssim) {
      QC_UNROLL
      for (int i = 0; i < kErrorRows; ++i) s[i] = Dialect::ssim_error(moments(i));
    }
    if (with_edges) {
      QC_UNROLL
      for (int i = 0; i < kErrorRows; ++i)
        c[i] =
            Dialect::edge_error(xyb[0][i], xyb[1][i], moments(i), int64_t{error_row(first, i)} * width + x >= narrow);
    }
    fetch_xyb(first + kStepRows);
    QC_UNROLL
    for (int i = 0; i < kErrorRows; ++i) {
      const int y = error_row(first, i);
      if (y < 0 || y >= height) continue;
      if (inside && with_ssim) ssim[int64_t{y} * width] = s[i];
      if (inside && with_edges) change[int64_t{y} * width] = c[i];
      const auto s_about = inside ? static_cast<float>(s[i]) : 0.0f;
      const auto c_about = inside ? static_cast<float>(c[i]) : 0.0f;
      QC_UNROLL
      for (int which = 0; which < kSums; ++which) {
        if ((strip.sums >> which & 1) == 0) continue;
        float sum = about(which, s_about, c_about);
        for (int mask = kWarp / 2; mask > 0; mask /= 2) sum += shuffle_xor(sum, mask);
        if (writes)
          piece_sum[int64_t{which} * strip.scale.chunks * kChunkPieces + int64_t{y} * pieces] = lane == 0 ? sum : 0.0f;
      }
    }
    turn ^= 1;
  }
}

}  // namespace

QC_KERNEL_RESIDENT(qc_ssimulacra2_rows, Ssimulacra2Args, kRowThreads, 12) { blur_along_rows<false>(args); }
QC_KERNEL_RESIDENT(qc_ssimulacra2_rows_rgb, Ssimulacra2Args, kRowThreads, 12) { blur_along_rows<true>(args); }
QC_KERNEL_RESIDENT(qc_ssimulacra2_columns, Ssimulacra2Args, kColumnThreads, 4) { blur_down_columns<YuvDialect>(args); }
QC_KERNEL(qc_ssimulacra2_columns_rgb, Ssimulacra2Args, kColumnThreads) { blur_down_columns<RgbDialect>(args); }

}  // namespace qc::cuda
