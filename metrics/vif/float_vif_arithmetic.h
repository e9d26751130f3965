// Per-pixel arithmetic of float_vif (float_vif.md §3 to §6), for host and device.
#pragma once

#include <cstdint>

#include "math/plane_view.h"

namespace qc::float_vif {

// Index i of a side of n samples, reflected once at its ends; the sample at the edge is not repeated.
QC_HD constexpr int mirror(int i, int n) { return i < 0 ? -i : i > n - 1 ? 2 * (n - 1) - i : i; }

// Most taps of a filter, for the greatest valid vif_kernelscale.
constexpr int kMostTaps = 65;

// A Gaussian, whose standard deviation is a fifth of its odd number of taps.
struct Filter {
  int taps;
  float tap[kMostTaps];
  QC_HD constexpr int radius() const { return taps / 2; }
};

constexpr float kEpsilon = 1.0e-10F;

// libvmaf's polynomial for log2(1 + y), 0 <= y < 1; the numbers are the powers.
constexpr float kLog1 = 1.442694803896991F;
constexpr float kLog2 = -0.721314327952201F;
constexpr float kLog3 = 0.480131410397451F;
constexpr float kLog4 = -0.353800560300520F;
constexpr float kLog5 = 0.257167726303123F;
constexpr float kLog6 = -0.157048836463065F;
constexpr float kLog7 = 0.064841182402670F;
constexpr float kLog8 = -0.012671635276421F;

constexpr uint32_t kFractionBits = 0x7fffffU;
constexpr uint32_t kOneBits = 0x3f800000U;
// What x86 makes of 0/0, but for the sign. The significand counts.
constexpr uint32_t kNanBits = 0x7fc00000U;

// libvmaf's approximation of log2 for arguments that are not negative: by their bits, so that log2(infinity) is 128 and
// log2(NaN) a little more.
QC_HD constexpr float log2(float x) {
  const uint32_t bits = x != x ? kNanBits : __builtin_bit_cast(uint32_t, x);
  const float y = __builtin_bit_cast(float, (bits & kFractionBits) | kOneBits) - 1.0F;
  float p = kLog8 * y + kLog7;
  p = p * y + kLog6;
  p = p * y + kLog5;
  p = p * y + kLog4;
  p = p * y + kLog3;
  p = p * y + kLog2;
  p = p * y + kLog1;
  return static_cast<float>(static_cast<int>((bits >> 23) & 0xffU) - 127) + p * y;
}

// Low-pass filtered samples and products at one pixel.
struct Moments {
  float mean_r;
  float mean_d;
  float square_r;
  float square_d;
  float product;
};

struct Terms {
  float numerator;
  float denominator;
};

// Parameters of the visual channel.
struct Channel {
  float gain_limit;
  double noise;          // variance of the neural noise
  double inverse_noise;  // 0 if that is no power of two; dividing by one is multiplying by its inverse
  float flat_weight;     // of the distorted variance where the reference has less than that noise
};

constexpr Channel channel(double gain_limit, double noise) {
  const float narrow = static_cast<float>(noise);
  const bool power_of_two = noise > 0 && (__builtin_bit_cast(uint64_t, noise) & 0xfffffffffffffU) == 0;
  return {static_cast<float>(gain_limit), noise, power_of_two ? 1 / noise : 0, narrow * narrow / 65025.0F};
}

QC_HD constexpr Terms terms(const Moments& m, const Channel& c) {
  float variance_r = m.square_r - m.mean_r * m.mean_r;
  float variance_d = m.square_d - m.mean_d * m.mean_d;
  const float covariance = m.product - m.mean_r * m.mean_d;
  variance_r = variance_r > 0 ? variance_r : 0.0F;
  variance_d = variance_d > 0 ? variance_d : 0.0F;
  float gain = covariance / (variance_r + kEpsilon);
  float residual = variance_d - gain * covariance;
  if (variance_r < kEpsilon) {
    gain = 0;
    residual = variance_d;
    variance_r = 0;
  }
  if (variance_d < kEpsilon) {
    gain = 0;
    residual = 0;
  }
  if (gain < 0) {
    residual = variance_d;
    gain = 0;
  }
  residual = residual > kEpsilon ? residual : kEpsilon;
  gain = gain < c.gain_limit ? gain : c.gain_limit;
  if (static_cast<double>(variance_r) < c.noise) return {1.0F - variance_d * c.flat_weight, 1.0F};
  const float signal = gain * gain * variance_r;
  const float kept = static_cast<float>(1.0 + static_cast<double>(signal) / (static_cast<double>(residual) + c.noise));
  const double wide = static_cast<double>(variance_r);
  const float whole = static_cast<float>(1.0 + (c.inverse_noise != 0 ? wide * c.inverse_noise : wide / c.noise));
  return {covariance < 0 ? 0.0F : log2(kept), log2(whole)};
}

}  // namespace qc::float_vif
