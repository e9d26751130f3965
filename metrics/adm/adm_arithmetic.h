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
  const uint64_t half = shift > 0 ? uint64_t{1} << (shift - 1) : 0;
  return static_cast<int64_t>(static_cast<uint64_t>(x) + half) >> shift;
}

// Products of 64 bits. nvcc does not always see that 32-bit factors need one instruction.
QC_HD inline int64_t product(int32_t a, int32_t b) {
#if defined(__CUDA_ARCH__)
  int64_t p;
  asm("mul.wide.s32 %0, %1, %2;" : "=l"(p) : "r"(a), "r"(b));
  return p;
#else
  return int64_t{a} * b;
#endif
}
QC_HD inline uint64_t product(uint32_t a, uint32_t b) {
#if defined(__CUDA_ARCH__)
  uint64_t p;
  asm("mul.wide.u32 %0, %1, %2;" : "=l"(p) : "r"(a), "r"(b));
  return p;
#else
  return uint64_t{a} * b;
#endif
}

// Sums of products with the taps, in 32 bits for samples of up to 16 and in 64 for others.
QC_HD constexpr int32_t low_pass16(int32_t a, int32_t b, int32_t c, int32_t d) {
  return kLow0 * a + kLow1 * b + kLow2 * c + kLow3 * d;
}
QC_HD constexpr int32_t high_pass16(int32_t a, int32_t b, int32_t c, int32_t d) {
  return kHigh0 * a + kHigh1 * b + kHigh2 * c + kHigh3 * d;
}
QC_HD inline int64_t low_pass(int32_t a, int32_t b, int32_t c, int32_t d) {
  return product(kLow0, a) + product(kLow1, b) + product(kLow2, c) + product(kLow3, d);
}
QC_HD inline int64_t high_pass(int32_t a, int32_t b, int32_t c, int32_t d) {
  return product(kHigh0, a) + product(kHigh1, b) + product(kHigh2, c) + product(kHigh3, d);
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
    return low_bits16((4369 * wrapping_abs(contrast) + 2048) >> 12);
  }
  QC_HD static int32_t to_itself(int32_t contrast) { return low_bits16((8738 * wrapping_abs(contrast) + 2048) >> 12); }
  QC_HD static int threshold_shift(bool diagonal) { return diagonal ? 12 : 10; }
  QC_HD static int square_shift(bool diagonal) { return diagonal ? 30 : 29; }
  QC_HD static uint64_t reference_cube(int32_t o, int) {
    const uint32_t m = static_cast<uint32_t>(wrapping_abs(o));
    return product(m * m, m);
  }
};

// The same for scales 1 to 3.
struct CoarseScale {
  QC_HD static int32_t weighted(uint32_t weight, int32_t x) {
    // The weight is unsigned; only Barten's have the first bit.
    const int64_t first_bit = weight >> 31 != 0 ? static_cast<int64_t>(static_cast<uint64_t>(x) << 32) : 0;
    return low_bits32((product(static_cast<int32_t>(weight), x) + first_bit + (int64_t{1} << 27)) >> 28);
  }
  QC_HD static int32_t contrast(int32_t weighted, bool) { return weighted; }
  // libvmaf's rounding term has the wrong sign: a contrast of 0 gives -1.
  QC_HD static int32_t to_neighbours(int32_t contrast) {
    return low_bits32((product(143165577, wrapping_abs(contrast)) - (int64_t{1} << 31)) >> 32);
  }
  QC_HD static int32_t to_itself(int32_t contrast) {
    return low_bits32((product(286331153, wrapping_abs(contrast)) - (int64_t{1} << 31)) >> 32);
  }
  QC_HD static int threshold_shift(bool) { return 0; }
  QC_HD static int square_shift(bool) { return 30; }
  // `scale` 1 to 3. The added term is a whole unit, not half of one.
  QC_HD static uint64_t reference_cube(int32_t o, int scale) {
    const int shift = scale == 2 ? 30 : 31;
    const uint32_t m = static_cast<uint32_t>(wrapping_abs(o));
    const uint32_t square = static_cast<uint32_t>((product(m, m) + (uint64_t{1} << shift)) >> shift);
    return product(square, m);
  }
};

// Cube of what a weighted sample exceeds its threshold by.
template <class Scale>
QC_HD inline int64_t masked_cube(int32_t weighted, int32_t threshold, bool diagonal, int cube_shift) {
  const uint32_t raised = static_cast<uint32_t>(threshold) << Scale::threshold_shift(diagonal);
  const int32_t v = static_cast<int32_t>(static_cast<uint32_t>(wrapping_abs(weighted)) - raised);
  // The square of anything smaller rounds to 0.
  if (v < 16384) return 0;
  const int32_t square = low_bits32(rounding_shift(product(v, v), Scale::square_shift(diagonal)));
  return rounding_shift(product(square, v), cube_shift);
}

