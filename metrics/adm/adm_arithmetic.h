// The arithmetic of the feature adm that happens to a sample, on host and device alike: wavelet, split of the distorted
// detail into a restored and an additive part, contrast masking, cubes. Integers of fixed width throughout: where
// libvmaf's wrap, these wrap in the same way.
//
// Letters: o = a detail sample of the reference, t = of the distorted picture. Bands: H (high-pass vertically), V
// (high-pass horizontally), D (both).
//
// Source: Li, Zhang, Ma, Ngan, "Image quality assessment by separately evaluating detail losses and additive
// impairments", 2011; libvmaf's integer_adm (its portable code).
#pragma once

#include <cstdint>

#include "math/plane_view.h"

namespace qc::adm {

// Taps of the db2 wavelet, 15 fractional bits. Their sums are 46342 and 0.
constexpr int kLow0 = 15826;
constexpr int kLow1 = 27411;
constexpr int kLow2 = 7345;
constexpr int kLow3 = -4240;
constexpr int kHigh0 = -4240;
constexpr int kHigh1 = -7345;
constexpr int kHigh2 = 27411;
constexpr int kHigh3 = -15826;

// Rounding shifts of the wavelet by scale. Scale 0's vertical one is the sample depth.
QC_HD constexpr int vertical_shift(int scale) { return scale == 1 ? 0 : 16; }
QC_HD constexpr int horizontal_shift(int scale) { return scale == 1 || scale == 3 ? 15 : 16; }

// The line index that stands for index i of a line of n samples, -1 <= i <= n + 1.
QC_HD constexpr int mirror(int i, int n) { return i < 0 ? -i : i >= n ? 2 * n - 1 - i : i; }

QC_HD constexpr int32_t low_bits16(int64_t x) { return static_cast<int16_t>(static_cast<uint64_t>(x)); }
QC_HD constexpr int32_t low_bits32(int64_t x) { return static_cast<int32_t>(static_cast<uint64_t>(x)); }

// (x + half) >> shift, where half is 0 for a shift by 0.
QC_HD constexpr int64_t rounding_shift(int64_t x, int shift) {
  return (x + (shift > 0 ? int64_t{1} << (shift - 1) : 0)) >> shift;
}

QC_HD constexpr int64_t low_pass(int64_t a, int64_t b, int64_t c, int64_t d) {
  return kLow0 * a + kLow1 * b + kLow2 * c + kLow3 * d;
}
QC_HD constexpr int64_t high_pass(int64_t a, int64_t b, int64_t c, int64_t d) {
  return kHigh0 * a + kHigh1 * b + kHigh2 * c + kHigh3 * d;
}

// Square of the cosine of 1 degree: details whose directions differ by less are the same texture, enhanced or
// attenuated.
constexpr float kCosineSquared = 0x1.ffd814p-1f;

// True if the gradient (tH, tV) points where (oH, oV) does.
QC_HD inline bool same_direction(int32_t oh, int32_t ov, int32_t th, int32_t tv) {
  const int64_t product = int64_t{oh} * th + int64_t{ov} * tv;
  const int64_t o_square = int64_t{oh} * oh + int64_t{ov} * ov;
  const int64_t t_square = int64_t{th} * th + int64_t{tv} * tv;
  const double p = static_cast<double>(static_cast<float>(product));
  const double q = static_cast<double>(static_cast<float>(o_square));
  const double u = static_cast<double>(static_cast<float>(t_square));
  // Powers of two cancel, so libvmaf's division by 4096 is left out. Only one operation rounds: the last product.
  return p >= 0 && p * p >= (static_cast<double>(kCosineSquared) * q) * u;
}

QC_HD inline int bit_length(uint32_t x) {
  int n = 0;
  for (; x != 0; x >>= 1) ++n;
  return n;
}

// Share of o that t keeps, t / o clamped to 0 … 1, with 15 fractional bits. Division by 16 significant bits of o.
QC_HD inline int32_t gain(int32_t o, int32_t t) {
  if (o == 0) return 32768;
  const uint32_t magnitude = o < 0 ? 0U - static_cast<uint32_t>(o) : static_cast<uint32_t>(o);
  const int e = magnitude < 32768 ? 0 : bit_length(magnitude) - 15;
  const uint32_t n = e == 0 ? magnitude : (magnitude + (1U << (e - 1))) >> e;
  const int64_t reciprocal = (1 << 30) / static_cast<int32_t>(n);
  const int64_t k = (reciprocal * (o < 0 ? -int64_t{t} : int64_t{t}) + (int64_t{1} << (14 + e))) >> (15 + e);
  return k < 0 ? 0 : k > 32768 ? 32768 : static_cast<int32_t>(k);
}

// The part of t that is detail of the reference. The rest, t minus this, is the additive part.
QC_HD inline int32_t restored(int32_t o, int32_t t, bool same, double gain_limit) {
  const int32_t k = gain(o, t);
  const int32_t z = low_bits32((int64_t{k} * o + 16384) >> 15);
  if (!same || k == 0 || o == 0) return z;
  const double enhanced = static_cast<double>(z) * gain_limit;
  const double limit = static_cast<double>(t);
  if (o > 0) return static_cast<int32_t>(enhanced < limit ? enhanced : limit);
  return static_cast<int32_t>(enhanced > limit ? enhanced : limit);
}

QC_HD constexpr int32_t wrapping_abs(int32_t x) {
  return x < 0 ? static_cast<int32_t>(0U - static_cast<uint32_t>(x)) : x;
}

// Arithmetic that scale 0 does in 16 bits.
struct FinestScale {
  // A detail sample times its contrast sensitivity weight.
  QC_HD static int32_t weighted(uint32_t weight, int32_t x) {
    return static_cast<int32_t>(weight * static_cast<uint32_t>(x));
  }
  // The same, as it enters the masking threshold.
  QC_HD static int32_t contrast(int32_t weighted, bool diagonal) {
    return diagonal ? low_bits16(static_cast<int32_t>(static_cast<uint32_t>(weighted) + 65535U) >> 17)
                    : low_bits16(static_cast<int32_t>(static_cast<uint32_t>(weighted) + 16384U) >> 15);
  }
  // What a contrast adds to its neighbours' thresholds (1/30 of it, in larger units), and to its own (1/15).
  QC_HD static int32_t to_neighbours(int32_t contrast) {
    return low_bits16((int64_t{4369} * wrapping_abs(contrast) + 2048) >> 12);
  }
  QC_HD static int32_t to_itself(int32_t contrast) {
    return low_bits16((int64_t{8738} * wrapping_abs(contrast) + 2048) >> 12);
  }
  QC_HD static int threshold_shift(bool diagonal) { return diagonal ? 12 : 10; }
  QC_HD static int square_shift(bool diagonal) { return diagonal ? 30 : 29; }
  QC_HD static uint64_t reference_cube(int32_t o, int) {
    const uint64_t m = static_cast<uint32_t>(wrapping_abs(o));
    return m * m * m;
  }
};

// The same for scales 1 to 3.
struct CoarseScale {
  QC_HD static int32_t weighted(uint32_t weight, int32_t x) {
    return low_bits32((int64_t{weight} * x + (int64_t{1} << 27)) >> 28);
  }
  QC_HD static int32_t contrast(int32_t weighted, bool) { return weighted; }
  // libvmaf's rounding term has the wrong sign: a contrast of 0 gives -1.
  QC_HD static int32_t to_neighbours(int32_t contrast) {
    return low_bits32((int64_t{143165577} * wrapping_abs(contrast) - (int64_t{1} << 31)) >> 32);
  }
  QC_HD static int32_t to_itself(int32_t contrast) {
    return low_bits32((int64_t{286331153} * wrapping_abs(contrast) - (int64_t{1} << 31)) >> 32);
  }
  QC_HD static int threshold_shift(bool) { return 0; }
  QC_HD static int square_shift(bool) { return 30; }
  // `scale` 1 to 3. The added term is a whole unit, not half of one.
  QC_HD static uint64_t reference_cube(int32_t o, int scale) {
    const int shift = scale == 2 ? 30 : 31;
    const uint64_t m = static_cast<uint32_t>(wrapping_abs(o));
    return ((m * m + (uint64_t{1} << shift)) >> shift) * m;
  }
};

// Cube of what a weighted sample exceeds its threshold by.
template <class Scale>
QC_HD inline int64_t masked_cube(int32_t weighted, int32_t threshold, bool diagonal, int cube_shift) {
  const uint32_t raised = static_cast<uint32_t>(threshold) << Scale::threshold_shift(diagonal);
  const int32_t over = static_cast<int32_t>(static_cast<uint32_t>(wrapping_abs(weighted)) - raised);
  const int64_t v = over > 0 ? over : 0;
  const int64_t square = low_bits32(rounding_shift(v * v, Scale::square_shift(diagonal)));
  return rounding_shift(square * v, cube_shift);
}

}  // namespace qc::adm
