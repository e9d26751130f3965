// adm: the specification's checks, its corner cases, and every instruction set against the plain code.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "adm/adm_arithmetic.h"
#include "adm/adm_kernel.h"
#include "adm/adm_pass.h"
#include "adm/adm_plain.h"
#include "adm/adm_weights.h"
#include "adm_pictures.h"
#include "core/targets.h"
#include "unit.h"

namespace {

using namespace qc;
using unit::assert_score;
using unit::content;
using unit::FeatureRun;
using unit::flat;
using unit::for_each_target;
using unit::gray;
using unit::GuardedPicture;
using unit::hash;
using unit::kKinds;
using unit::Layout;
using unit::pattern_distorted;
using unit::pattern_reference;
using unit::Pictures;
using unit::Scores;

Scores score(const OptionList& options, const Geometry& g, const PairView& pair) {
  return FeatureRun("adm", options, g).score(pair);
}

void assert_scores(const Scores& scores, double adm2, double aim, double adm3) {
  assert_score(scores, "integer_adm2", adm2);
  assert_score(scores, "integer_aim", aim);
  assert_score(scores, "integer_adm3", adm3);
}

void assert_all(const std::vector<int32_t>& plane, int32_t value) {
  for (int32_t sample : plane) assert_int_equal(sample, value);
}

void flat_wavelet(void**) {
  const GuardedPicture picture(gray(64, 64, 8), {}, flat(200));
  plain::AdmBands bands = plain::adm_bands(picture.view().plane[0]);
  const int32_t approximations[] = {9217, 604072685, 302050030, 302063718};
  for (int s = 0; s < 4; ++s) {
    if (s > 0) bands = plain::adm_bands(bands, s);
    assert_int_equal(bands.width, 32 >> s);
    assert_all(bands.approximation, approximations[s]);
    for (const auto& detail : bands.detail) assert_all(detail, 0);
  }
  const GuardedPicture dark(gray(64, 64, 8), {}, flat(50));
  assert_all(plain::adm_bands(dark.view().plane[0]).approximation, -9985);
  const GuardedPicture deep(gray(64, 64, 10), {}, flat(800));
  assert_all(plain::adm_bands(deep.view().plane[0]).approximation, 9217);
}

void flat_pair(void**) {
  const Pictures pictures(gray(64, 48, 8), flat(100), flat(120));
  for_each_target([&] {
    const Scores scores = score({{"debug", "true"}}, gray(64, 48, 8), pictures.view);
    assert_scores(scores, 1, 0, 1);
    const double norms[] = {8.0401630401611328, 5.2140402793884277, 3.4341425895690918, 2.1633744239807129};
    for (int s = 0; s < 4; ++s) {
      const std::string scale = "scale" + std::to_string(s);
      assert_score(scores, ("integer_adm_" + scale).c_str(), 1);
      assert_score(scores, ("integer_adm_num_" + scale).c_str(), norms[s]);
      assert_score(scores, ("integer_adm_den_" + scale).c_str(), norms[s]);
    }
    assert_score(scores, "integer_adm", 1);
    assert_score(scores, "integer_adm_num", 18.851720333099365);
    assert_score(scores, "integer_adm_den", 18.851720333099365);
  });
}

// Figures of libvmaf.
void pattern_scores(void**) {
  const Geometry g = gray(64, 64, 8);
  const Pictures pictures(g, pattern_reference(8), pattern_distorted(8));
  const Geometry deep = gray(96, 80, 10);
  const Pictures deep_pictures(deep, pattern_reference(10), pattern_distorted(10));
  for_each_target([&] {
    Scores scores = score({{"debug", "true"}}, g, pictures.view);
    assert_int_equal(scores.size(), 18);
    assert_scores(scores, 0.769591981446902, 0.0034919905533051885, 0.88304999544679841);
    const double scales[] = {0.83874098480840231, 0.78060083893522614, 0.76091664702255746, 0.75575816399428652};
    const double num[] = {20.040637969970703, 33.670051574707031, 61.469284057617188, 77.918083190917969};
    const double den[] = {23.893714904785156, 43.133506774902344, 80.783203125, 103.09922790527344};
    for (int s = 0; s < 4; ++s) {
      const std::string scale = "scale" + std::to_string(s);
      assert_score(scores, ("integer_adm_" + scale).c_str(), scales[s]);
      assert_score(scores, ("integer_adm_num_" + scale).c_str(), num[s]);
      assert_score(scores, ("integer_adm_den_" + scale).c_str(), den[s]);
    }
    assert_score(scores, "integer_adm_num", 193.09805679321289);
    assert_score(scores, "integer_adm_den", 250.90965270996094);

    scores = score({}, deep, deep_pictures.view);
    assert_int_equal(scores.size(), 7);
    assert_scores(scores, 0.76686803073972554, 0.0027740222566310447, 0.88204700424154725);
    const double deep_scales[] = {0.83366949702078641, 0.77858418806489427, 0.7593147237732405, 0.75487439221315955};
    for (int s = 0; s < 4; ++s) assert_score(scores, ("integer_adm_scale" + std::to_string(s)).c_str(), deep_scales[s]);

    assert_scores(score({{"adm_enhn_gain_limit", "1"}}, g, pictures.view), 0.76954714641518907, 0.003514807130543147,
                  0.88301616964232288);
    assert_scores(score({{"adm_csf_mode", "2"},
                         {"adm_dlm_weight", "0.7"},
                         {"adm_enhn_gain_limit", "1"},
                         {"adm_min_val", "0.5"},
                         {"adm_noise_weight", "0.02"}},
                        g, pictures.view),
                  0.7663578138210756, 0.0024036411186734649, 0.83572937733915087);
    assert_scores(score({{"adm_ref_display_height", "2160"}}, g, pictures.view), 0.79418847375115253,
                  0.002079117884980667, 0.89605467793308591);
    scores = score({{"adm_skip_scale0", "true"}, {"debug", "true"}}, g, pictures.view);
    assert_scores(scores, 0.76231396128532258, 0.00051166437140633429, 0.88090114845695811);
    assert_score(scores, "integer_adm_scale0", 0);
    assert_score(scores, "integer_adm_num_scale0", 0);
    assert_score(scores, "integer_adm_den_scale0", 1.000000013351432e-10);
    for (int s = 1; s < 4; ++s) assert_score(scores, ("integer_adm_scale" + std::to_string(s)).c_str(), scales[s]);
  });
}

// Not 1: the weights of the numerator are rounded more than those of the denominator.
void equal_pictures(void**) {
  const Geometry g = gray(64, 64, 8);
  const Pictures pictures(g, pattern_reference(8), pattern_reference(8));
  const Scores scores = score({}, g, pictures.view);
  assert_scores(scores, 1.0000025237759458, 0, 1.0000012618879728);
  const double scales[] = {1.0000234689540861, 1.0000002653179083, 1.0000002833284978, 1.0000003700025057};
  for (int s = 0; s < 4; ++s) assert_score(scores, ("integer_adm_scale" + std::to_string(s)).c_str(), scales[s]);
}

void skipped_aim(void**) {
  const Geometry g = gray(64, 64, 8);
  const Pictures pictures(g, pattern_reference(8), pattern_distorted(8));
  for_each_target([&] {
    const Scores scores = score({{"adm_skip_aim", "true"}}, g, pictures.view);
    assert_scores(scores, 0.769591981446902, 0, 0.769591981446902 * 0.5 + 0.5);
  });
}

// Without noise and detail there is nothing to lose.
void nothing_to_compare(void**) {
  const Geometry g = gray(64, 64, 8);
  const Pictures pictures(g, flat(100), flat(100));
  const Scores scores = score({{"adm_noise_weight", "0"}, {"adm_dlm_weight", "0.7"}}, g, pictures.view);
  assert_scores(scores, 1, 0, 1);
  for (int s = 0; s < 4; ++s) assert_true(std::isnan(scores.at("integer_adm_scale" + std::to_string(s))));
}

void gains(void**) {
  struct Case {
    int32_t o, t, k, z;
  };
  const Case cases[] = {{3, 5, 32768, 3},
                        {5, 3, 19661, 3},
                        {-7, -2, 9362, -2},
                        {7, -2, 0, 0},
                        {0, 9, 32768, 0},
                        {20000, 19999, 32766, 19999},
                        {32769, 32769, 32767, 32768},
                        {-1000003, -999, 33, -1007},
                        {100000, 50000, 16384, 50000}};
  for (const Case& c : cases) {
    assert_int_equal(adm::gain(c.o, c.t), c.k);
    assert_int_equal(adm::restored(c.o, c.t, false, 100), c.z);
  }
  // Credit for enhancement up to the limit, rounded toward zero.
  assert_int_equal(adm::restored(3, 5, true, 100), 5);
  assert_int_equal(adm::restored(3, 5, true, 1), 3);
  assert_int_equal(adm::restored(3, 5, true, 1.2), 3);
  assert_int_equal(adm::restored(-3, -5, true, 1.4), -4);
  for (int32_t o = -300; o <= 300; o += 7)
    for (int32_t t = -900; t <= 900; t += 11) assert_true(std::abs(adm::restored(o, t, true, 1)) <= std::abs(o));
}

void direction(void**) {
  assert_true(adm::same_direction(0, 0, 0, 0));
  assert_true(adm::same_direction(0, 0, 5, 7));
  assert_true(adm::same_direction(3, 4, 6, 8));
  assert_false(adm::same_direction(3, 4, -6, -8));
  // 1 degree is 1 in 57.29.
  assert_true(adm::same_direction(10000, 0, 10000, 174));
  assert_false(adm::same_direction(10000, 0, 10000, 175));
}

// What the device uses gives the same as the definition.
void quick_forms(void**) {
  for (int32_t n = 1; n <= 32768; ++n) assert_int_equal(adm::reciprocal(n), (1 << 30) / n);
  const double limits[] = {100, 1, 1.2, 37.5, 2};
  for (int i = 0; i < 400000; ++i) {
    // Magnitudes of all lengths, and pairs that are nearly proportional.
    auto draw = [&](int y, int bits) {
      const uint64_t h = hash(3, i, y);
      return static_cast<int32_t>(h >> 16) >> (31 - static_cast<int>(h % static_cast<unsigned>(bits)));
    };
    const bool finest = i % 2 == 0;
    const int bits = finest ? 14 : 30;
    const int32_t oh = draw(0, bits);
    const int32_t ov = draw(1, bits);
    const bool near = i % 3 == 0;
    const int32_t th = near ? oh - oh / 57 + draw(2, 3) : draw(2, bits);
    const int32_t tv = near ? ov + oh / 57 + draw(3, 3) : draw(3, bits);
    const bool same = adm::same_direction(oh, ov, th, tv);
    assert_int_equal(adm::same_direction_quick(oh, ov, th, tv), same);
    const double value = limits[i % 5];
    const adm::GainLimit limit = adm::gain_limit(value);
    for (const bool enhanced : {false, true}) {
      const int32_t expected = adm::restored(oh, th, enhanced, value);
      const int32_t actual = finest ? adm::restored_quick<true>(oh, th, enhanced, limit)
                                    : adm::restored_quick<false>(oh, th, enhanced, limit);
      if (actual != expected) fail_msg("restored_quick(%d, %d) is %d, not %d", oh, th, actual, expected);
    }
  }
}

void thresholds(void**) {
  using adm::CoarseScale;
  using adm::FinestScale;
  assert_int_equal(FinestScale::to_itself(15359), 32765);
  assert_int_equal(FinestScale::to_itself(15360), -32768);
  assert_int_equal(FinestScale::to_neighbours(15360), 16384);
  assert_int_equal(FinestScale::to_neighbours(0), 0);
  assert_int_equal(CoarseScale::to_itself(0), -1);
  assert_int_equal(CoarseScale::to_neighbours(0), -1);
  assert_int_equal(CoarseScale::to_neighbours(-30000), 999);
  // A threshold of -27 raises what it should lower.
  assert_int_equal(adm::masked_cube<CoarseScale>(1 << 20, -27, false, 0),
                   adm::masked_cube<CoarseScale>((1 << 20) + 27, 0, false, 0));
}

void regions(void**) {
  const uint32_t weights[4] = {1, 1, 1, 1};
  const AdmParameters p = adm_parameters(64, 48, 8, weights, weights);
  const int columns[] = {28, 14, 8, 4};
  const int rows[] = {22, 12, 6, 3};
  for (int s = 0; s < 4; ++s) {
    assert_int_equal(p.scale[s].right - p.scale[s].left, columns[s]);
    assert_int_equal(p.scale[s].bottom - p.scale[s].top, rows[s]);
  }
  const AdmParameters odd = adm_parameters(353, 289, 8, weights, weights);
  const int widths[] = {177, 89, 45, 23};
  for (int s = 0; s < 4; ++s) assert_int_equal(odd.scale[s].width, widths[s]);
}

// By glibc 2.36.
void weights(void**) {
  struct Case {
    AdmCsf mode;
    double view_distance;
    int display_height;
    float hv[4], d[4];
  };
  const Case cases[] = {
      {AdmCsf::Watson97,
       3,
       1080,
       {0x1.1cc774p-6f, 0x1.06050cp-5f, 0x1.634f1p-5f, 0x1.762816p-5f},
       {0x1.820d54p-8f, 0x1.d48d46p-7f, 0x1.8fb80cp-6f, 0x1.008392p-5f}},
      {AdmCsf::Watson97,
       5,
       1080,
       {0x1.c0364ep-8f, 0x1.dbf058p-7f, 0x1.746c1p-6f, 0x1.c49c48p-6f},
       {0x1.0ad7fep-9f, 0x1.75c678p-8f, 0x1.700066p-7f, 0x1.108d0ep-6f}},
      {AdmCsf::Watson97,
       3,
       2160,
       {0x1.392e4ep-8f, 0x1.5e020ep-7f, 0x1.20415cp-6f, 0x1.70b4fap-6f},
       {0x1.6408d8p-10f, 0x1.0670cp-8f, 0x1.0ff286p-7f, 0x1.a7f684p-7f}},
      {AdmCsf::Barten,
       3,
       1080,
       {0x1.35e31ap+0f, 0x1.42b3c6p+2f, 0x1.d410eap+3f, 0x1.af9d36p+4f},
       {0x1.35e31ap+0f, 0x1.42b3c6p+2f, 0x1.d410eap+3f, 0x1.af9d36p+4f}},
  };
  for (const Case& c : cases) {
    const AdmWeights w = adm_weights(c.mode, c.view_distance, c.display_height, 1, 1);
    for (int s = 0; s < 4; ++s) {
      unit::assert_same(w.hv[s], c.hv[s]);
      unit::assert_same(w.d[s], c.d[s]);
    }
  }
  const AdmWeights standard = adm_weights(AdmCsf::Watson97, 3, 1080, 1, 1);
  const uint32_t fixed_hv[] = {36453, 137373792, 186284160, 196165808};
  const uint32_t fixed_d[] = {49417, 61414028, 104783920, 134487184};
  for (int s = 0; s < 4; ++s) {
    assert_int_equal(standard.fixed_hv[s], fixed_hv[s]);
    assert_int_equal(standard.fixed_d[s], fixed_d[s]);
  }
  const AdmWeights table = adm_weights(AdmCsf::Blended, 5, 2160, 1, 1);
  unit::assert_same(table.hv[0], 0.000092f);
  unit::assert_same(table.d[3], 0.0146f);
  unit::assert_same(adm_weights(AdmCsf::BlendedMae, 1.5, 2160, 1, 1).hv[1], 0.022606f);
}

void refusals(void**) {
  for (const auto& [width, height] : {std::pair{16, 64}, std::pair{64, 16}, std::pair{8, 8}})
    unit::assert_fails(QC_ERROR_INVALID, "at least 17x17",
                       [&, w = width, h = height] { FeatureRun("adm", {}, gray(w, h, 8)); });
  const Geometry g = gray(64, 64, 8);
  unit::assert_fails(QC_ERROR_INVALID, "from 3240 on", [&] {
    FeatureRun("adm", {{"adm_ref_display_height", "1079"}}, g);
  });
  unit::assert_fails(QC_ERROR_INVALID, "no weights for adm_norm_view_dist 4 with adm_ref_display_height 1080", [&] {
    FeatureRun("adm", {{"adm_csf_mode", "2"}, {"adm_norm_view_dist", "4"}}, g);
  });
  FeatureRun("adm", {{"adm_norm_view_dist", "1.5"}, {"adm_ref_display_height", "2160"}, {"adm_csf_mode", "3"}}, g);
}

void warning(void**) {
  const FeatureDef& def = *registry()[registry_index("adm")].definition;
  const Geometry g = gray(64, 64, 8);
  OptionSet options(def.options);
  const QCFormat format{};
  unit::assert_text(def.create({options, g, format, format})->warning(), "");
  options.set("adm_csf_mode", "1", "adm");
  assert_non_null(std::strstr(def.create({options, g, format, format})->warning().c_str(), "meaningless"));
}

// The sums on every target, in every layout and at both ends of guarded memory, equal the plain code's.
void targets_and_layouts(void**) {
  const std::pair<int, int> sizes[] = {{17, 17}, {18, 33}, {33, 20},  {64, 33},  {33, 64},  {47, 49},
                                       {65, 31}, {95, 40}, {130, 57}, {257, 35}, {322, 41}, {533, 18}};
  const AdmWeights standard = adm_weights(AdmCsf::Watson97, 3, 1080, 1, 1);
  const AdmWeights blended = adm_weights(AdmCsf::Blended, 3, 1080, 1, 1);
  const AdmWeights overflowing = adm_weights(AdmCsf::Barten, 5, 1080, 1, 1);
  const double limits[] = {100, 1, 1.2, 37.5};
  int run = 0;
  for (const auto& [width, height] : sizes) {
    for (int depth : {8, 9, 10, 12, 14, 16}) {
      for (int kind = 0; kind < kKinds; ++kind, ++run) {
        const AdmWeights& w = run % 5 == 0 ? blended : run % 11 == 0 ? overflowing : standard;
        AdmParameters p = adm_parameters(width, height, depth, w.fixed_hv, w.fixed_d);
        p.gain_limit = limits[run % 4];
        p.skip_aim = run % 7 == 0;
        p.skip_scale0 = run % 13 == 0;
        const Layout low{0, false, depth == 8 ? 3 : 6, run % 2 == 0, true};
        const Layout high{depth == 8 ? 0 : 16 - depth, true, 0, run % 3 == 0, run % 2 == 0};
        const Geometry g = gray(width, height, depth);
        const Pictures pictures(g, content(kind, 1, depth), content(kind, 2, depth), low, high);
        const PlaneView& r = pictures.view.reference.plane[0];
        const PlaneView& d = pictures.view.distorted.plane[0];
        AdmRecord expected;
        plain::adm_sums(p, r, d, expected);
        const AdmScratchPtr scratch = make_adm_scratch(p, 1);
        for (const std::string& target : available_targets()) {
          assert_true(force_target(target));
          // Twice: nothing of a frame stays behind.
          for (int repetition = 0; repetition < 2; ++repetition) {
            AdmRecord actual;
            std::memset(&actual, 0x5a, sizeof actual);
            adm_sums({&p, 1}, r, d, *scratch, {&actual, 1});
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

// Instances that share a pass get what each gets alone.
void shared_pass(void**) {
  const AdmWeights standard = adm_weights(AdmCsf::Watson97, 3, 1080, 1, 1);
  const AdmWeights blended = adm_weights(AdmCsf::Blended, 3, 1080, 1, 1);
  const AdmWeights overflowing = adm_weights(AdmCsf::Barten, 5, 1080, 1, 1);
  const Geometry g = gray(131, 77, 10);
  auto parameters = [&](const AdmWeights& w, double gain_limit, bool skip_aim, bool skip_scale0) {
    AdmParameters p = adm_parameters(g.width, g.height, g.depth, w.fixed_hv, w.fixed_d);
    p.gain_limit = gain_limit;
    p.skip_aim = skip_aim;
    p.skip_scale0 = skip_scale0;
    return p;
  };
  std::vector<AdmParameters> instances = {parameters(standard, 100, false, true), parameters(standard, 1, true, false),
                                          parameters(blended, 1.2, false, false),
                                          parameters(standard, 100, false, true)};
  for (int step = 0; step < 2; ++step) {
    FrameCache cache;
    AdmPass& pass = cache.get<AdmPass>();
    std::vector<size_t> place;
    for (const AdmParameters& p : instances) place.push_back(pass.join(p));
    assert_int_equal(place[3], place[0]);
    for (const std::string& target : available_targets()) {
      assert_true(force_target(target));
      for (uint64_t kind = 0; kind < kKinds; ++kind) {
        const Pictures pictures(g, content(static_cast<int>(kind), 1, 10), content(static_cast<int>(kind), 2, 10));
        cache.next_frame();
        for (size_t i = 0; i < instances.size(); ++i) {
          AdmRecord expected;
          plain::adm_sums(instances[i], pictures.view.reference.plane[0], pictures.view.distorted.plane[0], expected);
          const AdmRecord& actual = pass.of(place[i], pictures.view, cache.frame());
          assert_memory_equal(&actual, &expected, sizeof actual);
        }
      }
    }
    force_target("");
    // With one whose weights vectors can't hold.
    instances.push_back(parameters(overflowing, 100, false, false));
  }
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(flat_wavelet),   cmocka_unit_test(flat_pair),   cmocka_unit_test(pattern_scores),
      cmocka_unit_test(equal_pictures), cmocka_unit_test(skipped_aim), cmocka_unit_test(nothing_to_compare),
      cmocka_unit_test(gains),          cmocka_unit_test(direction),   cmocka_unit_test(quick_forms),
      cmocka_unit_test(thresholds),     cmocka_unit_test(regions),     cmocka_unit_test(weights),
      cmocka_unit_test(refusals),       cmocka_unit_test(warning),     cmocka_unit_test(targets_and_layouts),
      cmocka_unit_test(shared_pass),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
