#include "ssim/windowed_ssim.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/simd.h"
#include "math/ordered_sum_simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ssim/windowed_ssim.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#ifndef QC_SSIM_WINDOWED_SSIM_PLAIN
#define QC_SSIM_WINDOWED_SSIM_PLAIN
namespace qc {

// The quantities whose window means are taken.
enum Quantity { kX, kY, kXX, kYY, kXY, kQuantities };

// Terms whose rows are kept until they are summed.
enum Term { kProduct, kL, kC, kS, kTermKinds };

// Positions that are worked on together: one cache line of float32 samples.
constexpr size_t kGroup = 16;

// Room for the positions of a row in the order in which vector code keeps them, which has gaps. An odd number of cache
// lines, so that the same place in all rows doesn't compete for one set of a cache.
constexpr size_t term_pitch(size_t positions) {
  constexpr size_t line = 64 / sizeof(double);
  return ((positions + (positions / 256 + 1) * 2 * kGroup) / line | 1) * line + 2 * line;
}

// Samples of a strip that vector code filters at a time.
constexpr size_t kMaxFiltered = size_t{64} * 1024;

// A block of rows and the storage that lasts from block to block.
struct SsimBlock {
  const float* x;
  const float* y;
  size_t pitch;
  size_t positions;  // windows in a row
  bool first;        // whether these are a plane's first rows
  size_t rows;       // up to kWindowTaps
  SsimTerms terms;
  float* filtered;      // plain: the last kWindowTaps filtered rows; else those of a strip
  double* window_sums;  // not plain: sums of windows that the last block began
  double* row_terms;    // not plain: kTermKinds terms of kWindowTaps rows, rows term_pitch(positions) apart

  // The first row that windows end in.
  size_t first_complete() const { return first ? ssim::kWindowTaps - 1 : 0; }
  double* terms_of(size_t row, Term kind) const {
    return row_terms + (kind * size_t{ssim::kWindowTaps} + row) * term_pitch(positions);
  }
};

namespace plain {

// Row pass over `positions` window positions. out: the five quantities, `pitch` apart.
inline void filter_row(const float* x, const float* y, size_t positions, size_t pitch, float* out) {
  for (size_t n = 0; n < positions; ++n) {
    double sum[kQuantities] = {};
    for (int i = 0; i < ssim::kWindowTaps; ++i) {
      const float tap = ssim::window_tap(i);
      const float a = x[n + static_cast<size_t>(i)];
      const float b = y[n + static_cast<size_t>(i)];
      sum[kX] = ssim::accumulate(sum[kX], a, tap);
      sum[kY] = ssim::accumulate(sum[kY], b, tap);
      sum[kXX] = ssim::accumulate(sum[kXX], a * a, tap);
      sum[kYY] = ssim::accumulate(sum[kYY], b * b, tap);
      sum[kXY] = ssim::accumulate(sum[kXY], a * b, tap);
    }
    for (size_t q = 0; q < kQuantities; ++q) out[q * pitch + n] = static_cast<float>(sum[q]);
  }
}

// Column pass over the filtered rows row[0 … kWindowTaps - 1], and the terms of each position.
inline void add_terms(const float* const* row, size_t positions, size_t pitch, SsimSums& sums) {
  for (size_t n = 0; n < positions; ++n) {
    float mean[kQuantities];
    for (size_t q = 0; q < kQuantities; ++q) {
      double sum = 0;
      for (int i = 0; i < ssim::kWindowTaps; ++i)
        sum = ssim::accumulate(sum, row[i][q * pitch + n], ssim::window_tap(i));
      mean[q] = static_cast<float>(sum);
    }
    const float vx = ssim::variance(mean[kXX], mean[kX]);
    const float vy = ssim::variance(mean[kYY], mean[kY]);
    const float covariance = ssim::covariance({mean[kX], mean[kY], mean[kXX], mean[kYY], mean[kXY]});
    const float deviation = std::sqrt(vx * vy);
    const double l = ssim::luminance(mean[kX], mean[kY]);
    const double c = ssim::contrast(vx, vy, deviation);
    const double s = ssim::structure(covariance, deviation);
    sums.product += l * c * s;
    sums.l += l;
    sums.c += c;
    sums.s += s;
  }
}

inline void process_block(const SsimBlock& block, SsimSums& sums) {
  constexpr size_t taps = ssim::kWindowTaps;
  const auto filtered = [&](size_t row) { return block.filtered + row % taps * kQuantities * block.pitch; };
  for (size_t b = 0; b < block.rows; ++b) {
    filter_row(block.x + b * block.pitch, block.y + b * block.pitch, block.positions, block.pitch, filtered(b));
    if (b < block.first_complete()) continue;
    const float* rows[taps];
    for (size_t i = 0; i < taps; ++i) rows[i] = filtered(b + 1 + i);
    add_terms(rows, block.positions, block.pitch, sums);
  }
}

}  // namespace plain
}  // namespace qc
#endif

