// psnr, float_psnr, float_moment and float_ansnr: the specification's checks, every instruction set against the scalar
// code, layouts, guarded memory, and sums that outgrow exact float64 integers.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "pictures.h"
#include "psnr/float_moment_record.h"
#include "psnr/float_psnr_record.h"
#include "psnr/psnr_record.h"
#include "psnr/row_sums.h"
#include "unit.h"

namespace {

using namespace qc;
using unit::assert_scores;
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

// By the C library at run time: the compiler would fold a constant's logarithm with another rounding.
double decibels(double ratio) {
  volatile double unknown = ratio;
  return 10 * std::log10(unknown);
}

// Reproducible noise of `depth` bits; `kind` 1 has only the least and the greatest value, 2 only values near the
// greatest.
SampleFunction noise(uint64_t seed, int depth, int kind) {
  return [=](int p, int x, int y) {
    const uint64_t h = hash(seed + static_cast<uint64_t>(p) * 0x9e3779b97f4a7c15U, x, y);
    const uint32_t maximum = (1U << depth) - 1;
    if (kind == 1) return h & 1 ? maximum : 0U;
    if (kind == 2) return maximum - static_cast<uint32_t>(h & 15);
    return static_cast<uint32_t>(h >> 20) & maximum;
  };
}

Scores score(const std::string& feature, const OptionList& options, const Geometry& g, const PairView& pair) {
  return FeatureRun(feature, options, g).score(pair);
}

// Figures of libvmaf for the pattern.
void pattern_scores(void**) {
  struct Case {
    Geometry geometry;
    double psnr[3], mse_y, float_psnr, moment[4], ansnr, anpsnr;
  };
  const Case cases[] = {
      {{64, 48, QC_CHROMA_420, 8},
       {39.946774661746915, 39.917237985626635, 39.934336215660863},
       6.582682291666667,
       39.946774661746915,
       {129.69270833333334, 129.68619791666666, 22145.697916666668, 22146.442057291668},
       25.025267190713034,
       36.557641465364838},
      {{67, 50, QC_CHROMA_420, 8},
       {39.947559676772237, 39.925007780839579, 39.926599477694126},
       6.5814925373134328,
       39.947559676772237,
       {128.735223880597, 128.72985074626865, 21958.282686567163, 21960.680298507461},
       24.902819358916709,
       36.406171223879007},
      {{64, 48, QC_CHROMA_422, 10},
       {39.967306928037154, 39.955323908375945, 39.946615148654551},
       105.44368489583333,
       39.967306928037154,
       {130.06770833333334, 130.062744140625, 22243.2890625, 22245.277526855469},
       25.031453052585817,
       36.587959394887072},
      {{64, 48, QC_CHROMA_444, 12},
       {39.972450139673953, 39.964155395909216, 39.974594401412595},
       1687.5738932291667,
       39.972450139673953,
       {130.16145833333334, 130.15419514973959, 22268.217447916668, 22269.765422821045},
       25.031897831855229,
       36.593756634603075},
      {{64, 48, QC_CHROMA_444, 16},
       {39.974472358017834, 39.965390955616385, 39.975923439530796},
       432015.54264322919,
       39.974472358017834,
       {129.99934895833334, 129.9948870340983, 22226.614147121709, 22229.079029684264},
       25.034245794245056,
       36.598178299009717},
  };
  for (const Case& c : cases) {
    const Geometry& g = c.geometry;
    const Pictures pictures(g, pattern_g(g.depth), distorted_pattern_g(g.depth));
    for_each_target([&] {
      Scores psnr = score("psnr", {{"enable_mse", "true"}}, g, pictures.view);
      psnr.erase("mse_cb");
      psnr.erase("mse_cr");
      assert_scores(psnr, {{"psnr_y", c.psnr[0]}, {"psnr_cb", c.psnr[1]}, {"psnr_cr", c.psnr[2]}, {"mse_y", c.mse_y}});
      assert_scores(score("float_psnr", {}, g, pictures.view), {{"float_psnr", c.float_psnr}});
      assert_scores(score("float_moment", {}, g, pictures.view), {{"float_moment_ref1st", c.moment[0]},
                                                                  {"float_moment_dis1st", c.moment[1]},
                                                                  {"float_moment_ref2nd", c.moment[2]},
                                                                  {"float_moment_dis2nd", c.moment[3]}});
      assert_scores(score("float_ansnr", {}, g, pictures.view), {{"float_ansnr", c.ansnr}, {"float_anpsnr", c.anpsnr}});
    });
  }
}

void flat_pictures(void**) {
  const Geometry g{64, 64, QC_CHROMA_400, 8};
  const Pictures ten(g, flat(100), flat(110));
  assert_scores(score("psnr", {{"enable_mse", "true"}}, g, ten.view), {{"psnr_y", 28.130803608679106}, {"mse_y", 100}});
  assert_scores(score("float_psnr", {}, g, ten.view), {{"float_psnr", 28.130803608679106}});
  assert_scores(score("float_moment", {}, g, ten.view), {{"float_moment_ref1st", 100},
                                                         {"float_moment_dis1st", 110},
                                                         {"float_moment_ref2nd", 10000},
                                                         {"float_moment_dis2nd", 12100}});
  assert_scores(score("float_ansnr", {}, g, ten.view),
                {{"float_ansnr", 8.9431607113699947}, {"float_anpsnr", 28.130803608679106}});
  const Pictures extreme(g, flat(255), flat(0));
  assert_scores(score("psnr", {}, g, extreme.view), {{"psnr_y", 0}});
  assert_scores(score("float_ansnr", {}, g, extreme.view), {{"float_ansnr", -6.0547291905871239}, {"float_anpsnr", 0}});
  for (uint32_t value : {0U, 128U}) {
    const Pictures same(g, flat(value), flat(value));
    assert_scores(score("float_ansnr", {}, g, same.view), {{"float_ansnr", 60}, {"float_anpsnr", 60}});
  }
}

void identical_pictures(void**) {
  for (int depth : {8, 9, 10, 12, 14, 16}) {
    const Geometry g{64, 64, QC_CHROMA_420, depth};
    const Pictures same(g, pattern_g(depth), pattern_g(depth));
    const double cap = 6 * depth + 12;
    assert_scores(score("psnr", {}, g, same.view), {{"psnr_y", cap}, {"psnr_cb", cap}, {"psnr_cr", cap}});
    assert_scores(score("float_psnr", {}, g, same.view), {{"float_psnr", cap}});
  }
}

void cap_from_min_sse(void**) {
  const std::pair<int, double> caps[] = {{8, 88}, {10, 100}, {12, 112}, {16, 136}};
  for (const auto& [depth, cap] : caps) {
    const Geometry g{64, 64, QC_CHROMA_400, depth};
    const Pictures same(g, pattern_g(depth), pattern_g(depth));
    assert_scores(score("psnr", {{"min_sse", "0.5"}}, g, same.view), {{"psnr_y", cap}});
    assert_scores(score("psnr", {{"min_sse", "0.5"}, {"reduced_hbd_peak", "true"}}, g, same.view), {{"psnr_y", cap}});
  }
  const Geometry odd{65, 51, QC_CHROMA_420, 8};
  const Pictures same(odd, pattern_g(8), pattern_g(8));
  assert_scores(score("psnr", {{"min_sse", "0.5"}}, odd, same.view),
                {{"psnr_y", 87}, {"psnr_cb", 81}, {"psnr_cr", 81}});
}

void reduced_peak(void**) {
  const Geometry g{65, 51, QC_CHROMA_420, 10};
  const Pictures pictures(g, pattern_g(10), distorted_pattern_g(10));
  assert_scores(score("psnr", {{"reduced_hbd_peak", "true"}}, g, pictures.view),
                {{"psnr_y", 39.936555406536954}, {"psnr_cb", 39.909633827839016}, {"psnr_cr", 39.925299962718306}});
  assert_scores(score("psnr", {}, g, pictures.view),
                {{"psnr_y", 39.962064645541808}, {"psnr_cb", 39.935143066843864}, {"psnr_cr", 39.95080920172316}});
}

void stream_psnr(void**) {
  const Geometry g{64, 48, QC_CHROMA_420, 8};
  const Pictures pictures(g, pattern_g(8), distorted_pattern_g(8));
  FeatureRun one("psnr", {{"enable_apsnr", "true"}}, g);
  one.score(pictures.view);
  const Scores aggregates = one.flush();
  assert_int_equal(aggregates.size(), 3);
  unit::assert_same(aggregates.at("apsnr_y"), 39.946774661746915);

  const Geometry square{64, 64, QC_CHROMA_420, 8};
  const Pictures same(square, pattern_g(8), pattern_g(8));
  FeatureRun two("psnr", {{"enable_apsnr", "true"}, {"enable_chroma", "false"}}, square);
  assert_scores(two.score(same.view), {{"psnr_y", 60}});
  two.score(same.view);
  assert_scores(two.flush(), {{"apsnr_y", 91}, {"apsnr_cb", -kInfinity}, {"apsnr_cr", -kInfinity}});

  FeatureRun off("psnr", {}, square);
  off.score(same.view);
  assert_int_equal(off.flush().size(), 0);
}

// libvmaf has no 9 and 14 bits; the formulas are the same.
void depths_that_libvmaf_lacks(void**) {
  for (int depth : {9, 14}) {
    const Geometry g{16, 16, QC_CHROMA_400, depth};
    const uint32_t unit = 1U << (depth - 8);
    const Pictures ten(g, flat(100 * unit), flat(110 * unit));
    const double peak = (1 << depth) - 1;
    assert_scores(score("psnr", {}, g, ten.view), {{"psnr_y", decibels(peak * peak / (100.0 * unit * unit))}});
    assert_scores(score("float_psnr", {}, g, ten.view), {{"float_psnr", decibels(peak / unit * (peak / unit) / 100)}});
    assert_scores(score("float_moment", {}, g, ten.view), {{"float_moment_ref1st", 100},
                                                           {"float_moment_dis1st", 110},
                                                           {"float_moment_ref2nd", 10000},
                                                           {"float_moment_dis2nd", 12100}});
  }
}

void small_pictures(void**) {
  unit::assert_fails(QC_ERROR_UNSUPPORTED, "at least 3x3", [] {
    FeatureRun("float_ansnr", {}, {2, 64, QC_CHROMA_400, 8});
  });
  unit::assert_fails(QC_ERROR_UNSUPPORTED, "at least 3x3", [] {
    FeatureRun("float_ansnr", {}, {64, 2, QC_CHROMA_400, 8});
  });
  const Geometry one{1, 1, QC_CHROMA_444, 8};
  const Pictures pixel(one, flat(10), flat(13));
  assert_scores(score("psnr", {{"enable_mse", "true"}, {"enable_chroma", "false"}}, one, pixel.view),
                {{"psnr_y", decibels(65025.0 / 9)}, {"mse_y", 9}});
}

// Every row kernel on every width up to a few vectors, at both ends of guarded memory, against the definition.
template <class T>
void check_rows(int depth) {
  for (int width = 1; width <= 200; ++width) {
    for (int kind = 0; kind < 3; ++kind) {
      const bool end = width % 2;
      const unit::GuardedBytes memory_r(static_cast<size_t>(width) * sizeof(T), end);
      const unit::GuardedBytes memory_d(static_cast<size_t>(width) * sizeof(T), end);
      T* r = reinterpret_cast<T*>(memory_r.data());
      T* d = reinterpret_cast<T*>(memory_d.data());
      uint64_t error = 0, rounded = 0, sum = 0, squares = 0;
      for (int x = 0; x < width; ++x) {
        r[x] = static_cast<T>(noise(1, depth, kind)(0, x, width));
        d[x] = static_cast<T>(noise(2, depth, kind == 2 ? 1 : kind)(0, x, width));
        const int64_t difference = int64_t{r[x]} - int64_t{d[x]};
        error += static_cast<uint64_t>(difference * difference);
        rounded += static_cast<uint64_t>(static_cast<float>(difference * difference));
        sum += r[x];
        squares += static_cast<uint64_t>(static_cast<float>(uint64_t{r[x]} * r[x]));
      }
      for_each_target([&] {
        assert_int_equal(squared_error_row(r, d, width, depth), error);
        if constexpr (sizeof(T) == 2) assert_int_equal(rounded_squared_error_row(r, d, width), rounded);
        const RowMoments moments = moments_row(r, width, depth);
        assert_int_equal(moments.sum, sum);
        assert_int_equal(moments.square_sum, squares);
      });
    }
  }
}

void row_kernels(void**) {
  check_rows<uint8_t>(8);
  for (int depth : {9, 10, 12, 14, 16}) check_rows<uint16_t>(depth);
}

// The widest row with the greatest values: no lane overflows.
void widest_rows(void**) {
  constexpr uint64_t kWidth = 32768;
  const std::vector<uint8_t> zero8(kWidth, 0), full8(kWidth, 255);
  for_each_target([&] {
    assert_int_equal(squared_error_row(full8.data(), zero8.data(), kWidth, 8), kWidth * 255 * 255);
    assert_int_equal(moments_row(full8.data(), kWidth, 8).sum, kWidth * 255);
    assert_int_equal(moments_row(full8.data(), kWidth, 8).square_sum, kWidth * 255 * 255);
  });
  for (int depth : {9, 10, 12, 14, 16}) {
    const uint64_t full = (uint64_t{1} << depth) - 1;
    const std::vector<uint16_t> zeros(kWidth, 0), fulls(kWidth, static_cast<uint16_t>(full));
    const auto rounded = static_cast<uint64_t>(static_cast<float>(full * full));
    for_each_target([&] {
      assert_int_equal(squared_error_row(zeros.data(), fulls.data(), kWidth, depth), kWidth * full * full);
      assert_int_equal(squared_error_row(fulls.data(), zeros.data(), kWidth, depth), kWidth * full * full);
      assert_int_equal(rounded_squared_error_row(zeros.data(), fulls.data(), kWidth), kWidth * rounded);
      assert_int_equal(moments_row(fulls.data(), kWidth, depth).sum, kWidth * full);
      assert_int_equal(moments_row(fulls.data(), kWidth, depth).square_sum, kWidth * rounded);
    });
  }
}

// Records of all features on all targets equal the scalar ones, for odd sizes and every layout.
void targets_and_layouts(void**) {
  const std::pair<int, int> sizes[] = {{3, 3},  {4, 5},   {17, 9},  {31, 16},  {67, 35},
                                       {64, 6}, {256, 5}, {255, 7}, {259, 24}, {520, 11}};
  const Layout plain{};
  const Layout unaligned{0, false, 7, false, true};
  const Layout upside_down{0, true, 2, true, false};
  for (const auto& [width, height] : sizes) {
    for (int depth : {8, 9, 10, 12, 14, 16}) {
      // A 16-bit picture's rows must stay 2-byte aligned.
      Layout layouts[] = {plain, unaligned, upside_down, {16 - depth, true, 6, false, true}};
      if (depth > 8) layouts[1].padding = 6;
      if (depth == 8) layouts[3].shift = 0;
      for (int kind = 0; kind < 3; ++kind) {
        const Geometry g{width, height, QC_CHROMA_420, depth};
        for (const char* feature : {"psnr", "float_psnr", "float_moment", "float_ansnr"}) {
          std::vector<uint8_t> expected;
          for (const Layout& layout : layouts) {
            const Pictures pictures(g, noise(3, depth, kind), noise(4, depth, kind), layout, layouts[kind]);
            std::vector<std::string> targets = available_targets();
            std::reverse(targets.begin(), targets.end());
            assert_string_equal(targets.front().c_str(), "scalar");
            for (const std::string& target : targets) {
              force_target(target);
              const std::vector<uint8_t> record = FeatureRun(feature, {}, g).record(pictures.view);
              if (expected.empty()) expected = record;
              if (record != expected)
                fail_msg("%s differs on %s: %dx%d, %d bits, kind %d", feature, target.c_str(), width, height, depth,
                         kind);
            }
          }
        }
      }
    }
  }
  force_target("");
}

// Features that share the luma pass give what each gives alone.
void shared_pass(void**) {
  for (int depth : {8, 10, 16}) {
    const Geometry g{70, 20, QC_CHROMA_420, depth};
    const Pictures pictures(g, noise(5, depth, 0), noise(6, depth, 0));
    FrameCache cache;
    std::vector<std::unique_ptr<Feature>> features;
    std::vector<std::unique_ptr<CpuKernel>> kernels;
    const char* names[] = {"float_psnr", "float_moment", "psnr"};
    for (const char* name : names) {
      const FeatureDef& def = *registry()[registry_index(name)].definition;
      const OptionSet options(def.options);
      features.push_back(def.create({options, g, pictures.r.format(), pictures.d.format()}));
      kernels.push_back(features.back()->make_cpu_kernel(cache));
    }
    cache.next_frame();
    for (size_t i = 0; i < features.size(); ++i) {
      std::vector<uint64_t> record(features[i]->record_size() / sizeof(uint64_t));
      kernels[i]->run({0, &pictures.view, {nullptr, nullptr}}, record.data());
      const std::vector<uint8_t> alone = FeatureRun(names[i], {}, g).record(pictures.view);
      assert_memory_equal(record.data(), alone.data(), alone.size());
    }
  }
}

// A float64 accumulator in raster order, as the specification defines the sums.
struct RasterSums {
  double error = 0, reference = 0, distorted = 0;
};

RasterSums raster_sums(const Geometry& g, const PairView& pair) {
  const float scale = std::ldexp(1.0F, 8 - g.depth);
  RasterSums sums;
  for (int y = 0; y < g.height; ++y) {
    for (int x = 0; x < g.width; ++x) {
      const float r = static_cast<float>(pair.reference.plane[0].at(x, y)) * scale;
      const float d = static_cast<float>(pair.distorted.plane[0].at(x, y)) * scale;
      sums.error += static_cast<double>((r - d) * (r - d));
      sums.reference += static_cast<double>(r * r);
      sums.distorted += static_cast<double>(d * d);
    }
  }
  return sums;
}

// 16-bit sums beyond 2^53: there the order counts. Bright pictures with small odd terms at the end, which tie.
void ordered_sums(void**) {
  const Geometry g{2048, 1100, QC_CHROMA_400, 16};
  const SampleFunction bright = [](int, int x, int y) {
    return y < 1060 ? 65535U - static_cast<uint32_t>((x * 31 + y * 17) % 5) : static_cast<uint32_t>((x * 7 + y) % 400);
  };
  const Pictures pictures(g, bright, flat(0));
  const RasterSums sums = raster_sums(g, pictures.view);
  const double pixels = double(g.width) * g.height;
  for_each_target([&] {
    FeatureRun psnr("float_psnr", {}, g);
    const std::vector<uint8_t> bytes = psnr.record(pictures.view);
    FloatPsnrRecord record;
    std::memcpy(&record, bytes.data(), sizeof record);
    assert_true(record.squared_error.needs_order());
    // The test has teeth: the exact sum rounds to something else.
    assert_true(record.squared_error.value() != static_cast<double>(record.squared_error.integer));
    unit::assert_same(record.squared_error.value() / 65536, sums.error);
    const Scores scores = psnr.score(pictures.view);
    unit::assert_same(scores.at("float_psnr"), decibels(255.99609375 * 255.99609375 / (sums.error / pixels)));
    const Scores moments = score("float_moment", {}, g, pictures.view);
    unit::assert_same(moments.at("float_moment_ref2nd"), sums.reference / pixels);
    unit::assert_same(moments.at("float_moment_dis2nd"), 0);
  });
}

// A sum of exactly 2^53 is still exact, one term more is not.
void exactness_limit(void**) {
  // 2^31 * 2^22 = 2^53 with float32(46341^2) = 2147488256 in place of 2^31; so 32768^2 = 2^30, 2^23 of them.
  const Geometry limit{4096, 2048, QC_CHROMA_400, 16};
  const Pictures exact(limit, flat(32768), flat(0));
  std::vector<uint8_t> bytes = FeatureRun("float_psnr", {}, limit).record(exact.view);
  FloatPsnrRecord record;
  std::memcpy(&record, bytes.data(), sizeof record);
  assert_int_equal(record.squared_error.integer, RasterTotal::kExactLimit);
  assert_false(record.squared_error.needs_order());
  unit::assert_same(record.squared_error.value(), 9007199254740992.0);

  const Geometry beyond{4096, 2049, QC_CHROMA_400, 16};
  const Pictures more(
      beyond, [](int, int, int y) { return y < 2048 ? 32768U : 1U; }, flat(0));
  bytes = FeatureRun("float_psnr", {}, beyond).record(more.view);
  std::memcpy(&record, bytes.data(), sizeof record);
  assert_true(record.squared_error.needs_order());
  // Each 1 is half a unit in the last place of 2^53 and rounds away.
  assert_int_equal(record.squared_error.integer, RasterTotal::kExactLimit + 4096);
  unit::assert_same(record.squared_error.value(), 9007199254740992.0);
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(pattern_scores),
      cmocka_unit_test(flat_pictures),
      cmocka_unit_test(identical_pictures),
      cmocka_unit_test(cap_from_min_sse),
      cmocka_unit_test(reduced_peak),
      cmocka_unit_test(stream_psnr),
      cmocka_unit_test(depths_that_libvmaf_lacks),
      cmocka_unit_test(small_pictures),
      cmocka_unit_test(row_kernels),
      cmocka_unit_test(widest_rows),
      cmocka_unit_test(targets_and_layouts),
      cmocka_unit_test(shared_pass),
      cmocka_unit_test(ordered_sums),
      cmocka_unit_test(exactness_limit),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
