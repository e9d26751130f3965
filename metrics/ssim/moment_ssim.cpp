#include "ssim/moment_ssim.h"

#include <algorithm>

#include "core/simd.h"
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

// Weighted sum over a window from the sums of the pairs at equal distance from its centre, pair(0) being the centre
// itself.
template <class D, class Pair>
HWY_INLINE auto weighted_sum(D d, const Pair& pair) {
  using T = hn::TFromD<D>;
  const auto weight = [&](int k) HWY_ATTR { return hn::Set(d, static_cast<T>(ssim::moment_weight(k))); };
  auto sum = hn::Mul(pair(0), weight(0));
  for (int k = 1; k <= ssim::kMomentRadius; ++k) sum = hn::MulAdd(pair(k), weight(k), sum);
  return sum;
}

// The vertical moments at one vector of columns; load(row) gives the samples of a row there.
template <class D, class Load, class Store>
HWY_INLINE void column_moments(D d, const MomentRows& rows, const Load& load, const Store& store) {
  constexpr int r = ssim::kMomentRadius;
  const auto sums = [&](const float* const* row) HWY_ATTR {
    return weighted_sum(
        d, [&](int k) HWY_ATTR { return k == 0 ? load(row[r]) : hn::Add(load(row[r - k]), load(row[r + k])); });
  };
  const auto products = [&](const float* const* a, const float* const* b) HWY_ATTR {
    return weighted_sum(d, [&](int k) HWY_ATTR {
      const auto below = hn::Mul(load(a[r - k]), load(b[r - k]));
      return k == 0 ? below : hn::MulAdd(load(a[r + k]), load(b[r + k]), below);
    });
  };
  store(kX, sums(rows.x));
  store(kY, sums(rows.y));
  store(kXX, products(rows.x, rows.x));
  store(kXY, products(rows.x, rows.y));
  store(kYY, products(rows.y, rows.y));
}

// At 8 bits a vertical moment is at most 256 * 255^2 < 2^24, which float32 holds exactly.
void vertical_moments_narrow(const MomentRows& rows, int first, int columns, double* out) {
  const hn::ScalableTag<float> d;
  const hn::Half<decltype(d)> dh;
  const hn::Rebind<double, decltype(dh)> dd;
  for (int n = 0; n < columns; n += static_cast<int>(hn::Lanes(d))) {
    column_moments(
        d, rows, [&](const float* row) HWY_ATTR { return hn::LoadU(d, row + first + n); },
        [&](size_t m, hn::Vec<decltype(d)> sum) HWY_ATTR {
          double* to = out + m * kStretchPitch + n;
          hn::StoreU(hn::PromoteTo(dd, hn::LowerHalf(dh, sum)), dd, to);
          hn::StoreU(hn::PromoteTo(dd, hn::UpperHalf(dh, sum)), dd, to + hn::Lanes(dd));
        });
  }
}

void vertical_moments_wide(const MomentRows& rows, int first, int columns, double* out) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> df;
  for (int n = 0; n < columns; n += static_cast<int>(hn::Lanes(d))) {
    column_moments(
        d, rows, [&](const float* row) HWY_ATTR { return hn::PromoteTo(d, hn::LoadU(df, row + first + n)); },
        [&](size_t m, hn::Vec<decltype(d)> sum) HWY_ATTR { hn::StoreU(sum, d, out + m * kStretchPitch + n); });
  }
}

double add_terms(const double* vertical, int windows, const MomentWeights& weights,
                 const ssim::MomentConstants& constants, double total) {
  constexpr int r = ssim::kMomentRadius;
  const hn::ScalableTag<double> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto k1 = hn::Set(d, constants.c1);
  const auto k2 = hn::Set(d, constants.c2);
  HWY_ALIGN double terms[hn::MaxLanes(d)];
  for (int n = 0; n < windows; n += lanes) {
    const auto moment = [&](size_t m) HWY_ATTR {
      const double* centre = vertical + m * kStretchPitch + n + r;
      return weighted_sum(d, [&](int k) HWY_ATTR {
        return k == 0 ? hn::LoadU(d, centre) : hn::Add(hn::LoadU(d, centre - k), hn::LoadU(d, centre + k));
      });
    };
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
    hn::Store(hn::Div(numerator, denominator), d, terms);
    // A chain of dependent additions; the next windows are computed meanwhile.
    const int count = windows - n < lanes ? windows - n : lanes;
    for (int k = 0; k < count; ++k) total += terms[k];
  }
  return total;
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
