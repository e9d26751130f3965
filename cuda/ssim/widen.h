// Float32 products to float64 without the conversion instruction, of which a multiprocessor does only a sixteenth as
// many as multiplications: a normal number that is not negative is widened by moving its bits. That makes 2^-127 of 0.
// Sums of products of samples (multiples of 2^-8) and taps (at least 2^-12), or of such sums, don't notice: what isn't
// 0 is at least 2^-50, so 2^-127 is far below half a unit in its last place, and a sum of nothing else is told by its
// size.
#pragma once

#include "cuda/device/prelude.h"

namespace qc::device {

QC_DEVICE double widen_non_negative(float v) {
  const uint32_t bits = __builtin_bit_cast(uint32_t, v);
  constexpr uint32_t kBias = (1023 - 127) << 20;
  return double_of_words((bits >> 3) + kBias, bits << 29);
}

// The float32 value of a sum of widened numbers.
QC_DEVICE float narrow_widened(double sum) {
  return sum < 0x1p-100 && sum > -0x1p-100 ? 0.0F : static_cast<float>(sum);
}

}  // namespace qc::device
