// The scale of the float_* features: samples are taken as v * 2^-(depth - 8), so that every depth has the range of 8
// bits.
#pragma once

#include <cmath>
#include <string>

#include "core/error.h"
#include "core/format.h"

namespace qc {

// libvmaf has 8, 10, 12 and 16 bits; its formulas are the same ones for 9 and 14.
inline void check_float_depth(const char* feature, int depth) {
  if (depth != 8 && depth != 9 && depth != 10 && depth != 12 && depth != 14 && depth != 16)
    fail_unsupported(std::string(feature) + " is defined for 8, 9, 10, 12, 14 and 16 bits, not for " +
                     std::to_string(depth));
}

// 2^-(depth - 8)
inline double float_scale(int depth) { return std::ldexp(1.0, 8 - depth); }
// 255, 255.75, 255.9375, 255.99609375 for 8, 10, 12, 16 bits
inline double float_peak(int depth) { return ((1 << depth) - 1) * float_scale(depth); }
// The greatest PSNR that is reported, in dB: 60, 72, 84, 108.
inline double psnr_cap(int depth) { return 6.0 * depth + 12; }

}  // namespace qc
