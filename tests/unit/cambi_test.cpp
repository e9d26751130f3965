// cambi: the specification's checks, every instruction set against the scalar code, the stages one by one, pooling
// whose order matters, heatmaps, layouts and sizes.
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "cambi/cambi_parameters.h"
#include "cambi/cambi_plain.h"
#include "cambi/cambi_record.h"
#include "cambi/top_sum.h"
#include "core/targets.h"
#include "pictures.h"
#include "unit.h"

namespace {

using namespace qc;
using unit::assert_same;
using unit::FeatureRun;
using unit::for_each_target;
using unit::GuardedPicture;
using unit::Layout;
using unit::SampleFunction;
using unit::Scores;

// The test pattern F2 of the specification.
SampleFunction ramp(int depth, int frame) {
  return [=](int, int x, int y) {
    const int slope = 3 * x + 2 * y + 5 * frame;
    if (depth == 8) return static_cast<uint32_t>(60 + slope / 40);
    const int speck = (31 * x + 17 * y + frame) % 97 == 0 ? 2 : 0;
    return static_cast<uint32_t>(100 + slope / 48 + speck) << (depth - 10);
  };
}

SampleFunction step_plane(uint32_t left, uint32_t right) {
  return [=](int, int x, int) { return x < 160 ? left : right; };
}

// Flat patches whose levels differ little, with specks and dark and bright parts: all branches of the kernels.
SampleFunction patches(uint32_t seed, int depth) {
  return [=](int, int x, int y) {
    auto hash = [&](uint32_t a, uint32_t b) {
      uint32_t h = seed + a * 0x9e3779b1U + b * 0x85ebca77U;
      h = (h ^ (h >> 15)) * 0x2c1b3c6dU;
      h = (h ^ (h >> 12)) * 0x297a2d39U;
      return h ^ (h >> 15);
    };
    const auto column = static_cast<uint32_t>(x);
    const auto row = static_cast<uint32_t>(y);
    const uint32_t base = 64 + hash(column / 90, row / 70) % 200;
    uint32_t level = base + hash(column / 11, row / 13) % 4;
    if (hash(column, row) % 37 == 0) level += hash(row, column) % 3;
    if (hash(column / 50, 7 + row / 60) % 5 == 0) level = hash(column, 3 * row) % 1024;
    const uint32_t fine = hash(row, 5 * column);
    return depth <= 10 ? level >> (10 - depth) : (level << (depth - 10)) + (fine & 1);
  };
}

Scores score(const OptionList& options, const Geometry& g, const SampleFunction& reference,
             const SampleFunction& distorted) {
  const GuardedPicture r(g, {}, reference);
  const GuardedPicture d(g, {}, distorted);
  return FeatureRun("cambi", options, g).score({r.view(), d.view()});
}

double cambi_of(const OptionList& options, const Geometry& g, const SampleFunction& distorted) {
  const Scores scores = score(options, g, distorted, distorted);
  assert_int_equal(scores.size(), 1);
  return scores.at("cambi");
}

void flat_and_step_planes(void**) {
  const Geometry g{320, 240, QC_CHROMA_420, 10};
  for_each_target([&] {
    assert_same(cambi_of({}, g, step_plane(150, 150)), 0);
    assert_same(cambi_of({}, g, step_plane(150, 151)), 0.45510204081632655);
    assert_same(cambi_of({{"topk", "1.0"}}, g, step_plane(150, 151)), 0.27306122448979592);
    assert_same(cambi_of({{"cambi_topk", "1.0"}}, g, step_plane(150, 151)), 0.27306122448979592);
    assert_same(cambi_of({{"topk", "0.0001"}}, g, step_plane(150, 151)), 12.0 * 31 / 49);
    assert_same(cambi_of({}, g, step_plane(200, 201)), 0);
    assert_same(cambi_of({{"cambi_max_val", "0.25"}}, g, step_plane(150, 151)), 0.25);
  });
}

void ramps(void**) {
  struct Case {
    int width, height, depth;
    OptionList options;
    double frame0, frame1;
  };
  const Case cases[] = {
      {320, 240, 8, {}, 21.569113050772895, 21.563853587335199},
      {320, 240, 8, {{"max_log_contrast", "5"}}, 22.365489714881594, 22.37015772349034},
      {320, 240, 8, {{"topk", "0.05"}}, 28.355832828794206, 28.387858814771487},
      {320, 240, 8, {{"topk", "1.0"}}, 15.993657362811824, 15.993744525341254},
      {320, 240, 8, {{"eotf", "pq"}}, 21.569113050772895, 21.565788665413855},
      {320, 240, 8, {{"window_size", "127"}}, 23.050136992250486, 23.04655164583108},
      {320, 240, 8, {{"tvi_threshold", "0.05"}, {"max_log_contrast", "3"}}, 3.0848244880856162, 3.081674800235398},
      {320, 240, 8, {{"enc_width", "300"}, {"enc_height", "200"}}, 20.0179092593105, 20.020196781226897},
      {320, 240, 8, {{"enc_bitdepth", "10"}}, 21.61700855723652, 21.617493679673498},
      {320, 240, 10, {}, 5.3792124829375414, 5.3494370082034273},
      {320, 240, 10, {{"enc_bitdepth", "8"}}, 5.3500250844525645, 5.353082306820756},
      {320, 240, 10, {{"max_log_contrast", "0"}}, 5.1059354601820717, 5.107764997514062},
      {320, 240, 10, {{"max_log_contrast", "4"}}, 5.3796651520206673, 5.3494370082034273},
      {320, 240, 10, {{"enc_width", "240"}, {"enc_height", "216"}}, 5.4753753945364592, 5.5692828411074116},
  };
  for (const Case& c : cases) {
    const Geometry g{c.width, c.height, QC_CHROMA_420, c.depth};
    for_each_target([&] {
      assert_same(cambi_of(c.options, g, ramp(c.depth, 0)), c.frame0);
      assert_same(cambi_of(c.options, g, ramp(c.depth, 1)), c.frame1);
    });
  }
  for_each_target([&] {
    assert_same(cambi_of({}, {320, 240, QC_CHROMA_420, 16}, ramp(16, 0)), 5.3792124829375414);
    assert_same(cambi_of({}, {333, 250, QC_CHROMA_420, 12}, ramp(12, 0)), 5.3787880898535869);
  });
}

void full_reference(void**) {
  const Geometry g{320, 240, QC_CHROMA_420, 8};
  const double expected[2][3] = {{21.569113050772895, 21.329625584395757, 0.23948746637713825},
                                 {21.563853587335199, 21.325611858187461, 0.23824172914773811}};
  const OptionList options = {{"full_ref", "true"}, {"src_width", "640"}, {"src_height", "480"}};
  for_each_target([&] {
    for (int frame = 0; frame < 2; ++frame) {
      const Scores scores = score(options, g, ramp(8, frame), ramp(8, frame));
      assert_int_equal(scores.size(), 3);
      assert_same(scores.at("cambi"), expected[frame][0]);
      assert_same(scores.at("cambi_source"), expected[frame][1]);
      assert_same(scores.at("cambi_full_reference"), expected[frame][2]);
    }
  });
  // A distorted picture with less banding than the reference gives 0, not a negative score.
  const Scores better = score({{"full_ref", "true"}}, g, ramp(8, 0), [](int, int, int) { return 100U; });
  assert_same(better.at("cambi"), 0);
  assert_same(better.at("cambi_full_reference"), 0);
}

template <class T>
uint64_t total(const std::vector<T>& plane, size_t n) {
  return std::accumulate(plane.begin(), plane.begin() + static_cast<ptrdiff_t>(n), uint64_t{0});
}

cambi::Parameters parameters(const OptionList& options, const Geometry& g) {
  OptionSet set(registry()[registry_index("cambi")].definition->options);
  for (const auto& [name, value] : options) set.set(name, value, "cambi");
  return cambi::parameters_of(set, g);
}

void stages(void**) {
  struct Case {
    int depth;
    uint64_t image, mask[5], filtered[5];
    size_t positive[5];
    double contrasts[5];
    float largest[5];
    double scores[5];
  };
  const Case cases[] = {
      {8,
       23811761,
       {76767, 19186, 4788, 1194, 297},
       {23792777, 5944352, 1484168, 368376, 90152},
       {57061, 19181, 4788, 1194, 168},
       {1523442.5418391228, 673425.31136274338, 170647.51044464111, 24035.468914985657, 1033.8283793926239},
       {48.8163261F, 48.8163261F, 39.9000015F, 24, 14.4000006F},
       {31.866999995263502, 42.86973692973455, 38.548541204134622, 22.059494156307643, 5.7434909966256882}},
      {10,
       8791986,
       {76797, 19199, 4800, 1200, 300},
       {8790312, 2196763, 548783, 136978, 33833},
       {47670, 19157, 4800, 1200, 300},
       {318807.89527946711, 150898.2161796093, 45510.990072488785, 10395.398014068604, 2666.1255538463593},
       {12.2448978F, 12.2448978F, 11.2444448F, 14.4000006F, 15.5294123F},
       {6.8848213848088768, 10.184160872838563, 10.47577500641346, 9.7643149852752682, 10.51925252808465}},
  };
  for (const Case& c : cases) {
    const Geometry g{320, 240, QC_CHROMA_420, c.depth};
    const cambi::Parameters p = parameters({}, g);
    assert_int_equal(p.distorted.window, 7);
    assert_int_equal(p.distorted.mask_threshold, 13);
    const GuardedPicture picture(g, {}, ramp(c.depth, 0));
    cambi::Scratch s;
    plain::prepare(picture.view().plane[0], p.distorted, p.smoothed, s.image);
    assert_int_equal(total(s.image, s.image.size()), c.image);
    int w = 320;
    int h = 240;
    plain::flat_areas(s.image, w, h, p.distorted.mask_threshold, s.mask);
    for (int i = 0; i < 5; ++i) {
      if (i > 0) {
        plain::decimate(s.image, w, h);
        plain::decimate(s.mask, w, h);
        w = (w + 1) / 2;
        h = (h + 1) / 2;
      }
      const cambi::Scale& scale = p.distorted.scales[i];
      assert_int_equal(scale.width, w);
      assert_int_equal(scale.height, h);
      const size_t n = scale.pixels();
      assert_int_equal(total(s.mask, n), c.mask[i]);
      plain::filter_modes(s.image, w, h, s.filtered);
      std::swap(s.image, s.filtered);
      assert_int_equal(total(s.image, n), c.filtered[i]);
      plain::contrasts(s.image, s.mask, w, h, p.distorted.window, p, s.contrasts);
      assert_int_equal(std::count_if(s.contrasts.begin(), s.contrasts.end(), [](float v) { return v > 0; }),
                       c.positive[i]);
      assert_same(std::accumulate(s.contrasts.begin(), s.contrasts.end(), 0.0), c.contrasts[i]);
      assert_same(*std::max_element(s.contrasts.begin(), s.contrasts.end()), c.largest[i]);
      assert_same(cambi::ordered_top_sum(s.contrasts.data(), n, scale.pooled) / double(scale.pooled), c.scores[i]);
    }
  }
}

void windows(void**) {
  struct Case {
    int width, height, window, halved, threshold;
  };
  const Case cases[] = {{320, 240, 7, 0, 13},     {640, 360, 11, 0, 16},    {960, 540, 17, 0, 18},
                        {1280, 720, 21, 0, 19},   {1920, 1080, 33, 17, 21}, {2560, 1440, 43, 23, 22},
                        {3840, 2160, 65, 33, 24}, {4096, 2160, 67, 35, 25}, {7680, 4320, 131, 65, 27}};
  for (const Case& c : cases) {
    const Geometry g{c.width, c.height, QC_CHROMA_420, 8};
    const cambi::Parameters p = parameters({}, g);
    assert_int_equal(p.distorted.window, c.window);
    assert_int_equal(p.distorted.mask_threshold, c.threshold);
    const cambi::Parameters fast = parameters({{"cambi_high_res_speedup", "1080"}}, g);
    assert_int_equal(fast.half_size, c.halved != 0);
    assert_int_equal(fast.distorted.window, c.halved ? c.halved : c.window);
    assert_int_equal(fast.distorted.scales[0].width, c.halved ? c.width / 2 : c.width);
    assert_int_equal(fast.distorted.mask_threshold, c.threshold);
  }
}

void visibility(void**) {
  struct Case {
    const char* eotf;
    double tvi;
    std::vector<int> thresholds;  // of 1, 2, …; the rest are 1023
  };
  const Case cases[] = {
      {"bt1886", 0.019, {178, 305, 432, 559, 686, 813}},
      {"pq", 0.019, {233}},
      {"bt1886", 0.01, {292, 533, 773}},
      {"bt1886", 0.03, {132, 213, 293, 374, 455, 536, 616, 697, 778, 858}},
      {"bt1886", 0.1, {76,  101, 125, 150, 175, 199, 224, 249, 274, 298, 323, 348, 372, 397, 422, 446,
                       471, 496, 520, 545, 570, 594, 619, 644, 669, 693, 718, 743, 767, 792, 817, 841}},
      {"bt1886", 0.05, {100, 149, 197, 246, 295, 344, 392, 441, 490, 538, 587, 636, 684, 733, 782, 830, 879}},
      {"pq", 0.01, {}},
      {"pq", 0.03, {152, 315}},
      {"pq", 0.05, {110, 179, 277, 433}},
      {"pq", 0.1, {84, 111, 143, 182, 228, 284, 355, 453}},
      {"bt1886", 1.0, {0, 0, 0, 0, 66, 69, 72, 75}},
      {"bt1886", 0.0001, {}},
  };
  for (const Case& c : cases) {
    const int listed = static_cast<int>(c.thresholds.size());
    for (int d = 1; d <= (c.tvi == 1.0 ? listed : 32); ++d)
      assert_int_equal(cambi::visibility_threshold(c.eotf, c.tvi, d),
                       d <= listed ? c.thresholds[static_cast<size_t>(d) - 1] : 1023);
  }
  assert_int_equal(cambi::visibility_threshold("bt1886", 1.0, 32), 147);
  struct Dark {
    const char* eotf;
    double luminance;
    int level;
  };
  for (const Dark& c : {Dark{"bt1886", 0, 0},
                        {"bt1886", 0.01, 65},
                        {"bt1886", 0.02, 69},
                        {"bt1886", 0.06, 78},
                        {"bt1886", 1, 135},
                        {"bt1886", 5, 214},
                        {"bt1886", 100, 614},
                        {"bt1886", 300, 940},
                        {"pq", 0.01, 83},
                        {"pq", 0.02, 91},
                        {"pq", 0.06, 108},
                        {"pq", 1, 196},
                        {"pq", 5, 282},
                        {"pq", 100, 510},
                        {"pq", 300, 609}})
    assert_int_equal(cambi::dark_threshold(c.eotf, c.luminance), c.level);
  // So dark that no difference of any level counts.
  const Geometry g{320, 240, QC_CHROMA_420, 8};
  for_each_target([&] { assert_same(cambi_of({{"cambi_vis_lum_threshold", "90"}}, g, ramp(8, 0)), 0); });
}

void reciprocals(void**) {
  const std::vector<float> table = cambi::decimal_reciprocals(4225);
  uint64_t sum = 0;
  for (float t : table) sum += std::bit_cast<uint32_t>(t);
  assert_true(sum == 4123354009987U);
  const int larger[] = {82,   83,   244,  488,  528,  564,  614,  664,  1419, 1699, 1906, 2443, 2740, 3812,
                        3837, 4130, 504,  510,  749,  760,  892,  2040, 2071, 2112, 2223, 2555, 2927, 3285,
                        3515, 3525, 3705, 3795, 3797, 3885, 4033, 4080, 4091, 4095, 4142, 4203, 4218, 4224};
  for (int i = 1; i <= 4225; ++i) {
    const bool exception = std::find(std::begin(larger), std::end(larger), i) != std::end(larger);
    assert_int_equal(table[static_cast<size_t>(i)] != 1.0F / float(i), exception);
  }
}

// Sums of positive values whose partial sums are rounded.
void ordered_pooling(void**) {
  std::vector<float> values(1000);
  for (size_t i = 0; i < values.size(); ++i) {
    const auto u = static_cast<uint32_t>(i * 2654435761U);
    values[i] = float(u) * (i % 3 == 0 ? 0x1p12F : 0x1p-20F);
  }
  assert_same(cambi::ordered_top_sum(values.data(), values.size(), 600) / 600, 4910099774671.1104);
  const float first[] = {1.50175146e+13F, 1.75841802e+13F, 1.53919873e+13F, 1.50255205e+13F, 1.5766459e+13F};
  for (size_t i = 0; i < 5; ++i) assert_true(values[i] == first[i]);
}

cambi::ValueTotals totals_of(const std::vector<float>& values) {
  cambi::ValueTotals totals;
  for (float v : values) {
    totals.positive += v > 0;
    totals.sum += double(v);
  }
  return totals;
}

void pooling_fast_and_literal(void**) {
  uint64_t state = 1;
  auto random = [&] {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<uint32_t>(state >> 33);
  };
  std::vector<uint32_t> scratch;
  int rounded = 0;
  for (int round = 0; round < 300; ++round) {
    const size_t n = 1 + random() % (round < 250 ? 300 : 30000);
    std::vector<float> values(n);
    for (float& v : values) {
      const uint32_t kind = random() % 4;
      if (kind < static_cast<uint32_t>(round % 3)) continue;
      if (kind < 3) v = float(1 + random() % 9) * 0.5F;
      if (kind == 3) v = 0.5F + float(random() % (1U << 23)) * 0x1p-24F;
      if (round % 5 == 0 && random() % 2) v = 60000 + float(random() % 9999);
    }
    for (size_t count : {size_t{1}, 1 + n / 3, 1 + (n - 1) * 3 / 5, n}) {
      std::vector<float> literal = values;
      std::vector<float> fast = values;
      assert_same(cambi::top_sum(fast.data(), n, count, totals_of(values), scratch),
                  cambi::ordered_top_sum(literal.data(), n, count));
    }
  }
  // Enough large values with some low bits among them that the order of the sum shows.
  for (int round = 0; round < 3; ++round) {
    std::vector<float> values(400000);
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = i % 7 == 0 ? 0.5F + float(random() % (1U << 23)) * 0x1p-24F : 9000 + float(random() % 500) * 0x1p-10F;
    std::vector<float> literal = values;
    std::vector<float> fast = values;
    const size_t count = round == 0 ? values.size() : 390000;
    const double sum = cambi::top_sum(fast.data(), values.size(), count, totals_of(values), scratch);
    assert_same(sum, cambi::ordered_top_sum(literal.data(), values.size(), count));
    rounded += fast == literal;
  }
  assert_int_equal(rounded, 3);
}

void targets_against_scalar(void**) {
  struct Case {
    Geometry geometry;
    OptionList options;
  };
  const Case cases[] = {
      {{320, 240, QC_CHROMA_420, 8}, {}},
      {{321, 217, QC_CHROMA_444, 9}, {{"max_log_contrast", "5"}}},
      {{301, 257, QC_CHROMA_420, 10}, {{"topk", "0.05"}, {"max_log_contrast", "0"}}},
      {{400, 20, QC_CHROMA_420, 12}, {{"topk", "1"}, {"tvi_threshold", "0.08"}}},
      {{17, 330, QC_CHROMA_420, 14}, {{"cambi_vis_lum_threshold", "0.06"}}},
      {{1, 217, QC_CHROMA_444, 10}, {}},
      {{216, 2, QC_CHROMA_420, 16}, {{"window_size", "127"}}},
      {{530, 300, QC_CHROMA_400, 16}, {{"window_size", "127"}, {"max_log_contrast", "3"}, {"eotf", "pq"}}},
      {{390, 310, QC_CHROMA_422, 8}, {{"enc_width", "333"}, {"enc_height", "222"}, {"full_ref", "true"}}},
      {{390, 310, QC_CHROMA_422, 10},
       {{"src_width", "640"}, {"src_height", "480"}, {"full_ref", "true"}, {"max_log_contrast", "1"}}},
      {{1920, 1080, QC_CHROMA_420, 10}, {{"cambi_high_res_speedup", "1080"}, {"cambi_vis_lum_threshold", "1"}}},
  };
  for (const Case& c : cases) {
    for (const Layout& layout :
         {Layout{}, Layout{c.geometry.depth == 8 ? 0 : 16 - c.geometry.depth, true, 6, true, false}}) {
      const GuardedPicture r(c.geometry, layout, patches(3, c.geometry.depth));
      const GuardedPicture d(c.geometry, layout, patches(11, c.geometry.depth));
      force_target("scalar");
      const std::vector<uint8_t> scalar = FeatureRun("cambi", c.options, c.geometry).record({r.view(), d.view()});
      for_each_target([&] {
        FeatureRun run("cambi", c.options, c.geometry);
        // Twice: scratch memory of an earlier frame must not show.
        assert_true(run.record({r.view(), d.view()}) == scalar);
        assert_true(run.record({r.view(), d.view()}) == scalar);
      });
    }
  }
}

// From the least accepted sizes on, also those that libvmaf refuses by default.
void sizes(void**) {
  const int least[][2] = {{216, 1}, {1, 216}, {216, 2}, {2, 217}, {200, 216}, {300, 7}};
  for (const auto& [width, height] : least) {
    const Geometry g{width, height, QC_CHROMA_400, 10};
    assert_true(force_target("scalar"));
    const double expected = cambi_of({}, g, patches(3, 10));
    for_each_target([&] { assert_same(cambi_of({}, g, patches(3, 10)), expected); });
  }
  // Two halves whose levels differ by 1: the largest contrast is that of the two columns in the middle, at all scales.
  const int large[][3] = {{4096, 2160, 67}, {7680, 4320, 131}};
  for (const auto& [width, height, window] : large) {
    const Geometry g{width, height, QC_CHROMA_400, 10};
    const int middle = width / 2;
    const int own = window * (window / 2 + 1);
    const int other = window * (window / 2);
    const float contrast = float(own * other) * cambi::decimal_reciprocals(own + other).back();
    assert_same(cambi_of({{"topk", "0.0001"}}, g, [=](int, int x, int) { return x < middle ? 150U : 151U; }),
                double(contrast) * 31 / (window * window));
  }
}

void refusals(void**) {
  auto refused = [](const OptionList& options, int width, int height, const char* part) {
    unit::assert_fails(QC_ERROR_INVALID, part, [&] {
      FeatureRun("cambi", options, {width, height, QC_CHROMA_420, 8});
    });
  };
  refused({}, 200, 200, "at least 216");
  refused({{"eotf", "foo"}}, 320, 240, "EOTF");
  refused({{"cambi_eotf", "foo"}}, 320, 240, "EOTF");
  refused({{"enc_width", "0"}}, 320, 240, "enc_width");
  refused({{"window_size", "127"}}, 7680, 4320, "window_size=127");
  refused({{"src_width", "640"}, {"src_height", "200"}}, 320, 240, "source size");
  refused({}, 215, 215, "at least 216");
  refused({}, 8, 8, "at least 216, not 8x8");
  // A sample that its depth does not have.
  const Geometry g{320, 240, QC_CHROMA_420, 10};
  for_each_target([&] {
    unit::assert_fails(QC_ERROR_INVALID, "exceeds",
                       [&] { cambi_of({}, g, [](int, int x, int y) { return x == 319 && y == 239 ? 1024U : 100U; }); });
  });
}

void heatmaps(void**) {
  const unit::TemporaryFolder folder;
  const Geometry g{320, 240, QC_CHROMA_420, 8};
  const cambi::Parameters p = parameters({{"max_log_contrast", "3"}}, g);
  const GuardedPicture picture(g, {}, ramp(8, 0));
  std::vector<std::string> expected(5);
  const double factor = 65535.0 / (6 * 49 / 4);
  double sums[5];
  cambi::Scratch scratch;
  plain::contrast_sums(
      picture.view().plane[0], p.distorted, p, scratch,
      [&](int scale, const float* contrasts) {
        for (size_t i = 0; i < p.distorted.scales[scale].pixels(); ++i) {
          const auto value = static_cast<uint16_t>(factor * double(contrasts[i]));
          expected[static_cast<size_t>(scale)] += {static_cast<char>(value & 255), static_cast<char>(value >> 8)};
        }
      },
      sums);
  for_each_target([&] {
    FeatureRun("cambi", {{"max_log_contrast", "3"}, {"heatmaps_path", folder.path("maps")}}, g)
        .score({picture.view(), picture.view()});
    const char* names[] = {"0_320x240", "1_160x120", "2_80x60", "3_40x30", "4_20x15"};
    for (size_t s = 0; s < 5; ++s) {
      const std::string path = folder.path("maps/cambi_heatmap_scale_" + std::string(names[s]) + "_16b.gray");
      assert_true(unit::file_text(path) == expected[s]);
    }
  });
  unit::assert_fails(QC_ERROR_IO, "cannot create", [&] {
    FeatureRun("cambi", {{"heatmaps_path", folder.path("absent/maps")}}, g);
  });
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(flat_and_step_planes),
      cmocka_unit_test(ramps),
      cmocka_unit_test(full_reference),
      cmocka_unit_test(stages),
      cmocka_unit_test(windows),
      cmocka_unit_test(visibility),
      cmocka_unit_test(reciprocals),
      cmocka_unit_test(ordered_pooling),
      cmocka_unit_test(pooling_fast_and_literal),
      cmocka_unit_test(targets_against_scalar),
      cmocka_unit_test(sizes),
      cmocka_unit_test(refusals),
      cmocka_unit_test(heatmaps),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
