#include "ssim/moment_ssim.h"

#include <algorithm>

#include "core/simd.h"
#include "math/ordered_sum_simd.h"
#include "ssim/float_row.h"
#include "ssim/ssim_arithmetic.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ssim/moment_ssim.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#ifndef QC_SSIM_MOMENT_SSIM_PLAIN
#define QC_SSIM_MOMENT_SSIM_PLAIN
namespace qc {

// Moments are weighted sums of integers below 2^48, so float64 holds them exactly, in whatever order they are summed
// and whether multiply-adds are fused or not. Samples outside the picture are dropped; since they'd add weight * 0,
// rows and columns of zeros do that.
enum Moment { kX, kY, kXX, kXY, kYY, kMoments };

constexpr int kMomentTaps = 2 * ssim::kMomentRadius + 1;

// Windows are taken a stretch of columns at a time, so that the vertical moments stay in the first-level cache.
constexpr int kStretch = 256;
constexpr size_t kStretchPitch = ssim::row_pitch(kStretch + 2 * ssim::kMomentRadius);

// The rows under a row of windows as integers, kMomentRadius zeros before and behind each.
struct MomentRows {
  const float* x[kMomentTaps];
  const float* y[kMomentTaps];
};

// Windows of a stretch: their horizontal weights, and the vertical weight that they share.
struct MomentWeights {
  const double* horizontal;
  double vertical;
};

namespace plain {

// Vertical moments of `columns` columns from `first` on. out: kMoments rows, kStretchPitch apart.
inline void vertical_moments(const MomentRows& rows, int first, int columns, double* out) {
  for (int n = 0; n < columns; ++n) {
    int64_t sum[kMoments] = {};
    for (int t = 0; t < kMomentTaps; ++t) {
      const int64_t weight = ssim::moment_weight(t - ssim::kMomentRadius);
      const auto x = static_cast<int64_t>(rows.x[t][first + n]);
      const auto y = static_cast<int64_t>(rows.y[t][first + n]);
      sum[kX] += weight * x;
      sum[kY] += weight * y;
      sum[kXX] += weight * x * x;
      sum[kXY] += weight * x * y;
      sum[kYY] += weight * y * y;
    }
    for (size_t m = 0; m < kMoments; ++m) out[m * kStretchPitch + static_cast<size_t>(n)] = static_cast<double>(sum[m]);
  }
}

// Adds the terms of `windows` windows to the sum in order.
inline double add_terms(const double* vertical, int windows, const MomentWeights& weights,
                        const ssim::MomentConstants& constants, double total) {
  for (int n = 0; n < windows; ++n) {
    double sum[kMoments];
    for (size_t m = 0; m < kMoments; ++m) {
      sum[m] = 0;
      for (int t = 0; t < kMomentTaps; ++t)
        sum[m] +=
            ssim::moment_weight(t - ssim::kMomentRadius) * vertical[m * kStretchPitch + static_cast<size_t>(n + t)];
    }
    total += ssim::moment_term({sum[kX], sum[kY], sum[kXX], sum[kXY], sum[kYY]},
                               weights.horizontal[n] * weights.vertical, constants);
  }
  return total;
}

}  // namespace plain
}  // namespace qc
#endif

HWY_BEFORE_NAMESPACE();
namespace qc::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if QC_PLAIN_TARGET
double moment_row(const MomentRows& rows, int first, int windows, int, const MomentWeights& weights,
                  const ssim::MomentConstants& constants, double* vertical, double total) {
  plain::vertical_moments(rows, first, windows + 2 * ssim::kMomentRadius, vertical);
  return plain::add_terms(vertical, windows, weights, constants, total);
}
#else

// Weighted sum of the centre of a window and of the sums of the pairs at distance 1 to 4 from it.
template <class D, class V = hn::Vec<D> >
HWY_INLINE V weighted_sum(D d, V centre, V pair1, V pair2, V pair3, V pair4) {
  static_assert(ssim::kMomentRadius == 4);
  using T = hn::TFromD<D>;
  auto sum = hn::Mul(centre, hn::Set(d, static_cast<T>(ssim::moment_weight(0))));
  sum = hn::MulAdd(pair1, hn::Set(d, static_cast<T>(ssim::moment_weight(1))), sum);
  sum = hn::MulAdd(pair2, hn::Set(d, static_cast<T>(ssim::moment_weight(2))), sum);
  sum = hn::MulAdd(pair3, hn::Set(d, static_cast<T>(ssim::moment_weight(3))), sum);
  return hn::MulAdd(pair4, hn::Set(d, static_cast<T>(ssim::moment_weight(4))), sum);
}

