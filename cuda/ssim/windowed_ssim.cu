#include "cuda/device/prelude.h"
//
#include "cuda/ssim/widen.h"
#include "cuda/ssim/windowed_ssim.h"
#include "math/certified_rounding.h"
#include "math/float_pair.h"
#include "ssim/ssim_arithmetic.h"

namespace qc::cuda {
namespace {

using namespace qc::device;

constexpr int kTaps = ssim::kWindowTaps;
constexpr int kRowSamples = kWindowThreads + kTaps - 1;
// Rows that a thread computes at a time: independent work, since additions and divisions take long to give their
// results.
constexpr int kStep = 2;
// Rows of filtered samples that a column keeps: those that kStep rows of windows cover.
constexpr int kRing = kTaps + kStep - 1;
static_assert(kRing % kStep == 0);
enum Quantity { kX, kY, kXX, kYY, kXY, kQuantities };

// Where a block's samples come from. They are read some time before they are used; what is done with them waits until
// then.
template <class T>
struct LumaSource {
  using Raw = T;
  static constexpr bool kNonNegative = true;
  PlaneView plane[2];
  float scale;

  QC_DEVICE LumaSource(const WindowedSsimArgs& args, const WindowedPlane&)
      : plane{args.frame->current.reference.plane[0], args.frame->current.distorted.plane[0]}, scale(args.scale) {}
  QC_DEVICE Raw at(int picture, int x, int y) const {
    return reinterpret_cast<const T*>(plane[picture].data + y * plane[picture].stride)[x];
  }
  QC_DEVICE float value(int picture, Raw raw) const {
    return static_cast<float>(static_cast<uint32_t>(raw) >> plane[picture].shift) * scale;
  }
};

template <bool kPositive>
struct FloatSource {
  using Raw = float;
  static constexpr bool kNonNegative = kPositive;
  const float* plane[2];
  int width;

  QC_DEVICE FloatSource(const WindowedSsimArgs&, const WindowedPlane& p) : plane{p.x, p.y}, width(p.width) {}
  QC_DEVICE Raw at(int picture, int x, int y) const { return plane[picture][int64_t{y} * width + x]; }
  QC_DEVICE float value(int, Raw raw) const { return raw; }
};

// Float64 sums of float32 products, one for each quantity. Of the signed ones, some are widened by moving bits and some
// by the conversion instruction, so that both kinds of units have the same to do.
template <bool kNonNegative>
struct WideSums {
  double sum[kQuantities];

  QC_DEVICE static constexpr bool by_bits(int q) { return kNonNegative || q == kY || q == kXX || q == kYY; }
  QC_DEVICE static double widen(int q, float v) {
    if (!by_bits(q)) return static_cast<double>(v);
    return !kNonNegative && q == kY ? widen_signed(v) : widen_non_negative(v);
  }
  QC_DEVICE void start(int q, float product) { sum[q] = widen(q, product); }
  QC_DEVICE void add(int q, float product) { sum[q] = sum[q] + widen(q, product); }
  // `again()` computes it in float64.
  template <class Again>
  QC_DEVICE float value(int q, const Again&) const {
    return by_bits(q) ? narrow_widened(sum[q]) : static_cast<float>(sum[q]);
  }
};

// The same for devices with slow float64.
template <bool kNonNegative>
struct PairSums {
  CertifiedSum<kNonNegative, kTaps> sum[kQuantities];

