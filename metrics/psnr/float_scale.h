// The scale of the float_* features: samples are taken as v * 2^-(depth - 8), so that every depth has the range of 8
// bits.
#pragma once

#include <cmath>

namespace qc {

// 2^-(depth - 8)
inline double float_scale(int depth) { return std::ldexp(1.0, 8 - depth); }
// 255, 255.75, 255.9375, 255.99609375 for 8, 10, 12, 16 bits
inline double float_peak(int depth) { return ((1 << depth) - 1) * float_scale(depth); }
// The greatest PSNR that is reported, in dB: 60, 72, 84, 108.
inline double psnr_cap(int depth) { return 6.0 * depth + 12; }

}  // namespace qc