// The nine samples of a column.
template <class V>
struct Column {
  V s0, s1, s2, s3, s4, s5, s6, s7, s8;
};

template <class D, class V>
HWY_INLINE V column_sum(D d, const Column<V>& a) {
  return weighted_sum(d, a.s4, hn::Add(a.s3, a.s5), hn::Add(a.s2, a.s6), hn::Add(a.s1, a.s7), hn::Add(a.s0, a.s8));
}

template <class D, class V>
HWY_INLINE V column_product(D d, const Column<V>& a, const Column<V>& b) {
  return weighted_sum(d, hn::Mul(a.s4, b.s4), hn::MulAdd(a.s3, b.s3, hn::Mul(a.s5, b.s5)),
                      hn::MulAdd(a.s2, b.s2, hn::Mul(a.s6, b.s6)), hn::MulAdd(a.s1, b.s1, hn::Mul(a.s7, b.s7)),
                      hn::MulAdd(a.s0, b.s0, hn::Mul(a.s8, b.s8)));
}

// At 8 bits a vertical moment is at most 256 * 255^2 < 2^24, which float32 holds exactly.
void vertical_moments_narrow(const MomentRows& rows, int first, int columns, double* out) {
  const hn::ScalableTag<float> d;
  const hn::Half<decltype(d)> dh;
  const hn::Rebind<double, decltype(dh)> dd;
  using V = hn::Vec<decltype(d)>;
  for (int n = 0; n < columns; n += static_cast<int>(hn::Lanes(d))) {
    const auto column = [&](const float* const* row) HWY_ATTR {
      const int at = first + n;
      return Column<V>{hn::LoadU(d, row[0] + at), hn::LoadU(d, row[1] + at), hn::LoadU(d, row[2] + at),
                       hn::LoadU(d, row[3] + at), hn::LoadU(d, row[4] + at), hn::LoadU(d, row[5] + at),
                       hn::LoadU(d, row[6] + at), hn::LoadU(d, row[7] + at), hn::LoadU(d, row[8] + at)};
    };
    const auto store = [&](Moment m, V sum) HWY_ATTR {
      double* to = out + m * kStretchPitch + n;
      hn::StoreU(hn::PromoteTo(dd, hn::LowerHalf(dh, sum)), dd, to);
      hn::StoreU(hn::PromoteTo(dd, hn::UpperHalf(dh, sum)), dd, to + hn::Lanes(dd));
    };
    const Column<V> x = column(rows.x);
    const Column<V> y = column(rows.y);
    store(kX, column_sum(d, x));
    store(kY, column_sum(d, y));
    store(kXX, column_product(d, x, x));
    store(kXY, column_product(d, x, y));
    store(kYY, column_product(d, y, y));
  }
}

void vertical_moments_wide(const MomentRows& rows, int first, int columns, double* out) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> df;
  using V = hn::Vec<decltype(d)>;
  for (int n = 0; n < columns; n += static_cast<int>(hn::Lanes(d))) {
    const auto column = [&](const float* const* row) HWY_ATTR {
      const auto load = [&](int t) HWY_ATTR { return hn::PromoteTo(d, hn::LoadU(df, row[t] + first + n)); };
      return Column<V>{load(0), load(1), load(2), load(3), load(4), load(5), load(6), load(7), load(8)};
    };
    double* to = out + n;
    const Column<V> x = column(rows.x);
    const Column<V> y = column(rows.y);
    hn::StoreU(column_sum(d, x), d, to + kX * kStretchPitch);
    hn::StoreU(column_sum(d, y), d, to + kY * kStretchPitch);
    hn::StoreU(column_product(d, x, x), d, to + kXX * kStretchPitch);
    hn::StoreU(column_product(d, x, y), d, to + kXY * kStretchPitch);
    hn::StoreU(column_product(d, y, y), d, to + kYY * kStretchPitch);
  }
}

// Horizontal pass of one moment over one vector of windows.
template <class D>
HWY_INLINE hn::Vec<D> row_moment(D d, const double* vertical) {
  const auto load = [&](int t) HWY_ATTR { return hn::LoadU(d, vertical + t); };
  return weighted_sum(d, load(4), hn::Add(load(3), load(5)), hn::Add(load(2), load(6)), hn::Add(load(1), load(7)),
                      hn::Add(load(0), load(8)));
}

