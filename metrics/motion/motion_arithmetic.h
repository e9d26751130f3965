// Arithmetic of the blurred difference of two pictures (motion.md §3), for vectors, scalars and device code.
#pragma once

#include <cstdint>

#include "math/plane_view.h"

namespace qc::motion {

// The low-pass filter, symmetric, of five taps: 3571, 16004, 26386, 16004, 3571. They add up to 2^16.
constexpr int32_t kOuterTap = 3571;
constexpr int32_t kInnerTap = 16004;
constexpr int32_t kMiddleTap = 26386;

// Index i of a row of n samples mirrored at its ends; the sample at the edge is not repeated.
QC_HD constexpr int mirror(int i, int n) { return i < 0 ? -i : i >= n ? 2 * n - 2 - i : i; }

// The specification rounds sums of up to 33 bits: floor((sum + 2^(shift - 1)) / 2^shift). Two of the three taps are
// even, so floor(sum / 2) is had without ever forming the sum, in 32 bits for every depth, and
//   floor((floor(sum / 2) + 2^(shift - 2)) / 2^(shift - 1))
// is the same number. `outer` is the sum of the two samples under the outer taps, `inner` likewise.
QC_HD constexpr int32_t half_sum(int32_t outer, int32_t inner, int32_t middle) {
  return kInnerTap / 2 * inner + kMiddleTap / 2 * middle + ((kOuterTap * outer) >> 1);
}

// Vertical pass: differences of `depth`-bit samples to at most 16 bits and a sign.
QC_HD constexpr int32_t blur_vertically(int32_t outer, int32_t inner, int32_t middle, int depth) {
  return (half_sum(outer, inner, middle) + (1 << (depth - 2))) >> (depth - 1);
}

// Horizontal pass over results of the vertical one.
QC_HD constexpr int32_t blur_horizontally(int32_t outer, int32_t inner, int32_t middle) {
  return (half_sum(outer, inner, middle) + (1 << 14)) >> 15;
}

}  // namespace qc::motion