HWY_BEFORE_NAMESPACE();
namespace qc::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if QC_PLAIN_TARGET
void process_block(const SsimBlock& block, SsimSums& sums) { plain::process_block(block, sums); }
#else

constexpr size_t kTaps = ssim::kWindowTaps;

// sum + value. Where additions and fused multiply-adds go to different units, some of the additions can use the latter:
// the product with 1 is exact, so there is one rounding, that of the sum.
template <bool kFused, class D, class V>
HWY_INLINE V add(D d, V sum, V value) {
#if HWY_NATIVE_FMA && HWY_ARCH_X86
  if constexpr (kFused) return hn::MulAdd(value, hn::Set(d, 1.0), sum);
#endif
  (void)d;
  return hn::Add(sum, value);
}

using Wide = hn::ScalableTag<double>;
using Narrow = hn::Rebind<float, Wide>;
using Samples = hn::ScalableTag<float>;
constexpr size_t kLanes = hn::MaxLanes(Wide());
constexpr size_t kVectors = kGroup / kLanes;  // in a group
static_assert(kLanes == 2 || kLanes == 4 || kLanes == 8);

// A sample has only so many different products with the taps, as they are symmetric. All are rounded to float32 and
// then widened.
constexpr size_t kProducts = kTaps / 2 + 1;

// Products of a vector of samples, made as they are needed.
struct SampleProducts {
  hn::Vec<Narrow> samples;
  template <size_t kTap>
  HWY_INLINE hn::Vec<Wide> get() const {
    return hn::PromoteTo(Wide(), hn::Mul(samples, hn::Set(Narrow(), ssim::window_tap(kTap))));
  }
};

// Products that have gone through memory: whole vectors of float32 samples were multiplied, and widening takes its half
// of such a vector with the load. With AVX2, where widening from a register needs the unit that does all shuffles and
// additions have only two units, that is faster.
constexpr bool kProductsInMemory = HWY_TARGET == HWY_AVX2;
struct StoredProducts {
  const float* products;
  template <size_t kTap>
  HWY_INLINE hn::Vec<Wide> get() const {
    return hn::PromoteTo(Wide(), hn::Load(Narrow(), products + kTap * hn::MaxLanes(Samples())));
  }
};
// Elements of what store_products() writes.
constexpr size_t kProductSize = kProducts * hn::MaxLanes(Samples());
HWY_INLINE void store_products(hn::Vec<Samples> samples, float* out) {
  const Samples d;
  HWY_UNROLL(6)
  for (size_t k = 0; k < kProducts; ++k)
    hn::Store(hn::Mul(samples, hn::Set(d, ssim::window_tap(static_cast<int>(k)))), d, out + k * hn::MaxLanes(d));
}

// Both passes move along windows that overlap: step i brings one vector of samples, which is under tap k of the window
// that began k steps earlier. The windows under way are accumulators sums[i mod kTaps] by the step in which they began,
// all in registers. An accumulator starts as the first product instead of adding that to 0: if all products are -0 the
// sum is -0 and not 0, which no term sees.