double add_terms(const double* vertical, int windows, const MomentWeights& weights,
                 const ssim::MomentConstants& constants, double total) {
  const hn::ScalableTag<double> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto k1 = hn::Set(d, constants.c1);
  const auto k2 = hn::Set(d, constants.c2);
  HWY_ALIGN double terms[kStretch];
  for (int n = 0; n < windows; n += lanes) {
    const auto moment = [&](Moment m) HWY_ATTR { return row_moment(d, vertical + m * kStretchPitch + n); };
    const auto w = hn::Mul(hn::LoadU(d, weights.horizontal + n), hn::Set(d, weights.vertical));
    const auto x = moment(kX);
    const auto y = moment(kY);
    const auto xx = hn::Mul(x, x);
    const auto xy = hn::Mul(x, y);
    const auto yy = hn::Mul(y, y);
    const auto c1 = hn::Mul(hn::Mul(k1, w), w);
    const auto c2 = hn::Mul(hn::Mul(k2, w), w);
    const auto covariance = hn::Sub(hn::Mul(moment(kXY), w), xy);
    const auto numerator =
        hn::Mul(hn::Mul(w, hn::Add(hn::Add(xy, xy), c1)), hn::Add(c2, hn::Add(covariance, covariance)));
    const auto variances = hn::Sub(hn::Add(hn::Sub(hn::Mul(moment(kXX), w), xx), hn::Mul(moment(kYY), w)), yy);
    const auto denominator = hn::Mul(hn::Add(hn::Add(xx, yy), c1), hn::Add(variances, c2));
    hn::Store(hn::Div(numerator, denominator), d, terms + n);
  }
  return ordered_sum(total, terms, static_cast<size_t>(windows));
}

double moment_row(const MomentRows& rows, int first, int windows, int depth, const MomentWeights& weights,
                  const ssim::MomentConstants& constants, double* vertical, double total) {
  const int columns = windows + 2 * ssim::kMomentRadius;
  if (depth == 8) {
    vertical_moments_narrow(rows, first, columns, vertical);
  } else {
    vertical_moments_wide(rows, first, columns, vertical);
  }
  return add_terms(vertical, windows, weights, constants, total);
}
#endif

}  // namespace qc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qc {
HWY_EXPORT(moment_row);

double MomentSsim::sum(const PlaneView& x, const PlaneView& y) {
  constexpr int radius = ssim::kMomentRadius;
  // kRowPadding zeros before each row keep it aligned.
  const size_t pitch = ssim::row_pitch(x.width) + ssim::kRowPadding;
  const size_t samples = (2 * kMomentTaps + 1) * pitch + ssim::kRowPadding;
  rows_.resize(samples);
  std::fill_n(rows_.data(), samples, 0.0f);
  vertical_.resize(kMoments * kStretchPitch);
  weights_.resize(ssim::row_pitch(x.width));
  for (int i = 0; i < x.width; ++i) weights_.data()[i] = ssim::weight_inside(i, x.width);
  const auto x_row = [&](int row) {
    return rows_.data() + static_cast<size_t>(row % kMomentTaps) * pitch + ssim::kRowPadding;
  };
  const auto y_row = [&](int row) { return x_row(row) + kMomentTaps * pitch; };
  const float* zeros = rows_.data() + 2 * kMomentTaps * pitch + ssim::kRowPadding;
  const ssim::MomentConstants constants = ssim::moment_constants(x.depth);

  double total = 0;
  for (int row = -radius; row < x.height; ++row) {
    if (row + radius < x.height) {
      read_float_row(x, row + radius, 1.0f, x_row(row + radius));
      read_float_row(y, row + radius, 1.0f, y_row(row + radius));
    }
    if (row < 0) continue;
    MomentRows rows;
    for (int t = 0; t < kMomentTaps; ++t) {
      const int r = row + t - radius;
      const bool inside = r >= 0 && r < x.height;
      rows.x[t] = inside ? x_row(r) : zeros;
      rows.y[t] = inside ? y_row(r) : zeros;
    }
    MomentWeights weights{nullptr, static_cast<double>(ssim::weight_inside(row, x.height))};
    for (int first = 0; first < x.width; first += kStretch) {
      weights.horizontal = weights_.data() + first;
      total = HWY_DYNAMIC_DISPATCH(moment_row)(rows, first - radius, std::min(kStretch, x.width - first), x.depth,
                                               weights, constants, vertical_.data(), total);
    }
  }
  return total;
}

}  // namespace qc
#endif
