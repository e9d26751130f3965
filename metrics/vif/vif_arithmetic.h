// Arithmetic of visual information fidelity in fixed point (vif.md), for host and device code.
#pragma once

#include <cstdint>

#include "math/plane_view.h"

namespace qc::vif {

// One low-pass filter a scale. Each adds up to 2^16.
constexpr int kRadius[4] = {8, 4, 2, 1};

// Tap of `scale` at distance k from the centre, 0 outside the filter.
QC_HD constexpr int32_t tap(int scale, int k) {
  constexpr int32_t kTaps[4][9] = {
      {7784, 7455, 6547, 5274, 3896, 2640, 1640, 935, 489},
      {14692, 12590, 7925, 3663, 1244, 0, 0, 0, 0},
      {26386, 16004, 3571, 0, 0, 0, 0, 0, 0},
      {43728, 10904, 0, 0, 0, 0, 0, 0, 0},
  };
  const int distance = k < 0 ? -k : k;
  return distance <= 8 ? kTaps[scale][distance] : 0;
}

// Index i of a row of n samples, mirrored at both ends as often as it takes; the samples at the edges are not repeated.
QC_HD constexpr int mirror(int i, int n) {
  if (n == 1) return 0;
  while (i < 0 || i >= n) i = i < 0 ? -i : 2 * n - 2 - i;
  return i;
}

// How the vertical pass over pictures of scale `scale` rounds its sums: means are shifted by mean_shift, mean squares
// by square_shift, which is 0 for 8-bit pictures.
struct Shifts {
  int mean;
  int square;
};
QC_HD constexpr Shifts shifts(int scale, int depth) {
  return scale == 0 ? Shifts{depth, 2 * (depth - 8)} : Shifts{16, 16};
}

// The noise variance of the visual channel, in the units of the variances below.
constexpr int32_t kNoise = 131072;
// Keeps a division from dividing by 0: 65536e-10.
constexpr double kEpsilon = 65536 * 1.0e-10;

// Variances and covariance around a pixel in units of 2^-16 of squared 8-bit steps.
struct Variances {
  int32_t reference;
  int32_t distorted;  // not negative
  int32_t both;
};

// High half of a product, rounded.
QC_HD constexpr uint32_t rounded_high(uint32_t a, uint32_t b) {
  return static_cast<uint32_t>((uint64_t{a} * b + (uint64_t{1} << 31)) >> 32);
}

// From means in units of 2^-24, and from mean squares and the mean product.
QC_HD constexpr Variances variances(uint32_t mean_r, uint32_t mean_d, uint32_t square_r, uint32_t square_d,
                                    uint32_t product) {
  const auto reference = static_cast<int32_t>(square_r - rounded_high(mean_r, mean_r));
  const auto distorted = static_cast<int32_t>(square_d - rounded_high(mean_d, mean_d));
  const auto both = static_cast<int32_t>(product - rounded_high(mean_r, mean_d));
  return {reference, distorted > 0 ? distorted : 0, both};
}

// The two arguments of the logarithm of a pixel with a signal (reference >= kNoise): kept information is log(second) -
// log(first).
struct Kept {
  int64_t first;
  int64_t second;
};

// Only for both > 0 and distorted > 0. `gain_limit` is the option vif_enhn_gain_limit.
QC_HD inline Kept kept_information(const Variances& v, double gain_limit) {
  const double gain = double(v.both) / (double(v.reference) + kEpsilon);
  const double rest = double(v.distorted) - gain * double(v.both);
  const int32_t noise = rest > 0.0 ? static_cast<int32_t>(rest) : 0;
  const double limited = gain < gain_limit ? gain : gain_limit;
  const int64_t first = int64_t{noise} + kNoise;
  return {first, static_cast<int64_t>(limited * limited * double(v.reference)) + first};
}

// The leading bits of z, 2^17 <= z < 2^48: the exponent above 15 bits that index the table of residuals (vif_log.h).
// Conversion to float32 finds them; it is exact since z is cut to 24 bits.
QC_HD inline uint32_t leading_bits(uint64_t z) {
  const int cut = z < (uint64_t{1} << 24) ? 0 : z < (uint64_t{1} << 32) ? 8 : z < (uint64_t{1} << 40) ? 16 : 24;
  const auto leading = static_cast<float>(static_cast<uint32_t>(z >> cut));
  return (__builtin_bit_cast(uint32_t, leading) >> 8) + (static_cast<uint32_t>(cut) << 15);
}

// 2048 * log2(z), rounded as the table says, plus a constant.
QC_HD inline int32_t logarithm(uint64_t z, const uint8_t* residuals) {
  const uint32_t q = leading_bits(z);
  return static_cast<int32_t>((q >> 4) + residuals[q & 32767]);
}
// logarithm(kNoise)
constexpr int32_t kLogNoise = 2048 * (127 + 17);

}  // namespace qc::vif