// What the samples of step kStep contribute with taps kTap and kTaps - 1 - kTap.
template <size_t kStep, size_t kTap, class Products>
HWY_INLINE void add_tap(const Products& products, hn::Vec<Wide>* sums) {
  const Wide d;
  const auto p = products.template get<kTap>();
  auto& younger = sums[(kStep + kTaps - kTap) % kTaps];
  auto& older = sums[(kStep + 1 + kTap) % kTaps];
  younger = add<kTap % 2 == 1>(d, younger, p);
  if constexpr (kTap != kTaps / 2) older = add<kTap % 2 == 0>(d, older, p);
}

// One step, which brings these products. Returns the mean of the window that ends with it.
template <size_t kStep, class Products>
HWY_INLINE hn::Vec<Narrow> step(const Products& products, hn::Vec<Wide>* sums) {
  add_tap<kStep, 1>(products, sums);
  add_tap<kStep, 2>(products, sums);
  add_tap<kStep, 3>(products, sums);
  add_tap<kStep, 4>(products, sums);
  add_tap<kStep, 5>(products, sums);
  const auto p = products.template get<0>();
  const auto sum = add<true>(Wide(), sums[(kStep + 1) % kTaps], p);
  sums[kStep] = p;
  return hn::DemoteTo(Narrow(), sum);
}

// A strip of window positions, few enough for its filtered samples to stay in the caches. It is cut into one segment
// for each lane, so that the row pass moves along kLanes segments at once: vector c holds positions c, c + segment, c +
// 2 * segment, … of the strip. All that follows keeps this order of the positions.
struct Strip {
  size_t first;    // position of its start in the row
  size_t columns;  // positions
  size_t segment;  // positions of a segment; the last segments may be shorter
  size_t vectors;  // at least `segment`, a multiple of kVectors
  size_t group;    // number of its first group

  size_t terms() const { return vectors * kLanes; }
  // Calls f(index) for each of the strip's terms that stands for no position, or for one that belongs to the next
  // segment.
  template <class F>
  void for_each_unused(const F& f) const {
    for (size_t n = columns; n < segment * kLanes; ++n) f(n % segment * kLanes + n / segment);
    for (size_t index = segment * kLanes; index < terms(); ++index) f(index);
  }
};

constexpr size_t kMaxSegment = 128;
constexpr size_t kMaxVectors = kMaxSegment + kVectors - 1;

struct Strips {
  explicit Strips(size_t positions) : positions_(positions) {
    count = (positions + kMaxSegment * kLanes - 1) / (kMaxSegment * kLanes);
    columns_ = (positions + count - 1) / count;
    groups_ = (segment(columns_) + kVectors - 1) / kVectors;
  }
  Strip strip(size_t i) const {
    const size_t columns = std::min(columns_, positions_ - i * columns_);
    const size_t length = segment(columns);
    return {i * columns_, columns, length, (length + kVectors - 1) / kVectors * kVectors, i * groups_};
  }
  size_t count;

 private:
  static size_t segment(size_t columns) { return (columns + kLanes - 1) / kLanes; }
  size_t positions_;
  size_t columns_;
  size_t groups_;
};

// A row of samples in the order of a strip, kTaps - 1 vectors more than the strip has positions, and room for whole
// steps.
struct StripRow {
  HWY_ALIGN float samples[(kMaxVectors + 3 * kTaps) * kLanes];