  QC_DEVICE void start(int q, float product) { sum[q].start(product); }
  QC_DEVICE void add(int q, float product) { sum[q].add(product); }
  template <class Again>
  QC_DEVICE float value(int q, const Again& again) const {
    float result = 0.0F;
    return sum[q].certain(&result) ? result : again();
  }
};

// What a pair of samples adds to a quantity at a tap.
QC_DEVICE float product_of(int q, float a, float b, int i) {
  const float tap = ssim::window_tap(i);
  switch (q) {
    case kX:
      return a * tap;
    case kY:
      return b * tap;
    case kXX:
      return a * a * tap;
    case kYY:
      return b * b * tap;
    default:
      return a * b * tap;
  }
}

// One quantity of a row's samples, in float64. Not inline, since few windows need it.
QC_DEVICE_CALL float across_again(int q, const float* a, const float* b) {
  double sum = 0;
  for (int i = 0; i < kTaps; ++i) sum += static_cast<double>(product_of(q, a[i], b[i], i));
  return static_cast<float>(sum);
}

// The same down a column of rows filtered across, from slot `first` of the ring on.
QC_DEVICE_CALL float down_again(int q, const float (*ring)[kQuantities][kWindowThreads], int first, int thread) {
  double sum = 0;
  for (int i = 0; i < kTaps; ++i) {
    const int slot = first + i < kRing ? first + i : first + i - kRing;
    sum += static_cast<double>(ring[slot][q][thread] * ssim::window_tap(i));
  }
  return static_cast<float>(sum);
}

QC_DEVICE double magnitude(double v) { return v < 0 ? -v : v; }

// The wanted terms of a window.
class WindowTerms {
 public:
  QC_DEVICE explicit WindowTerms(const ssim::WindowMeans& m)
      : mean_x_(m.x),
        mean_y_(m.y),
        variance_x_(ssim::variance(m.xx, m.x)),
        variance_y_(ssim::variance(m.yy, m.y)),
        covariance_(ssim::covariance(m)),
        deviation_(sqrt_rn(variance_x_ * variance_y_)) {}
  QC_DEVICE double luminance() const { return ssim::luminance(mean_x_, mean_y_); }
  QC_DEVICE double contrast() const { return ssim::contrast(variance_x_, variance_y_, deviation_); }
  QC_DEVICE double structure() const { return static_cast<double>(ssim::structure(covariance_, deviation_)); }

