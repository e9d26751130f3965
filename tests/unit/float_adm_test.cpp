// float_adm: the specification's checks, its corner cases, and every instruction set against the plain code.
#include "adm/float_adm.h"

#include <bit>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "adm/adm_weights.h"
#include "adm/float_adm_plain.h"
#include "adm/float_adm_sums.h"
#include "adm/reciprocal_table.h"
#include "adm_pictures.h"
#include "core/targets.h"
#include "unit.h"

namespace {

using namespace qc;
using unit::assert_score;
using unit::content;
using unit::FeatureRun;
using unit::flat;
using unit::gray;
using unit::GuardedPicture;
using unit::kKinds;
using unit::Layout;
using unit::pattern_distorted;
using unit::pattern_reference;
using unit::Pictures;
using unit::Scores;

void assert_scores(const Scores& scores, double adm2, double aim, double adm3) {
  assert_score(scores, "adm2", adm2);
  assert_score(scores, "aim", aim);
  assert_score(scores, "adm3", adm3);
}

struct Expected {
  OptionList options;
  double adm2, aim, adm3;
};

constexpr double kNum[] = {20.040138244628906, 33.669773101806641, 61.465438842773438, 77.911102294921875};
constexpr double kDen[] = {23.893777847290039, 43.133071899414062, 80.779281616210938, 103.0892333984375};

void pattern_scores(const OptionList& division, double num0, const std::vector<Expected>& cases) {
  const Geometry g = gray(64, 64, 8);
  const Pictures pictures(g, pattern_reference(8), pattern_distorted(8));
  for (const std::string& target : available_targets()) {
    assert_true(force_target(target));
    auto score = [&](const OptionList& options) {
      OptionList all = division;
      all.insert(all.end(), options.begin(), options.end());
      return FeatureRun("float_adm", all, g).score(pictures.view);
    };
    const Scores scores = score({{"debug", "true"}});
    assert_int_equal(scores.size(), 18);
    for (int s = 0; s < 4; ++s) {
      const std::string scale = "scale" + std::to_string(s);
      const double num = s == 0 ? num0 : kNum[s];
      assert_score(scores, ("adm_" + scale).c_str(), num / kDen[s]);
      assert_score(scores, ("adm_num_" + scale).c_str(), num);
      assert_score(scores, ("adm_den_" + scale).c_str(), kDen[s]);
    }
    assert_score(scores, "adm_den", 250.89536476135254);
    assert_score(scores, "adm", scores.at("adm2"));
    for (const Expected& e : cases) assert_scores(score(e.options), e.adm2, e.aim, e.adm3);
  }
  force_target("");
}

void by_ieee(void**) {
  pattern_scores({}, 20.040140151977539,
                 {{{}, 0.76958956406046042, 0.0034909828971544017, 0.88304929058165293},
                  {{{"adm_csf_mode", "2"}}, 0.75099714367622361, 0.00014208491597955512, 0.87542752938012203},
                  {{{"adm_p_norm", "2"}}, 0.76785858381622285, 0.0055133009953395457, 0.88117264141044171},
                  {{{"adm_bypass_cm", "1"}}, 0.77007163271732437, 0.0060003579271592066, 0.88203563739508262},
                  {{{"adm_adm3_apply_hm", "true"}}, 0.76958956406046042, 0.0034909828971544017, 0.0069504374842609424},
                  {{{"adm_enhn_gain_limit", "1"}}, 0.76956290325840992, 0.0035137146257453993, 0.88302459431633229},
                  {{{"adm_skip_aim_scale", "2"}}, 0.76958956406046042, 0.005148669139119026, 0.88222044746067074}});
}

// Figures of libvmaf on an AMD processor.
void by_stored_estimates(void**) {
  const std::string path = unit::shared_folder() + "/spec/rcpss_amd_zen.txt";
  if (!std::ifstream(path)) {
    print_message("skipped: there is no %s\n", path.c_str());
    skip();
  }
  const OptionList division = {{"division", "table"}, {"division_table", path}};
  pattern_scores(division, kNum[0],
                 {{{}, 0.76958955645829275, 0.0034909828971544017, 0.88304928678056915},
                  {{{"adm_p_norm", "2"}}, 0.76785859370152343, 0.0055133009953395457, 0.881172646353092},
                  {{{"adm_adm3_apply_hm", "true"}}, 0.76958955645829275, 0.0034909828971544017, 0.0069504374839509057},
                  {{{"adm_skip_aim_scale", "2"}}, 0.76958955645829275, 0.005148669139119026, 0.88222044365958685}});
  const ReciprocalTable table = read_reciprocal_table(path);
  auto estimate = [&](float x) { return std::bit_cast<uint32_t>(reciprocal_estimate(x, table.data())); };
  assert_int_equal(estimate(1.0F), 0x3f7ff000);
  assert_int_equal(estimate(1.00048828125F), 0x3f7fd800);
  assert_int_equal(estimate(1.5F), 0x3f2aa800);
  assert_int_equal(estimate(-3.0F), 0xbeaaa800);
}

void estimates_of_special_values(void**) {
  const ReciprocalTable table{};
  auto estimate = [&](uint32_t bits) {
    return std::bit_cast<uint32_t>(reciprocal_estimate(std::bit_cast<float>(bits), table.data()));
  };
  assert_int_equal(estimate(0), 0x7f800000);
  assert_int_equal(estimate(0x80000000), 0xff800000);
  assert_int_equal(estimate(0x00400000), 0x7f800000);
  assert_int_equal(estimate(0x7f800000), 0);
  assert_int_equal(estimate(0xff800000), 0x80000000);
  assert_int_equal(estimate(0x7f800001), 0x7fc00001);
  assert_int_equal(estimate(253U << 23), 0);
  assert_int_equal(estimate(254U << 23), 0);
  assert_int_equal(estimate(252U << 23), 1U << 23);
}

void deep_pattern(void**) {
  const Geometry g = gray(96, 80, 10);
  const Pictures pictures(g, pattern_reference(10), pattern_distorted(10));
  const Scores scores = FeatureRun("float_adm", {}, g).score(pictures.view);
  assert_int_equal(scores.size(), 7);
  assert_scores(scores, 0.76686611842199803, 0.0027732844693105778, 0.88204641697634378);
  const double scales[] = {0.83364916689235202, 0.77858696460318111, 0.75931166088685276, 0.75487407876812007};
  for (int s = 0; s < 4; ++s) assert_score(scores, ("adm_scale" + std::to_string(s)).c_str(), scales[s]);
}

void equal_pictures(void**) {
  const Geometry g = gray(64, 64, 8);
  const Pictures pictures(g, pattern_reference(8), pattern_reference(8));
  const Scores scores = FeatureRun("float_adm", {{"debug", "true"}}, g).score(pictures.view);
  assert_scores(scores, 1, 0, 1);
  for (int s = 0; s < 4; ++s) assert_score(scores, ("adm_scale" + std::to_string(s)).c_str(), 1);
  assert_score(scores, "adm_num", 250.89536476135254);
  assert_score(scores, "adm_den", 250.89536476135254);
}

void flat_pair(void**) {
  const Geometry g = gray(64, 48, 8);
  const Pictures pictures(g, flat(100), flat(120));
  const Scores scores = FeatureRun("float_adm", {{"debug", "true"}}, g).score(pictures.view);
  assert_scores(scores, 0.99999989882364271, 3.8043907888927263e-08, 0.99999993038986745);
  assert_score(scores, "adm_num_scale3", 2.1633744239807129);
  assert_score(scores, "adm_den_scale3", 2.1633753776550293);
}

// The taps of the low-pass don't add up to the same number in float32 as in exact arithmetic, nor do those of the
// high-pass to 0.
void flat_wavelet(void**) {
  const GuardedPicture picture(gray(64, 64, 8), {}, flat(100));
  const plain::FloatAdmBands bands = plain::float_adm_bands(picture.view().plane[0]);
  const float low = float_adm::low_pass(-28, -28, -28, -28);
  const float high = float_adm::high_pass(-28, -28, -28, -28);
  assert_true(high != 0);
  unit::assert_same(bands.approximation[77], float_adm::low_pass(low, low, low, low));
  unit::assert_same(bands.detail[0][77], float_adm::low_pass(high, high, high, high));
  unit::assert_same(bands.detail[1][77], float_adm::high_pass(low, low, low, low));
  unit::assert_same(bands.detail[2][77], float_adm::high_pass(high, high, high, high));
}

// Without a noise floor, a reference of -128 everywhere in float32 is one without any detail.
void nothing_to_compare(void**) {
  const Geometry g = gray(64, 48, 8);
  const Pictures pictures(g, flat(128), flat(128));
  const Scores scores = FeatureRun("float_adm", {{"adm_noise_weight", "0"}, {"debug", "true"}}, g).score(pictures.view);
  assert_scores(scores, 1, 0, 1);
  assert_true(std::isnan(scores.at("adm_scale0")));
  assert_score(scores, "adm_den", 0);
}

void skipped_scale(void**) {
  const Geometry g = gray(64, 64, 8);
  const Pictures pictures(g, pattern_reference(8), pattern_distorted(8));
  const Scores scores =
      FeatureRun("float_adm", {{"adm_skip_scale0", "true"}, {"debug", "true"}}, g).score(pictures.view);
  assert_score(scores, "adm_scale0", 0);
  assert_score(scores, "adm_num_scale0", 0);
  assert_score(scores, "adm_den_scale0", 1e-10F);
  for (int s = 1; s < 4; ++s) assert_score(scores, ("adm_num_scale" + std::to_string(s)).c_str(), kNum[s]);
}

// By glibc 2.36.
void weights(void**) {
  const FloatAdmWeights w = float_adm_weights(FloatAdmCsf::Native, 3, 1080, 1, 1);
  const float hv[] = {0x1.64e63ap-8F, 0x1.55ad9ep-3F, 0x1.55f234p-1F, 0x1.f8f7acp-1F};
  const float d[] = {0x1.e381b4p-13F, 0x1.4dc9d8p-5F, 0x1.8e8f96p-2F, 0x1.c13552p-1F};
  for (int s = 0; s < 4; ++s) {
    unit::assert_same(w.hv[s], hv[s]);
    unit::assert_same(w.d[s], d[s]);
  }
  const Geometry g = gray(64, 64, 8);
  const QCFormat format{};
  OptionSet options(kFloatAdm.options);
  options.set("adm_csf_mode", "7", "float_adm");
  options.set("adm_f1s2", "0.25", "float_adm");
  options.set("adm_f2s3", "0", "float_adm");
  const FloatAdmParameters p = float_adm_parameters({options, g, format, format});
  const FloatAdmWeights standard = float_adm_weights(FloatAdmCsf::Watson97, 3, 1080, 1, 1);
  unit::assert_same(p.scale[0].weight[0], standard.hv[0]);
  unit::assert_same(p.scale[2].weight[1], 0.25);
  unit::assert_same(p.scale[2].weight[2], standard.d[2]);
  unit::assert_same(p.scale[3].weight[2], 0);
}

void gains(void**) {
  const float_adm::GainLimit whole = float_adm::gain_limit(100);
  const float_adm::GainLimit fraction = float_adm::gain_limit(1.2);
  assert_true(whole.is_single);
  assert_false(fraction.is_single);
  unit::assert_same(float_adm::restored(2, 300, true, whole, nullptr), 200);
  unit::assert_same(float_adm::restored(2, 150, true, whole, nullptr), 150);
  unit::assert_same(float_adm::restored(2, 150, false, whole, nullptr), 2);
  unit::assert_same(float_adm::restored(2, 1, false, whole, nullptr), 1);
  unit::assert_same(float_adm::restored(-2, -300, true, whole, nullptr), -200);
  unit::assert_same(float_adm::restored(-2, 3, true, whole, nullptr), -0.0);
  unit::assert_same(float_adm::restored(3, 10, true, fraction, nullptr), static_cast<float>(3 * 1.2));
  // libvmaf's comparison is one of float64 numbers.
  const float t = static_cast<float>(3 * 1.2);
  unit::assert_same(float_adm::restored(3, t, true, fraction, nullptr), t);
}

void refusals(void**) {
  const Geometry g = gray(64, 64, 8);
  auto refused = [&](const char* part, const OptionList& options) {
    unit::assert_fails(QC_ERROR_INVALID, part, [&] { FeatureRun("float_adm", options, g); });
  };
  for (const auto& [width, height] : {std::pair{16, 64}, std::pair{64, 16}, std::pair{8, 8}})
    unit::assert_fails(QC_ERROR_INVALID, "at least 17x17",
                       [&, w = width, h = height] { FeatureRun("float_adm", {}, gray(w, h, 8)); });
  refused("ieee, host or table, not 'fast'", {{"division", "fast"}});
  refused("needs a file", {{"division", "table"}});
  refused("only read with division=table", {{"division_table", "x"}});
  refused("adm_skip_aim_scale", {{"adm_skip_aim_scale", "-1"}});
  unit::assert_fails(QC_ERROR_IO, "cannot read the table", [&] {
    FeatureRun("float_adm", {{"division", "table"}, {"division_table", "/nonexistent"}}, g);
  });
  const unit::TemporaryFolder folder;
  const std::string path = folder.path("table");
  std::string numbers = "# estimates\n";
  for (int i = 0; i < 4096; ++i) numbers += std::to_string(4095 - i) + (i % 16 == 15 ? "\n" : " ");
  auto write = [&](const std::string& text) { std::ofstream(path) << text; };
  const OptionList table = {{"division", "table"}, {"division_table", path}};
  write(numbers);
  FeatureRun("float_adm", table, g);
  assert_int_equal(read_reciprocal_table(path)[1], 4094);
  write(numbers + "1");
  refused("is not a table", table);
  write(numbers.substr(0, numbers.size() - 3));
  refused("is not a table", table);
  write("4096 " + numbers);
  refused("is not a table", table);
  write("-1 " + numbers);
  refused("is not a table", table);
}

// Where this processor's estimates can be had, they are those of the instruction.
void by_host(void**) {
  try {
    host_reciprocal_table();
  } catch (const Error& e) {
    print_message("skipped: %s\n", e.what());
    skip();
  }
  const Geometry g = gray(64, 64, 8);
  const Pictures pictures(g, pattern_reference(8), pattern_distorted(8));
  const Scores scores = FeatureRun("float_adm", {{"division", "host"}}, g).score(pictures.view);
  assert_true(std::fabs(scores.at("adm2") / 0.76958956406046042 - 1) < 5e-7);
}

// The sums on every target, in every layout and at both ends of guarded memory, equal the plain code's.
void targets_and_layouts(void**) {
  const std::pair<int, int> sizes[] = {{17, 17}, {18, 33}, {33, 20},  {64, 33},  {33, 64},  {47, 49},
                                       {65, 31}, {95, 40}, {130, 57}, {257, 35}, {322, 41}, {533, 18}};
  const char* limits[] = {"100", "1", "1.2", "37.5"};
  int run = 0;
  FloatAdmTables tables{};
  tables.power = kPowerTables;
  for (int i = 0; i < kReciprocalEntries; ++i)
    tables.estimates[i] = static_cast<uint32_t>(std::min(4095.0, 4096 * (2 / (1 + (i + 0.5) / 4096) - 1)));
  for (const auto& [width, height] : sizes) {
    for (int depth : {8, 9, 10, 12, 14, 16}) {
      for (int kind = 0; kind < kKinds; ++kind, ++run) {
        OptionSet options(kFloatAdm.options);
        auto set = [&](const char* name, const char* value) { options.set(name, value, "float_adm"); };
        set("adm_enhn_gain_limit", limits[run % 4]);
        set("adm_bypass_cm", run % 7 == 0 ? "1" : "0");
        set("adm_skip_scale0", run % 13 == 0 ? "true" : "false");
        set("adm_csf_mode", run % 5 == 0 ? "2" : "0");
        if (run % 11 == 0) set("adm_p_norm", run % 22 == 0 ? "2" : "5.5");
        const Layout low{0, false, depth == 8 ? 3 : 6, run % 2 == 0, true};
        const Layout high{depth == 8 ? 0 : 16 - depth, true, 0, run % 3 == 0, run % 2 == 0};
        const Geometry g = gray(width, height, depth);
        const Pictures pictures(g, content(kind, 1, depth), content(kind, 2, depth), low, high);
        const QCFormat format{};
        FloatAdmParameters p = float_adm_parameters({options, g, format, format});
        p.estimates = run % 3 == 0;
        const PlaneView& r = pictures.view.reference.plane[0];
        const PlaneView& d = pictures.view.distorted.plane[0];
        FloatAdmRecord expected;
        plain::float_adm_sums(p, tables, r, d, expected);
        const FloatAdmScratchPtr scratch = make_float_adm_scratch(p);
        for (const std::string& target : available_targets()) {
          assert_true(force_target(target));
          // Twice: nothing of a frame stays behind.
          for (int repetition = 0; repetition < 2; ++repetition) {
            FloatAdmRecord actual;
            std::memset(&actual, 0x5a, sizeof actual);
            float_adm_sums(p, tables, r, d, *scratch, actual);
            if (std::memcmp(&actual, &expected, sizeof actual) != 0)
              fail_msg("sums differ on %s: %dx%d, %d bits, content %d, run %d", target.c_str(), width, height, depth,
                       kind, run);
          }
        }
      }
    }
  }
  force_target("");
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(by_ieee),
      cmocka_unit_test(by_stored_estimates),
      cmocka_unit_test(estimates_of_special_values),
      cmocka_unit_test(deep_pattern),
      cmocka_unit_test(equal_pictures),
      cmocka_unit_test(flat_pair),
      cmocka_unit_test(flat_wavelet),
      cmocka_unit_test(nothing_to_compare),
      cmocka_unit_test(skipped_scale),
      cmocka_unit_test(weights),
      cmocka_unit_test(gains),
      cmocka_unit_test(refusals),
      cmocka_unit_test(by_host),
      cmocka_unit_test(targets_and_layouts),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
