// A float32 result from a float64 sum in any order, where that is certain to equal the one from the sum in order
// (math.md §2, psnr.md A.2). For host and device.
#pragma once

#include <cstdint>

#include "math/plane_view.h"

namespace qc {

// Bound of the difference of two float64 sums of the same `count` terms: one taken in order, the other as sequential
// sums of at most 64 terms that are combined in a binary tree. `magnitude`: the sum of the terms' absolute values, in
// any order.
QC_HD constexpr double any_order_bound(int64_t count, double magnitude) {
  int levels = 0;
  while (levels < 62 && (int64_t{1} << levels) < count) ++levels;
  return 1.05 * static_cast<double>(count + levels + 64) * 0x1p-53 * magnitude;
}

// float32(S / divisor) for every S within `bound` of `sum`, if it is the same for all of them. False if it is not, or
// if something is not finite: then only the sum in order can tell. Zeros of different signs are different.
QC_HD constexpr bool certified_quotient(double sum, double bound, double divisor, float* quotient) {
  const float low = static_cast<float>((sum - bound) / divisor);
  const float high = static_cast<float>((sum + bound) / divisor);
  *quotient = low;
  return __builtin_bit_cast(uint32_t, low) == __builtin_bit_cast(uint32_t, high) && low - high == 0;
}

}  // namespace qc
