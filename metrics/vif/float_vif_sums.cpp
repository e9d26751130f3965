#include "vif/float_vif_sums.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

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

enum Quantity { kMeanR, kMeanD, kSquareR, kSquareD, kProduct, kQuantities };

using D32 = hn::CappedTag<float, 16>;
using V32 = hn::Vec<D32>;

// Five running sums of the filter.
struct Accumulators {
  V32 sum[kQuantities];

  HWY_INLINE void clear() {
    for (V32& s : sum) s = hn::Zero(D32());
  }
  HWY_INLINE void add(V32 tap, const V32* in) {
    for (int q = 0; q < kQuantities; ++q) sum[q] = hn::Add(sum[q], hn::Mul(tap, in[q]));
  }
};

// The vertical pass for kRows neighbouring rows. rows_r and rows_d: the filter.taps + kRows - 1 rows that they need.
// `out`: row o of quantity q is at out + (o * kQuantities + q) * pitch.
void filter_rows(const float_vif::Filter& filter, const float* const* rows_r, const float* const* rows_d, int width,
                 float* out, size_t pitch) {
  const D32 d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const int taps = filter.taps;
  for (int x = 0; x < width; x += lanes) {
    Accumulators rows[kRows];
    for (Accumulators& row : rows) row.clear();
    V32 in[kQuantities];
    const auto load = [&](int i) HWY_ATTR {
      in[kMeanR] = hn::LoadU(d, rows_r[i] + x);
      in[kMeanD] = hn::LoadU(d, rows_d[i] + x);
      in[kSquareR] = hn::Mul(in[kMeanR], in[kMeanR]);
      in[kSquareD] = hn::Mul(in[kMeanD], in[kMeanD]);
      in[kProduct] = hn::Mul(in[kMeanR], in[kMeanD]);
    };
    // Input row i is tap i - o of output row o. At both ends not all outputs take part.
    for (int i = 0; i < kRows - 1; ++i) {
      load(i);
      for (int o = 0; o <= i; ++o) rows[o].add(hn::Set(d, filter.tap[i - o]), in);
    }
    for (int i = kRows - 1; i < taps; ++i) {
      load(i);
      for (int o = 0; o < kRows; ++o) rows[o].add(hn::Set(d, filter.tap[i - o]), in);
    }
    for (int i = 0; i < kRows - 1; ++i) {
      load(taps + i);
      for (int o = i + 1; o < kRows; ++o) rows[o].add(hn::Set(d, filter.tap[taps + i - o]), in);
    }
    for (int o = 0; o < kRows; ++o)
      for (int q = 0; q < kQuantities; ++q) hn::StoreU(rows[o].sum[q], d, out + (o * kQuantities + q) * pitch + x);
  }
}

// float_vif::terms() for vectors.
class TermsOf {
 public:
  explicit TermsOf(const float_vif::Channel& channel) : channel_(channel) {
    // The least float32 that is not below the noise: comparing with it is comparing with the noise.
    threshold_ = static_cast<float>(channel.noise);
    if (double(threshold_) < channel.noise) threshold_ = std::nextafter(threshold_, INFINITY);
  }

  HWY_INLINE void store(const V32* m, float* numerator, float* denominator) const {
    const D32 d;
    const auto zero = hn::Zero(d);
    const auto one = hn::Set(d, 1.0F);
    const auto epsilon = hn::Set(d, float_vif::kEpsilon);
    auto variance_r = hn::Max(hn::Sub(m[kSquareR], hn::Mul(m[kMeanR], m[kMeanR])), zero);
    const auto variance_d = hn::Max(hn::Sub(m[kSquareD], hn::Mul(m[kMeanD], m[kMeanD])), zero);
    const auto covariance = hn::Sub(m[kProduct], hn::Mul(m[kMeanR], m[kMeanD]));
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
    for (const float c : {float_vif::kLog7, float_vif::kLog6, float_vif::kLog5, float_vif::kLog4, float_vif::kLog3,
                          float_vif::kLog2, float_vif::kLog1})
      p = hn::Add(hn::Mul(p, y), hn::Set(d, c));
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
    Accumulators sums;
    sums.clear();
    const float* in = filtered + x - filter.radius();
    for (int k = 0; k < filter.taps; ++k) {
      const auto tap = hn::Set(d, filter.tap[k]);
      for (int q = 0; q < kQuantities; ++q)
        sums.sum[q] = hn::Add(sums.sum[q], hn::Mul(tap, hn::LoadU(d, in + static_cast<size_t>(q) * pitch + k)));
    }
    terms.store(sums.sum, numerators + x, denominators + x);
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
      for (int q = 0; q < kQuantities; ++q)
        float_vif::mirror_margins(in + static_cast<size_t>(q) * pitch_, width_, radius);
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
