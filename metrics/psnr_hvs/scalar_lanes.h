// Plain numbers as the lanes of block-inl.h, for host and device.
#pragma once

#include <cstdint>

#include "math/plane_view.h"

namespace qc::hvs {

using Int = int32_t;
using Float = float;

QC_HD constexpr Float broadcast(float v) { return v; }
QC_HD constexpr Float to_float(Int v) { return static_cast<float>(v); }
QC_HD constexpr Int magnitude(Int v) { return v < 0 ? -v : v; }
// v / 2, truncated towards zero.
QC_HD constexpr Int halve(Int v) { return (v + (v < 0 ? 1 : 0)) >> 1; }

// (v * kFactor + 2^(kShift - 1)) >> kShift
template <bool kWide, int kFactor, int kShift>
QC_HD constexpr Int scaled(Int v) {
  if constexpr (!kWide) return (v * kFactor + (1 << (kShift - 1))) >> kShift;
  return static_cast<Int>((int64_t{v} * kFactor + (1 << (kShift - 1))) >> kShift);
}

// The exact square, rounded to float32.
template <bool kWide>
QC_HD constexpr Float square(Int v) {
  if constexpr (kWide) return static_cast<float>(int64_t{v} * v);
  return static_cast<float>(v * v);
}

QC_HD constexpr Float greater_of(Float a, Float b) { return a > b ? a : b; }
// `value` where v > 0, else 0.
QC_HD constexpr Float if_positive(Float v, Float value) { return v > 0 ? value : 0.0F; }
// v - threshold, or 0 where v is below it.
QC_HD constexpr Float excess(Float v, Float threshold) { return v < threshold ? 0.0F : v - threshold; }

}  // namespace qc::hvs
