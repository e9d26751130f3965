// Pictures that the tests of adm and float_adm score.
#pragma once

#include <algorithm>

#include "pictures.h"

namespace unit {

inline qc::Geometry gray(int width, int height, int depth) { return {width, height, QC_CHROMA_400, depth}; }

// The test frames S of the specification.
inline uint32_t pattern(int x, int y) { return static_cast<uint32_t>((3 * y + 5 * x + y * x / 8) % 256); }
inline SampleFunction pattern_reference(int depth) {
  return [depth](int, int x, int y) { return pattern(x, y) << (depth - 8); };
}
inline SampleFunction pattern_distorted(int depth) {
  return [depth](int, int x, int y) {
    return (3 * pattern(x, y) / 4 + 20 + static_cast<uint32_t>((7 * y + 3 * x) % 8)) << (depth - 8);
  };
}

// Reproducible content. 0: noise. 1: only the least and the greatest value. 2: lines of full contrast. 3: nearly flat.
// 4: reference of 0, brighter and noisier by a little. 5: an edge every few samples.
constexpr int kKinds = 6;
inline SampleFunction content(int kind, uint64_t seed, int depth) {
  const uint32_t maximum = (1U << depth) - 1;
  return [=](int, int x, int y) -> uint32_t {
    const uint64_t h = hash(seed, x, y);
    switch (kind) {
      case 0:
        return static_cast<uint32_t>(h >> 20) & maximum;
      case 1:
        return h & 1 ? maximum : 0;
      case 2:
        return ((x ^ (seed == 1 ? 0 : y / 4)) & 1) != 0 ? maximum : 0;
      case 3:
        return maximum / 2 + static_cast<uint32_t>(h % 5);
      case 4: {
        const uint32_t base = static_cast<uint32_t>(hash(1, x, y) >> 20) & maximum;
        return seed == 1 ? base : std::min(base + base / 8 + static_cast<uint32_t>(h % 4), maximum);
      }
      default:
        return ((x / 3 + y / 5) & 1) != 0 ? maximum - static_cast<uint32_t>(h % 3) : static_cast<uint32_t>(h % 7);
    }
  };
}

inline void assert_score(const Scores& scores, const char* name, double expected) {
  const auto found = scores.find(name);
  if (found == scores.end()) fail_msg("no score %s", name);
  if (std::memcmp(&found->second, &expected, sizeof expected) != 0)
    fail_msg("%s is %.17g, not %.17g", name, found->second, expected);
}

}  // namespace unit
