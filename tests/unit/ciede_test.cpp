// ciede: the functions against the C library's long double ones, the specification's checks, every instruction set
// against the plain code, layouts, guarded memory.
#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "ciede/chroma_position.h"
#include "ciede/color_differences.h"
#include "ciede/pixel_parameters.h"
#include "ciede/scalar_lanes.h"
#include "core/targets.h"
#include "guarded_picture.h"
#include "unit.h"

namespace functions {
using namespace qc::ciede;
inline Double square_root(Double v) { return std::sqrt(v); }
inline Double fused(Double a, Double b, Double c) { return std::fma(a, b, c); }
inline Double residue(Double c, Double a, Double b) { return std::fma(-a, b, c); }
#define QC_LANES inline
#include "ciede/functions-inl.h"
#include "ciede/pixel-inl.h"
#undef QC_LANES
}  // namespace functions

namespace {

using namespace qc;
using unit::FeatureRun;
using unit::GuardedPicture;
using unit::Layout;
using unit::SampleFunction;

constexpr int kArguments = 200000;

// The greatest error of `ours` against `exact` over random arguments, relative to `scale(exact)`.
template <class Ours, class Exact>
double greatest_error(double from, double to, bool relative, Ours ours, Exact exact) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> draw(from, to);
  long double greatest = 0;
  for (int i = 0; i < kArguments; ++i) {
    const double x = draw(random);
    const long double expected = exact(static_cast<long double>(x));
    const long double error = std::fabs(static_cast<long double>(ours(x)) - expected);
    greatest = std::max(greatest, relative ? error / std::fabs(expected) : error);
  }
  return static_cast<double>(greatest);
}

void assert_below(double error, double bound, const char* what) {
  if (!(error < bound)) fail_msg("%s: 2^%.2f, not below 2^%.2f", what, std::log2(error), std::log2(bound));
}

void accuracy(void**) {
  namespace f = functions;
  const auto power_2_4 = [](double x) { return f::power_2_4(x, f::inverse_fifth_root(static_cast<float>(x))); };
  const auto power = [](long double x) { return std::pow(x, 2.4L + (2.4 - 2.4L)); };
  assert_below(greatest_error(0.05, 10, true, power_2_4, power), 0x1p-51, "power_2_4");
  assert_below(greatest_error(0.05, 0.2, true, power_2_4, power), 0x1p-51, "power_2_4 of small numbers");
  const auto cube_root = [](double x) { return f::cube_root(x, f::inverse_cube_root(static_cast<float>(x))); };
  const auto third = [](long double x) { return std::pow(x, static_cast<long double>(1.0 / 3)); };
  assert_below(greatest_error(0.005, 20, true, cube_root, third), 0x1p-51, "cube_root");
  assert_below(greatest_error(0.005, 0.05, true, cube_root, third), 0x1p-51, "cube_root of small numbers");
  assert_below(greatest_error(-130, 0, true, f::exponential, [](long double x) { return std::exp(x); }), 0x1p-51,
               "exponential");
  assert_below(greatest_error(-1.571, 1.571, true, f::sine, [](long double x) { return std::sin(x); }), 0x1p-51,
               "sine");
  assert_below(
      greatest_error(
          0, 32, false, [](double x) { return f::cosine_sine(x).cosine; }, [](long double x) { return std::cos(x); }),
      0x1p-51, "cosine");
  assert_below(
      greatest_error(
          0, 32, false, [](double x) { return f::cosine_sine(x).sine; }, [](long double x) { return std::sin(x); }),
      0x1p-51, "sine of cosine_sine");
  for (double distance : {1e-3, 1.0, 777.0}) {
    for (double sign : {1.0, -1.0}) {
      const auto y = [=](double v) { return static_cast<double>(static_cast<float>(v * distance)); };
      const double x = static_cast<double>(static_cast<float>(sign * distance));
      assert_below(greatest_error(
                       0, 3, true, [=](double v) { return f::angle(y(v), x); },
                       [=](long double v) {
                         return std::atan2(static_cast<long double>(y(static_cast<double>(v))),
                                           static_cast<long double>(x));
                       }),
                   0x1p-51, "angle");
    }
  }
  const long double pi = std::acos(-1.0L);
  assert_below(greatest_error(0, 8, false, f::hue_weight,
                              [=](long double h) {
                                return 1 - 0.17L * std::cos(h - pi / 6) + 0.24L * std::cos(2 * h) +
                                       0.32L * std::cos(3 * h + pi / 30) - 0.20L * std::cos(4 * h - 7 * pi / 20);
                              }),
               0x1p-50, "hue_weight");
}

