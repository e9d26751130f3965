// float_vif: the specification's checks, every instruction set against the plain code, layouts, guarded memory.
#include <cmath>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "core/targets.h"
#include "guarded_picture.h"
#include "unit.h"
#include "vif/float_vif_plain.h"
#include "vif/float_vif_sums.h"
#include "vif_patterns.h"

namespace {

using namespace qc;
using unit::assert_same;
using unit::deepened;
using unit::FeatureRun;
using unit::GuardedPicture;
using unit::Layout;
using unit::pattern_a;
using unit::pattern_a_distorted;
using unit::pattern_b;
using unit::pattern_b_distorted;
using unit::pattern_b_enhanced;
using unit::SampleFunction;
using unit::Scores;

Scores score(OptionList options, const Geometry& g, const SampleFunction& reference, const SampleFunction& distorted) {
  const GuardedPicture r(g, {}, reference);
  const GuardedPicture d(g, {}, distorted);
  options.emplace_back("debug", "true");
  return FeatureRun("float_vif", options, g).score({r.view(), d.view()});
}

Scores score(const OptionList& options, const Geometry& g, int (*reference)(int, int), int (*distorted)(int, int)) {
  return score(options, g, deepened(reference, g.depth), deepened(distorted, g.depth));
}

void assert_scales(const Scores& scores, const std::vector<double>& expected) {
  for (size_t s = 0; s < kFloatVifScales; ++s) {
    const double actual = scores.at("vif_scale" + std::to_string(s));
    if (std::memcmp(&actual, &expected[s], sizeof actual) != 0)
      fail_msg("scale %zu: %.17g, not %.17g", s, actual, expected[s]);
  }
}

constexpr Geometry kSmall{64, 48, QC_CHROMA_420, 8};

uint32_t bits_of(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

void filters(void**) {
  const std::map<int, std::vector<uint32_t>> halves = {
      {3, {0x3E2A5F21, 0x3F2AD06F}},
      {5, {0x3D5F2F86, 0x3E7A0FEA, 0x3ECE2433}},
      {9, {0x3C9B77EC, 0x3D64F57B, 0x3DF7A562, 0x3E44BA13, 0x3E658DC1}},
      {17,
       {0x3BF453B8, 0x3C69B9D9, 0x3CCD0E7B, 0x3D24FECF, 0x3D738495, 0x3DA4D021, 0x3DCC9A86, 0x3DE8F3B3, 0x3DF33FB2}},
      {65, {0x3AC4DCB5, 0x3AED32A0, 0x3B0E0E4D, 0x3B2925FE, 0x3B483844, 0x3B6B99B9, 0x3B89CC82, 0x3BA03DD9, 0x3BB93D7A,
            0x3BD4E011, 0x3BF3309A, 0x3C0A1758, 0x3C1BE673, 0x3C2EF7B2, 0x3C43355E, 0x3C58818A, 0x3C6EB5E2, 0x3C82D1DA,
            0x3C8E8A1C, 0x3C9A6496, 0x3CA63ED5, 0x3CB1F3A8, 0x3CBD5BCF, 0x3CC84ED3, 0x3CD2A3E6, 0x3CDC32DE, 0x3CE4D537,
            0x3CEC6711, 0x3CF2C829, 0x3CF7DCC3, 0x3CFB8E63, 0x3CFDCC85, 0x3CFE8D06}},
  };
  for (const auto& [taps, expected] : halves) {
    const float_vif::Filter filter = float_vif::gaussian(taps);
    for (int i = 0; i <= taps / 2; ++i) {
      assert_int_equal(bits_of(filter.tap[i]), expected[static_cast<size_t>(i)]);
      assert_int_equal(bits_of(filter.tap[taps - 1 - i]), expected[static_cast<size_t>(i)]);
    }
  }
}

void filter_sizes(void**) {
  const std::map<double, std::vector<int>> sizes = {
      {1, {17, 9, 5, 3}},        {0.5, {9, 5, 3, 3}},       {1.5, {27, 15, 9, 5}},       {2, {35, 19, 11, 7}},
      {0.666667, {13, 7, 5, 3}}, {2.4, {41, 23, 13, 9}},    {3.71134, {65, 35, 19, 13}}, {1.33333, {23, 13, 7, 5}},
      {1.16667, {21, 11, 7, 5}}, {1.66667, {29, 17, 9, 7}}, {3, {51, 27, 15, 9}},        {1.0005, {19, 11, 7, 5}},
  };
  for (const auto& [scale, expected] : sizes) {
    assert_true(float_vif::valid_kernel_scale(scale));
    for (int s = 0; s < kFloatVifScales; ++s)
      assert_int_equal(float_vif::filter_taps(scale, s), expected[static_cast<size_t>(s)]);
  }
  for (const double scale : {0.1, 0.7, 1.0011, 4.0}) assert_false(float_vif::valid_kernel_scale(scale));
}

void logarithm(void**) {
  const std::pair<float, uint32_t> values[] = {
      {1.0F, 0},          {1.25F, 0x3EA4D3C4}, {1.5F, 0x3F15C018},    {1.75F, 0x3F4EAED0},       {2.0F, 0x3F800000},
      {3.0F, 0x3FCAE00C}, {10.0F, 0x40549A78}, {1000.0F, 0x411F73DA}, {1.99999988F, 0x3F7FFFFA}, {INFINITY, 0x43000000},
      {NAN, 0x430095C0},  {-NAN, 0x430095C0}};
  for (const auto& [x, expected] : values) assert_int_equal(bits_of(float_vif::log2(x)), expected);
}

void flat_pictures(void**) {
  const auto flat = [](uint32_t v) { return [v](int, int, int) { return v; }; };
  const Geometry g{64, 64, QC_CHROMA_420, 8};
  for (const auto& [r, d] : {std::pair(128U, 128U), std::pair(100U, 130U)}) {
    const Scores s = score({}, g, flat(r), flat(d));
    assert_scales(s, {1, 1, 1, 1});
    assert_same(s.at("vif_num_scale0"), 4096);
    assert_same(s.at("vif_den_scale3"), 64);
  }
  Scores s = score({}, g, flat(0), flat(255));
  assert_scales(s, {1, 0.99999994039535522, 1, 1});
  assert_same(s.at("vif_num_scale1"), 1023.9999389648438);
  assert_same(s.at("vif"), 0.99999998878030216);
  s = score({}, g, flat(255), flat(0));
  assert_scales(s, {0.99999994039535522, 1, 1, 1});
  assert_same(s.at("vif"), 0.99999995512120865);
}

void pattern_scores(void**) {
  Scores s = score({}, kSmall, pattern_a, pattern_a_distorted);
  assert_scales(s, {0.68050322436774524, 0.99842442424260025, 0.99901582900208363, 0.99985795204648009});
  const double sums[] = {23888.236328125,    35103.78125,        3693.061767578125,  3698.8896484375,
                         645.57928466796875, 646.21527099609375, 111.00278472900391, 111.0185546875};
  for (size_t i = 0; i < 8; ++i)
    assert_same(s.at((i % 2 ? "vif_den_scale" : "vif_num_scale") + std::to_string(i / 2)), sums[i]);
  assert_same(s.at("vif"), 0.71632832188853768);
  assert_same(s.at("vif_num"), 28337.880165100098);
  assert_same(s.at("vif_den"), 39559.904724121094);
  s = score({{"vif_skip_scale0", "true"}}, kSmall, pattern_a, pattern_a_distorted);
  assert_scales(s, {0, 0.99842442424260025, 0.99901582900208363, 0.99985795204648009});
  assert_same(s.at("vif"), 0.99854590269241272);
  assert_same(s.at("vif_num"), 4449.6438369750977);
  assert_same(s.at("vif_num_scale0"), 0);
  assert_same(s.at("vif_den_scale0"), -1);
  assert_scales(score({}, kSmall, pattern_b, pattern_b_distorted),
                {0.91839793256684343, 0.92964026589510962, 0.9317905329399141, 0.93538657696456384});
  assert_scales(score({}, kSmall, pattern_b, pattern_b_enhanced),
                {1.0015772693479119, 1.0115521680889956, 1.0047523245468257, 0.98502072793024809});
  assert_scales(score({{"vif_enhn_gain_limit", "1"}}, kSmall, pattern_b, pattern_b_enhanced),
                {0.94363768463430675, 0.95494154066416315, 0.9513040654456103, 0.93745297737045685});
  assert_scales(score({}, kSmall, pattern_b, pattern_b), {1, 1, 1, 1});
  assert_scales(score({}, kSmall, pattern_a, pattern_a), {1, 1, 0.99999971664942477, 0.99999704496274733});
}

void depths(void**) {
  const std::map<int, std::vector<double>> expected = {
      {8, {0.68292792838339955, 0.99923124507621708, 1.0009474611741969, 1.0019408145366668}},
      {10, {0.68291333057472681, 0.99923095229442338, 1.0009473285966015, 1.0019412526274027}},
      {12, {0.68291635435641151, 0.99921102930060812, 1.0009235907048339, 1.0019055431719399}},
      {16, {0.68292819830557461, 0.99923120506408247, 1.0009470260466775, 1.001892474392724}},
  };
  for (const auto& [depth, scales] : expected)
    assert_scales(score({}, {37, 29, QC_CHROMA_400, depth}, pattern_a, pattern_a_distorted), scales);
}

void options(void**) {
  const std::pair<OptionList, std::vector<double>> cases[] = {
      {{{"vif_kernelscale", "1.5"}},
       {0.67872418195322104, 0.99868677051295307, 0.99837779710624996, 0.99929643624502318}},
      {{{"vif_kernelscale", "0.5"}},
       {0.68516615632489708, 0.97272585361014363, 0.99785480675382077, 0.99973069877185849}},
      {{{"vif_sigma_nsq", "0.5"}},
       {0.58573657111485489, 0.99696532458476017, 0.99867068606587295, 0.99905770828235541}},
      {{{"vif_sigma_nsq", "0"}}, {0.061681002378463745, 0.10532069206237793, 0.10812185208002727, 0.10677993297576904}},
      {{{"vif_scale1_min_val", "0.9"}, {"vif_scale2_min_val", "0.95"}, {"vif_scale3_min_val", "1"}},
       {0.68050322436774524, 0.99842442424260025, 0.99901582900208363, 1}},
      {{{"vif_prescale", "0.75"}},
       {0.67920381317463918, 0.98493176911268854, 0.99462095751138824, 0.98594142682914354}},
      {{{"vif_prescale", "0.75"}, {"vif_prescale_method", "bilinear"}},
       {0.75933436459620418, 0.9979111571449587, 0.9985984630370498, 1.0005647965721509}},
      {{{"vif_prescale", "0.75"}, {"vif_prescale_method", "bicubic"}},
       {0.69647718968797323, 0.99839862350985209, 0.99853586489677304, 0.99858830365947626}},
      {{{"vif_prescale", "0.75"}, {"vif_prescale_method", "lanczos4"}},
       {0.68342228361392598, 0.99864747435056211, 0.99887278222671649, 0.99854496720655361}},
  };
  for (const auto& [list, scales] : cases) assert_scales(score(list, kSmall, pattern_a, pattern_a_distorted), scales);
  const std::pair<const char*, std::vector<double>> enlarged[] = {
      {"nearest", {0.90215745681249027, 0.91583529880178804, 0.91957298070090943, 0.92565615098967735}},
      {"bilinear", {0.90862646700803773, 0.91544894195206006, 0.91918772858371467, 0.92520920239776294}},
      {"bicubic", {0.90465745803438091, 0.91593622652505058, 0.91959684004592279, 0.92562541586859803}},
      {"lanczos4", {0.90269097936918719, 0.91590958171103964, 0.91957250059298923, 0.92559665209342357}},
  };
  for (const auto& [method, scales] : enlarged)
    assert_scales(
        score({{"vif_prescale", "1.5"}, {"vif_prescale_method", method}}, kSmall, pattern_b, pattern_b_distorted),
        scales);
}

void refusals(void**) {
  const auto refused = [](QCStatus code, const char* part, const OptionList& list, const Geometry& g) {
    unit::assert_fails(code, part, [&] { FeatureRun("float_vif", list, g); });
  };
  refused(QC_ERROR_INVALID, "16x16", {}, {15, 64, QC_CHROMA_400, 8});
  refused(QC_ERROR_INVALID, "56x56", {{"vif_kernelscale", "3.71134"}}, {64, 55, QC_CHROMA_400, 8});
  refused(QC_ERROR_INVALID, "vif_kernelscale", {{"vif_kernelscale", "0.7"}}, kSmall);
  refused(QC_ERROR_INVALID, "lanczos4", {{"vif_prescale_method", "area"}}, kSmall);
  refused(QC_ERROR_INVALID, "6x6", {{"vif_prescale", "4"}, {"vif_prescale_method", "lanczos4"}},
          {5, 64, QC_CHROMA_400, 8});
  refused(QC_ERROR_INVALID, "7680", {{"vif_prescale", "4"}, {"vif_prescale_method", "bilinear"}},
          {1921, 64, QC_CHROMA_400, 8});
}

// Noise of several strengths around a gradient, so that all branches of the terms are taken.
SampleFunction noise(uint32_t seed, int depth) {
  return [=](int, int x, int y) {
    uint32_t h = seed + static_cast<uint32_t>(x) * 0x9e3779b1U + static_cast<uint32_t>(y) * 0x85ebca77U;
    h = (h ^ (h >> 15)) * 0x2c1b3c6dU;
    h = (h ^ (h >> 12)) * 0x297a2d39U;
    h ^= h >> 15;
    const uint32_t maximum = (1U << depth) - 1;
    const int quieter = (x / 8 + y / 8) % 4 * 3;
    return (static_cast<uint32_t>(x * 3 + y * 5) * (maximum / 255) + (h & maximum) / (1U << quieter)) & maximum;
  };
}

void targets_and_layouts(void**) {
  struct Case {
    int width;
    int height;
    float_vif::Options options;
  };
  const auto scaled = [](double kernel_scale, double prescale = 1, const char* method = "nearest") {
    float_vif::Options o;
    o.kernel_scale = kernel_scale;
    o.prescale = prescale;
    o.prescale_method = method;
    return o;
  };
  const auto channel = [](double gain_limit, double variance, bool skip) {
    float_vif::Options o;
    o.gain_limit = gain_limit;
    o.noise = variance;
    o.skip_scale0 = skip;
    return o;
  };
  const Case cases[] = {
      {16, 16, {}},
      {17, 23, {}},
      {33, 31, {}},
      {67, 51, {}},
      {131, 39, {}},
      {300, 20, {}},
      {67, 51, scaled(0.5)},
      {71, 40, scaled(1.5)},
      {90, 61, scaled(3.71134)},
      {40, 33, scaled(1, 1.37, "bicubic")},
      {70, 50, scaled(1, 0.6, "bilinear")},
      {50, 37, channel(1, 2, false)},
      {50, 37, channel(100, 0, false)},
      {50, 37, channel(1.2, 0.7, true)},
  };
  uint32_t seed = 1;
  FloatVifScratch scratch;
  for (const Case& k : cases) {
    for (const int depth : {8, 10, 16}) {
      const Geometry g{k.width, k.height, QC_CHROMA_400, depth};
      const Layout layouts[] = {{}, {depth == 8 ? 0 : 16 - depth, false, 6, false, true}, {0, false, 2, true, false}};
      const float_vif::Parameters parameters = float_vif::make_parameters(k.options, k.width, k.height);
      const SampleFunction reference = noise(seed++, depth);
      const SampleFunction distorted = noise(seed++, depth);
      for (const Layout& layout : layouts) {
        const GuardedPicture r(g, layout, reference);
        const GuardedPicture d(g, {}, distorted);
        FloatVifRecord expected{};
        plain::float_vif_sums(r.view().plane[0], d.view().plane[0], parameters, expected.scale);
        for (const std::string& target : available_targets()) {
          assert_true(force_target(target));
          FloatVifRecord actual{};
          float_vif_sums(r.view().plane[0], d.view().plane[0], parameters, scratch, actual.scale);
          for (int s = 0; s < kFloatVifScales; ++s)
            if (actual.scale[s].numerator != expected.scale[s].numerator ||
                actual.scale[s].denominator != expected.scale[s].denominator)
              fail_msg("%s, %dx%d, %d bits, seed %u, scale %d: %.9g/%.9g, not %.9g/%.9g", target.c_str(), k.width,
                       k.height, depth, seed, s, double(actual.scale[s].numerator), double(actual.scale[s].denominator),
                       double(expected.scale[s].numerator), double(expected.scale[s].denominator));
        }
        force_target("");
      }
    }
  }
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(filters),       cmocka_unit_test(filter_sizes),   cmocka_unit_test(logarithm),
      cmocka_unit_test(flat_pictures), cmocka_unit_test(pattern_scores), cmocka_unit_test(depths),
      cmocka_unit_test(options),       cmocka_unit_test(refusals),       cmocka_unit_test(targets_and_layouts),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
