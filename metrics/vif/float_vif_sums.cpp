#include "vif/float_vif_sums.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "core/simd.h"
#include "math/centred_row.h"
#include "math/ordered_rows.h"
#include "vif/float_vif_plain.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "vif/float_vif_sums.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#ifndef QC_VIF_FLOAT_VIF_SUMS_COMMON
#define QC_VIF_FLOAT_VIF_SUMS_COMMON
namespace qc::float_vif {

// Samples before and behind a row: what the widest filter reaches, in whole vectors.
constexpr size_t kMargin = 48;
static_assert(kMargin >= kMostTaps / 2 + 16);

constexpr size_t row_pitch(int width) { return (static_cast<size_t>(width) + 15) / 16 * 16 + 2 * kMargin; }

// Rows of terms that are summed side by side.
constexpr int kTermRows = 16;

inline void reserve(std::vector<float>& buffer, size_t size) {
  if (buffer.size() < size) buffer.resize(size);
}

// The rows of one picture of a scale: all of them, or a window that follows what is asked for, read from a plane.
class Rows {
 public:
  // The whole picture, which others write.
  Rows(std::vector<float>& buffer, int width, int height) : pitch_(row_pitch(width)), slots_(height), read_(height) {
    reserve(buffer, pitch_ * static_cast<size_t>(slots_));
    samples_ = buffer.data();
  }
  // A window of `window` rows of `plane`, centred.
  Rows(std::vector<float>& buffer, const PlaneView& plane, int window)
      : plane_(&plane), pitch_(row_pitch(plane.width)), slots_(std::min(window, plane.height)) {
    reserve(buffer, pitch_ * static_cast<size_t>(slots_));
    samples_ = buffer.data();
  }

  void read_up_to(int y) {
    if (!plane_) return;
    for (; read_ <= std::min(y, plane_->height - 1); ++read_) read_centred_row(*plane_, read_, row(read_));
  }
  float* row(int y) { return samples_ + static_cast<size_t>(y % slots_) * pitch_; }

 private:
  const PlaneView* plane_ = nullptr;
  float* samples_ = nullptr;
  size_t pitch_;
  int slots_;
  int read_ = 0;
};

inline void mirror_margins(float* row, int width, int radius) {
  for (int i = 1; i <= radius; ++i) {
    row[-i] = row[i];
    row[width - 1 + i] = row[width - 1 - i];
  }
}

}  // namespace qc::float_vif
#endif

HWY_BEFORE_NAMESPACE();
namespace qc::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if QC_PLAIN_TARGET
void sums_of_scales(const PlaneView& reference, const PlaneView& distorted, const float_vif::Parameters& parameters,
                    FloatVifScratch&, FloatVifSums* sums) {
  plain::float_vif_sums(reference, distorted, parameters, sums);
}
#else

using float_vif::kMargin;
using float_vif::kTermRows;
using float_vif::mirror;
using float_vif::row_pitch;
using float_vif::Rows;

// Rows that share what the vertical pass loads: as many as there are registers for.
constexpr int kRows = HWY_MAX_BYTES == 64 ? 4 : 2;
static_assert(kTermRows % kRows == 0);

using D32 = hn::CappedTag<float, 16>;
using V32 = hn::Vec<D32>;

// Samples, squares and products, or their filtered sums, in this order where they lie in memory. Single variables and
// constant indices keep them in registers. Always initialised: gcc cannot inline NEON vectors' constructor into a
// default constructor.
constexpr size_t kQuantities = 5;
struct Quantities {
  V32 mean_r;
  V32 mean_d;
  V32 square_r;
  V32 square_d;
  V32 product;

  HWY_INLINE void add(V32 tap, const Quantities& in) {
    mean_r = hn::Add(mean_r, hn::Mul(tap, in.mean_r));
    mean_d = hn::Add(mean_d, hn::Mul(tap, in.mean_d));
    square_r = hn::Add(square_r, hn::Mul(tap, in.square_r));
    square_d = hn::Add(square_d, hn::Mul(tap, in.square_d));
    product = hn::Add(product, hn::Mul(tap, in.product));
  }
};

HWY_INLINE Quantities no_quantities() {
  const auto zero = hn::Zero(D32());
  return {zero, zero, zero, zero, zero};
}

