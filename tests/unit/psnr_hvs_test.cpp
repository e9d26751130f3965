// psnr_hvs: the specification's checks, every instruction set against the plain code, layouts, guarded memory.
#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "core/targets.h"
#include "guarded_picture.h"
#include "psnr_hvs/block_errors.h"
#include "psnr_hvs/scalar_lanes.h"
#include "unit.h"

namespace transform {
using namespace qc::hvs;
inline Float square_root(Float v) { return std::sqrt(v); }
#define QC_LANES inline
#define QC_UNROLL
#include "psnr_hvs/block-inl.h"
#undef QC_UNROLL
#undef QC_LANES
}  // namespace transform

namespace {

using namespace qc;
using unit::FeatureRun;
using unit::GuardedPicture;
using unit::Layout;
using unit::SampleFunction;
using unit::Scores;

// The test pattern of the specification.
SampleFunction pattern(int depth) {
  return [=](int plane, int x, int y) {
    const int scale = 1 << (depth - 8);
    return static_cast<uint32_t>(scale * ((3 * x + 5 * y + ((x * y) >> 4) + 37 * plane) % 256) + (x + 2 * y) % scale);
  };
}

SampleFunction distorted_pattern(int depth) {
  return [=, reference = pattern(depth)](int plane, int x, int y) {
    const int scale = 1 << (depth - 8);
    const int v = static_cast<int>(reference(plane, x, y)) + scale * ((7 * x + 11 * y + 3 * plane) % 9 - 4);
    return static_cast<uint32_t>(std::clamp(v, 0, (1 << depth) - 1));
  };
}

Scores score(const Geometry& g, const SampleFunction& reference, const SampleFunction& distorted) {
  const GuardedPicture r(g, {}, reference);
  const GuardedPicture d(g, {}, distorted);
  return FeatureRun("psnr_hvs", {}, g).score({r.view(), d.view()});
}

void assert_scores(const Scores& scores, const std::vector<double>& expected) {
  const char* const names[] = {"psnr_hvs_y", "psnr_hvs_cb", "psnr_hvs_cr", "psnr_hvs"};
  for (size_t i = 0; i < expected.size(); ++i) unit::assert_same(scores.at(names[i]), expected[i]);
}

void transform_of_a_line(void**) {
  int32_t lines[][8] = {
      {10, 20, 30, 40, 50, 60, 70, 80}, {255, 0, 255, 0, 255, 0, 255, 0}, {0, 0, 0, 1000, -1000, 0, 0, 7}};
  const int32_t expected[][8] = {
      {127, -64, 0, -7, 0, -2, 0, 0}, {361, 65, 0, 76, -1, 115, 1, 327}, {2, 191, 3, -558, 2, 830, 1, -981}};
  for (int i = 0; i < 3; ++i) {
    int32_t wide[8];
    std::copy(lines[i], lines[i] + 8, wide);
    transform::transform_line<false>(lines[i], 1);
    transform::transform_line<true>(wide, 1);
    assert_memory_equal(lines[i], expected[i], sizeof expected[i]);
    assert_memory_equal(wide, expected[i], sizeof expected[i]);
  }
}

void transform_of_a_block(void**) {
  int32_t block[64];
  for (int i = 0; i < 64; ++i) block[i] = (37 * i + ((i * i) >> 2)) % 256;
  const int32_t expected[64] = {982, -128, -16,  -140, -62,  14,  -58, 33,  -94, 50,  -123, 134, 10,   -46, -38, 107,
                                26,  -91,  -90,  -84,  10,   96,  26,  -61, -31, -49, 10,   150, -95,  22,  -35, 2,
                                -64, -43,  -107, 135,  1,    51,  -95, -41, -34, -61, -46,  -69, 5,    32,  39,  -4,
                                59,  -52,  155,  3,    -143, -17, 91,  43,  82,  15,  105,  116, -121, 51,  -26, -66};
  transform::transform_block<false>(block);
  assert_memory_equal(block, expected, sizeof expected);
}

void tables(void**) {
  const uint32_t sensitivity[] = {0xc5272e50U, 0xd4fb770cU, 0xd3caf660U};
  const uint32_t mask[] = {0x54c41a1dU, 0x745c7096U, 0x721a70feU};
  for (int p = 0; p < 3; ++p) {
    uint32_t sums[2] = {};
    for (int i = 0; i < hvs::kBlockTerms; ++i) {
      sums[0] += std::bit_cast<uint32_t>(hvs::kWeights[p].sensitivity[i]);
      sums[1] += std::bit_cast<uint32_t>(hvs::kWeights[p].mask[i]);
    }
    assert_int_equal(sums[0], sensitivity[p]);
    assert_int_equal(sums[1], mask[p]);
  }
}

void pattern_scores(void**) {
  const struct {
    Geometry geometry;
    std::vector<double> scores;
  } checks[] = {
      {{64, 48, QC_CHROMA_420, 8}, {55.175162004640406, 61.334305420849198, 61.964512239351741, 55.90577613419682}},
      {{67, 50, QC_CHROMA_420, 8}, {55.334084968980918, 61.334305420849198, 61.964512239351741, 56.056058699702362}},
      {{64, 48, QC_CHROMA_422, 10}, {60.448598868092951, 68.801336421634247, 70.311249083413372, 61.284407508048638}},
      {{68, 50, QC_CHROMA_422, 8}, {55.334084968980918, 59.680412429123102, 60.84958439298002, 55.964713599589466}},
      {{64, 48, QC_CHROMA_444, 12}, {60.803484649124549, 69.288912573820738, 69.337804472626388, 61.622200342452764}},
  };
  for (const auto& check : checks) {
    const int depth = check.geometry.depth;
    assert_scores(score(check.geometry, pattern(depth), distorted_pattern(depth)), check.scores);
  }
}

void simple_pictures(void**) {
  const auto flat = [](uint32_t y, uint32_t cb, uint32_t cr) {
    return [=](int plane, int, int) { return plane == 0 ? y : plane == 1 ? cb : cr; };
  };
  const Geometry g{64, 64, QC_CHROMA_444, 8};
  assert_scores(score(g, flat(100, 128, 128), flat(110, 130, 120)),
                {23.943788260259531, 35.957816594662695, 23.747183162915796, 24.348984656888124});
  assert_scores(score(g, flat(255, 0, 0), flat(0, 0, 0)), {-4.1827522751722199});
  const double none = HUGE_VAL;
  assert_scores(score(g, pattern(8), pattern(8)), {none, none, none, none});
  const auto checkerboard = [](int phase) {
    return [=](int, int x, int y) { return (x + y + phase) % 2 ? 4095U : 0U; };
  };
  unit::assert_same(score({100, 90, QC_CHROMA_444, 12}, checkerboard(0), checkerboard(1)).at("psnr_hvs"),
                    14.482229346469463);
}

// Samples of 16 bits with the structure of those of 12 must score nearly alike.
void sixteen_bits(void**) {
  const Scores twelve = score({64, 48, QC_CHROMA_444, 12}, pattern(12), distorted_pattern(12));
  const Scores sixteen = score({64, 48, QC_CHROMA_444, 16}, pattern(16), distorted_pattern(16));
  for (const auto& [name, value] : twelve)
    if (!(std::fabs(sixteen.at(name) - value) < 2))
      fail_msg("%s: %g at 16 bits, %g at 12", name.c_str(), sixteen.at(name), value);
}

void small_pictures(void**) {
  const Scores scores = score({14, 14, QC_CHROMA_420, 8}, pattern(8), distorted_pattern(8));
  assert_true(std::isfinite(scores.at("psnr_hvs_y")));
  for (const char* name : {"psnr_hvs_cb", "psnr_hvs_cr", "psnr_hvs"}) assert_true(std::isnan(scores.at(name)));
  assert_true(std::isnan(score({7, 64, QC_CHROMA_444, 8}, pattern(8), distorted_pattern(8)).at("psnr_hvs_y")));
  unit::assert_fails(QC_ERROR_UNSUPPORTED, "4:0:0", [] { FeatureRun("psnr_hvs", {}, {64, 64, QC_CHROMA_400, 8}); });
}

// Kinds: noise; extremes in patches; small noise on a ramp; now and then a small difference.
SampleFunction noise(uint32_t seed, int depth, int kind) {
  return [=](int, int x, int y) {
    const int cell = kind == 1 ? 5 : 1;
    uint32_t h = seed + static_cast<uint32_t>(x / cell) * 0x9e3779b1U + static_cast<uint32_t>(y / cell) * 0x85ebca77U;
    h = (h ^ (h >> 15)) * 0x2c1b3c6dU;
    h = (h ^ (h >> 12)) * 0x297a2d39U;
    h ^= h >> 15;
    const uint32_t maximum = (1U << depth) - 1;
    if (kind == 0) return h & maximum;
    if (kind == 1) return h & 64 ? maximum : 0U;
    const uint32_t step = 1U << (depth - 8);
    if (kind == 2) return ((static_cast<uint32_t>(x + y) & 127U) + h % 6) * step + (h >> 8) % step;
    return (static_cast<uint32_t>(x / 9 + y / 11) & 127U) + (h % 97 == 0 ? 1U : 0U);
  };
}

void targets_and_layouts(void**) {
  const int sizes[][2] = {{8, 8}, {14, 9}, {15, 15}, {56, 22}, {57, 23}, {64, 29}, {120, 17}, {121, 36}, {241, 15}};
  uint32_t seed = 1;
  BlockErrorScratch scratch;
  for (const auto& size : sizes) {
    for (int depth : {8, 9, 10, 12, 14, 15, 16}) {
      for (int kind = 0; kind < 4; ++kind) {
        const Geometry g{size[0], size[1], QC_CHROMA_444, depth};
        const Layout layouts[] = {{}, {depth == 8 ? 0 : 16 - depth, true, 6, false, true}, {0, false, 2, true, false}};
        const GuardedPicture r(g, layouts[seed % 3], noise(seed, depth, kind));
        const GuardedPicture d(g, layouts[seed / 3 % 3], noise(seed + 1, depth, kind));
        for (int p = 0; p < 3; ++p) {
          const PlaneView a = r.view().plane[p];
          const PlaneView b = d.view().plane[p];
          const float expected = plain::block_errors(a, b, hvs::kWeights[p]);
          for (const std::string& target : available_targets()) {
            assert_true(force_target(target));
            const float actual = block_errors(a, b, hvs::kWeights[p], scratch);
            if (std::memcmp(&actual, &expected, sizeof actual) != 0)
              fail_msg("%s, %dx%d, %d bits, kind %d, plane %d: %a is not %a", target.c_str(), g.width, g.height, depth,
                       kind, p, static_cast<double>(actual), static_cast<double>(expected));
          }
          force_target("");
        }
        ++seed;
      }
    }
  }
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(transform_of_a_line), cmocka_unit_test(transform_of_a_block), cmocka_unit_test(tables),
      cmocka_unit_test(pattern_scores),      cmocka_unit_test(simple_pictures),      cmocka_unit_test(sixteen_bits),
      cmocka_unit_test(small_pictures),      cmocka_unit_test(targets_and_layouts),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
