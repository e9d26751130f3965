#include "ssim/box_decimation.h"

#include <bit>

#include "core/simd.h"
#include "ssim/float_row.h"
#include "ssim/ssim_arithmetic.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ssim/box_decimation.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#ifndef QC_SSIM_BOX_DECIMATION_PLAIN
#define QC_SSIM_BOX_DECIMATION_PLAIN
namespace qc {

struct BoxScratch {
  float* samples;  // one row of the plane, and as many elements for sums of columns
  float* float_sums;
  double* double_sums;
};

namespace plain {

inline void decimate_box_row(const PlaneView& plane, int factor, int y, float* out) {
  const int width = ssim::decimated_size(plane.width, factor);
  const float scale = sample_scale(plane);
  const float tap = ssim::box_tap(factor);
  const int top = y * factor - factor / 2;
  for (int x = 0; x < width; ++x) {
    const int left = x * factor - factor / 2;
    double sum = 0;
    for (int v = 0; v < factor; ++v) {
      for (int u = 0; u < factor; ++u) {
        const uint32_t sample = plane.at(ssim::reflect(left + u, plane.width), ssim::reflect(top + v, plane.height));
        sum = ssim::accumulate(sum, static_cast<float>(sample) * scale, tap);
      }
    }
    out[x] = static_cast<float>(sum);
  }
}

}  // namespace plain
}  // namespace qc
#endif

HWY_BEFORE_NAMESPACE();
namespace qc::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if QC_PLAIN_TARGET
void box_row(const PlaneView& plane, int factor, int y, const BoxScratch&, float* out) {
  plain::decimate_box_row(plane, factor, y, out);
}
#else

// sums[x] (+)= samples[x]; the sums are exact in float32.
template <bool kFirst>
void add_samples(const float* samples, int width, float* sums) {
  const hn::ScalableTag<float> d;
  for (int x = 0; x < width; x += static_cast<int>(hn::Lanes(d))) {
    const auto s = hn::LoadU(d, samples + x);
    hn::StoreU(kFirst ? s : hn::Add(hn::LoadU(d, sums + x), s), d, sums + x);
  }
}

// sums[x] (+)= float32(samples[x] * tap); the sums are exact in float64.
template <bool kFirst>
void add_products(const float* samples, int width, float tap, double* sums) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> df;
  const auto factor = hn::Set(df, tap);
  for (int x = 0; x < width; x += static_cast<int>(hn::Lanes(d))) {
    const auto p = hn::PromoteTo(d, hn::Mul(hn::LoadU(df, samples + x), factor));
    hn::StoreU(kFirst ? p : hn::Add(hn::LoadU(d, sums + x), p), d, sums + x);
  }
}

// Sum of `factor` column sums around each position, times `scale`.
template <class T>
void sum_columns(const T* sums, int width, int factor, T scale, float* out) {
  const int positions = ssim::decimated_size(width, factor);
  for (int x = 0; x < positions; ++x) {
    const int left = x * factor - factor / 2;
    T sum = 0;
    if (left >= 0 && left + factor <= width) {
      for (int u = 0; u < factor; ++u) sum += sums[left + u];
    } else {
      for (int u = 0; u < factor; ++u) sum += sums[ssim::reflect(left + u, width)];
    }
    out[x] = static_cast<float>(sum * scale);
  }
}

// A column is summed before its neighbours are: the sums of one kernel are exact, so their order is free.
//
// Let b be the depth, f the factor. A product p = float32(v * tap) of a sample v >= 2^-(b - 8) with tap > f^-2 / 2 is a
// multiple of 2^-(b - 8) * 2^-(2 log2 f + 1) * 2^-23, and the f^2 products sum to less than 2^9. So all partial sums
// are exact in float64 while 9 + (b - 8) + (2 log2 f + 1) + 23 <= 53: for b <= 16 if 2 log2 f <= 12, f <= 64.
//
// If f is a power of two, nothing is rounded: the sum of the f^2 samples has at most b + 2 log2 f bits. While these are
// at most 24 even float32 sums are exact, and the tap can be multiplied at the end.
void box_row(const PlaneView& plane, int factor, int y, const BoxScratch& scratch, float* out) {
  const float scale = sample_scale(plane);
  const float tap = ssim::box_tap(factor);
  const int top = y * factor - factor / 2;
  const auto read = [&](int v) {
    read_float_row(plane, ssim::reflect(top + v, plane.height), scale, scratch.samples);
    return scratch.samples;
  };
  const auto f = static_cast<unsigned>(factor);
  if (factor > 64) {
    plain::decimate_box_row(plane, factor, y, out);
  } else if (std::has_single_bit(f) && plane.depth + 2 * std::countr_zero(f) <= 24) {
    float* sums = scratch.float_sums;
    add_samples<true>(read(0), plane.width, sums);
    for (int v = 1; v < factor; ++v) add_samples<false>(read(v), plane.width, sums);
    sum_columns(sums, plane.width, factor, tap, out);
  } else {
    double* sums = scratch.double_sums;
    add_products<true>(read(0), plane.width, tap, sums);
    for (int v = 1; v < factor; ++v) add_products<false>(read(v), plane.width, tap, sums);
    sum_columns(sums, plane.width, factor, 1.0, out);
  }
}
#endif

}  // namespace qc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qc {
HWY_EXPORT(box_row);

void BoxDecimation::start(const PlaneView& plane, int factor) {
  plane_ = plane;
  factor_ = factor;
  samples_.resize(ssim::row_pitch(plane.width));
  float_sums_.resize(ssim::row_pitch(plane.width));
  double_sums_.resize(ssim::row_pitch(plane.width));
}

void BoxDecimation::row(int y, float* out) {
  const BoxScratch scratch{samples_.data(), float_sums_.data(), double_sums_.data()};
  HWY_DYNAMIC_DISPATCH(box_row)(plane_, factor_, y, scratch, out);
}

}  // namespace qc
#endif