HWY_INLINE Quantities quantities_of(const float* r, const float* d) {
  const V32 mean_r = hn::LoadU(D32(), r);
  const V32 mean_d = hn::LoadU(D32(), d);
  return {mean_r, mean_d, hn::Mul(mean_r, mean_r), hn::Mul(mean_d, mean_d), hn::Mul(mean_r, mean_d)};
}

HWY_INLINE Quantities load(const float* from, size_t pitch) {
  const D32 d;
  return {hn::LoadU(d, from), hn::LoadU(d, from + pitch), hn::LoadU(d, from + 2 * pitch),
          hn::LoadU(d, from + 3 * pitch), hn::LoadU(d, from + 4 * pitch)};
}

HWY_INLINE void store(const Quantities& q, float* to, size_t pitch) {
  const D32 d;
  hn::StoreU(q.mean_r, d, to);
  hn::StoreU(q.mean_d, d, to + pitch);
  hn::StoreU(q.square_r, d, to + 2 * pitch);
  hn::StoreU(q.square_d, d, to + 3 * pitch);
  hn::StoreU(q.product, d, to + 4 * pitch);
}

// Input row `in` is tap[0] of output row 0, tap[-1] of row 1 and so on, for rows kFirst + o.
template <size_t kFirst, size_t... o>
HWY_INLINE void add_to_rows(std::index_sequence<o...>, Quantities (&rows)[kRows], const float* tap,
                            const Quantities& in) {
  (rows[kFirst + o].add(hn::Set(D32(), *(tap - (kFirst + o))), in), ...);
}

// One vector of columns. At both ends not all output rows take part.
template <size_t... row, size_t... end>
HWY_INLINE void filter_columns(std::index_sequence<row...> all, std::index_sequence<end...>,
                               const float_vif::Filter& filter, const float* const* rows_r, const float* const* rows_d,
                               size_t x, float* out, size_t pitch) {
  Quantities rows[kRows] = {(static_cast<void>(row), no_quantities())...};
  const auto taps = static_cast<size_t>(filter.taps);
  (add_to_rows<0>(std::make_index_sequence<end + 1>(), rows, filter.tap + end,
                  quantities_of(rows_r[end] + x, rows_d[end] + x)),
   ...);
  for (size_t i = kRows - 1; i < taps; ++i)
    add_to_rows<0>(all, rows, filter.tap + i, quantities_of(rows_r[i] + x, rows_d[i] + x));
  (add_to_rows<end + 1>(std::make_index_sequence<kRows - 1 - end>(), rows, filter.tap + taps + end,
                        quantities_of(rows_r[taps + end] + x, rows_d[taps + end] + x)),
   ...);
  (store(rows[row], out + row * kQuantities * pitch + x, pitch), ...);
}

// The vertical pass for kRows neighbouring rows. rows_r and rows_d: the filter.taps + kRows - 1 rows that they need.
// `out`: row o of quantity q is at out + (o * kQuantities + q) * pitch.
void filter_rows(const float_vif::Filter& filter, const float* const* rows_r, const float* const* rows_d, int width,
                 float* out, size_t pitch) {
  for (size_t x = 0; x < static_cast<size_t>(width); x += hn::Lanes(D32()))
    filter_columns(std::make_index_sequence<kRows>(), std::make_index_sequence<kRows - 1>(), filter, rows_r, rows_d, x,
                   out, pitch);
}

// float_vif::terms() for vectors.
class TermsOf {
 public:
  explicit TermsOf(const float_vif::Channel& channel) : channel_(channel) {
    // The least float32 that is not below the noise: comparing with it is comparing with the noise.
    threshold_ = static_cast<float>(channel.noise);
    if (double(threshold_) < channel.noise) threshold_ = std::nextafter(threshold_, INFINITY);
  }