  void load(const float* row, const Strip& strip) {
    const hn::CappedTag<float, 4> d4;
    for (size_t c = 0; c < strip.vectors + kTaps - 1; c += 4) {
      const auto column = [&](size_t lane) HWY_ATTR { return hn::LoadU(d4, row + lane * strip.segment + c); };
      if constexpr (kLanes == 2) {
        hn::StoreInterleaved2(column(0), column(1), d4, samples + c * kLanes);
      } else if constexpr (kLanes == 4) {
        hn::StoreInterleaved4(column(0), column(1), column(2), column(3), d4, samples + c * kLanes);
      } else {
        HWY_ALIGN float low[16];
        HWY_ALIGN float high[16];
        hn::StoreInterleaved4(column(0), column(1), column(2), column(3), d4, low);
        hn::StoreInterleaved4(column(4), column(5), column(6), column(7), d4, high);
        for (size_t i = 0; i < 4; ++i) {
          hn::Store(hn::Load(d4, low + 4 * i), d4, samples + (c + i) * kLanes);
          hn::Store(hn::Load(d4, high + 4 * i), d4, samples + (c + i) * kLanes + 4);
        }
      }
    }
  }
};

// Filtered samples of a block's strip: for each group of positions and each quantity kTaps rows of kGroup samples.
constexpr size_t kFilteredGroup = kQuantities * kTaps * kGroup;
static_assert((kMaxVectors + kTaps + kVectors) / kVectors * kFilteredGroup <= kMaxFiltered);

// Products of kTaps steps of the row pass. sample(d, c): the samples of vector c, and of the next one if d has as many
// lanes.
template <class Sample>
class RowProducts {
 public:
  HWY_INLINE explicit RowProducts(const Sample& sample) : sample_(sample) {}
  // Go to the steps that begin with vector c.
  HWY_INLINE void start(size_t c) {
    first_ = c;
    if constexpr (kProductsInMemory) {
      // Not unrolled, so that compilers don't see which halves are loaded and take them out of registers.
      HWY_UNROLL(1)
      for (size_t i = 0; i < kPairs; ++i) store_products(sample_(Samples(), c + 2 * i), products_ + i * kProductSize);
    }
  }
  HWY_INLINE auto of_step(size_t i) const {
    if constexpr (kProductsInMemory) {
      return StoredProducts{products_ + i / 2 * kProductSize + i % 2 * kLanes};
    } else {
      return SampleProducts{sample_(Narrow(), first_ + i)};
    }
  }

 private:
  static constexpr size_t kPairs = (kTaps + 1) / 2;
  const Sample& sample_;
  size_t first_ = 0;
  HWY_ALIGN float products_[kProductsInMemory ? kPairs * kProductSize : 1];
};

// Row pass of one quantity. out: its row of the first group.
template <class Sample, size_t... i>
HWY_INLINE void filter_row(const Sample& sample, size_t vectors, float* out, std::index_sequence<i...>) {
  const Narrow df;
  RowProducts<Sample> products(sample);
  hn::Vec<Wide> sums[kTaps];
  ((sums[i] = hn::Zero(Wide())), ...);
  sums[kTaps - 1] = hn::Zero(Wide());
  products.start(0);
  (step<i>(products.of_step(i), sums), ...);
  hn::Store(step<kTaps - 1>(products.of_step(kTaps - 1), sums), df, out);
  const auto position = [&](size_t c) HWY_ATTR { return out + c / kVectors * kFilteredGroup + c % kVectors * kLanes; };
  for (size_t c = 1; c < vectors; c += kTaps) {
    products.start(c + kTaps - 1);
    (hn::Store(step<i>(products.of_step(i), sums), df, position(c + i)), ...);
    hn::Store(step<kTaps - 1>(products.of_step(kTaps - 1), sums), df, position(c + kTaps - 1));
  }
}

