#include "ssim/low_pass_decimation.h"

#include <algorithm>

#include "core/simd.h"
#include "ssim/ssim_arithmetic.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ssim/low_pass_decimation.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#ifndef QC_SSIM_LOW_PASS_DECIMATION_PLAIN
#define QC_SSIM_LOW_PASS_DECIMATION_PLAIN
namespace qc {

constexpr int kLowPassRadius = ssim::kLowPassTaps / 2;

// Samples from the even half of an extended row to its odd half.
constexpr size_t half_pitch(int decimated_width) { return ssim::row_pitch(decimated_width + kLowPassRadius); }

// Rows under the kernel, extended by reflection: sample 2x + u is under tap u of position x. Samples 0, 2, … come first
// and, half_pitch() later, samples 1, 3, …
struct ExtendedRows {
  const float* row[ssim::kLowPassTaps];
  size_t half;
};

namespace plain {

inline void extend_row(const float* row, int width, size_t half, float* out) {
  const int samples = 2 * ssim::decimated_size(width, 2) + 2 * kLowPassRadius - 1;
  for (int i = 0; i < samples; ++i)
    out[static_cast<size_t>(i & 1) * half + static_cast<size_t>(i / 2)] = row[ssim::reflect(i - kLowPassRadius, width)];
}

inline void decimate_low_pass_row(const ExtendedRows& rows, int positions, float* out) {
  for (int x = 0; x < positions; ++x) {
    double sum = 0;
    for (int v = 0; v < ssim::kLowPassTaps; ++v)
      for (int u = 0; u < ssim::kLowPassTaps; ++u)
        sum =
            ssim::accumulate(sum, rows.row[v][static_cast<size_t>(u & 1) * rows.half + static_cast<size_t>(x + u / 2)],
                             ssim::low_pass_tap(v, u));
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
void extend_row(const float* row, int width, size_t half, float* out) { plain::extend_row(row, width, half, out); }
void low_pass_row(const ExtendedRows& rows, int positions, float* out) {
  plain::decimate_low_pass_row(rows, positions, out);
}
#else

void extend_row(const float* row, int width, size_t half, float* out) {
  const hn::ScalableTag<float> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const int samples = 2 * ssim::decimated_size(width, 2) + 2 * kLowPassRadius - 1;
  const auto reflected = [&](int i) {
    out[static_cast<size_t>(i & 1) * half + static_cast<size_t>(i / 2)] = row[ssim::reflect(i - kLowPassRadius, width)];
  };
  for (int i = 0; i < kLowPassRadius; ++i) reflected(i);
  int x = 0;
  for (; x + 2 * lanes <= width; x += 2 * lanes) {
    hn::Vec<decltype(d)> even, odd;
    hn::LoadInterleaved2(d, row + x, even, odd);
    hn::StoreU(even, d, out + (x + kLowPassRadius) / 2);
    hn::StoreU(odd, d, out + half + (x + kLowPassRadius) / 2);
  }
  for (int i = x + kLowPassRadius; i < samples; ++i) reflected(i);
}

// All taps in raster order: the reference rounds a sum of 81 products once, and only its order gives its bits.
void low_pass_row(const ExtendedRows& rows, int positions, float* out) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> df;
  for (int x = 0; x < positions; x += static_cast<int>(hn::Lanes(d))) {
    auto sum = hn::Zero(d);
    for (int v = 0; v < ssim::kLowPassTaps; ++v) {
      for (int u = 0; u < ssim::kLowPassTaps; ++u) {
        const auto sample = hn::LoadU(df, rows.row[v] + static_cast<size_t>(u & 1) * rows.half + x + u / 2);
        sum = hn::Add(sum, hn::PromoteTo(d, hn::Mul(sample, hn::Set(df, ssim::low_pass_tap(v, u)))));
      }
    }
    hn::StoreU(hn::DemoteTo(df, sum), df, out + x);
  }
}
#endif

}  // namespace qc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qc {
HWY_EXPORT(extend_row);
HWY_EXPORT(low_pass_row);

namespace {
// Rows that are kept: a power of two that holds those under the kernel.
constexpr int kKeptRows = 16;
}  // namespace

void LowPassDecimation::start(int width, int height) {
  width_ = width;
  height_ = height;
  pushed_ = 0;
  made_ = 0;
  const int positions = ssim::decimated_size(width, 2);
  rows_.resize(kKeptRows * 2 * half_pitch(positions));
  out_.resize(ssim::row_pitch(positions));
}

float* LowPassDecimation::extended_row(int row) {
  return rows_.data() + static_cast<size_t>(row % kKeptRows) * 2 * half_pitch(ssim::decimated_size(width_, 2));
}

void LowPassDecimation::push_row(const float* row) {
  HWY_DYNAMIC_DISPATCH(extend_row)(row, width_, half_pitch(ssim::decimated_size(width_, 2)), extended_row(pushed_));
  ++pushed_;
}

bool LowPassDecimation::ready() const {
  return made_ < ssim::decimated_size(height_, 2) && pushed_ > std::min(2 * made_ + kLowPassRadius, height_ - 1);
}

const float* LowPassDecimation::next_row() {
  const int positions = ssim::decimated_size(width_, 2);
  ExtendedRows rows;
  rows.half = half_pitch(positions);
  for (int v = 0; v < ssim::kLowPassTaps; ++v)
    rows.row[v] = extended_row(ssim::reflect(2 * made_ - kLowPassRadius + v, height_));
  HWY_DYNAMIC_DISPATCH(low_pass_row)(rows, positions, out_.data());
  ++made_;
  return out_.data();
}

}  // namespace qc
#endif