  HWY_INLINE void store(const Quantities& m, float* numerator, float* denominator) const {
    const D32 d;
    const auto zero = hn::Zero(d);
    const auto one = hn::Set(d, 1.0F);
    const auto epsilon = hn::Set(d, float_vif::kEpsilon);
    auto variance_r = hn::Max(hn::Sub(m.square_r, hn::Mul(m.mean_r, m.mean_r)), zero);
    const auto variance_d = hn::Max(hn::Sub(m.square_d, hn::Mul(m.mean_d, m.mean_d)), zero);
    const auto covariance = hn::Sub(m.product, hn::Mul(m.mean_r, m.mean_d));
    const auto flat_numerator = hn::Sub(one, hn::Mul(variance_d, hn::Set(d, channel_.flat_weight)));
    const auto no_signal = hn::Lt(variance_r, epsilon);
    // Whether the reference's variance is below the noise, also after the step that makes it 0.
    const auto flat =
        hn::Or(hn::Lt(variance_r, hn::Set(d, threshold_)), hn::And(no_signal, hn::Lt(zero, hn::Set(d, threshold_))));
    if (hn::AllTrue(d, flat)) {
      hn::StoreU(flat_numerator, d, numerator);
      hn::StoreU(one, d, denominator);
      return;
    }
    auto gain = hn::Div(covariance, hn::Add(variance_r, epsilon));
    auto residual = hn::Sub(variance_d, hn::Mul(gain, covariance));
    gain = hn::IfThenZeroElse(no_signal, gain);
    residual = hn::IfThenElse(no_signal, variance_d, residual);
    variance_r = hn::IfThenZeroElse(no_signal, variance_r);
    const auto nothing = hn::Lt(variance_d, epsilon);
    gain = hn::IfThenZeroElse(nothing, gain);
    residual = hn::IfThenZeroElse(nothing, residual);
    const auto opposite = hn::Lt(gain, zero);
    residual = hn::IfThenElse(opposite, variance_d, residual);
    gain = hn::IfThenZeroElse(opposite, gain);
    residual = hn::Max(residual, epsilon);
    gain = hn::Min(gain, hn::Set(d, channel_.gain_limit));
    const auto signal = hn::Mul(hn::Mul(gain, gain), variance_r);
    const auto kept = in_halves(signal, residual, [this](auto s, auto r) HWY_ATTR {
      const hn::DFromV<decltype(s)> d64;
      return hn::Div(s, hn::Add(r, hn::Set(d64, channel_.noise)));
    });
    const auto whole = in_halves(variance_r, variance_r, [this](auto v, auto) HWY_ATTR {
      const hn::DFromV<decltype(v)> d64;
      return channel_.inverse_noise != 0 ? hn::Mul(v, hn::Set(d64, channel_.inverse_noise))
                                         : hn::Div(v, hn::Set(d64, channel_.noise));
    });
    const auto information = hn::IfThenZeroElse(hn::Lt(covariance, zero), log2(kept));
    hn::StoreU(hn::IfThenElse(flat, flat_numerator, information), d, numerator);
    hn::StoreU(hn::IfThenElse(flat, one, log2(whole)), d, denominator);
  }

 private:
  // float32(1 + quotient(a, b)), where the quotient and the sum are float64.
  template <class Quotient>
  static HWY_INLINE V32 in_halves(V32 a, V32 b, Quotient quotient) {
    const D32 d;
    const hn::Half<D32> dh;
    const hn::RepartitionToWide<D32> d64;
    const auto one = hn::Set(d64, 1.0);
    const auto low =
        hn::Add(one, quotient(hn::PromoteTo(d64, hn::LowerHalf(dh, a)), hn::PromoteTo(d64, hn::LowerHalf(dh, b))));
    const auto high =
        hn::Add(one, quotient(hn::PromoteTo(d64, hn::UpperHalf(dh, a)), hn::PromoteTo(d64, hn::UpperHalf(dh, b))));
    return hn::Combine(d, hn::DemoteTo(dh, high), hn::DemoteTo(dh, low));
  }

  static HWY_INLINE V32 log2(V32 x) {
    const D32 d;
    const hn::RebindToUnsigned<D32> du;
    const hn::RebindToSigned<D32> di;
    const auto bits = hn::BitCast(du, x);
    const auto significand =
        hn::Or(hn::And(bits, hn::Set(du, float_vif::kFractionBits)), hn::Set(du, float_vif::kOneBits));
    const auto y = hn::Sub(hn::BitCast(d, significand), hn::Set(d, 1.0F));
    // The sign of a NaN doesn't count.
    const auto field = hn::And(hn::ShiftRight<23>(bits), hn::Set(du, 0xffU));
    const auto exponent = hn::ConvertTo(d, hn::Sub(hn::BitCast(di, field), hn::Set(di, 127)));
    auto p = hn::Set(d, float_vif::kLog8);
    p = hn::Add(hn::Mul(p, y), hn::Set(d, float_vif::kLog7));
    p = hn::Add(hn::Mul(p, y), hn::Set(d, float_vif::kLog6));
    p = hn::Add(hn::Mul(p, y), hn::Set(d, float_vif::kLog5));
    p = hn::Add(hn::Mul(p, y), hn::Set(d, float_vif::kLog4));
    p = hn::Add(hn::Mul(p, y), hn::Set(d, float_vif::kLog3));
    p = hn::Add(hn::Mul(p, y), hn::Set(d, float_vif::kLog2));
    p = hn::Add(hn::Mul(p, y), hn::Set(d, float_vif::kLog1));
    return hn::Add(exponent, hn::Mul(p, y));
  }