// The C library's powf is within 0.003 units of a rounding boundary where it doesn't return the nearest number, and
// ours must agree with glibc's algorithm: here on arguments whose results are far from boundaries, and on some that
// glibc 2.36 is known to round the other way.
void seventh_power(void**) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> draw(-25.0F, 9.0F);
  for (int i = 0; i < kArguments; ++i) {
    const float x = std::exp2(draw(random));
    const long double exact = std::pow(static_cast<long double>(x), 7.0L);
    const float nearest = static_cast<float>(exact);
    const float ours = functions::seventh_power_single(x, ciede::kPowerTables);
    const long double unit =
        static_cast<long double>(std::nextafter(nearest, HUGE_VALF)) - static_cast<long double>(nearest);
    const long double error = std::fabs(static_cast<long double>(ours) - exact) / unit;
    if (!(error < 0.503L)) fail_msg("powf(%a, 7) is %a", static_cast<double>(x), static_cast<double>(ours));
  }
  assert_true(functions::seventh_power_single(0.0F, ciede::kPowerTables) == 0.0F);
  assert_true(functions::seventh_power_single(0x1p-23F, ciede::kPowerTables) == 0.0F);
  assert_true(functions::seventh_power_single(1.0F, ciede::kPowerTables) == 1.0F);
  assert_true(functions::seventh_power_single(2.0F, ciede::kPowerTables) == 128.0F);
}

// The test pattern of the specification.
SampleFunction pattern(int depth, int frame) {
  return [=](int plane, int x, int y) {
    const int scale = 1 << (depth - 8);
    return static_cast<uint32_t>(scale * ((3 * x + 5 * y + ((x * y) >> 4) + 37 * plane + 11 * frame) % 256) +
                                 (x + 2 * y) % scale);
  };
}

SampleFunction distorted_pattern(int depth, int frame) {
  return [=, reference = pattern(depth, frame)](int plane, int x, int y) {
    const int scale = 1 << (depth - 8);
    const int v = static_cast<int>(reference(plane, x, y)) + scale * ((7 * x + 11 * y + 3 * plane + frame) % 9 - 4);
    return static_cast<uint32_t>(std::clamp(v, 0, (1 << depth) - 1));
  };
}

double score(const Geometry& g, const SampleFunction& reference, const SampleFunction& distorted) {
  const GuardedPicture r(g, {}, reference);
  const GuardedPicture d(g, {}, distorted);
  return FeatureRun("ciede", {}, g).score({r.view(), d.view()}).at("ciede2000");
}

void pattern_scores(void**) {
  const struct {
    Geometry geometry;
    int frame;
    double score;
  } checks[] = {
      {{64, 48, QC_CHROMA_420, 8}, 0, 42.140840136666995},   {{67, 50, QC_CHROMA_420, 8}, 0, 42.230566457554801},
      {{64, 48, QC_CHROMA_422, 10}, 0, 42.093083130518295},  {{68, 50, QC_CHROMA_422, 8}, 0, 43.140458660586248},
      {{64, 48, QC_CHROMA_444, 12}, 0, 42.882496351500102},  {{64, 48, QC_CHROMA_444, 16}, 0, 42.879315628384866},
      {{352, 288, QC_CHROMA_444, 8}, 0, 42.76568735092367},  {{352, 288, QC_CHROMA_444, 8}, 1, 42.770101361666207},
      {{352, 288, QC_CHROMA_444, 8}, 2, 42.767663305556383},
  };
  for (const auto& check : checks) {
    const int depth = check.geometry.depth;
    unit::assert_same(score(check.geometry, pattern(depth, check.frame), distorted_pattern(depth, check.frame)),
                      check.score);
  }
}

void flat_pictures(void**) {
  const struct {
    uint32_t reference[3];
    uint32_t distorted[3];
    int size;
    double score;
  } checks[] = {
      {{100, 128, 128}, {110, 130, 120}, 64, 25.244936122448934},
      {{255, 128, 128}, {0, 128, 128}, 64, 0.24751225007260302},
      {{16, 128, 128}, {235, 128, 128}, 16, 1.2582667352486396},
      {{81, 90, 240}, {145, 54, 34}, 16, 14.28361977885546},
      {{41, 240, 110}, {210, 16, 146}, 16, 7.8061127225721876},
      {{100, 128, 128}, {101, 128, 128}, 16, 48.56693607688532},
      {{20, 128, 128}, {21, 128, 128}, 16, 55.913496210040137},
      {{7, 8, 9}, {7, 8, 9}, 16, HUGE_VAL},
  };
  for (const auto& check : checks) {
    const Geometry g{check.size, check.size, QC_CHROMA_444, 8};
    const auto flat = [](const uint32_t* samples) { return [=](int plane, int, int) { return samples[plane]; }; };
    unit::assert_same(score(g, flat(check.reference), flat(check.distorted)), check.score);
  }
}

