#include "ssim/low_pass_decimation.h"

#include <algorithm>
#include <utility>

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
struct LowPassRows {
  const float* row[ssim::kLowPassTaps];
  size_t half;
  // If exact: the sums of each row under its row of the kernel.
  const double* sums[ssim::kLowPassTaps];
  bool exact;
};

// A quarter of the kernel; the rest mirrors it.
struct LowPassQuarter {
  float row[kLowPassRadius + 1][kLowPassRadius + 1];
  constexpr LowPassQuarter() : row() {
    for (int v = 0; v <= kLowPassRadius; ++v)
      for (int u = 0; u <= kLowPassRadius; ++u) row[v][u] = ssim::low_pass_tap(v, u);
  }
};
constexpr LowPassQuarter kLowPass;

namespace plain {

inline void extend_row(const float* row, int width, size_t half, float* out) {
  const int samples = 2 * ssim::decimated_size(width, 2) + 2 * kLowPassRadius - 1;
  for (int i = 0; i < samples; ++i)
    out[static_cast<size_t>(i & 1) * half + static_cast<size_t>(i / 2)] = row[ssim::reflect(i - kLowPassRadius, width)];
}

inline void decimate_low_pass_row(const LowPassRows& rows, int positions, float* out) {
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
void sum_row(const float*, size_t, int, unsigned, double*) {}
void low_pass_row(const LowPassRows& rows, int positions, float* out) {
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

// Positions that are worked on at once, since the additions of one depend on each other; no more than the padding of
// rows.
constexpr int kGroup = ssim::kRowPadding;

// One tap of a group. i: the vectors of the group.
template <class D, class V, size_t... i>
HWY_INLINE void add_tap(D d, const float* samples, float tap, V* sums, std::index_sequence<i...>) {
  const hn::Rebind<float, D> df;
  const auto factor = hn::Set(df, tap);
  ((sums[i] =
        add<i % 2 == 0>(d, sums[i], hn::PromoteTo(d, hn::Mul(hn::LoadU(df, samples + i * hn::MaxLanes(d)), factor)))),
   ...);
}

// A row of the kernel, its taps in order.
template <class D, class V, class I>
HWY_INLINE void add_row(D d, const float* even, const float* odd, const float* taps, V* sums, I vectors) {
  add_tap(d, even, taps[0], sums, vectors);
  add_tap(d, odd, taps[1], sums, vectors);
  add_tap(d, even + 1, taps[2], sums, vectors);
  add_tap(d, odd + 1, taps[3], sums, vectors);
  add_tap(d, even + 2, taps[4], sums, vectors);
  add_tap(d, odd + 2, taps[3], sums, vectors);
  add_tap(d, even + 3, taps[2], sums, vectors);
  add_tap(d, odd + 3, taps[1], sums, vectors);
  add_tap(d, even + 4, taps[0], sums, vectors);
}

// All taps in raster order: the reference rounds a sum of 81 products once, and in general only its order gives its
// bits.
template <class D, size_t... i>
HWY_INLINE void low_pass_group(D d, const LowPassRows& rows, int x, float* out, std::index_sequence<i...> vectors) {
  const hn::Rebind<float, D> df;
  hn::Vec<D> sums[sizeof...(i)];
  ((sums[i] = hn::Zero(d)), ...);
  for (int v = 0; v < ssim::kLowPassTaps; ++v)
    add_row(d, rows.row[v] + x, rows.row[v] + rows.half + x, kLowPass.row[std::min(v, ssim::kLowPassTaps - 1 - v)],
            sums, vectors);
  (hn::StoreU(hn::DemoteTo(df, sums[i]), df, out + x + i * hn::MaxLanes(d)), ...);
}

template <class D, size_t... i>
HWY_INLINE void sum_group(D d, const float* even, const float* odd, const float* taps, double* out,
                          std::index_sequence<i...> vectors) {
  hn::Vec<D> sums[sizeof...(i)];
  ((sums[i] = hn::Zero(d)), ...);
  add_row(d, even, odd, taps, sums, vectors);
  (hn::StoreU(sums[i], d, out + i * hn::MaxLanes(d)), ...);
}

constexpr auto group_vectors() { return std::make_index_sequence<kGroup / hn::MaxLanes(hn::ScalableTag<double>())>(); }

// Sums of an extended row under those rows of the kernel that the bits of `kernel_rows` name.
//
// With samples that are multiples of 2^-8 from 0 to 256 all sums are exact, so that rows can be summed on their own,
// and once for the two rows of the kernel that mirror each other: no tap is below 2^-12 in magnitude, so that a product
// other than 0 is at least 2^-20 and, rounded to float32, a multiple of 2^-43; the magnitudes of the taps sum to less
// than 2, so that those of all sums are below 2^9; and float64 holds 9 + 43 bits.
void sum_row(const float* row, size_t half, int positions, unsigned kernel_rows, double* out) {
  const hn::ScalableTag<double> d;
  for (size_t v = 0; v <= kLowPassRadius; ++v) {
    if ((kernel_rows >> v & 1) == 0) continue;
    double* sums = out + v * half;
    for (int x = 0; x < positions; x += kGroup)
      sum_group(d, row + x, row + half + x, kLowPass.row[v], sums + x, group_vectors());
  }
}

void low_pass_row(const LowPassRows& rows, int positions, float* out) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> df;
  if (rows.exact) {
    for (int x = 0; x < positions; x += static_cast<int>(hn::Lanes(d))) {
      const auto sum = [&](int v) HWY_ATTR { return hn::LoadU(d, rows.sums[v] + x); };
      const auto total = hn::Add(hn::Add(hn::Add(hn::Add(sum(0), sum(1)), hn::Add(sum(2), sum(3))),
                                         hn::Add(hn::Add(sum(4), sum(5)), hn::Add(sum(6), sum(7)))),
                                 sum(8));
      hn::StoreU(hn::DemoteTo(df, total), df, out + x);
    }
  } else {
    for (int x = 0; x < positions; x += kGroup) low_pass_group(d, rows, x, out, group_vectors());
  }
}
#endif

}  // namespace qc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qc {
HWY_EXPORT(extend_row);
HWY_EXPORT(sum_row);
HWY_EXPORT(low_pass_row);

namespace {

// Rows that are kept: a power of two that holds those under the kernel.
constexpr int kKeptRows = 16;

// Rows of the kernel's upper half, as bits.
constexpr unsigned kEvenKernelRows = 0b10101;
constexpr unsigned kOddKernelRows = 0b01010;

}  // namespace

void LowPassDecimation::start(int width, int height, bool exact) {
  width_ = width;
  height_ = height;
  exact_ = exact;
  pushed_ = 0;
  made_ = 0;
  const size_t half = half_pitch(ssim::decimated_size(width, 2));
  rows_.resize(kKeptRows * 2 * half);
  if (exact) sums_.resize(kKeptRows * (kLowPassRadius + 1) * half);
}

float* LowPassDecimation::extended_row(int row) {
  return rows_.data() + static_cast<size_t>(row % kKeptRows) * 2 * half_pitch(ssim::decimated_size(width_, 2));
}

double* LowPassDecimation::row_sums(int row) {
  return sums_.data() +
         static_cast<size_t>(row % kKeptRows) * (kLowPassRadius + 1) * half_pitch(ssim::decimated_size(width_, 2));
}

void LowPassDecimation::push_row(const float* row) {
  const int positions = ssim::decimated_size(width_, 2);
  const size_t half = half_pitch(positions);
  float* extended = extended_row(pushed_);
  HWY_DYNAMIC_DISPATCH(extend_row)(row, width_, half, extended);
  if (exact_) {
    // The kernel's centre is at even rows. Rows that reflection uses once more come under rows of the other parity,
    // too.
    unsigned kernel_rows = pushed_ % 2 == 0 ? kEvenKernelRows : kOddKernelRows;
    if (pushed_ < kLowPassRadius || pushed_ >= height_ - kLowPassRadius) kernel_rows = kEvenKernelRows | kOddKernelRows;
    HWY_DYNAMIC_DISPATCH(sum_row)(extended, half, positions, kernel_rows, row_sums(pushed_));
  }
  ++pushed_;
}

bool LowPassDecimation::ready() const {
  return made_ < ssim::decimated_size(height_, 2) && pushed_ > std::min(2 * made_ + kLowPassRadius, height_ - 1);
}

void LowPassDecimation::next_row(float* out) {
  const int positions = ssim::decimated_size(width_, 2);
  LowPassRows rows;
  rows.half = half_pitch(positions);
  rows.exact = exact_;
  for (int v = 0; v < ssim::kLowPassTaps; ++v) {
    const int row = ssim::reflect(2 * made_ - kLowPassRadius + v, height_);
    const auto kernel_row = static_cast<size_t>(std::min(v, ssim::kLowPassTaps - 1 - v));
    rows.row[v] = extended_row(row);
    rows.sums[v] = exact_ ? row_sums(row) + kernel_row * rows.half : nullptr;
  }
  HWY_DYNAMIC_DISPATCH(low_pass_row)(rows, positions, out);
  ++made_;
}

}  // namespace qc
#endif