// Row pass of a strip's row. out: that row of the strip's filtered samples.
void filter_strip(const float* x_row, const float* y_row, const Strip& strip, float* out) {
  StripRow x;
  StripRow y;
  x.load(x_row + strip.first, strip);
  y.load(y_row + strip.first, strip);
  const auto a = [&](auto d, size_t c) HWY_ATTR { return hn::LoadU(d, x.samples + c * kLanes); };
  const auto b = [&](auto d, size_t c) HWY_ATTR { return hn::LoadU(d, y.samples + c * kLanes); };
  const auto aa = [&](auto d, size_t c) HWY_ATTR { return hn::Mul(a(d, c), a(d, c)); };
  const auto bb = [&](auto d, size_t c) HWY_ATTR { return hn::Mul(b(d, c), b(d, c)); };
  const auto ab = [&](auto d, size_t c) HWY_ATTR { return hn::Mul(a(d, c), b(d, c)); };
  const auto quantity = [&](Quantity q) { return out + q * kTaps * kGroup; };
  constexpr std::make_index_sequence<kTaps - 1> steps;
  filter_row(a, strip.vectors, quantity(kX), steps);
  filter_row(b, strip.vectors, quantity(kY), steps);
  filter_row(aa, strip.vectors, quantity(kXX), steps);
  filter_row(bb, strip.vectors, quantity(kYY), steps);
  filter_row(ab, strip.vectors, quantity(kXY), steps);
}

// Column pass of one quantity over one vector of positions. of_row(i): products of row i. out: kTaps rows, kGroup
// apart, of the means of the windows that end at each. window_sums: accumulators 1 … kTaps - 1, which last from block
// to block. i: 0 … kTaps - 2.
template <class Row, size_t... i>
HWY_INLINE void column_means(const Row& of_row, double* window_sums, float* out, std::index_sequence<i...>) {
  const Wide d;
  const Narrow df;
  constexpr size_t last = kTaps - 1;
  hn::Vec<Wide> sums[kTaps];
  ((sums[1 + i] = hn::Load(d, window_sums + i * kGroup)), ...);
  (hn::Store(step<i>(of_row(i), sums), df, out + i * kGroup), ...);
  hn::Store(step<last>(of_row(last), sums), df, out + last * kGroup);
  (hn::Store(sums[1 + i], d, window_sums + i * kGroup), ...);
}

// The same over a group of positions. in: kTaps rows, kGroup apart.
HWY_INLINE void group_means(const float* in, double* window_sums, float* out) {
  constexpr std::make_index_sequence<kTaps - 1> steps;
  if constexpr (kProductsInMemory) {
    const Samples df;
    HWY_ALIGN float products[kTaps * kProductSize];
    for (size_t n = 0; n < kGroup; n += hn::MaxLanes(df)) {
      HWY_UNROLL(1)
      for (size_t row = 0; row < kTaps; ++row)
        store_products(hn::Load(df, in + row * kGroup + n), products + row * kProductSize);
      for (size_t k = 0; k < hn::MaxLanes(df); k += kLanes)
        column_means([&](size_t row) HWY_ATTR { return StoredProducts{products + row * kProductSize + k}; },
                     window_sums + n + k, out + n + k, steps);
    }
  } else {
    for (size_t k = 0; k < kGroup; k += kLanes)
      column_means([&](size_t row) HWY_ATTR { return SampleProducts{hn::Load(Narrow(), in + row * kGroup + k)}; },
                   window_sums + k, out + k, steps);
  }
}