 private:
  float mean_x_;
  float mean_y_;
  float variance_x_;
  float variance_y_;
  float covariance_;
  float deviation_;
};

QC_DEVICE constexpr bool has(unsigned set, SsimTerm term) { return ((set >> term) & 1) != 0; }

QC_DEVICE void add_term(SsimPartialSums& sums, SsimTerm term, double value) {
  sums.sum[term] += value;
  sums.magnitude[term] += magnitude(value);
}

// Of `count` windows.
QC_DEVICE void add_terms(SsimPartialSums& sums, const WindowTerms (&terms)[kStep], int count, unsigned wanted) {
  double luminance[kStep];
  double contrast[kStep];
  double structure[kStep];
  const bool with_luminance = has(wanted, kProductTerm) || has(wanted, kLuminanceTerm);
  for (int r = 0; r < kStep; ++r) {
    contrast[r] = terms[r].contrast();
    structure[r] = terms[r].structure();
    luminance[r] = with_luminance ? terms[r].luminance() : 0.0;
  }
  for (int r = 0; r < kStep; ++r) {
    if (r >= count) break;
    if (has(wanted, kProductTerm)) add_term(sums, kProductTerm, luminance[r] * contrast[r] * structure[r]);
    if (has(wanted, kLuminanceTerm)) add_term(sums, kLuminanceTerm, luminance[r]);
    if (has(wanted, kContrastTerm)) add_term(sums, kContrastTerm, contrast[r]);
    if (has(wanted, kStructureTerm)) add_term(sums, kStructureTerm, structure[r]);
  }
}

QC_DEVICE double term_of(const WindowTerms& terms, SsimTerm term) {
  if (term == kLuminanceTerm) return terms.luminance();
  if (term == kContrastTerm) return terms.contrast();
  if (term == kStructureTerm) return terms.structure();
  return terms.luminance() * terms.contrast() * terms.structure();
}

// Each thread goes down a column of window positions, kStep rows at a time: rows of samples are shared by the block,
// filtered across, and kept until the window has passed.
template <class Source, template <bool> class WindowSums>
QC_DEVICE void windowed_ssim(const WindowedSsimArgs& args) {
  QC_BLOCK_SHARED float rows[2][kStep][2][kRowSamples];  // double-buffered
  QC_BLOCK_SHARED float ring[kRing][kQuantities][kWindowThreads];
  using Sums = WindowSums<Source::kNonNegative>;
  using Raw = typename Source::Raw;
  int block = static_cast<int>(block_x());
  int p = 0;
  while (block >= args.plane[p].blocks) block -= args.plane[p++].blocks;
  const WindowedPlane& plane = args.plane[p];
  const Source source(args, plane);
  const int thread = static_cast<int>(thread_x());
  const int left = block % plane.blocks_across * kWindowThreads;
  const int top = block / plane.blocks_across * plane.rows_per_block;
  const int columns = plane.width - (kTaps - 1);
  const int end_row =
      top + plane.rows_per_block + kTaps - 1 < plane.height ? top + plane.rows_per_block + kTaps - 1 : plane.height;
  const bool inside = left + thread < columns;

  // Thread t fetches sample t, and the first ones also those behind kWindowThreads.
  const bool second = thread < kTaps - 1;
  const auto fetch = [&](int picture, int offset, int y) {
    const int x = left + thread + offset;
    return x < plane.width && y < end_row ? source.at(picture, x, y) : Raw{0};
  };
  Raw next[kStep][2][2] = {};
  const auto fetch_rows = [&](int y) {
    for (int r = 0; r < kStep; ++r)
      for (int picture = 0; picture < 2; ++picture) {
        next[r][picture][0] = fetch(picture, 0, y + r);
        if (second) next[r][picture][1] = fetch(picture, kWindowThreads, y + r);
      }
  };

  SsimPartialSums sums{};
  fetch_rows(top);
  int slot = 0;  // of row y in the ring
  for (int y = top; y < end_row; y += kStep, slot = slot + kStep == kRing ? 0 : slot + kStep) {
    const int buffer = (y - top) / kStep & 1;
    for (int r = 0; r < kStep; ++r)
      for (int picture = 0; picture < 2; ++picture) {
        rows[buffer][r][picture][thread] = source.value(picture, next[r][picture][0]);
        if (second) rows[buffer][r][picture][thread + kWindowThreads] = source.value(picture, next[r][picture][1]);
      }
    sync_block();
    if (y + kStep < end_row) fetch_rows(y + kStep);

    Sums across[kStep];
    QC_UNROLL
    for (int i = 0; i < kTaps; ++i) {
      QC_UNROLL
      for (int r = 0; r < kStep; ++r) {
        const float a = rows[buffer][r][0][thread + i];
        const float b = rows[buffer][r][1][thread + i];
        for (int q = 0; q < kQuantities; ++q) {
          if (i == 0) {
            across[r].start(q, product_of(q, a, b, i));
          } else {
            across[r].add(q, product_of(q, a, b, i));
          }
        }
      }
    }
    for (int r = 0; r < kStep; ++r)
      for (int q = 0; q < kQuantities; ++q)
        ring[slot + r][q][thread] = across[r].value(
            q, [&] { return across_again(q, &rows[buffer][r][0][thread], &rows[buffer][r][1][thread]); });

    // Windows that end with the rows y … y + kStep - 1.
    const int first = y - (kTaps - 1);
    if (first + kStep <= top) continue;
    Sums down[kStep];
    QC_UNROLL
    for (int i = 0; i < kTaps + kStep - 1; ++i) {
      const int row_slot = slot + kStep + i;
      const auto& row = ring[row_slot < kRing ? row_slot : row_slot - kRing];
      QC_UNROLL
      for (int q = 0; q < kQuantities; ++q) {
        const float sample = row[q][thread];
        QC_UNROLL
        for (int r = 0; r < kStep; ++r) {
          if (i == r) {
            down[r].start(q, sample * ssim::window_tap(0));
          } else if (i > r && i < r + kTaps) {
            down[r].add(q, sample * ssim::window_tap(i - r));
          }
        }
      }
    }
    if (!inside) continue;
    const auto mean = [&](int r, Quantity q) {
      const int oldest = slot + kStep + r < kRing ? slot + kStep + r : slot + kStep + r - kRing;
      return down[r].value(q, [&] { return down_again(q, ring, oldest, thread); });
    };
    const auto means = [&](int r) {
      return ssim::WindowMeans{mean(r, kX), mean(r, kY), mean(r, kXX), mean(r, kYY), mean(r, kXY)};
    };
    const WindowTerms terms[kStep] = {WindowTerms(means(0)), WindowTerms(means(1))};
    const int count = end_row - y < kStep ? end_row - y : kStep;
    if (args.terms) {
      for (int r = 0; r < count; ++r)
        args.terms[int64_t{first + r} * columns + left + thread] = term_of(terms[r], args.term);
    } else {
      add_terms(sums, terms, count, plane.wanted);
    }
  }
  if (args.terms) return;
  SsimPartialSums total;
  for (int t = 0; t < kSsimTerms; ++t) {
    total.sum[t] = block_sum<kWindowThreads>(sums.sum[t]);
    total.magnitude[t] = block_sum<kWindowThreads>(sums.magnitude[t]);
  }
  if (thread == 0) plane.partial_sums[block] = total;
}

}  // namespace

#define QC_WINDOWED_SSIM(name, Source, Sums)                                          \
  QC_KERNEL_RESIDENT(name, WindowedSsimArgs, kWindowThreads, kWindowResidentBlocks) { \
    windowed_ssim<Source, Sums>(args);                                                \
  }
QC_WINDOWED_SSIM(qc_windowed_ssim_8, LumaSource<uint8_t>, WideSums)
QC_WINDOWED_SSIM(qc_windowed_ssim_16, LumaSource<uint16_t>, WideSums)
QC_WINDOWED_SSIM(qc_windowed_ssim_positive, FloatSource<true>, WideSums)
QC_WINDOWED_SSIM(qc_windowed_ssim_signed, FloatSource<false>, WideSums)
QC_WINDOWED_SSIM(qc_windowed_ssim_8_pairs, LumaSource<uint8_t>, PairSums)
QC_WINDOWED_SSIM(qc_windowed_ssim_16_pairs, LumaSource<uint16_t>, PairSums)
QC_WINDOWED_SSIM(qc_windowed_ssim_positive_pairs, FloatSource<true>, PairSums)
QC_WINDOWED_SSIM(qc_windowed_ssim_signed_pairs, FloatSource<false>, PairSums)

QC_KERNEL(qc_ssim_means, SsimMeansArgs, kMeansThreads) {
  const SsimMeansArgs::Plane& plane = args.plane[block_x()];
  const int thread = static_cast<int>(thread_x());
  SsimPartialSums share{};
  for (int b = thread; b < plane.blocks; b += kMeansThreads)
    for (int t = 0; t < kSsimTerms; ++t) {
      share.sum[t] += plane.partial_sums[b].sum[t];
      share.magnitude[t] += plane.partial_sums[b].magnitude[t];
    }
  SsimPartialSums total;
  for (int t = 0; t < kSsimTerms; ++t) {
    total.sum[t] = block_sum<kMeansThreads>(share.sum[t]);
    total.magnitude[t] = block_sum<kMeansThreads>(share.magnitude[t]);
  }
  if (thread != 0) return;
  float* means = &plane.means->ssim;
  uint32_t uncertain = 0;
  for (int t = 0; t < kSsimTerms; ++t) {
    if (!((plane.wanted >> t) & 1)) continue;
    if (plane.columns <= 0 || plane.rows <= 0) {
      means[t] = ssim::plane_mean(0, plane.columns, plane.rows);
      continue;
    }
    const double bound = plane.margin * 0x1p-53 * total.magnitude[t];
    if (!certified_quotient(total.sum[t], bound, static_cast<double>(plane.columns * plane.rows), &means[t]))
      uncertain |= 1U << t;
  }
  *plane.uncertain = uncertain;
}

QC_KERNEL(qc_ordered_mean, OrderedMeanArgs, 32) {
  if (thread_x() == 0) *args.mean = ssim::plane_mean(*args.sum, args.columns, args.rows);
}

}  // namespace qc::cuda
