// Sums of float32 terms that the reference takes in float64 and rounds once to float32, for devices with slow float64
// (math.md §3). For host and device.
#pragma once

#include <cstdint>

#include "math/plane_view.h"

namespace qc {

// The unevaluated sum of two float32 numbers: about 48 bits.
struct FloatPair {
  float high;
  float low;
};

// a + b exactly (Knuth). Needs round-to-nearest additions that nothing reorders.
QC_HD constexpr FloatPair two_sum(float a, float b) {
  const float sum = a + b;
  const float b_part = sum - a;
  const float a_part = sum - b_part;
  return {sum, (a - a_part) + (b - b_part)};
}

// A running sum of float32 terms as a pair.
QC_HD constexpr FloatPair add(const FloatPair& sum, float term) {
  const FloatPair s = two_sum(sum.high, term);
  return {s.high, sum.low + s.low};
}

// Bound of the difference of the pair's sum of `count` <= 256 terms and their float64 sum in order. The low part adds
// up errors of at most 2^-24 of the running sum each, itself rounded to 24 bits: count (count + 1) / 2 times 2^-48;
// float64 adds count times 2^-53. `magnitude`: the sum of the terms' absolute values in float32; for terms that are not
// negative, the pair's high part.
QC_HD constexpr float pair_bound(int count, float magnitude) {
  const float units = static_cast<float>(count * (count + 1) / 2 + count / 32 + 1);
  return 1.0625F * 0x1p-48F * units * magnitude;
}

// float32 of every number within `bound` of the pair's value, if it is the same for all of them. False if it may not
// be: then only the sum in float64 can tell. Certain for all but about one in 2^17 of ordinary sums of 11 terms.
QC_HD constexpr bool certified_float(const FloatPair& sum, float bound, float* result) {
  const FloatPair s = two_sum(sum.high, sum.low);
  *result = s.high;
  if (s.high == 0) return s.low == 0 && bound == 0;
  const float magnitude = s.high < 0 ? -s.high : s.high;
  // The bound must not underflow, and nothing may be infinite.
  if (!(magnitude >= 0x1p-80F && magnitude < 0x1p126F)) return false;
  // Half the distance to the next number towards zero, which is the nearer neighbour. |result| plus that is not passed.
  const float below = __builtin_bit_cast(float, __builtin_bit_cast(uint32_t, magnitude) - 1);
  const float half = (magnitude - below) * 0.5F;
  const float rest = s.low < 0 ? -s.low : s.low;
  return rest + bound < half;
}

// A sum of at most kMost float32 terms as it would be in float64, rounded once to float32.
template <bool kNonNegative, int kMost>
class CertifiedSum {
 public:
  QC_HD constexpr void start(float term) {
    sum_ = {term, 0.0F};
    magnitude_ = term < 0 ? -term : term;
  }
  QC_HD constexpr void add(float term) {
    sum_ = qc::add(sum_, term);
    if (!kNonNegative) magnitude_ += term < 0 ? -term : term;
  }
  // False if only the sum in float64 can tell, which is wanted for few.
  QC_HD constexpr bool certain(float* result) const {
    return certified_float(sum_, pair_bound(kMost, kNonNegative ? sum_.high : magnitude_), result);
  }

 private:
  FloatPair sum_{};
  float magnitude_ = 0.0F;
};

}  // namespace qc