// Terms of one group of columns in one row. means: the five quantities, kTaps * kGroup apart. terms: the kinds of
// terms, term_pitch apart.
template <SsimTerms kTerms>
HWY_INLINE void store_terms(const float* means, double* terms, size_t pitch) {
  const hn::ScalableTag<float> df;
  const hn::Half<decltype(df)> dh;
  const hn::Rebind<double, decltype(dh)> d;
  const auto zero = hn::Zero(df);
  const auto c1f = hn::Set(df, ssim::kC1);
  const auto c2f = hn::Set(df, ssim::kC2);
  const auto c3f = hn::Set(df, ssim::kC3);
  const auto c1 = hn::Set(d, static_cast<double>(ssim::kC1));
  const auto c2 = hn::Set(d, static_cast<double>(ssim::kC2));
  for (size_t n = 0; n < kGroup; n += hn::Lanes(df)) {
    const auto mean = [&](int q) HWY_ATTR { return hn::Load(df, means + q * kTaps * kGroup + n); };
    const auto x = mean(kX);
    const auto y = mean(kY);
    const auto squared_x = hn::Mul(x, x);
    const auto squared_y = hn::Mul(y, y);
    const auto vx = hn::Max(hn::Sub(mean(kXX), squared_x), zero);
    const auto vy = hn::Max(hn::Sub(mean(kYY), squared_y), zero);
    const auto covariance = hn::Sub(mean(kXY), hn::Mul(x, y));
    const auto deviation = hn::Sqrt(hn::Mul(vx, vy));
    const auto uncorrelated = hn::And(hn::Lt(covariance, zero), hn::Le(deviation, zero));
    const auto s = hn::Div(hn::Add(hn::IfThenZeroElse(uncorrelated, covariance), c3f), hn::Add(deviation, c3f));
    const auto c_denominator = hn::Add(hn::Add(vx, vy), c2f);
    const auto l_denominator = hn::Add(hn::Add(squared_x, squared_y), c1f);
    // The rest in float64, one half of the vector at a time.
    const auto wide_terms = [&](auto half, size_t to) HWY_ATTR {
      const auto wide_deviation = hn::PromoteTo(d, half(deviation));
      const auto wide_s = hn::PromoteTo(d, half(s));
      const auto c =
          hn::Div(hn::Add(hn::Add(wide_deviation, wide_deviation), c2), hn::PromoteTo(d, half(c_denominator)));
      if constexpr (kTerms != SsimTerms::Product) {
        hn::StoreU(c, d, terms + kC * pitch + to);
        hn::StoreU(wide_s, d, terms + kS * pitch + to);
      }
      if constexpr (kTerms != SsimTerms::ContrastStructure) {
        const auto wide_x = hn::PromoteTo(d, half(x));
        const auto numerator = hn::Add(hn::Mul(hn::Add(wide_x, wide_x), hn::PromoteTo(d, half(y))), c1);
        const auto l = hn::Div(numerator, hn::PromoteTo(d, half(l_denominator)));
        if constexpr (kTerms == SsimTerms::All) hn::StoreU(l, d, terms + kL * pitch + to);
        hn::StoreU(hn::Mul(hn::Mul(l, c), wide_s), d, terms + kProduct * pitch + to);
      }
    };
    using V = hn::Vec<decltype(df)>;
    wide_terms([&](V v) HWY_ATTR { return hn::LowerHalf(dh, v); }, n);
    wide_terms([&](V v) HWY_ATTR { return hn::UpperHalf(dh, v); }, n + hn::Lanes(dh));
  }
}

template <SsimTerms kTerms>
void store_strip_terms(const SsimBlock& block, const Strip& strip) {
  HWY_ALIGN float means[kFilteredGroup];
  for (size_t b = 0; b < block.rows; ++b)
    filter_strip(block.x + b * block.pitch, block.y + b * block.pitch, strip, block.filtered + b * kGroup);
  for (size_t group = 0; group < strip.vectors / kVectors; ++group) {
    const float* filtered = block.filtered + group * kFilteredGroup;
    double* sums = block.window_sums + (strip.group + group) * kQuantities * (kTaps - 1) * kGroup;
    for (size_t q = 0; q < kQuantities; ++q)
      group_means(filtered + q * kTaps * kGroup, sums + q * (kTaps - 1) * kGroup, means + q * kTaps * kGroup);
    for (size_t b = block.first_complete(); b < block.rows; ++b)
      store_terms<kTerms>(means + b * kGroup, block.terms_of(b, kProduct) + (strip.group + group) * kGroup,
                          kTaps * term_pitch(block.positions));
  }
}

