// Integer sums over rows of samples (psnr.md §1.4, §2, §3).
#pragma once

#include <cstdint>

namespace qc {

// All rows are at most 32768 samples wide; the sums are exact.

// Squared differences.
uint64_t squared_error_row(const uint8_t* reference, const uint8_t* distorted, int width, int depth);
uint64_t squared_error_row(const uint16_t* reference, const uint16_t* distorted, int width, int depth);

// Squared differences, each rounded to float32 (24 significant bits, ties to even) as the float_* features have it. Up
// to 12 bits no square needs rounding.
uint64_t rounded_squared_error_row(const uint16_t* reference, const uint16_t* distorted, int width);

struct RowMoments {
  uint64_t sum;
  uint64_t square_sum;  // each square rounded to float32
};
RowMoments moments_row(const uint8_t* samples, int width, int depth);
RowMoments moments_row(const uint16_t* samples, int width, int depth);

}  // namespace qc
