// Pairs of pictures, and pictures of known content, that the tests of several features score.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>

#include "core/targets.h"
#include "guarded_picture.h"
#include "unit.h"

namespace unit {

struct Pictures {
  Pictures(const qc::Geometry& g, const SampleFunction& reference, const SampleFunction& distorted,
           const Layout& layout = {}, const Layout& distorted_layout = {})
      : r(g, layout, reference), d(g, distorted_layout, distorted), view{r.view(), d.view()} {}
  GuardedPicture r;
  GuardedPicture d;
  qc::PairView view;
};

inline SampleFunction flat(uint32_t value) {
  return [value](int, int, int) { return value; };
}

// Pattern G of the specifications of psnr, ssim, psnr_hvs and ciede, and its distorted twin.
inline SampleFunction pattern_g(int depth, int frame = 0) {
  const int scale = 1 << (depth - 8);
  return [=](int plane, int x, int y) {
    return static_cast<uint32_t>(scale * ((3 * x + 5 * y + ((x * y) >> 4) + 37 * plane + 11 * frame) % 256) +
                                 (x + 2 * y) % scale);
  };
}

inline SampleFunction distorted_pattern_g(int depth, int frame = 0) {
  return [=, reference = pattern_g(depth, frame)](int plane, int x, int y) {
    const int change = (7 * x + 11 * y + 3 * plane + frame) % 9 - 4;
    const int value = static_cast<int>(reference(plane, x, y)) + (1 << (depth - 8)) * change;
    return static_cast<uint32_t>(std::clamp(value, 0, (1 << depth) - 1));
  };
}

// Reproducible random bits of a place.
inline uint64_t hash(uint64_t seed, int x, int y) {
  uint64_t h = seed + static_cast<uint64_t>(x) * 0xbf58476d1ce4e5b9U + static_cast<uint64_t>(y) * 0x94d049bb133111ebU;
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9U;
  h = (h ^ (h >> 27)) * 0x94d049bb133111ebU;
  return h ^ (h >> 31);
}

// The same in 32 bits.
inline uint32_t hash32(uint32_t seed, int x, int y) {
  uint32_t h = seed + static_cast<uint32_t>(x) * 0x9e3779b1U + static_cast<uint32_t>(y) * 0x85ebca77U;
  h = (h ^ (h >> 15)) * 0x2c1b3c6dU;
  h = (h ^ (h >> 12)) * 0x297a2d39U;
  return h ^ (h >> 15);
}

// `body` with each instruction set that this machine has.
inline void for_each_target(const std::function<void()>& body) {
  for (const std::string& target : qc::available_targets()) {
    assert_true(qc::force_target(target));
    body();
  }
  qc::force_target("");
}

// The outputs of a feature are exactly these.
inline void assert_scores(const Scores& scores, const Scores& expected) {
  assert_int_equal(scores.size(), expected.size());
  for (const auto& [name, value] : expected) {
    const auto found = scores.find(name);
    if (found == scores.end()) fail_msg("no score %s", name.c_str());
    if (std::memcmp(&found->second, &value, sizeof value) != 0)
      fail_msg("%s is %.17g, not %.17g", name.c_str(), found->second, value);
  }
}

}  // namespace unit
