// ssim, float_ssim and float_ms_ssim: the specification's checks, every instruction set against the plain code, layouts
// and guarded memory.
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "pictures.h"
#include "ssim/box_decimation.h"
#include "ssim/low_pass_decimation.h"
#include "ssim/ssim_arithmetic.h"
#include "ssim/windowed_ssim.h"
#include "unit.h"

namespace {

using namespace qc;
using unit::assert_same;
using unit::distorted_pattern_g;
using unit::FeatureRun;
using unit::flat;
using unit::for_each_target;
using unit::GuardedPicture;
using unit::hash;
using unit::Layout;
using unit::pattern_g;
using unit::Pictures;
using unit::SampleFunction;
using unit::Scores;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// 0 and the greatest value in squares of `side` samples; `phase` 1 is the negative of 0.
SampleFunction checkerboard(int side, int depth, int phase) {
  return [=](int, int x, int y) { return ((x / side + y / side + phase) & 1) != 0 ? (1U << depth) - 1 : 0U; };
}

// Reproducible content. 0: noise. 1: only the least and the greatest value. 2: nearly flat. 3: a base that all seeds
// share, with a little noise. 4: the base, or its negative where the seed is odd, so that the structure terms are
// negative.
constexpr int kKinds = 5;
SampleFunction content(int kind, uint64_t seed, int depth) {
  return [=](int, int x, int y) -> uint32_t {
    const uint32_t maximum = (1U << depth) - 1;
    const uint64_t h = hash(seed, x, y);
    const uint32_t base =
        (static_cast<uint32_t>(x * 5 + y * 3) << (depth - 8) ^ static_cast<uint32_t>(hash(0, x, y) & 7)) & maximum;
    switch (kind) {
      case 0:
        return static_cast<uint32_t>(h >> 20) & maximum;
      case 1:
        return h & 1 ? maximum : 0;
      case 2:
        return maximum / 2 + static_cast<uint32_t>(h & 3);
      case 3:
        return std::min(base + static_cast<uint32_t>(h % 5), maximum);
      default:
        return seed & 1 ? maximum - base : base;
    }
  };
}

Geometry gray(int width, int height, int depth = 8) { return {width, height, QC_CHROMA_400, depth}; }

Pictures pattern(const Geometry& g) { return {g, pattern_g(g.depth), distorted_pattern_g(g.depth)}; }

// The outputs of `feature` are exactly these.
void assert_scores(const std::string& feature, const OptionList& options, const Geometry& g, const Pictures& pictures,
                   const Scores& expected) {
  unit::assert_scores(FeatureRun(feature, options, g).score(pictures.view), expected);
}

double score(const std::string& feature, const OptionList& options, const Geometry& g, const Pictures& pictures) {
  return FeatureRun(feature, options, g).score(pictures.view).at(feature);
}

void window_taps(void**) {
  uint32_t sum = 0;
  for (int i = 0; i < ssim::kWindowTaps; ++i) sum += std::bit_cast<uint32_t>(ssim::window_tap(i));
  assert_int_equal(sum, 0x9e22ca16U);
}

void low_pass_taps(void**) {
  uint32_t sum = 0;
  for (int v = 0; v < ssim::kLowPassTaps; ++v)
    for (int u = 0; u < ssim::kLowPassTaps; ++u) sum += std::bit_cast<uint32_t>(ssim::low_pass_tap(v, u));
  assert_int_equal(sum, 0xe1eada5cU);
}

void constants(void**) {
  assert_int_equal(std::bit_cast<uint32_t>(ssim::kC1), 0x40d0147aU);
  assert_int_equal(std::bit_cast<uint32_t>(ssim::kC2), 0x426a1709U);
  assert_int_equal(std::bit_cast<uint32_t>(ssim::kC3), 0x41ea1709U);
  assert_same(ssim::moment_constants(8).c1, 65025 * 1e-4);
  assert_same(ssim::moment_constants(16).c1, -131071 * 1e-4);
  const uint32_t box[] = {0x3e800000, 0x3de38e39, 0x3d800000, 0x3d23d70a, 0x3ce38e39, 0x3ca72f05,
                          0x3c800000, 0x3c4a4588, 0x3c23d70a, 0x3c0767ab, 0x3be38e39, 0x3bc1e4bc,
                          0x3ba72f05, 0x3b91a2b4, 0x3b800000, 0x3b62c4a7};
  for (int factor = 2; factor <= 17; ++factor)
    assert_int_equal(std::bit_cast<uint32_t>(ssim::box_tap(factor)), box[factor - 2]);
}

void automatic_scales(void**) {
  const int cases[][2] = {{1, 1}, {383, 1}, {384, 2}, {639, 2}, {640, 3}, {720, 3}, {1080, 4}, {2160, 8}, {4320, 17}};
  for (const auto& [side, scale] : cases) {
    assert_int_equal(ssim::automatic_scale(side, 2 * side), scale);
    assert_int_equal(ssim::automatic_scale(2 * side, side), scale);
  }
}

// Figures of libvmaf for the pattern, and of the fork for ssim.
void pattern_scores(void**) {
  struct Case {
    Geometry geometry;
    double ssim, l, c, s, scale2, decibel, moments;
  };
  const Case cases[] = {
      {{64, 48, QC_CHROMA_420, 8},
       0.98626983165740967,
       0.99999547004699707,
       0.99983686208724976,
       0.98643428087234497,
       0.99903643131256104,
       18.623241379409684,
       0.98470315893235871},
      {{67, 50, QC_CHROMA_400, 8},
       0.98676657676696777,
       0.99999535083770752,
       0.99984544515609741,
       0.98692280054092407,
       0.99906051158905029,
       18.783277976182195,
       0.98516739361781058},
      {{64, 48, QC_CHROMA_422, 10},
       0.98627269268035889,
       0.99999558925628662,
       0.99983680248260498,
       0.98643714189529419,
       0.99903625249862671,
       18.624146434556941,
       0.98472656934594105},
      {{64, 48, QC_CHROMA_444, 12},
       0.9862663745880127,
       0.99999552965164185,
       0.99983608722686768,
       0.9864315390586853,
       0.9990355372428894,
       18.622148022691377,
       0.98472498488031079},
      {{64, 48, QC_CHROMA_444, 16},
       0.98629176616668701,
       0.99999552965164185,
       0.99983710050582886,
       0.98645591735839844,
       0.99903744459152222,
       18.630184960388313,
       0.98123584577671807},
  };
  for (const Case& c : cases) {
    const Pictures pictures = pattern(c.geometry);
    for_each_target([&] {
      const Geometry& g = c.geometry;
      assert_scores("float_ssim", {}, g, pictures, {{"float_ssim", c.ssim}});
      assert_scores("float_ssim", {{"enable_lcs", "true"}, {"enable_db", "true"}}, g, pictures,
                    {{"float_ssim", c.decibel}, {"float_ssim_l", c.l}, {"float_ssim_c", c.c}, {"float_ssim_s", c.s}});
      assert_scores("float_ssim", {{"scale", "2"}}, g, pictures, {{"float_ssim", c.scale2}});
      assert_scores("ssim", {}, g, pictures, {{"ssim", c.moments}});
    });
  }
}

void scales(void**) {
  const Pictures larger = pattern(gray(384, 400));
  assert_same(score("float_ssim", {}, gray(384, 400), larger), 0.99970161914825439);
  assert_same(score("float_ssim", {{"scale", "1"}}, gray(384, 400), larger), 0.99779850244522095);
  const Pictures smaller = pattern(gray(383, 400));
  assert_same(score("float_ssim", {}, gray(383, 400), smaller), 0.9977949857711792);
  assert_same(score("float_ssim", {{"scale", "7"}}, gray(383, 400), smaller), 0.99998843669891357);
}

void flat_pictures(void**) {
  const Geometry g = gray(64, 64);
  const Pictures brighter(g, flat(100), flat(110));
  assert_scores("float_ssim", {{"enable_lcs", "true"}}, g, brighter,
                {{"float_ssim", 0.99547648429870605},
                 {"float_ssim_l", 0.99547648429870605},
                 {"float_ssim_c", 1.0},
                 {"float_ssim_s", 1.0}});
  assert_same(score("ssim", {}, g, brighter), 0.99547644409144309);
  const Pictures opposite(g, flat(255), flat(0));
  assert_same(score("float_ssim", {}, g, opposite), 9.9989178124815226e-05);
  assert_same(score("ssim", {}, g, opposite), 9.9990000999901235e-05);
  // The numerator of l is formed in float64, its denominator in float32.
  const Pictures equal(g, flat(128), flat(128));
  assert_scores("float_ssim", {{"enable_lcs", "true"}}, g, equal,
                {{"float_ssim", 0.99999994039535522},
                 {"float_ssim_l", 0.99999994039535522},
                 {"float_ssim_c", 1.0},
                 {"float_ssim_s", 1.0}});
  assert_same(score("ssim", {}, g, equal), 1.0);
}

void decibels_of_identical_pictures(void**) {
  const int depths[] = {8, 10, 12, 16};
  const double caps[] = {88, 100, 112, 136};
  for (int i = 0; i < 4; ++i) {
    const Geometry g = gray(64, 64, depths[i]);
    const Pictures pictures(g, content(0, 5, depths[i]), content(0, 5, depths[i]));
    assert_same(score("float_ssim", {}, g, pictures), 1.0);
    assert_same(score("float_ssim", {{"enable_db", "true"}}, g, pictures), kInfinity);
    assert_same(score("float_ssim", {{"enable_db", "true"}, {"clip_db", "true"}}, g, pictures), caps[i]);
    // Without enable_db the cap means nothing.
    assert_same(score("float_ssim", {{"clip_db", "true"}}, g, pictures), 1.0);
  }
}

void smaller_than_a_window(void**) {
  const auto at = [](int width, int height, const OptionList& options) {
    return score("float_ssim", options, gray(width, height), pattern(gray(width, height)));
  };
  for_each_target([&] {
    const OptionList full_size = {{"scale", "1"}};
    assert_same(at(8, 8, full_size), 0.0);
    assert_same(at(1, 1, full_size), 0.0);
    assert_same(at(20, 8, full_size), -0.0);
    assert_same(at(8, 20, full_size), -0.0);
    assert_true(std::isnan(at(10, 10, full_size)));
    assert_true(std::isnan(at(10, 20, full_size)));
    assert_true(std::isnan(at(20, 10, full_size)));
    assert_true(at(11, 11, full_size) > 0.9);
    assert_same(at(1, 1, {{"scale", "10"}}), 0.0);
    assert_same(at(300, 40, {{"scale", "5"}}), -0.0);
    // NaN becomes the cap.
    assert_same(at(10, 10, {{"scale", "1"}, {"enable_db", "true"}}), kInfinity);
    assert_same(at(10, 10, {{"scale", "1"}, {"enable_db", "true"}, {"clip_db", "true"}}), 72.0);
  });
}

void small_moments(void**) {
  struct Case {
    int width, height;
    double ssim;
  };
  const Case cases[] = {{1, 1, 0.99999999999999978},
                        {5, 3, 0.94945433608844898},
                        {9, 9, 0.9655727315923982},
                        {12, 4, 0.95653443315429654}};
  for (const Case& c : cases) {
    const Geometry g = gray(c.width, c.height);
    const Pictures pictures = pattern(g);
    for_each_target([&] { assert_scores("ssim", {}, g, pictures, {{"ssim", c.ssim}}); });
  }
}

void negative_picture(void**) {
  const Geometry g = gray(100, 90, 12);
  const Pictures pictures(g, checkerboard(1, 12, 0), checkerboard(1, 12, 1));
  for_each_target([&] {
    assert_same(score("ssim", {}, g, pictures), -0.99640524872109093);
    assert_same(score("float_ssim", {}, g, pictures), -0.99644076824188232);
    assert_same(score("float_ssim", {{"enable_db", "true"}}, g, pictures), -3.0025642977839091);
  });
}

void multi_scale_pattern(void**) {
  const double l176[] = {0.99999630451202393, 1, 1, 1, 1};
  const double c176[] = {0.99996310472488403, 0.99999797344207764, 0.99999964237213135, 1, 1};
  const double s176[] = {0.99441474676132202, 0.99925810098648071, 0.99995994567871094, 0.99999982118606567,
                         0.99999618530273438};
  const double l201[] = {0.99999648332595825, 1, 1, 1, 1};
  const double c201[] = {0.99996745586395264, 0.99999797344207764, 0.99999964237213135, 1, 1};
  const double s201[] = {0.99491935968399048, 0.99930799007415771, 0.99995911121368408, 0.99999988079071045,
                         0.99999582767486572};
  const auto check = [](const Geometry& g, double score, double decibel, const double* l, const double* c,
                        const double* s) {
    const Pictures pictures = pattern(g);
    Scores lcs = {{"float_ms_ssim", score}};
    for (int i = 0; i < 5; ++i) {
      const std::string scale = "_scale" + std::to_string(i);
      lcs["float_ms_ssim_l" + scale] = l[i];
      lcs["float_ms_ssim_c" + scale] = c[i];
      lcs["float_ms_ssim_s" + scale] = s[i];
    }
    for_each_target([&] {
      assert_scores("float_ms_ssim", {}, g, pictures, {{"float_ms_ssim", score}});
      assert_scores("float_ms_ssim", {{"enable_lcs", "true"}}, g, pictures, lcs);
      assert_scores("float_ms_ssim", {{"enable_db", "true"}}, g, pictures, {{"float_ms_ssim", decibel}});
      assert_scores("float_ms_ssim", {{"enable_db", "true"}, {"clip_db", "true"}}, g, pictures,
                    {{"float_ms_ssim", decibel}});
    });
  };
  check({176, 176, QC_CHROMA_420, 8}, 0.99952231806218672, 33.208611800194035, l176, c176, s176);
  check({201, 183, QC_CHROMA_400, 10}, 0.99955919844629382, 33.55756883383058, l201, c201, s201);
}

void multi_scale_extremes(void**) {
  const Geometry g = gray(176, 176);
  const Pictures identical(g, pattern_g(8), pattern_g(8));
  assert_same(score("float_ms_ssim", {}, g, identical), 1.0);
  assert_same(score("float_ms_ssim", {{"enable_db", "true"}}, g, identical), kInfinity);
  assert_same(score("float_ms_ssim", {{"enable_db", "true"}, {"clip_db", "true"}}, g, identical), 97.0);

  const Pictures negative(g, checkerboard(32, 8, 0), checkerboard(32, 8, 1));
  for_each_target([&] {
    const Scores scores = FeatureRun("float_ms_ssim", {{"enable_lcs", "true"}}, g).score(negative.view);
    assert_same(scores.at("float_ms_ssim_s_scale0"), 0.041693311184644699);
    assert_same(scores.at("float_ms_ssim_s_scale4"), -0.99105310440063477);
    assert_true(std::isnan(scores.at("float_ms_ssim")));
    assert_same(score("float_ms_ssim", {{"enable_db", "true"}}, g, negative), kInfinity);
  });
}

void multi_scale_too_small(void**) {
  unit::assert_fails(QC_ERROR_UNSUPPORTED, "at least 176x176", [] { FeatureRun("float_ms_ssim", {}, gray(175, 200)); });
  unit::assert_fails(QC_ERROR_UNSUPPORTED, "these are 200x175",
                     [] { FeatureRun("float_ms_ssim", {}, gray(200, 175)); });
}

void scale_out_of_range(void**) {
  unit::assert_fails(QC_ERROR_INVALID, "scale", [] { FeatureRun("float_ssim", {{"scale", "11"}}, gray(64, 64)); });
}

// The records of all targets are those of the plain code.
void assert_targets_equal(const std::string& feature, const OptionList& options, const Geometry& g,
                          const PairView& pair) {
  assert_true(force_target("scalar"));
  const std::vector<uint8_t> expected = FeatureRun(feature, options, g).record(pair);
  for (const std::string& target : available_targets()) {
    assert_true(force_target(target));
    FeatureRun run(feature, options, g);
    // Twice, for kernels keep storage from frame to frame.
    for (int i = 0; i < 2; ++i)
      if (run.record(pair) != expected)
        fail_msg("%s of %dx%d at %d bits: %s differs from scalar", feature.c_str(), g.width, g.height, g.depth,
                 target.c_str());
  }
  force_target("");
}

void targets(void**) {
  const int sizes[][2] = {{1, 1},   {2, 1},   {3, 7},   {9, 5},   {10, 11}, {11, 11},  {12, 13},  {18, 21},
                          {26, 22}, {27, 23}, {33, 40}, {64, 33}, {75, 12}, {139, 14}, {261, 17}, {270, 34}};
  const int depths[] = {8, 9, 10, 12, 14, 16};
  int i = 0;
  for (const auto& [width, height] : sizes) {
    for (int depth : depths) {
      const Geometry g = gray(width, height, depth);
      const int kind = i++ % kKinds;
      const Pictures pictures(g, content(kind, 2, depth), content(kind, 3, depth));
      assert_targets_equal("ssim", {}, g, pictures.view);
      const char* const scale_of[] = {"1", "1", "2", "3", "4", "5", "7", "10"};
      assert_targets_equal("float_ssim", {{"scale", scale_of[i % 8]}, {"enable_lcs", i % 2 == 0 ? "true" : "false"}}, g,
                           pictures.view);
    }
  }
}

// Around the sizes of strips: 128 positions for each of 2, 4 or 8 lanes.
void wide_rows(void**) {
  for (int width : {265, 266, 267, 268, 521, 522, 523, 530, 1033, 1034, 1035, 1049, 2057, 2058, 2059}) {
    const Geometry g = gray(width, 24);
    const Pictures pictures(g, content(3, 2, 8), content(3, 3, 8));
    assert_targets_equal("float_ssim", {{"scale", "1"}, {"enable_lcs", "true"}}, g, pictures.view);
    assert_targets_equal("float_ssim", {{"scale", "1"}}, g, pictures.view);
    assert_targets_equal("ssim", {}, g, pictures.view);
  }
}

void multi_scale_targets(void**) {
  const int sizes[][2] = {{176, 176}, {177, 178}, {191, 177}, {209, 190}, {352, 181}};
  const int depths[] = {8, 9, 10, 12, 14, 16};
  int i = 0;
  for (const auto& [width, height] : sizes) {
    for (int depth : {depths[i % 6], depths[(i + 3) % 6]}) {
      const Geometry g = gray(width, height, depth);
      const int kind = i % kKinds;
      const Pictures pictures(g, content(kind, 2, depth), content(kind, 3, depth));
      assert_targets_equal("float_ms_ssim", {}, g, pictures.view);
      assert_targets_equal("float_ms_ssim", {{"enable_lcs", "true"}}, g, pictures.view);
    }
    ++i;
  }
}

// The means are rounded to float32, which hides the order of the sums: so their float64 bits are compared, too.
void window_sums(void**) {
  const int sizes[][2] = {{11, 11}, {29, 60}, {300, 30}, {1100, 25}, {200, 200}};
  for (const auto& size : sizes) {
    const int width = size[0];
    const int height = size[1];
    for (int kind = 0; kind < kKinds; ++kind) {
      const auto x = content(kind, 2, 8);
      const auto y = content(kind, 3, 8);
      const auto sums = [&](SsimTerms terms) {
        WindowedSsim windows;
        windows.start(width, height, terms);
        for (int row = 0; row < height; ++row) {
          for (int i = 0; i < width; ++i) {
            windows.x_row()[i] = static_cast<float>(x(0, i, row));
            windows.y_row()[i] = static_cast<float>(y(0, i, row));
          }
          windows.row_written();
        }
        return windows.sums();
      };
      assert_true(force_target("scalar"));
      const SsimSums expected = sums(SsimTerms::All);
      for_each_target([&] {
        const SsimSums all = sums(SsimTerms::All);
        assert_same(all.product, expected.product);
        assert_same(all.l, expected.l);
        assert_same(all.c, expected.c);
        assert_same(all.s, expected.s);
        assert_same(sums(SsimTerms::Product).product, expected.product);
        const SsimSums some = sums(SsimTerms::ContrastStructure);
        assert_same(some.c, expected.c);
        assert_same(some.s, expected.s);
      });
    }
  }
}

// Decimated samples of every target are those of the plain code, also for factors that no picture of today needs.
void box_decimation(void**) {
  for (int factor : {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 16, 17, 31, 32, 63, 64, 65, 90}) {
    for (int depth : {8, 10, 16}) {
      const Geometry g = gray(3 * factor + 5, 2 * factor + 1, depth);
      const GuardedPicture picture(g, {}, content(0, 7, depth));
      const PlaneView plane = picture.view().plane[0];
      const auto width = static_cast<size_t>(ssim::decimated_size(g.width, factor));
      const int height = ssim::decimated_size(g.height, factor);
      const auto decimated = [&] {
        BoxDecimation decimation;
        decimation.start(plane, factor);
        std::vector<float> samples;
        std::vector<float> row(width + ssim::kRowPadding);
        for (int y = 0; y < height; ++y) {
          decimation.row(y, row.data());
          samples.insert(samples.end(), row.begin(), row.begin() + static_cast<ptrdiff_t>(width));
        }
        return samples;
      };
      assert_true(force_target("scalar"));
      const std::vector<float> expected = decimated();
      for_each_target([&] {
        const std::vector<float> actual = decimated();
        for (size_t i = 0; i < expected.size(); ++i) assert_same(actual[i], expected[i]);
      });
    }
  }
}

// The way that uses exact sums gives what all taps in raster order give.
void low_pass_decimation(void**) {
  const int sizes[][2] = {{11, 11}, {12, 11}, {11, 12}, {24, 16}, {37, 19}, {176, 22}};
  for (const auto& size : sizes) {
    const int width = size[0];
    const int height = size[1];
    for (float step : {1.0f, 0x1p-8f}) {
      const auto sample = content(1 + height % 2, 9, step == 1 ? 8 : 16);
      const auto decimated = [&](bool exact) {
        LowPassDecimation decimation;
        decimation.start(width, height, exact);
        std::vector<float> samples;
        const auto positions = static_cast<size_t>(ssim::decimated_size(width, 2));
        std::vector<float> row(static_cast<size_t>(width));
        std::vector<float> out(positions + ssim::kRowPadding);
        for (int y = 0; y < height; ++y) {
          for (int x = 0; x < width; ++x) row[static_cast<size_t>(x)] = static_cast<float>(sample(0, x, y)) * step;
          decimation.push_row(row.data());
          while (decimation.ready()) {
            decimation.next_row(out.data());
            samples.insert(samples.end(), out.begin(), out.begin() + static_cast<ptrdiff_t>(positions));
          }
        }
        return samples;
      };
      assert_true(force_target("scalar"));
      const std::vector<float> expected = decimated(false);
      assert_int_equal(expected.size(), ssim::decimated_size(width, 2) * ssim::decimated_size(height, 2));
      for_each_target([&] {
        for (bool exact : {false, true}) {
          const std::vector<float> actual = decimated(exact);
          for (size_t i = 0; i < expected.size(); ++i) assert_same(actual[i], expected[i]);
        }
      });
    }
  }
}

// Scores depend on the samples, not on how they lie in memory; nothing outside the pictures is touched.
void layouts(void**) {
  const Layout planar = {};
  const Layout front = {0, false, 0, false, false};
  const Layout padded = {0, false, 38, false, true};
  const Layout bottom_up = {0, false, 4, true, true};
  for (int depth : {8, 10, 16}) {
    Layout shifted = {depth == 10 ? 6 : 0, depth != 8, 2, false, true};
    for (const std::string feature : {"ssim", "float_ssim", "float_ms_ssim"}) {
      const int width = feature == "float_ms_ssim" ? 179 : 45;
      const int height = feature == "float_ms_ssim" ? 177 : 21;
      const Geometry g = {width, height, QC_CHROMA_420, depth};
      const auto r = content(3, 2, depth);
      const auto d = content(3, 3, depth);
      const std::vector<uint8_t> expected = FeatureRun(feature, {}, g).record(Pictures(g, r, d, planar, planar).view);
      for (const Layout& layout : {front, padded, bottom_up, shifted}) {
        const Pictures pictures(g, r, d, layout, planar);
        for_each_target([&] { assert_true(FeatureRun(feature, {}, g).record(pictures.view) == expected); });
      }
      const Pictures decimated(g, r, d, shifted, shifted);
      const Pictures usual(g, r, d, planar, planar);
      const OptionList options = {{"scale", "3"}};
      if (feature == "float_ssim")
        assert_true(FeatureRun(feature, options, g).record(decimated.view) ==
                    FeatureRun(feature, options, g).record(usual.view));
    }
  }
}

// 16-bit constants are negative in the reference, so that nearly black pictures divide by nearly nothing.
void black_moments(void**) {
  const Geometry g = gray(20, 20, 16);
  const Pictures pictures(g, content(1, 2, 1 + 8), content(1, 3, 1 + 8));
  for_each_target([&] { assert_targets_equal("ssim", {}, g, pictures.view); });
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(window_taps),
      cmocka_unit_test(low_pass_taps),
      cmocka_unit_test(constants),
      cmocka_unit_test(automatic_scales),
      cmocka_unit_test(pattern_scores),
      cmocka_unit_test(scales),
      cmocka_unit_test(flat_pictures),
      cmocka_unit_test(decibels_of_identical_pictures),
      cmocka_unit_test(smaller_than_a_window),
      cmocka_unit_test(small_moments),
      cmocka_unit_test(negative_picture),
      cmocka_unit_test(multi_scale_pattern),
      cmocka_unit_test(multi_scale_extremes),
      cmocka_unit_test(multi_scale_too_small),
      cmocka_unit_test(scale_out_of_range),
      cmocka_unit_test(targets),
      cmocka_unit_test(wide_rows),
      cmocka_unit_test(multi_scale_targets),
      cmocka_unit_test(window_sums),
      cmocka_unit_test(box_decimation),
      cmocka_unit_test(low_pass_decimation),
      cmocka_unit_test(layouts),
      cmocka_unit_test(black_moments),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
