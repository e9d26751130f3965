// Per-sample arithmetic of the feature cambi (cambi.md), for host and device code. Levels are 10-bit luma.
#pragma once

#include <cstdint>

#include "math/plane_view.h"

namespace qc::cambi {

// Rounding of more than 10 bits can give 1024.
constexpr int kLevels = 1025;

// Differences of levels that are looked at: 1 … 2^max_log_contrast.
constexpr int kMaxDifferences = 32;

// The counts of a window of 175x175 pixels and a contrast weight multiply to less than 2^31.
constexpr int kMaxWindow = 175;

// A sample of `depth` bits as a 10-bit level.
QC_HD constexpr uint32_t to_level(uint32_t sample, int depth) {
  return depth <= 10 ? sample << (10 - depth) : (sample + (1U << (depth - 11))) >> (depth - 10);
}

// Two equal values of three, else the smallest.
QC_HD constexpr uint32_t mode_of_three(uint32_t a, uint32_t b, uint32_t c) {
  if (a == b || a == c) return a;
  if (b == c) return b;
  const uint32_t ab = a < b ? a : b;
  return ab < c ? ab : c;
}

// Weight of a difference of 1 … 32 levels.
QC_HD constexpr int contrast_weight(int difference) {
  if (difference <= 4) return difference;
  if (difference == 5) return 4;
  if (difference <= 7) return 5;
  if (difference <= 11) return 6;
  if (difference <= 15) return 7;
  return difference <= 22 ? 8 : 9;
}

// Contrast of a pixel's level, which `own` pixels of its window have, with one that `other` pixels have. `reciprocal`
// is the table's entry for own + other.
QC_HD inline float contrast(int weight, int own, int other, float reciprocal) {
  return static_cast<float>(weight * own * other) * reciprocal;
}

}  // namespace qc::cambi