// Adds a strip's terms in one row to the sum, in the order of their positions.
void add_strip(double* terms, const Strip& strip, double& sum) {
  // Adding 0 changes nothing.
  strip.for_each_unused([&](size_t index) { terms[index] = 0; });
  if (add_if_order_is_free(sum, terms, strip.terms())) return;
  for (size_t n = 0; n < strip.columns; ++n) sum += terms[n % strip.segment * kLanes + n / strip.segment];
}

void process_block(const SsimBlock& block, SsimSums& sums) {
  const Strips strips(block.positions);
  for (size_t i = 0; i < strips.count; ++i) {
    const Strip strip = strips.strip(i);
    switch (block.terms) {
      case SsimTerms::Product:
        store_strip_terms<SsimTerms::Product>(block, strip);
        break;
      case SsimTerms::ContrastStructure:
        store_strip_terms<SsimTerms::ContrastStructure>(block, strip);
        break;
      case SsimTerms::All:
        store_strip_terms<SsimTerms::All>(block, strip);
        break;
    }
  }
  for (size_t b = block.first_complete(); b < block.rows; ++b) {
    for (size_t i = 0; i < strips.count; ++i) {
      const Strip strip = strips.strip(i);
      const auto add = [&](Term kind, double& sum) {
        add_strip(block.terms_of(b, kind) + strip.group * kGroup, strip, sum);
      };
      if (block.terms != SsimTerms::ContrastStructure) add(kProduct, sums.product);
      if (block.terms == SsimTerms::All) add(kL, sums.l);
      if (block.terms != SsimTerms::Product) {
        add(kC, sums.c);
        add(kS, sums.s);
      }
    }
  }
}
#endif

}  // namespace qc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qc {
HWY_EXPORT(process_block);

void WindowedSsim::start(int width, int height, SsimTerms terms) {
  width_ = width;
  height_ = height;
  rows_ = 0;
  finished_ = false;
  terms_ = terms;
  sums_ = {};
  const size_t pitch = ssim::row_pitch(width);
  x_.resize(ssim::kWindowTaps * pitch);
  y_.resize(ssim::kWindowTaps * pitch);
  filtered_.resize(std::max(ssim::kWindowTaps * kQuantities * pitch, kMaxFiltered));
  const size_t terms_pitch = term_pitch(static_cast<size_t>(width));
  window_sums_.resize((ssim::kWindowTaps - 1) * kQuantities * terms_pitch);
  row_terms_.resize(ssim::kWindowTaps * kTermKinds * terms_pitch);
}

void WindowedSsim::process_block(int rows) {
  if (width_ < ssim::kWindowTaps) return;
  const SsimBlock block{x_.data(),
                        y_.data(),
                        ssim::row_pitch(width_),
                        static_cast<size_t>(width_ - (ssim::kWindowTaps - 1)),
                        rows_ == rows,
                        static_cast<size_t>(rows),
                        terms_,
                        filtered_.data(),
                        window_sums_.data(),
                        row_terms_.data()};
  HWY_DYNAMIC_DISPATCH(process_block)(block, sums_);
}

void WindowedSsim::row_written() {
  ++rows_;
  if (rows_ % ssim::kWindowTaps == 0) process_block(ssim::kWindowTaps);
}

const SsimSums& WindowedSsim::sums() {
  const int rest = rows_ % ssim::kWindowTaps;
  if (rest != 0 && !finished_) process_block(rest);
  finished_ = true;
  return sums_;
}

SsimMeans WindowedSsim::means() {
  sums();
  const int columns = width_ - (ssim::kWindowTaps - 1);
  const int rows = height_ - (ssim::kWindowTaps - 1);
  const auto mean = [&](bool wanted, double sum) { return wanted ? ssim::plane_mean(sum, columns, rows) : 0.0f; };
  const bool product = terms_ != SsimTerms::ContrastStructure;
  const bool all = terms_ == SsimTerms::All;
  const bool structure = terms_ != SsimTerms::Product;
  return {mean(product, sums_.product), mean(all, sums_.l), mean(structure, sums_.c), mean(structure, sums_.s)};
}

}  // namespace qc
#endif
