// Arithmetic of SpEED, for vectors, scalars and device code (speed.md).
#pragma once

#include <cstdint>

#include "math/plane_view.h"

namespace qc::speed {

// Side of the blocks, and the positions in one.
constexpr int kSide = 5;
constexpr int kOffsets = kSide * kSide;
// The filtered picture keeps one sample of 16x16.
constexpr int kReduction = 16;
// Smallest picture with a block.
constexpr int kLeastSize = kReduction * kSide;
// An eigenvalue or a pivot below this makes a covariance matrix singular.
constexpr double kRegular = 1e-6;
constexpr int kLargestStepCount = 500;
// log2(2 pi e): the entropy of a Gaussian is log2(variance) plus this, halved.
constexpr double kGaussianEntropy = 0x1.06073a671183dp+2;

// Index i of a row of n samples mirrored once; the sample at the edge is not repeated.
QC_HD constexpr int mirror(int i, int n) { return i < 0 ? -i : i > n - 1 ? 2 * (n - 1) - i : i; }

// A sample, or the difference of two, in 8-bit steps. All exact.
QC_HD constexpr float step_of(int depth) { return 1.0F / static_cast<float>(1 << (depth - 8)); }
QC_HD constexpr float centred(int sample, float step) { return static_cast<float>(sample) * step - 128.0F; }
QC_HD constexpr float difference(int older, int newer, float step) { return static_cast<float>(older - newer) * step; }

// +1 for both zeros.
QC_HD constexpr float sign(float x) { return x >= 0.0F ? 1.0F : -1.0F; }

QC_HD constexpr float magnitude(float x) {
  return __builtin_bit_cast(float, __builtin_bit_cast(uint32_t, x) & 0x7fffffffU);
}

// How the entropies of both pictures are weighted (option speed_weight_var_mode).
enum class Weighting {
  Own,                   // each picture's variance
  Reference,             // the reference's for both
  Distorted,             // the distorted picture's for both
  Mean,                  // the mean of both for both
  ReferenceAndMean,      // the reference's for the reference, the mean for the distorted picture
  ReferenceAndQuarter,   // the mean takes a quarter of the distorted picture's
  ReferenceAndQuarters,  // or three
};

// |difference of the weighted entropies| of a block. Log2 is a function of a float64.
template <class Log2>
QC_HD float block_score(Weighting weighting, float entropy_r, float entropy_d, float variance_r, float variance_d,
                        float base, Log2 log2) {
  if (entropy_r < base && entropy_d < base) return 0.0F;
  const double r = static_cast<double>(variance_r);
  const double d = static_cast<double>(variance_d);
  double weight_r = 0.0;
  double weight_d = 0.0;
  switch (weighting) {
    case Weighting::Own:
      weight_r = log2(static_cast<double>(1.0F + variance_r));
      weight_d = log2(static_cast<double>(1.0F + variance_d));
      break;
    case Weighting::Reference:
      weight_r = weight_d = log2(static_cast<double>(1.0F + variance_r));
      break;
    case Weighting::Distorted:
      weight_r = weight_d = log2(static_cast<double>(1.0F + variance_d));
      break;
    case Weighting::Mean:
      weight_r = weight_d = log2(1.0 + static_cast<double>(variance_r + variance_d) / 2.0);
      break;
    case Weighting::ReferenceAndMean:
      weight_r = log2(static_cast<double>(1.0F + variance_r));
      weight_d = log2(1.0 + static_cast<double>(variance_r + variance_d) / 2.0);
      break;
    case Weighting::ReferenceAndQuarter:
      weight_r = log2(static_cast<double>(1.0F + variance_r));
      weight_d = log2(1.0 + (0.75 * r + 0.25 * d));
      break;
    case Weighting::ReferenceAndQuarters:
      weight_r = log2(static_cast<double>(1.0F + variance_r));
      weight_d = log2(1.0 + (0.25 * r + 0.75 * d));
      break;
  }
  const auto weighted_r = static_cast<float>(static_cast<double>(entropy_r) * weight_r);
  const auto weighted_d = static_cast<float>(static_cast<double>(entropy_d) * weight_d);
  return magnitude(weighted_r - weighted_d);
}

}  // namespace qc::speed
