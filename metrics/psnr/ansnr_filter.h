// The filters of float_ansnr, for host and device (psnr.md §4.1).
#pragma once

#include "math/plane_view.h"

namespace qc::ansnr {

// Index of the sample that stands for index i of n >= 3, -2 <= i <= n + 1: the first sample is not repeated, the last
// one is.
QC_HD constexpr int mirror(int i, int n) {
  if (i < 0) return -i;
  return i >= n ? 2 * n - i - 1 : i;
}

// Sample value: v * 2^-(depth - 8) - 128, exact. `scale` is the power of two.
QC_HD constexpr float sample(unsigned v, float scale) { return static_cast<float>(v) * scale - 128.0F; }

// Weights of the distorted picture's 5x5 filter, n / 571.
inline constexpr float kW2 = static_cast<float>(2.0 / 571.0);
inline constexpr float kW7 = static_cast<float>(7.0 / 571.0);
inline constexpr float kW12 = static_cast<float>(12.0 / 571.0);
inline constexpr float kW31 = static_cast<float>(31.0 / 571.0);
inline constexpr float kW52 = static_cast<float>(52.0 / 571.0);
inline constexpr float kW127 = static_cast<float>(127.0 / 571.0);

// Rows 0 and 4 of the 5x5 filter are alike, and so are 1 and 3: `Row` r of five samples from left to right.
struct Weights5 {
  float w[5];
};
QC_HD constexpr Weights5 filter5_row(int r) {
  if (r == 0) return {{kW2, kW7, kW12, kW7, kW2}};
  if (r == 1) return {{kW7, kW31, kW52, kW31, kW7}};
  return {{kW12, kW52, kW127, kW52, kW12}};
}
// For the host; device code has no arrays of constants.
inline constexpr Weights5 kFilter5[3] = {filter5_row(0), filter5_row(1), filter5_row(2)};

// One row of the 5x5 filter, summed from left to right.
QC_HD constexpr float row5(const Weights5& f, float a, float b, float c, float d, float e) {
  return f.w[0] * a + f.w[1] * b + f.w[2] * c + f.w[3] * d + f.w[4] * e;
}

// The distorted picture's filter from its five row sums, from top to bottom.
QC_HD constexpr float column5(float a, float b, float c, float d, float e) { return a + b + c + d + e; }

// The reference's filter, [1 2 1; 2 4 2; 1 2 1] / 16, in two steps. Samples have at most 16 significant bits, so every
// operation is exact and the order does not matter.
QC_HD constexpr float row3(float a, float b, float c) { return a + c + 2.0F * b; }
QC_HD constexpr float column3(float a, float b, float c) { return (a + c + 2.0F * b) * 0.0625F; }

}  // namespace qc::ansnr
