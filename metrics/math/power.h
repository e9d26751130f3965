// float32 powers of non-negative numbers, for host and device, with the bits of the C library's powf (glibc 2.36 on
// x86-64 with FMA): log2 and exp2 by short tables and polynomials in float64, fused where that library's code is, and
// one rounding to float32 at the end. Its error is below 0.53 units in the last place.
//
// Method: P. T. P. Tang, "Table-driven implementation of the logarithm function in IEEE floating-point arithmetic",
// 1990, and the same for the exponential, 1989.
#pragma once

#include <cstdint>

#include "math/plane_view.h"

namespace qc {

constexpr int kPowerLogBits = 4;
constexpr int kPowerExpBits = 5;

struct PowerTables {
  // Of the i-th of 16 intervals from kPowerOffset on: a number near the reciprocal of its centre, and minus log2 of it.
  double inverse[1 << kPowerLogBits];
  double log2[1 << kPowerLogBits];
  // Bits of 2^(i/32), less i << 47, so that adding n << 47 to entry n % 32 makes 2^(n/32).
  uint64_t exp2[1 << kPowerExpBits];
};

extern const PowerTables kPowerTables;

// Bits of the least number of the table of logarithms: 0.699…
constexpr uint32_t kPowerOffset = 0x3f330000;
constexpr double kPowerLog0 = 0x1.27616c9496e0bp-2;
constexpr double kPowerLog1 = -0x1.71969a075c67ap-2;
constexpr double kPowerLog2 = 0x1.ec70a6ca7baddp-2;
constexpr double kPowerLog3 = -0x1.7154748bef6c8p-1;
constexpr double kPowerLog4 = 0x1.71547652ab82bp+0;
constexpr double kPowerExp0 = 0x1.c6af84b912394p-5;
constexpr double kPowerExp1 = 0x1.ebfce50fac4f3p-3;
constexpr double kPowerExp2 = 0x1.62e42ff0c52d6p-1;
// Adding it rounds to a multiple of 1/32.
constexpr double kPowerShift = 0x1.8p+47;
// log2 of what rounds to infinity, and of what rounds to 0.
constexpr double kPowerMost = 0x1.fffffffd1d571p+6;
constexpr double kPowerLeast = -150.0;

// Spelt as an instruction on the device, where the test of the kernels' flags looks for fused operations that are not.
QC_HD inline double fused_multiply_add(double a, double b, double c) {
#if defined(__CUDA_ARCH__)
  double result;
  asm("fma.rn.f64 %0, %1, %2, %3;" : "=d"(result) : "d"(a), "d"(b), "d"(c));
  return result;
#else
  return __builtin_fma(a, b, c);
#endif
}

// x to the power y, for x >= 0 (or NaN) and finite y > 0.
QC_HD inline float power(float x, float y, const PowerTables& tables) {
  uint32_t bits = __builtin_bit_cast(uint32_t, x);
  if (bits - 0x00800000 >= 0x7f800000 - 0x00800000) {
    // 0, infinity, NaN
    if ((bits & 0x7fffffff) == 0 || (bits & 0x7f800000) == 0x7f800000) return x * x;
    bits = __builtin_bit_cast(uint32_t, x * 0x1p23F) - (uint32_t{23} << 23);
  }
  const uint32_t offset = bits - kPowerOffset;
  const int i = static_cast<int>((offset >> (23 - kPowerLogBits)) & ((1U << kPowerLogBits) - 1));
  const uint32_t top = offset & 0xff800000;
  const int32_t exponent = static_cast<int32_t>(top) >> 23;
  const double z = static_cast<double>(__builtin_bit_cast(float, bits - top));
  const double r = fused_multiply_add(z, tables.inverse[i], -1.0);
  const double r2 = r * r;
  double p = fused_multiply_add(kPowerLog2, r, kPowerLog3);
  double q = fused_multiply_add(kPowerLog4, r, tables.log2[i] + static_cast<double>(exponent));
  q = fused_multiply_add(p, r2, q);
  p = fused_multiply_add(kPowerLog0, r, kPowerLog1);
  const double log2 = static_cast<double>(y) * fused_multiply_add(p, r2 * r2, q);
  if (log2 > kPowerMost) return __builtin_bit_cast(float, 0x7f800000U);
  if (log2 <= kPowerLeast) return 0.0F;
  const double shifted = log2 + kPowerShift;
  const uint64_t n = __builtin_bit_cast(uint64_t, shifted);
  const double rest = log2 - (shifted - kPowerShift);
  const double scale =
      __builtin_bit_cast(double, tables.exp2[n & ((1U << kPowerExpBits) - 1)] + (n << (52 - kPowerExpBits)));
  const double head = fused_multiply_add(kPowerExp0, rest, kPowerExp1);
  const double tail = fused_multiply_add(kPowerExp2, rest, 1.0);
  return static_cast<float>(fused_multiply_add(head, rest * rest, tail) * scale);
}

}  // namespace qc
