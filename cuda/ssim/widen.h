// Float32 products to float64 without the conversion instruction, of which a multiprocessor does only an eighth as many
// as multiplications: a normal number is widened by moving its bits. What is not normal (0, and anything below 2^-126)
// becomes some number below 2^-125 instead. Sums of products of samples and taps, or of such sums, don't notice: a sum
// with a term above 2^-60 rounds that away, and what is below 2^-100 in all is made 0, which is the same to SSIM: its
// terms add 6.5 or more to it.
#pragma once

#include "cuda/device/prelude.h"

namespace qc::device {

constexpr uint32_t kWiderBias = (1023 - 127) << 20;

QC_DEVICE double widen_non_negative(float v) {
  const uint32_t bits = __builtin_bit_cast(uint32_t, v);
  return double_of_words((bits >> 3) + kWiderBias, bits << 29);
}

QC_DEVICE double widen_signed(float v) {
  constexpr uint32_t kSign = 0x80000000U;
  const uint32_t bits = __builtin_bit_cast(uint32_t, v);
  return double_of_words((((bits & ~kSign) >> 3) + kWiderBias) | (bits & kSign), bits << 29);
}

// The float32 value of a sum of widened numbers.
QC_DEVICE float narrow_widened(double sum) {
  return sum < 0x1p-100 && sum > -0x1p-100 ? 0.0F : static_cast<float>(sum);
}

}  // namespace qc::device
