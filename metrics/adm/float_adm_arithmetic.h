// The arithmetic of the feature float_adm that happens to a sample, on host and device alike, in float32 where nothing
// else is said; every operation is rounded on its own.
//
// Letters: o = a detail sample of the reference, t = of the distorted picture. Bands: H (high-pass vertically), V
// (high-pass horizontally), D (both).
//
// Source: Li, Zhang, Ma, Ngan, "Image quality assessment by separately evaluating detail losses and additive
// impairments", 2011; libvmaf's float_adm.
#pragma once

#include <cstdint>

#include "adm/reciprocal.h"
#include "math/plane_view.h"
#include "math/power.h"

namespace qc::float_adm {

// Taps of the db2 wavelet.
constexpr float kLow0 = 0x1.ee8dd4p-2F;
constexpr float kLow1 = 0x1.ac4bdep-1F;
constexpr float kLow2 = 0x1.cb0bfp-3F;
constexpr float kLow3 = -0x1.0907dcp-3F;
constexpr float kHigh0 = -0x1.0907dcp-3F;
constexpr float kHigh1 = -0x1.cb0bfp-3F;
constexpr float kHigh2 = 0x1.ac4bdep-1F;
constexpr float kHigh3 = -0x1.ee8dd4p-2F;

// Squared cosine of 1 degree: gradients that differ by less have one direction.
constexpr float kCosineSquared = 0x1.ffd814p-1F;
// Shares of a sample's contrast in the threshold of its neighbours and in its own.
constexpr double kNeighbourShare = 0x1.11111203e01fcp-5;
constexpr double kOwnShare = 0x1.111111fd00e7dp-4;
// Keeps the reference's detail from being 0 as a divisor.
constexpr float kLeast = 1e-30F;

// The sample v of a plane, centred; `scale` is 2^-(depth - 8).
QC_HD constexpr float sample(uint32_t v, float scale) { return static_cast<float>(v) * scale + -128.0F; }

QC_HD constexpr float low_pass(float a, float b, float c, float d) {
  return ((kLow0 * a + kLow1 * b) + kLow2 * c) + kLow3 * d;
}
QC_HD constexpr float high_pass(float a, float b, float c, float d) {
  return ((kHigh0 * a + kHigh1 * b) + kHigh2 * c) + kHigh3 * d;
}

QC_HD constexpr float magnitude(float v) { return v < 0 ? -v : v; }

// True if the gradients (oh, ov) and (th, tv) point in one direction.
QC_HD constexpr bool same_direction(float oh, float ov, float th, float tv) {
  const float product = oh * th + ov * tv;
  const float o_square = oh * oh + ov * ov;
  const float t_square = th * th + tv * tv;
  return product >= 0 && product * product >= (kCosineSquared * o_square) * t_square;
}

// adm_enhn_gain_limit. `single` is exact if `is_single`: then the product that counts is the float32 one.
struct GainLimit {
  double value;
  float single;
  bool is_single;
};
QC_HD constexpr GainLimit gain_limit(double value) {
  const float single = static_cast<float>(value);
  return {value, single, static_cast<double>(single) == value};
}

// What is left in t of the reference's detail o. `estimates`: null for IEEE division.
QC_HD inline float restored(float o, float t, bool same, const GainLimit& limit, const uint32_t* estimates) {
  float k = quotient(t, o + kLeast, estimates);
  k = k < 0 ? 0 : k > 1 ? 1 : k;
  const float z = k * o;
  if (!same || !(z > 0 || z < 0)) return z;
  // Rounded to float32, a number that is below t is still not above it: which of both is the nearer one to 0 is seen
  // after rounding too.
  const float g = limit.is_single ? z * limit.single : static_cast<float>(static_cast<double>(z) * limit.value);
  return (z > 0 ? g < t : g > t) ? g : t;
}

// What a sample of weighted magnitude `contrast` adds to the thresholds of its neighbours.
QC_HD constexpr float to_neighbours(float contrast) {
  return static_cast<float>(kNeighbourShare * static_cast<double>(contrast));
}
// `sum` with what it adds to its own.
QC_HD constexpr float add_own(float sum, float contrast) {
  return static_cast<float>(static_cast<double>(sum) + kOwnShare * static_cast<double>(contrast));
}

// By how much a weighted magnitude is above the threshold, 0 if it isn't.
QC_HD constexpr float masked(float contrast, float threshold) {
  const float above = contrast - threshold;
  return above < 0 ? 0 : above;
}

// adm_p_norm as a float32 exponent. `cube`: it is exactly 3, and then the cube is made of multiplications.
struct Exponent {
  float value;
  bool cube;
};

// x >= 0 to the power that the sums are made of.
QC_HD inline float raise(float x, const Exponent& exponent, const PowerTables& tables) {
  return exponent.cube ? (x * x) * x : power(x, exponent.value, tables);
}

}  // namespace qc::float_adm