// What follows gives the same as the definitions above, with less work a sample: no division, and no float64 but in
// rare cases. The samples are those of a wavelet: magnitudes below 2^15 at scale 0, below 1.2 * 2^30 above.

// 1 / x with a relative error of at most 2^-23.
QC_HD inline float near_inverse(float x) {
#if defined(__CUDA_ARCH__)
  float inverse;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(x));
  return inverse;
#else
  return 1.0f / x;
#endif
}

// floor(2^30 / n) for 1 <= n <= 32768, from a near inverse of n. The first estimate is never too
// large and misses by at most 400 / n + 1; the half that is added keeps the correction away from whole numbers by more
// than its error.
QC_HD inline int32_t reciprocal(int32_t n) {
  const float inverse = near_inverse(static_cast<float>(n));
  const int32_t estimate = static_cast<int32_t>(inverse * 0x1.fffff8p29f);
  const int32_t rest = (1 << 30) - estimate * n;
  return estimate + static_cast<int32_t>((static_cast<float>(rest) + 0.5f) * inverse);
}

// same_direction by products in float32, whose relative error, of the product of the lengths, is below 2^-19. Nearer to
// the limit the definition decides.
QC_HD inline bool same_direction_quick(int32_t oh, int32_t ov, int32_t th, int32_t tv) {
  const float foh = static_cast<float>(oh);
  const float fov = static_cast<float>(ov);
  const float fth = static_cast<float>(th);
  const float ftv = static_cast<float>(tv);
  const float product = foh * fth + fov * ftv;
  const float left = product * product;
  const float right = (kCosineSquared * (foh * foh + fov * fov)) * (fth * fth + ftv * ftv);
  const float difference = left - right;
  if ((difference < 0 ? -difference : difference) < right * 4e-6f) return same_direction(oh, ov, th, tv);
  return product >= 0 && difference >= 0;
}

// adm_enhn_gain_limit as `restored_quick` takes it.
struct GainLimit {
  double value;
  int32_t whole;  // the value if it is a whole number, else 0
  int32_t cap;    // the largest number that the whole limit can multiply
};
QC_HD inline GainLimit gain_limit(double value) {
  const int32_t whole = static_cast<int32_t>(value);
  const bool is_whole = static_cast<double>(whole) == value;
  return {value, is_whole ? whole : 0, is_whole ? 0x7fffffff / whole : 0};
}

// restored(). kFinest: samples of scale 0.
template <bool kFinest>
QC_HD inline int32_t restored_quick(int32_t o, int32_t t, bool same, const GainLimit& limit) {
  const int32_t sign = o >> 31;
  const int32_t magnitude = (o ^ sign) - sign;
  const int32_t signed_t = (t ^ sign) - sign;
  const int32_t kept = signed_t > 0 ? signed_t : 0;
  uint32_t k;
  int32_t z;
  if (kFinest) {
    // A gain above 1 is cut, so that more than |o| + 1 needn't be divided.
    const int32_t dividend = kept < magnitude + 1 ? kept : magnitude + 1;
    const int32_t n = magnitude > 1 ? magnitude : 1;
    const uint32_t product = static_cast<uint32_t>(reciprocal(n)) * static_cast<uint32_t>(dividend);
    k = (product + 16384) >> 15;
    if (k > 32768) k = 32768;
    z = (static_cast<int32_t>(k) * o + 16384) >> 15;
  } else {
    const int32_t most = magnitude + (magnitude >> 1);
    const int32_t dividend = kept < most ? kept : most;
    // The bits beyond 15, by the exponent of a float with the same first bit and none after it that would let it round
    // up.
    const int32_t exponent =
        static_cast<int32_t>(__builtin_bit_cast(uint32_t, static_cast<float>(magnitude & ~(magnitude >> 1))) >> 23);
    const int e = exponent > 141 ? exponent - 141 : 0;
    const int32_t rounded = (magnitude + ((1 << e) >> 1)) >> e;
    const int32_t n = rounded > 1 ? rounded : 1;
    const uint64_t quotient = product(static_cast<uint32_t>(reciprocal(n)), static_cast<uint32_t>(dividend));
    k = (static_cast<uint32_t>(quotient >> (14 + e)) + 1) >> 1;
    if (k > 32768) k = 32768;
    z = low_bits32((product(static_cast<int32_t>(k), o) + 16384) >> 15);
  }
  if (!same) return z;
  const int32_t z_magnitude = (z ^ sign) - sign;
  int32_t enhanced;
  if (limit.whole != 0) {
    enhanced = (z_magnitude < limit.cap ? z_magnitude : limit.cap) * limit.whole;
    if (enhanced > kept) enhanced = kept;
  } else {
    const double product = static_cast<double>(z_magnitude) * limit.value;
    enhanced = product < kept ? static_cast<int32_t>(product) : kept;
  }
  return (enhanced ^ sign) - sign;
}

}  // namespace qc::adm