  float_vif::Channel channel_;
  float threshold_;
};

// The horizontal pass of one row, and the terms of its pixels. `filtered`: as filter_rows() leaves them, with margins.
void store_terms(const float_vif::Filter& filter, const float* filtered, size_t pitch, int width, const TermsOf& terms,
                 float* numerators, float* denominators) {
  const D32 d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  for (int x = 0; x < width; x += lanes) {
    Quantities sums = no_quantities();
    const float* in = filtered + x - filter.radius();
    for (int k = 0; k < filter.taps; ++k) sums.add(hn::Set(d, filter.tap[k]), load(in + k, pitch));
    terms.store(sums, numerators + x, denominators + x);
  }
}

// Row y of the next scale: the even samples of row 2y after both passes.
void halve_row(const float_vif::Filter& filter, Rows& rows, int width, int height, int y, float* filtered, float* out) {
  const D32 d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const int radius = filter.radius();
  const float* in[float_vif::kMostTaps];
  for (int k = 0; k < filter.taps; ++k) in[k] = rows.row(mirror(2 * y - radius + k, height));
  for (int x = 0; x < width; x += lanes) {
    auto sum = hn::Zero(d);
    for (int k = 0; k < filter.taps; ++k)
      sum = hn::Add(sum, hn::Mul(hn::Set(d, filter.tap[k]), hn::LoadU(d, in[k] + x)));
    hn::StoreU(sum, d, filtered + x);
  }
  float_vif::mirror_margins(filtered, width, radius);
  for (int x = 0; x < width / 2; x += lanes) {
    const float* at = filtered + 2 * x - radius;
    auto sum = hn::Zero(d);
    V32 even;
    V32 odd;
    int k = 0;
    for (; k + 1 < filter.taps; k += 2) {
      hn::LoadInterleaved2(d, at + k, even, odd);
      sum = hn::Add(sum, hn::Mul(hn::Set(d, filter.tap[k]), even));
      sum = hn::Add(sum, hn::Mul(hn::Set(d, filter.tap[k + 1]), odd));
    }
    hn::LoadInterleaved2(d, at + k, even, odd);
    hn::StoreU(hn::Add(sum, hn::Mul(hn::Set(d, filter.tap[k]), even)), d, out + x);
  }
}

// One scale: its sums, if `sums` is not null, and the pictures of the next one.
class Scale {
 public:
  Scale(const float_vif::Parameters& parameters, int scale, FloatVifScratch& scratch)
      : parameters_(parameters),
        scale_(scale),
        width_(parameters.width[scale]),
        height_(parameters.height[scale]),
        pitch_(row_pitch(width_)),
        scratch_(scratch) {
    float_vif::reserve(scratch.filtered, kRows * kQuantities * pitch_);
    float_vif::reserve(scratch.terms, 2 * kTermRows * pitch_);
  }

  void run(Rows& r, Rows& d, Rows* next_r, Rows* next_d, FloatVifSums* sums) {
    const TermsOf terms(parameters_.channel);
    if (sums) *sums = {};
    for (int y = 0; y < height_; y += kRows) {
      const int radius = reach(parameters_, scale_);
      r.read_up_to(y + kRows - 1 + radius);
      d.read_up_to(y + kRows - 1 + radius);
      if (sums) add_rows(r, d, y, terms, *sums);
      if (!next_r) continue;
      const float_vif::Filter& filter = parameters_.filter[scale_ + 1];
      float* filtered = scratch_.filtered.data() + kMargin;
      for (int row = y / 2; row < (y + kRows) / 2 && row < parameters_.height[scale_ + 1]; ++row) {
        halve_row(filter, r, width_, height_, row, filtered, next_r->row(row));
        halve_row(filter, d, width_, height_, row, filtered, next_d->row(row));
      }
    }
  }

