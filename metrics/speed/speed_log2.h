// The base-2 logarithm of a float64 (speed.md §8), the same bits on host and device.
//
// libvmaf calls the C library's log2, within 0.55 ulp of the true value, and rounds what it adds to it to float32. This
// one is within 0.501 ulp, so that both give the same float32 but for about one call in 10^12.
#pragma once

#include <cstdint>

#include "math/plane_view.h"

namespace qc::speed {

// For the arguments near j / 512 = 1 / reciprocal: `high` + `low` is -log2(reciprocal).
struct Log2Entry {
  double reciprocal;  // a multiple of 2^-12
  double high;        // a multiple of 2^-41
  double low;
};

// Significands are taken between about the square roots of 1/2 and 2.
constexpr int kLog2First = 362;
constexpr int kLog2Last = 724;
constexpr int kLog2Entries = kLog2Last - kLog2First + 1;

// The table, whose entries are for j = kLog2First … kLog2Last.
const Log2Entry* log2_table();

// 1 / ln 2, the first part in 26 bits.
constexpr double kInverseLn2 = 0x1.71547652b82fep+0;
constexpr double kInverseLn2High = 0x1.715476p+0;
constexpr double kInverseLn2Low = 0x1.4ae0bf85ddf44p-26;

// 1 / (k ln 2)
constexpr double kSeries2 = 0x1.71547652b82fep-1;
constexpr double kSeries3 = 0x1.ec709dc3a03fdp-2;
constexpr double kSeries4 = 0x1.71547652b82fep-2;
constexpr double kSeries5 = 0x1.2776c50ef9bfep-2;
constexpr double kSeries6 = 0x1.ec709dc3a03fdp-3;
constexpr double kSeries7 = 0x1.a61762a7aded9p-3;

QC_HD inline double log2(double x, const Log2Entry* table) {
  uint64_t bits = __builtin_bit_cast(uint64_t, x);
  // Zeros, negative numbers, infinities, NaNs. No caller has subnormal arguments.
  if (bits - 0x0010000000000000U >= 0x7ff0000000000000U - 0x0010000000000000U) {
    if (x > 0.0) return x;
    if (x == 0.0) return __builtin_bit_cast(double, uint64_t{0xfff0000000000000U});
    return __builtin_bit_cast(double, uint64_t{0x7ff8000000000000U});
  }
  int exponent = static_cast<int>(bits >> 52) - 1023;
  // To the nearest 512th, of significands in [1, 2).
  int j = 512 + static_cast<int>(((bits & 0x000fffffffffffffU) + (uint64_t{1} << 42)) >> 43);
  bits = (bits & 0x000fffffffffffffU) | 0x3ff0000000000000U;
  if (j > kLog2Last) {
    j = static_cast<int>(((bits & 0x000fffffffffffffU) + (uint64_t{1} << 52) + (uint64_t{1} << 43)) >> 44);
    bits -= uint64_t{1} << 52;
    ++exponent;
  }
  const Log2Entry entry = table[j - kLog2First];
  // The significand in two parts, so that the products with the reciprocal are exact.
  const double z_high = __builtin_bit_cast(double, bits & 0xffffffffe0000000U);
  const double z_low = __builtin_bit_cast(double, bits) - z_high;
  const double r_high = z_high * entry.reciprocal - 1.0;
  const double r_low = z_low * entry.reciprocal;
  const double r = r_high + r_low;
  // log2(1 + r) = (r - r^2 / 2 + r^3 / 3 - …) / ln 2. Of the first term, what 27 bits of r give is exact, too.
  const double r_first = __builtin_bit_cast(double, __builtin_bit_cast(uint64_t, r) & 0xfffffffffc000000U);
  const double r_rest = (r_high - r_first) + r_low;
  const double linear = r_first * kInverseLn2High;
  const double rest = r_first * kInverseLn2Low + r_rest * kInverseLn2;
  const double tail = kSeries2 - r * (kSeries3 - r * (kSeries4 - r * (kSeries5 - r * (kSeries6 - r * kSeries7))));
  const double whole = static_cast<double>(exponent) + entry.high;
  const double sum = whole + linear;
  const double lost = (whole - sum) + linear;
  return sum + (lost + (entry.low + (rest - r * r * tail)));
}

}  // namespace qc::speed
