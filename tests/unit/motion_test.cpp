// motion and motion_v2: the specification's checks, every instruction set against the scalar code, layouts, guarded
// memory.
#include <random>
#include <string>
#include <vector>

#include "core/targets.h"
#include "motion/blurred_difference.h"
#include "motion/motion_arithmetic.h"
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

const std::string kSad = "VMAF_integer_feature_motion_sad_score";

void flat_steps(void**) {
  const Geometry g{64, 64, QC_CHROMA_420, 8};
  Columns c = run_stream("name=motion:debug=true", g, flat_frames({100, 110, 110, 90}));
  assert_column(c, kSad, {0, 10, 0, 20});
  assert_column(c, "integer_motion", {0, 10, 0, 20});
  assert_column(c, "integer_motion2", {0, 0, 0, 20});
  assert_column(c, "integer_motion3", {10, 0, 0, 20});
  assert_int_equal(c.size(), 4);

  const auto frames = flat_frames({100, 110, 120, 90, 90});
  c = run_stream("name=motion:motion_five_frame_window=true", g, frames);
  assert_column(c, kSad + "_mffw", {0, 0, 20, 20, 30});
  assert_column(c, "integer_motion2_mffw", {0, 0, 20, 20, 30});
  assert_column(c, "integer_motion3_mffw", {20, 20, 20, 20, 30});

  c = run_stream("name=motion:motion_five_frame_window=true:motion_max_val=18:motion_moving_average=true", g, frames);
  assert_column(c, kSad + "_mffw_mmxv_18_mma", {0, 0, 18, 18, 18});
  assert_column(c, "integer_motion3_mffw_mmxv_18_mma", {18, 18, 18, 18, 18});

  c = run_stream("name=motion:motion_blend_factor=0.5:motion_blend_offset=12", g, frames);
  assert_column(c, kSad + "_mbf_0.5_mbo_12", {0, 10, 10, 30, 0});
  assert_column(c, "integer_motion2_mbf_0.5_mbo_12", {0, 10, 10, 0, 0});
  assert_column(c, "integer_motion3_mbf_0.5_mbo_12", {10, 10, 10, 0, 0});

  c = run_stream("name=motion:motion_force_zero=true", g, frames);
  for (const auto& [name, values] : c) assert_column(c, name, {0, 0, 0, 0, 0});
  assert_int_equal(c.size(), 3);
  c = run_stream("name=motion_v2:motion_force_zero=true", g, frames);
  assert_column(c, "VMAF_integer_feature_motion3_v2_score_force_0", {0, 0, 0, 0, 0});
  assert_int_equal(c.size(), 3);
}

void short_streams(void**) {
  const Geometry g{16, 16, QC_CHROMA_400, 8};
  for (const char* feature : {"name=motion", "name=motion_v2"}) {
    const Columns c = run_stream(feature, g, flat_frames({5}));
    assert_int_equal(c.size(), 3);
    for (const auto& [name, values] : c) assert_column(c, name, {0});
  }
  Columns c = run_stream("name=motion:motion_five_frame_window=true", g, flat_frames({5, 50}));
  for (const auto& [name, values] : c) assert_column(c, name, {0, 0});
  c = run_stream("name=motion:motion_five_frame_window=true:motion_moving_average=true", g, flat_frames({5, 50, 15}));
  assert_column(c, kSad + "_mffw_mma", {0, 0, 10});
  assert_column(c, "integer_motion2_mffw_mma", {0, 0, 10});
  assert_column(c, "integer_motion3_mffw_mma", {10, 10, 10});
}

void deep_steps(void**) {
  struct Case {
    int depth;
    std::vector<uint32_t> values;
    std::vector<double> scores;
  };
  const Case cases[] = {
      {10, {400, 441, 380}, {0, 10.25, 15.25}},
      {16, {400, 65441, 380}, {0, 254.06640625, 254.14453125}},
      {9, {400, 441, 380}, {0, 20.5, 30.5}},
  };
  for (const Case& k : cases)
    assert_column(run_stream("name=motion", {64, 64, QC_CHROMA_400, k.depth}, flat_frames(k.values)), kSad, k.scores);
}

// A single sample that changes: the filter's own figure.
void impulses(void**) {
  const Geometry g{64, 64, QC_CHROMA_420, 8};
  const auto impulse = [](int at, uint32_t value) {
    return [=](int p, int x, int y) { return p == 0 && x == at && y == at ? value : 0U; };
  };
  const auto none = impulse(0, 0);
  constexpr double kInside = 0.00024127960205078125;
  constexpr double kCorner = 0.030619621276855469;
  assert_column(run_stream("name=motion", g, {none, impulse(32, 1), none}), kSad, {0, kInside, kInside});
  assert_column(run_stream("name=motion", g, {none, impulse(0, 255), none}), kSad, {0, kCorner, kCorner});
}

SampleFunction pattern(int depth, int frame) {
  return [=](int p, int x, int y) {
    const int top = (7 * x + 13 * y + 29 * frame + x * y / 8 + 50 * p) & 255;
    return static_cast<uint32_t>(top << (depth - 8) | ((x ^ (y + 3 * frame)) & ((1 << (depth - 8)) - 1)));
  };
}

