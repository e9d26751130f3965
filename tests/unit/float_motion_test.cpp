// float_motion: the specification's checks, every instruction set against the scalar code, layouts, guarded memory.
#include <map>
#include <random>
#include <string>
#include <vector>

#include "core/targets.h"
#include "math/ordered_rows.h"
#include "motion/float_difference.h"
#include "pictures.h"
#include "stream_run.h"
#include "unit.h"

namespace {

using namespace qc;
using unit::assert_column;
using unit::Columns;
using unit::flat_frames;
using unit::GuardedPicture;
using unit::Layout;
using unit::run_stream;
using unit::SampleFunction;

// Flat steps are not exact: the taps do not add up to 1 in float32.
void flat_steps(void**) {
  const Geometry g{64, 64, QC_CHROMA_420, 8};
  Columns c = run_stream("name=float_motion", g, flat_frames({100, 110, 110, 90}));
  assert_column(c, "motion", {0, 10.000000953674316, 0, 20});
  assert_column(c, "motion2", {0, 0, 0, 20});
  assert_column(c, "motion3", {10.000000953674316, 0, 0, 20});
  assert_int_equal(c.size(), 3);
  c = run_stream("name=float_motion", {64, 64, QC_CHROMA_400, 10}, flat_frames({400, 441, 380}));
  assert_column(c, "motion", {0, 10.250000953674316, 15.25});
  c = run_stream("name=float_motion", {64, 64, QC_CHROMA_400, 16}, flat_frames({400, 65441, 380}));
  assert_column(c, "motion", {0, 254.06640625, 254.14453125});
}

void short_streams(void**) {
  const Geometry g{64, 64, QC_CHROMA_420, 8};
  Columns c = run_stream("name=float_motion", g, flat_frames({100}));
  for (const char* name : {"motion", "motion2", "motion3"}) assert_column(c, name, {0});
  c = run_stream("name=float_motion:debug=false", g, flat_frames({100, 110}));
  assert_column(c, "motion2", {0, 10.000000953674316});
  assert_column(c, "motion3", {10.000000953674316, 10.000000953674316});
  assert_int_equal(c.size(), 2);
  c = run_stream("name=float_motion:motion_force_zero=true", g, flat_frames({100, 110, 90}));
  for (const char* name : {"motion_force_0", "motion2_force_0", "motion3_force_0"}) assert_column(c, name, {0, 0, 0});
}

void impulses(void**) {
  const Geometry g{64, 64, QC_CHROMA_420, 8};
  const auto impulse = [](int at, uint32_t value) {
    return [=](int p, int x, int y) { return p == 0 && x == at && y == at ? value : 0U; };
  };
  const auto none = impulse(0, 0);
  constexpr double kInside = 0.00024413876235485077;
  constexpr double kCorner = 0.030619651079177856;
  assert_column(run_stream("name=float_motion", g, {none, impulse(32, 1), none}), "motion", {0, kInside, kInside});
  assert_column(run_stream("name=float_motion", g, {none, impulse(0, 255)}), "motion", {0, kCorner});
}

SampleFunction pattern(int depth, int frame) {
  return [=](int p, int x, int y) {
    const int top = (7 * x + 13 * y + 29 * frame + x * y / 8 + 50 * p) & 255;
    return static_cast<uint32_t>(top << (depth - 8) | ((x ^ (y + 3 * frame)) & ((1 << (depth - 8)) - 1)));
  };
}

// Figures of libvmaf. Threads don't change them.
void pattern_scores(void**) {
  struct Case {
    const char* options;
    const char* suffix;
    std::map<int, std::vector<double>> expected;  // motion by depth
  };
  const Case cases[] = {
      {"",
       "",
       {{8, {0, 36.420482635498047, 37.213104248046875, 37.429401397705078}},
        {10, {0, 36.420433044433594, 37.212936401367188, 37.429756164550781}},
        {12, {0, 36.413284301757812, 37.205890655517578, 37.419593811035156}},
        {16, {0, 36.420169830322266, 37.212944030761719, 37.429233551025391}}}},
      {":motion_add_scale1=true:motion_add_uv=true:motion_filter_size=3",
       "_mdc_mau_mfs_3",
       {{8, {0, 250.22590637207031, 250.62458801269531, 253.63857269287109}},
        {10, {0, 250.24018096923828, 250.61817932128906, 253.6527099609375}},
        {12, {0, 250.25486755371094, 250.62474060058594, 253.64109039306641}},
        {16, {0, 250.22933959960938, 250.62518310546875, 253.63932800292969}}}},
      {":motion_filter_size=1:motion_fps_weight=0.3",
       "_mfs_1_mfw_0.3",
       {{8, {0, 15.181790542602538, 15.4576114654541, 15.516716766357421}},
        {10, {0, 15.18211441040039, 15.45713882446289, 15.515497970581054}},
        {12, {0, 15.180702209472656, 15.456747436523436, 15.514770126342773}},
        {16, {0, 15.181773376464843, 15.457701873779296, 15.51668701171875}}}},
  };
  for (const Case& k : cases) {
    for (const auto& [depth, motion] : k.expected) {
      std::vector<SampleFunction> frames;
      for (int i = 0; i < 4; ++i) frames.push_back(pattern(depth, i));
      for (const char* threads : {"1", "3"}) {
        const Columns c =
            run_stream(std::string("name=float_motion") + k.options, {67, 45, QC_CHROMA_444, depth}, frames, threads);
        assert_column(c, std::string("motion") + k.suffix, motion);
        assert_column(c, std::string("motion2") + k.suffix, motion);
        assert_column(c, std::string("motion3") + k.suffix, {motion[1], motion[1], motion[2], motion[3]});
      }
    }
  }
}

// Instances that share a frame's sums must not disturb each other.
void several_instances(void**) {
  const Geometry g{67, 45, QC_CHROMA_420, 8};
  std::vector<SampleFunction> frames;
  for (int i = 0; i < 3; ++i) frames.push_back(pattern(8, i));
  const std::string features[] = {"name=float_motion", "name=float_motion:motion_add_scale1=true",
                                  "name=float_motion:motion_filter_size=3:motion_add_uv=true",
                                  "name=float_motion:motion_filter_size=3:motion_max_val=1"};
  std::string all;
  Columns expected;
  for (const std::string& feature : features) {
    all += (all.empty() ? "" : "|") + feature;
    expected.merge(run_stream(feature, g, frames));
  }
  const Columns together = run_stream(all, g, frames);
  assert_int_equal(together.size(), expected.size());
  for (const auto& [name, values] : expected) assert_column(together, name, values);
}

void refusals(void**) {
  const auto refused = [](QCStatus code, const char* part, const OptionList& options, const Geometry& g) {
    unit::assert_fails(code, part, [&] { unit::FeatureRun("float_motion", options, g); });
  };
  refused(QC_ERROR_INVALID, "3x3", {}, {2, 64, QC_CHROMA_400, 8});
  refused(QC_ERROR_INVALID, "2x2", {{"motion_filter_size", "3"}}, {64, 1, QC_CHROMA_400, 8});
  refused(QC_ERROR_INVALID, "3x3", {{"motion_add_uv", "true"}}, {4, 64, QC_CHROMA_420, 8});
  refused(QC_ERROR_INVALID, "chroma", {{"motion_add_uv", "true"}}, {64, 64, QC_CHROMA_400, 8});
  refused(QC_ERROR_INVALID, "15360", {{"motion_add_scale1", "true"}}, {15362, 64, QC_CHROMA_400, 8});
}

SampleFunction noise(uint32_t seed, int depth, int kind) {
  return [=](int, int x, int y) {
    const int cell = kind == 1 ? 4 : 1;
    const uint32_t h = unit::hash32(seed, x / cell, y / cell);
    const uint32_t maximum = (1U << depth) - 1;
    return kind == 1 ? (h & 64 ? maximum : 0U) : h & maximum;
  };
}

void targets_and_layouts(void**) {
  const int sizes[][2] = {{3, 3}, {4, 3}, {3, 16}, {5, 8}, {9, 7}, {17, 33}, {31, 5}, {64, 18}, {67, 51}, {131, 37}};
  uint32_t seed = 1;
  FloatMotionScratch scratch;
  for (const auto& size : sizes) {
    for (const int depth : {8, 9, 10, 12, 14, 16}) {
      for (const int taps : {1, 3, 5}) {
        const Geometry g{size[0], size[1], QC_CHROMA_400, depth};
        const Layout layouts[] = {{}, {depth == 8 ? 0 : 16 - depth, false, 6, false, true}, {0, false, 2, true, false}};
        const SampleFunction older = noise(seed++, depth, taps % 2);
        const SampleFunction newer = noise(seed++, depth, taps % 2);
        for (const Layout& layout : layouts) {
          const GuardedPicture a(g, layout, older);
          const GuardedPicture b(g, {}, newer);
          // As chroma of a picture of about twice the width, and as luma.
          for (const int luma_width : {size[0], 2 * size[0] + 1}) {
            const auto run = [&](bool halve) {
              return float_difference(a.view().plane[0], b.view().plane[0], float_motion::filter(taps), halve,
                                      luma_width, scratch);
            };
            assert_true(force_target("scalar"));
            const FloatDifference expected = run(true);
            for (const std::string& target : available_targets()) {
              assert_true(force_target(target));
              const FloatDifference actual = run(true);
              const FloatDifference alone = run(false);
              if (actual.full != expected.full || actual.half != expected.half || alone.full != expected.full)
                fail_msg("%s, %dx%d, %d bits, %d taps: %.9g %.9g %.9g, not %.9g %.9g", target.c_str(), size[0], size[1],
                         depth, taps, double(actual.full), double(actual.half), double(alone.full),
                         double(expected.full), double(expected.half));
            }
            force_target("");
          }
        }
      }
    }
  }
}

// Against the plain loop, for terms of all magnitudes.
void ordered_rows(void**) {
  std::mt19937 random(1);
  for (int n = 0; n < 200; ++n) {
    const int rows = 1 + static_cast<int>(random() % 40);
    const int width = 1 + static_cast<int>(random() % 70);
    const size_t pitch = static_cast<size_t>(width) + random() % 5;
    std::vector<float> terms(pitch * static_cast<size_t>(rows));
    for (float& t : terms)
      t = std::ldexp(static_cast<float>(random() % 65536) - (n % 2 ? 0.0F : 32768.0F), static_cast<int>(random() % 16));
    std::vector<float> expected(static_cast<size_t>(rows));
    for (int r = 0; r < rows; ++r)
      for (int x = 0; x < width; ++x)
        expected[static_cast<size_t>(r)] += terms[static_cast<size_t>(r) * pitch + static_cast<size_t>(x)];
    for (const std::string& target : available_targets()) {
      assert_true(force_target(target));
      std::vector<float> sums(static_cast<size_t>(rows));
      sum_rows_in_order(terms.data(), pitch, rows, width, sums.data());
      assert_memory_equal(sums.data(), expected.data(), sums.size() * sizeof(float));
    }
    force_target("");
  }
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(flat_steps),     cmocka_unit_test(short_streams),       cmocka_unit_test(impulses),
      cmocka_unit_test(pattern_scores), cmocka_unit_test(several_instances),   cmocka_unit_test(refusals),
      cmocka_unit_test(ordered_rows),   cmocka_unit_test(targets_and_layouts),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
