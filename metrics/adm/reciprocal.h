// Quotients by way of an estimated reciprocal, as libvmaf's float_adm computes them on x86: the processor's estimate
// (RCPSS) and one step of Newton's method. The estimate is the processor's own, so it is read from a table here.
#pragma once

#include <cstdint>

#include "math/plane_view.h"

namespace qc {

// Entries of a table: entry i is 12 bits of the estimate of 1 / x for 1 + i / 4096 <= x < 1 + (i + 1) / 4096, which is
// (1 + entry / 4096) / 2. Other exponents scale it.
constexpr int kReciprocalEntries = 4096;

// The estimate of 1 / d. Infinite for zeros and subnormal numbers; 0 where the result would be subnormal.
QC_HD inline float reciprocal_estimate(float d, const uint32_t* estimates) {
  constexpr uint32_t kInfinity = 0x7f800000;
  const uint32_t bits = __builtin_bit_cast(uint32_t, d);
  const uint32_t sign = bits & 0x80000000;
  const int exponent = static_cast<int>((bits >> 23) & 255);
  const uint32_t fraction = bits & 0x7fffff;
  if (exponent == 0) return __builtin_bit_cast(float, sign | kInfinity);
  if (exponent == 255) return __builtin_bit_cast(float, fraction != 0 ? bits | 0x400000 : sign);
  const int field = 253 - exponent;
  if (field <= 0) return __builtin_bit_cast(float, sign);
  const uint32_t estimate = estimates[fraction >> 11];
  return __builtin_bit_cast(float, sign | (static_cast<uint32_t>(field) << 23) | (estimate << 11));
}

// t / d: rounded to nearest if there is no table.
QC_HD inline float quotient(float t, float d, const uint32_t* estimates) {
  if (!estimates) return t / d;
  const float estimate = reciprocal_estimate(d, estimates);
  return t * (estimate + estimate * (1.0F - d * estimate));
}

}  // namespace qc