// Figures of libvmaf. Neither threads nor the feature's other name change them.
void pattern_scores(void**) {
  const std::map<int, std::vector<double>> expected = {
      {8, {0, 36.420344890132668, 37.212957348673299, 37.429263837064674}},
      {10, {0, 36.420298248341624, 37.2127863287728, 37.429621424129351}},
      {12, {0, 36.413243677446104, 37.205856135986735, 37.419549388474294}},
      {16, {0, 36.42018553067993, 37.212956053067991, 37.42921719527363}},
  };
  for (const auto& [depth, raw] : expected) {
    const Geometry g{67, 45, QC_CHROMA_420, depth};
    std::vector<SampleFunction> frames;
    for (int i = 0; i < 4; ++i) frames.push_back(pattern(depth, i));
    for (const char* threads : {"1", "3"}) {
      const Columns c = run_stream("name=motion|name=motion_v2", g, frames, threads);
      const std::vector<double> motion3 = {raw[1], raw[1], raw[2], raw[3]};
      assert_column(c, kSad, raw);
      assert_column(c, "integer_motion2", raw);
      assert_column(c, "integer_motion3", motion3);
      assert_column(c, "VMAF_integer_feature_motion_v2_sad_score", raw);
      assert_column(c, "VMAF_integer_feature_motion2_v2_score", raw);
      assert_column(c, "VMAF_integer_feature_motion3_v2_score", motion3);
      assert_int_equal(c.size(), 6);
    }
  }
}

void refusals(void**) {
  for (const char* name : {"motion", "motion_v2"}) {
    unit::assert_fails(QC_ERROR_INVALID, "3x3", [&] { unit::FeatureRun(name, {}, {2, 64, QC_CHROMA_400, 8}); });
    unit::assert_fails(QC_ERROR_INVALID, "3x3", [&] { unit::FeatureRun(name, {}, {64, 2, QC_CHROMA_400, 8}); });
  }
  unit::assert_fails(QC_ERROR_UNSUPPORTED, "motion_five_frame_window", [] {
    unit::FeatureRun("motion_v2", {{"motion_five_frame_window", "true"}}, {64, 64, QC_CHROMA_400, 8});
  });
}

// The halved sums of 32 bits against whole ones of 64.
void halved_sums(void**) {
  std::mt19937 random(1);
  for (int n = 0; n < 200000; ++n) {
    const int depth = 8 + n % 9;
    const int32_t limit = (1 << depth) - 1;
    auto draw = [&](int32_t bound) {
      const int kind = static_cast<int>(random() % 4);
      if (kind == 0) return bound;
      if (kind == 1) return -bound;
      return static_cast<int32_t>(random() % (2 * static_cast<uint32_t>(bound) + 1)) - bound;
    };
    int32_t d[5];
    for (int32_t& v : d) v = draw(limit);
    const int64_t sum = 3571 * (int64_t{d[0]} + d[4]) + 16004 * (int64_t{d[1]} + d[3]) + 26386 * int64_t{d[2]};
    assert_int_equal(motion::blur_vertically(d[0] + d[4], d[1] + d[3], d[2], depth),
                     (sum + (int64_t{1} << (depth - 1))) >> depth);
    for (int32_t& v : d) v = draw(65535);
    const int64_t row = 3571 * (int64_t{d[0]} + d[4]) + 16004 * (int64_t{d[1]} + d[3]) + 26386 * int64_t{d[2]};
    assert_int_equal(motion::blur_horizontally(d[0] + d[4], d[1] + d[3], d[2]), (row + 32768) >> 16);
  }
}

// Noise; of kind 1 only the extremes, in coarse patches, so that sums come near their bounds; of kind 2 in the lower
// half of the range, so that no difference is greater than that.
SampleFunction noise(uint32_t seed, int depth, int kind) {
  return [=](int, int x, int y) {
    const int cell = kind == 1 ? 4 : 1;
    const uint32_t h = unit::hash32(seed, x / cell, y / cell);
    const uint32_t maximum = (1U << depth) - 1;
    return kind == 1 ? (h & 64 ? maximum : 0U) : h & (maximum >> (kind == 2));
  };
}

void targets_and_layouts(void**) {
  const int sizes[][2] = {{3, 3}, {4, 3}, {3, 16}, {5, 8}, {9, 7}, {17, 33}, {31, 5}, {64, 4}, {67, 51}, {131, 9}};
  uint32_t seed = 1;
  MotionScratch scratch;
  for (const auto& size : sizes) {
    for (int depth = 8; depth <= 16; ++depth) {
      for (int kind = 0; kind < 3; ++kind) {
        const Geometry g{size[0], size[1], QC_CHROMA_400, depth};
        const Layout layouts[] = {{}, {depth == 8 ? 0 : 16 - depth, false, 6, false, true}, {0, false, 2, true, false}};
        const SampleFunction older = noise(seed++, depth, kind);
        const SampleFunction newer = noise(seed++, depth, kind);
        for (const Layout& layout : layouts) {
          const GuardedPicture a(g, layout, older);
          const GuardedPicture b(g, {}, newer);
          force_target("scalar");
          const uint64_t expected = blurred_difference(a.view().plane[0], b.view().plane[0], scratch);
          for (const std::string& target : available_targets()) {
            assert_true(force_target(target));
            const uint64_t actual = blurred_difference(a.view().plane[0], b.view().plane[0], scratch);
            if (actual != expected)
              fail_msg("%s, %dx%d, %d bits, kind %d: %llu, not %llu", target.c_str(), size[0], size[1], depth, kind,
                       static_cast<unsigned long long>(actual), static_cast<unsigned long long>(expected));
          }
          force_target("");
        }
      }
    }
  }
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(flat_steps),  cmocka_unit_test(short_streams),       cmocka_unit_test(deep_steps),
      cmocka_unit_test(impulses),    cmocka_unit_test(pattern_scores),      cmocka_unit_test(refusals),
      cmocka_unit_test(halved_sums), cmocka_unit_test(targets_and_layouts),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
