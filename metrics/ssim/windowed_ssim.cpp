#include "ssim/windowed_ssim.h"

#include <cmath>

#include "core/simd.h"
#include "ssim/ssim_arithmetic.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ssim/windowed_ssim.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#ifndef QC_SSIM_WINDOWED_SSIM_PLAIN
#define QC_SSIM_WINDOWED_SSIM_PLAIN
namespace qc {

// The quantities whose window means are taken.
enum Quantity { kX, kY, kXX, kYY, kXY, kQuantities };

// Row-filtered quantities of the rows that a row of windows covers: those of row i start at row[i], `pitch` apart.
struct FilteredRows {
  const float* row[ssim::kWindowTaps];
  size_t pitch;
};

namespace plain {

// Row pass over `positions` window positions. out: the five quantities, `pitch` apart.
inline void filter_row(const float* x, const float* y, int positions, size_t pitch, float* out) {
  for (int n = 0; n < positions; ++n) {
    double sum[kQuantities] = {};
    for (int i = 0; i < ssim::kWindowTaps; ++i) {
      const float tap = ssim::window_tap(i);
      const float a = x[n + i];
      const float b = y[n + i];
      sum[kX] = ssim::accumulate(sum[kX], a, tap);
      sum[kY] = ssim::accumulate(sum[kY], b, tap);
      sum[kXX] = ssim::accumulate(sum[kXX], a * a, tap);
      sum[kYY] = ssim::accumulate(sum[kYY], b * b, tap);
      sum[kXY] = ssim::accumulate(sum[kXY], a * b, tap);
    }
    for (int q = 0; q < kQuantities; ++q)
      out[static_cast<size_t>(q) * pitch + static_cast<size_t>(n)] = static_cast<float>(sum[q]);
  }
}

// Column pass, and the terms of each position from `first` on.
inline void add_terms(const FilteredRows& rows, int first, int positions, SsimSums& sums) {
  for (int n = first; n < positions; ++n) {
    float mean[kQuantities];
    for (int q = 0; q < kQuantities; ++q) {
      double sum = 0;
      for (int i = 0; i < ssim::kWindowTaps; ++i)
        sum = ssim::accumulate(sum, rows.row[i][static_cast<size_t>(q) * rows.pitch + static_cast<size_t>(n)],
                               ssim::window_tap(i));
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

}  // namespace plain
}  // namespace qc
#endif

HWY_BEFORE_NAMESPACE();
namespace qc::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if QC_PLAIN_TARGET
void filter_row(const float* x, const float* y, int positions, size_t pitch, float*, float* out) {
  plain::filter_row(x, y, positions, pitch, out);
}
void add_terms(const FilteredRows& rows, int positions, SsimTerms, SsimSums& sums) {
  plain::add_terms(rows, 0, positions, sums);
}
#else

// sum + value. Where additions and fused multiply-adds go to different units, half of the additions can use the latter:
// the product with 1 is exact, so there is one rounding, that of the sum.
template <bool kFused, class D, class V>
HWY_INLINE V add(D d, V sum, V value) {
#if HWY_NATIVE_FMA && HWY_ARCH_X86
  if constexpr (kFused) return hn::MulAdd(value, hn::Set(d, 1.0), sum);
#endif
  (void)d;
  return hn::Add(sum, value);
}

// Windowed sum over kWindowTaps vectors of samples, sample(i) being the one at tap i. The accumulator starts as the
// first product instead of adding that to 0: if all products are -0 the sum is -0 and not 0, which no term sees.
template <class D, class Sample>
HWY_INLINE auto window_sum(D d, const Sample& sample) {
  const hn::Rebind<float, D> df;
  const auto product = [&](int i)
                           HWY_ATTR { return hn::PromoteTo(d, hn::Mul(sample(i), hn::Set(df, ssim::window_tap(i)))); };
  auto sum = product(0);
  sum = add<true>(d, sum, product(1));
  sum = add<false>(d, sum, product(2));
  sum = add<true>(d, sum, product(3));
  sum = add<false>(d, sum, product(4));
  sum = add<true>(d, sum, product(5));
  sum = add<false>(d, sum, product(6));
  sum = add<true>(d, sum, product(7));
  sum = add<false>(d, sum, product(8));
  sum = add<true>(d, sum, product(9));
  sum = add<false>(d, sum, product(10));
  return hn::DemoteTo(df, sum);
}

void filter_row(const float* x, const float* y, int positions, size_t pitch, float* products, float* out) {
  const hn::ScalableTag<float> dw;
  float* xx = products;
  float* yy = products + pitch;
  float* xy = products + 2 * pitch;
  for (int n = 0; n < positions + ssim::kWindowTaps - 1; n += static_cast<int>(hn::Lanes(dw))) {
    const auto a = hn::LoadU(dw, x + n);
    const auto b = hn::LoadU(dw, y + n);
    hn::StoreU(hn::Mul(a, a), dw, xx + n);
    hn::StoreU(hn::Mul(b, b), dw, yy + n);
    hn::StoreU(hn::Mul(a, b), dw, xy + n);
  }
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> df;
  const float* in[kQuantities] = {x, y, xx, yy, xy};
  for (int q = 0; q < kQuantities; ++q) {
    const float* samples = in[q];
    float* means = out + static_cast<size_t>(q) * pitch;
    for (int n = 0; n < positions; n += static_cast<int>(hn::Lanes(d)))
      hn::StoreU(window_sum(d, [&](int i) HWY_ATTR { return hn::LoadU(df, samples + n + i); }), df, means + n);
  }
}

template <SsimTerms kTerms>
void add_row_terms(const FilteredRows& rows, int positions, SsimSums& sums) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> df;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto c1f = hn::Set(df, ssim::kC1);
  const auto c2f = hn::Set(df, ssim::kC2);
  const auto c3f = hn::Set(df, ssim::kC3);
  const auto c1 = hn::Set(d, static_cast<double>(ssim::kC1));
  const auto c2 = hn::Set(d, static_cast<double>(ssim::kC2));
  const auto two = hn::Set(d, 2.0);
  const auto zero = hn::Zero(df);
  HWY_ALIGN double product_terms[hn::MaxLanes(d)];
  HWY_ALIGN double l_terms[hn::MaxLanes(d)];
  HWY_ALIGN double c_terms[hn::MaxLanes(d)];
  HWY_ALIGN float s_terms[hn::MaxLanes(d)];
  SsimSums total = sums;
  for (int n = 0; n < positions; n += lanes) {
    const auto mean = [&](int q) HWY_ATTR {
      const size_t offset = static_cast<size_t>(q) * rows.pitch + static_cast<size_t>(n);
      return window_sum(d, [&](int i) HWY_ATTR { return hn::LoadU(df, rows.row[i] + offset); });
    };
    const auto x = mean(kX);
    const auto y = mean(kY);
    const auto squared_x = hn::Mul(x, x);
    const auto squared_y = hn::Mul(y, y);
    const auto vx = hn::Max(hn::Sub(mean(kXX), squared_x), zero);
    const auto vy = hn::Max(hn::Sub(mean(kYY), squared_y), zero);
    const auto covariance = hn::Sub(mean(kXY), hn::Mul(x, y));
    const auto deviation = hn::Sqrt(hn::Mul(vx, vy));
    const auto c = hn::Div(hn::Add(hn::Mul(two, hn::PromoteTo(d, deviation)), c2),
                           hn::PromoteTo(d, hn::Add(hn::Add(vx, vy), c2f)));
    const auto uncorrelated = hn::And(hn::Lt(covariance, zero), hn::Le(deviation, zero));
    const auto numerator = hn::IfThenZeroElse(uncorrelated, covariance);
    const auto s = hn::Div(hn::Add(numerator, c3f), hn::Add(deviation, c3f));
    if constexpr (kTerms != SsimTerms::Product) {
      hn::Store(c, d, c_terms);
      hn::Store(s, df, s_terms);
    }
    if constexpr (kTerms != SsimTerms::ContrastStructure) {
      const auto l = hn::Div(hn::Add(hn::Mul(hn::Mul(two, hn::PromoteTo(d, x)), hn::PromoteTo(d, y)), c1),
                             hn::PromoteTo(d, hn::Add(hn::Add(squared_x, squared_y), c1f)));
      hn::Store(hn::Mul(hn::Mul(l, c), hn::PromoteTo(d, s)), d, product_terms);
      if constexpr (kTerms == SsimTerms::All) hn::Store(l, d, l_terms);
    }
    // The ordered sums are chains of dependent additions; the next vector's windows are computed meanwhile.
    const int count = positions - n < lanes ? positions - n : lanes;
    for (int k = 0; k < count; ++k) {
      if constexpr (kTerms != SsimTerms::ContrastStructure) total.product += product_terms[k];
      if constexpr (kTerms == SsimTerms::All) total.l += l_terms[k];
      if constexpr (kTerms != SsimTerms::Product) {
        total.c += c_terms[k];
        total.s += static_cast<double>(s_terms[k]);
      }
    }
  }
  sums = total;
}

void add_terms(const FilteredRows& rows, int positions, SsimTerms terms, SsimSums& sums) {
  switch (terms) {
    case SsimTerms::Product:
      return add_row_terms<SsimTerms::Product>(rows, positions, sums);
    case SsimTerms::ContrastStructure:
      return add_row_terms<SsimTerms::ContrastStructure>(rows, positions, sums);
    case SsimTerms::All:
      return add_row_terms<SsimTerms::All>(rows, positions, sums);
  }
}
#endif

}  // namespace qc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qc {
HWY_EXPORT(filter_row);
HWY_EXPORT(add_terms);

void WindowedSsim::start(int width, int height, SsimTerms terms) {
  width_ = width;
  height_ = height;
  next_row_ = 0;
  terms_ = terms;
  sums_ = {};
  const size_t pitch = ssim::row_pitch(width);
  filtered_.resize(ssim::kWindowTaps * kQuantities * pitch);
  products_.resize(3 * pitch);
}

void WindowedSsim::push_row(const float* x, const float* y) {
  constexpr int taps = ssim::kWindowTaps;
  const int positions = width_ - (taps - 1);
  if (positions <= 0) return;
  FilteredRows rows;
  rows.pitch = ssim::row_pitch(width_);
  const auto row = [&](int r) { return filtered_.data() + static_cast<size_t>(r % taps) * kQuantities * rows.pitch; };
  HWY_DYNAMIC_DISPATCH(filter_row)(x, y, positions, rows.pitch, products_.data(), row(next_row_));
  ++next_row_;
  if (next_row_ < taps) return;
  for (int i = 0; i < taps; ++i) rows.row[i] = row(next_row_ - taps + i);
  HWY_DYNAMIC_DISPATCH(add_terms)(rows, positions, terms_, sums_);
}

SsimMeans WindowedSsim::means() const {
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
