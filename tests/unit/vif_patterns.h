// The test patterns of the specifications of vif and float_vif.
#pragma once

#include <cstdint>
#include <cstdlib>

#include "guarded_picture.h"

namespace unit {

inline int clip(int v) { return v < 0 ? 0 : v > 255 ? 255 : v; }

// 8-bit samples of a place.
inline int pattern_a(int x, int y) { return (37 * x + 61 * y + 5 * (x * y % 29)) % 256; }
inline int pattern_a_distorted(int x, int y) { return clip(pattern_a(x, y) + (3 * x + 5 * y) % 17 - 8); }
inline int ramp_b(int x, int y) { return (std::abs(5 * x % 512 - 256) + std::abs(3 * y % 512 - 256)) / 2; }
inline int pattern_b(int x, int y) { return clip(ramp_b(x, y)); }
inline int pattern_b_distorted(int x, int y) { return clip(7 * ramp_b(x, y) / 8 + 10); }
inline int pattern_b_enhanced(int x, int y) { return clip(9 * ramp_b(x, y) / 8); }

// A pattern with as many more bits as `depth` has over 8.
inline SampleFunction deepened(int (*pattern)(int, int), int depth) {
  return [=](int, int x, int y) {
    const int scale = 1 << (depth - 8);
    return static_cast<uint32_t>(pattern(x, y) * scale + (x + 2 * y) % scale);
  };
}

}  // namespace unit
