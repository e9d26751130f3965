// Plain numbers as the lanes of functions-inl.h and pixel-inl.h, for host and device, except for square_root(),
// fused() and residue().
#pragma once

#include <cstdint>

#include "math/plane_view.h"

namespace qc::ciede {

using Double = double;
using Single = float;
using Int = int32_t;
using Mask = bool;

QC_HD constexpr Double number(double v) { return v; }
QC_HD constexpr Single single(float v) { return v; }
QC_HD constexpr Int integer(int32_t v) { return v; }
QC_HD constexpr Double widen(Single v) { return static_cast<double>(v); }
QC_HD constexpr Double widen(Int v) { return v; }
QC_HD constexpr Single narrow(Double v) { return static_cast<float>(v); }

QC_HD constexpr Int bits(Single v) { return __builtin_bit_cast(int32_t, v); }
QC_HD constexpr Single from_bits(Int v) { return __builtin_bit_cast(float, v); }
QC_HD constexpr Single to_single(Int v) { return static_cast<float>(v); }
QC_HD constexpr Int truncate(Single v) { return static_cast<int32_t>(v); }
QC_HD constexpr Int whole(Double v) { return static_cast<int32_t>(v); }
QC_HD constexpr Int plus(Int a, Int b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
}
QC_HD constexpr Int and_bits(Int a, Int b) { return a & b; }
template <int kShift>
QC_HD constexpr Int shift_right(Int v) {
  return v >> kShift;
}
// 2^exponent, a normal number.
QC_HD constexpr Double power_of_two(Int exponent) {
  return __builtin_bit_cast(double, static_cast<uint64_t>(exponent + 1023) << 52);
}
QC_HD inline Double look_up(const double* table, Int index) { return table[index]; }

QC_HD constexpr Mask greater(Double a, Double b) { return a > b; }
QC_HD constexpr Mask greater(Single a, Single b) { return a > b; }
QC_HD constexpr Mask equal(Double a, Double b) { return a == b; }
QC_HD constexpr Mask either(Mask a, Mask b) { return a || b; }
QC_HD constexpr Double select(Mask m, Double yes, Double no) { return m ? yes : no; }
QC_HD constexpr Single select(Mask m, Single yes, Single no) { return m ? yes : no; }
QC_HD constexpr Double if_so(Mask m, Double v) { return m ? v : 0.0; }
QC_HD constexpr Double negate_if(Mask m, Double v) { return m ? -v : v; }
QC_HD constexpr Double absolute(Double v) { return v < 0 ? -v : v; }
QC_HD constexpr Double maximum(Double a, Double b) { return a < b ? b : a; }
QC_HD constexpr Double minimum(Double a, Double b) { return b < a ? b : a; }

}  // namespace qc::ciede