void chroma_positions(void**) {
  // Values that tell where they come from.
  const auto address = [](int plane, int x, int y) { return static_cast<uint32_t>(10000 * plane + 100 * y + x); };
  const GuardedPicture picture({68, 6, QC_CHROMA_422, 16}, {}, address);
  const PictureView view = picture.view();
  assert_int_equal(ciede::chroma_sample(view, 1, 2, 33), 10233);
  assert_int_equal(ciede::chroma_sample(view, 1, 2, 34), 0);  // padding: 34 columns in a pitch of 64
  assert_int_equal(ciede::chroma_sample(view, 1, 2, 64), 10300);
  assert_int_equal(ciede::chroma_sample(view, 1, 5, 67), 20003);  // from the last row of Cb to the first of Cr
  assert_int_equal(ciede::chroma_sample(view, 2, 5, 67), 0);
  assert_int_equal(ciede::chroma_row(5, 3, true), 2);
  assert_int_equal(ciede::chroma_row(6, 3, true), 2);
  assert_int_equal(ciede::chroma_row(6, 7, false), 6);
  unit::assert_fails(QC_ERROR_UNSUPPORTED, "4:0:0", [] { FeatureRun("ciede", {}, {64, 64, QC_CHROMA_400, 8}); });
  unit::assert_fails(QC_ERROR_INVALID, "2x2", [] { FeatureRun("ciede", {}, {1, 64, QC_CHROMA_420, 8}); });
}

// Kinds: noise; small noise on a ramp; gray; now and then a difference.
SampleFunction noise(uint32_t seed, int depth, int kind) {
  return [=](int plane, int x, int y) {
    uint32_t h = seed + static_cast<uint32_t>(x) * 0x9e3779b1U + static_cast<uint32_t>(y) * 0x85ebca77U +
                 static_cast<uint32_t>(plane) * 0xc2b2ae3dU;
    h = (h ^ (h >> 15)) * 0x2c1b3c6dU;
    h = (h ^ (h >> 12)) * 0x297a2d39U;
    h ^= h >> 15;
    const uint32_t maximum = (1U << depth) - 1;
    const uint32_t step = 1U << (depth - 8);
    if (kind == 0) return h & maximum;
    if (kind == 1) return ((static_cast<uint32_t>(x + y) & 127U) + h % 6) * step + (h >> 8) % step;
    if (kind == 2 && plane > 0) return 128 * step;
    return (static_cast<uint32_t>(x / 9 + y / 11) & 127U) + (h % 97 == 0 ? 1U : 0U);
  };
}

void targets_and_layouts(void**) {
  const int sizes[][2] = {{2, 2}, {3, 3}, {16, 4}, {33, 5}, {64, 6}, {67, 4}, {130, 3}};
  const QCChroma chromas[] = {QC_CHROMA_420, QC_CHROMA_422, QC_CHROMA_444};
  uint32_t seed = 1;
  ColorDifferenceScratch scratch;
  for (const auto& size : sizes) {
    for (int depth : {8, 9, 10, 12, 14, 16}) {
      for (int kind = 0; kind < 4; ++kind) {
        const QCChroma chroma = chromas[seed % 3];
        const Geometry g{size[0], size[1], chroma, depth};
        const Layout layouts[] = {{}, {depth == 8 ? 0 : 16 - depth, true, 6, false, true}, {0, false, 2, true, false}};
        const GuardedPicture r(g, layouts[seed / 3 % 3], noise(seed, depth, kind));
        const GuardedPicture d(g, layouts[seed / 9 % 3], noise(seed + 1, depth, kind));
        const PairView pair{r.view(), d.view()};
        // Pixel by pixel in order.
        double expected = 0;
        for (int y = 0; y < g.height; ++y) {
          for (int x = 0; x < g.width; ++x) {
            uint16_t samples[2][3];
            PixelRows rows;
            for (int i = 0; i < 2; ++i) {
              const PictureView& picture = i ? pair.distorted : pair.reference;
              const int row = ciede::chroma_row(y, g.plane_height(1), chroma != QC_CHROMA_444);
              samples[i][0] = static_cast<uint16_t>(picture.plane[0].at(x, y));
              for (int p = 1; p < 3; ++p)
                samples[i][p] =
                    static_cast<uint16_t>(ciede::chroma_sample(picture, p, row, chroma == QC_CHROMA_420 ? x / 2 : x));
              for (int p = 0; p < 3; ++p) rows.sample[i][p] = &samples[i][p];
            }
            double difference;
            plain::color_differences(rows, 1, depth, &difference);
            expected += difference;
          }
        }
        for (const std::string& target : available_targets()) {
          assert_true(force_target(target));
          const double actual = sum_color_differences(pair, chroma, scratch);
          if (std::memcmp(&actual, &expected, sizeof actual) != 0)
            fail_msg("%s, %dx%d, %d bits, chroma %d, kind %d: %a is not %a", target.c_str(), g.width, g.height, depth,
                     chroma, kind, actual, expected);
        }
        force_target("");
        ++seed;
      }
    }
  }
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(accuracy),      cmocka_unit_test(seventh_power),    cmocka_unit_test(pattern_scores),
      cmocka_unit_test(flat_pictures), cmocka_unit_test(chroma_positions), cmocka_unit_test(targets_and_layouts),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