  // Rows above and below that a row's filters reach.
  static int reach(const float_vif::Parameters& parameters, int scale) {
    const int next = scale + 1 < kFloatVifScales ? parameters.filter[scale + 1].radius() : 0;
    return std::max(parameters.filter[scale].radius(), next);
  }
  // Rows that a window needs.
  static int window(const float_vif::Parameters& parameters, int scale) { return 2 * reach(parameters, scale) + kRows; }

 private:
  // Adds the terms of rows y … y + kRows - 1.
  void add_rows(Rows& r, Rows& d, int y, const TermsOf& terms, FloatVifSums& sums) {
    const float_vif::Filter& filter = parameters_.filter[scale_];
    const int radius = filter.radius();
    const float* rows_r[float_vif::kMostTaps + kRows];
    const float* rows_d[float_vif::kMostTaps + kRows];
    for (int i = 0; i < filter.taps + kRows - 1; ++i) {
      // Rows past the mirrored edge belong to no output.
      const int row = mirror(std::min(y - radius + i, height_ - 1 + radius), height_);
      rows_r[i] = r.row(row);
      rows_d[i] = d.row(row);
    }
    float* filtered = scratch_.filtered.data() + kMargin;
    filter_rows(filter, rows_r, rows_d, width_, filtered, pitch_);
    float* numerators = scratch_.terms.data();
    float* denominators = numerators + kTermRows * pitch_;
    int row = y;
    for (; row < std::min(y + kRows, height_); ++row) {
      float* in = filtered + static_cast<size_t>(row - y) * kQuantities * pitch_;
      for (size_t q = 0; q < kQuantities; ++q) float_vif::mirror_margins(in + q * pitch_, width_, radius);
      const size_t at = static_cast<size_t>(row % kTermRows) * pitch_;
      store_terms(filter, in, pitch_, width_, terms, numerators + at, denominators + at);
    }
    if (row % kTermRows != 0 && row != height_) return;
    const int count = (row - 1) % kTermRows + 1;
    float row_sums[2][kTermRows];
    sum_rows_in_order(numerators, pitch_, count, width_, row_sums[0]);
    sum_rows_in_order(denominators, pitch_, count, width_, row_sums[1]);
    for (int i = 0; i < count; ++i) {
      sums.numerator += row_sums[0][i];
      sums.denominator += row_sums[1][i];
    }
  }

  const float_vif::Parameters& parameters_;
  int scale_;
  int width_;
  int height_;
  size_t pitch_;
  FloatVifScratch& scratch_;
};

void sums_of_scales(const PlaneView& reference, const PlaneView& distorted, const float_vif::Parameters& parameters,
                    FloatVifScratch& scratch, FloatVifSums* sums) {
  const auto whole = [&](int s, int picture) {
    return Rows(scratch.picture[s][picture], parameters.width[s], parameters.height[s]);
  };
  const auto first = [&](const PlaneView& plane, int picture) {
    if (!parameters.resampled) return Rows(scratch.picture[0][picture], plane, Scale::window(parameters, 0));
    Rows rows = whole(0, picture);
    for (int y = 0; y < parameters.height[0]; ++y)
      for (int x = 0; x < parameters.width[0]; ++x)
        rows.row(y)[x] = plain::resampled(plane, parameters.resampling, x, y);
    return rows;
  };
  Rows r = first(reference, 0);
  Rows d = first(distorted, 1);
  for (int s = 0; s < kFloatVifScales; ++s) {
    Scale scale(parameters, s, scratch);
    FloatVifSums* wanted = s >= parameters.first_scale ? sums + s : nullptr;
    if (s + 1 == kFloatVifScales) {
      scale.run(r, d, nullptr, nullptr, wanted);
    } else {
      Rows next_r = whole(s + 1, 0);
      Rows next_d = whole(s + 1, 1);
      scale.run(r, d, &next_r, &next_d, wanted);
      r = next_r;
      d = next_d;
    }
  }
}
#endif

}  // namespace qc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qc {
namespace {
HWY_EXPORT(sums_of_scales);
}  // namespace

void float_vif_sums(const PlaneView& reference, const PlaneView& distorted, const float_vif::Parameters& parameters,
                    FloatVifScratch& scratch, FloatVifSums sums[kFloatVifScales]) {
  HWY_DYNAMIC_DISPATCH(sums_of_scales)(reference, distorted, parameters, scratch, sums);
}

}  // namespace qc
#endif
