// vif: the specification's checks, every instruction set against the plain code, layouts, guarded memory.
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "core/targets.h"
#include "guarded_picture.h"
#include "pictures.h"
#include "unit.h"
#include "vif/vif_arithmetic.h"
#include "vif/vif_log.h"
#include "vif/vif_plain.h"
#include "vif/vif_sums.h"
#include "vif_patterns.h"

namespace {

using namespace qc;
using unit::deepened;
using unit::FeatureRun;
using unit::GuardedPicture;
using unit::Layout;
using unit::pattern_a;
using unit::pattern_a_distorted;
using unit::pattern_b;
using unit::pattern_b_distorted;
using unit::pattern_b_enhanced;
using unit::Pictures;
using unit::SampleFunction;
using unit::Scores;

Scores score(const OptionList& options, const Geometry& g, int (*reference)(int, int), int (*distorted)(int, int)) {
  const Pictures pictures(g, deepened(reference, g.depth), deepened(distorted, g.depth));
  return FeatureRun("vif", options, g).score(pictures.view);
}

void assert_scales(const Scores& scores, const std::vector<double>& expected) {
  for (int s = 0; s < kVifScales; ++s) {
    const double actual = scores.at("integer_vif_scale" + std::to_string(s));
    const double wanted = expected[static_cast<size_t>(s)];
    if (std::memcmp(&actual, &wanted, sizeof actual) != 0) fail_msg("scale %d: %.17g, not %.17g", s, actual, wanted);
  }
}

// CRC-32 as zlib has it.
uint32_t crc32(const std::vector<uint8_t>& bytes) {
  uint32_t crc = 0xffffffffU;
  for (uint8_t byte : bytes) {
    crc ^= byte;
    for (int i = 0; i < 8; ++i) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320U : 0U);
  }
  return ~crc;
}

void log_table(void**) {
  const uint16_t* table = vif::log_table();
  const std::pair<int, int> entries[] = {{32768, 30720}, {32769, 30720}, {32780, 30721}, {33209, 30760}, {34457, 30869},
                                         {40000, 31309}, {45000, 31657}, {50000, 31969}, {55000, 32250}, {60000, 32507},
                                         {61340, 32573}, {65000, 32744}, {65535, 32768}};
  for (const auto& [i, value] : entries) assert_int_equal(table[i - 32768], value);
  uint64_t sum = 0;
  std::vector<uint8_t> bytes;
  for (int i = 0; i < vif::kLogEntries; ++i) {
    sum += table[i];
    bytes.push_back(static_cast<uint8_t>(table[i]));
    bytes.push_back(static_cast<uint8_t>(table[i] >> 8));
    assert_int_equal(table[i], 30720 + i / 16 + vif::log_residuals()[i]);
  }
  assert_int_equal(sum, 1044032097);
  assert_int_equal(crc32(bytes), 0x42AD4D4F);
}

// The logarithm from leading bits against the specification's shifts.
void logarithm(void**) {
  auto check = [](uint64_t z) {
    int shift = 0;
    while (z >> shift > 65535) ++shift;
    const int32_t expected = vif::log_table()[(z >> shift) - 32768] + 2048 * shift - 34816;
    assert_int_equal(vif::logarithm(z, vif::log_residuals()) - vif::kLogNoise, expected);
  };
  std::mt19937_64 random(1);
  for (int bit = 17; bit < 46; ++bit) {
    const uint64_t power = uint64_t{1} << bit;
    for (uint64_t z : {power, power + 1, 2 * power - 1, power + power / 2}) check(z);
    for (int n = 0; n < 2000; ++n) check(power + random() % power);
  }
}

// Every entry of the table under every exponent, on every instruction set.
void vector_logarithm(void**) {
  for (const std::string& target : available_targets()) {
    force_target(target);
    int32_t first = 0;
    for (int exponent = 17; exponent < 48; ++exponent) {
      std::vector<double> numbers;
      std::vector<int32_t> expected;
      for (int i = 0; i < vif::kLogEntries; ++i) {
        const uint64_t lowest = static_cast<uint64_t>(32768 + i) << (exponent - 15);
        const uint64_t rest = (uint64_t{1} << (exponent - 15)) - 1;
        for (uint64_t z : {lowest, lowest + rest}) {
          numbers.push_back(static_cast<double>(z));
          expected.push_back(vif::log_table()[i] + 2048 * (exponent - 15));
        }
      }
      std::vector<int32_t> actual(numbers.size());
      vif_logarithms(numbers.data(), numbers.size(), actual.data());
      if (exponent == 17) first = actual[0] - expected[0];
      for (size_t n = 0; n < numbers.size(); ++n)
        if (actual[n] - first != expected[n])
          fail_msg("%s: logarithm of %.0f: %d, not %d", target.c_str(), numbers[n], actual[n] - first, expected[n]);
    }
  }
  force_target("");
}

void filters(void**) {
  for (int scale = 0; scale < kVifScales; ++scale) {
    int32_t sum = 0;
    for (int k = -vif::kRadius[scale]; k <= vif::kRadius[scale]; ++k) sum += vif::tap(scale, k);
    assert_int_equal(sum, 65536);
    assert_int_equal(vif::tap(scale, vif::kRadius[scale] + 1), 0);
  }
}

void flat_pictures(void**) {
  const Geometry g{64, 64, QC_CHROMA_420, 8};
  const uint32_t values[][2] = {{128, 128}, {100, 130}, {0, 255}, {255, 0}};
  for (const auto& v : values) {
    const uint32_t reference = v[0];
    const uint32_t distorted = v[1];
    const Pictures pictures(
        g, [=](int, int, int) { return reference; }, [=](int, int, int) { return distorted; });
    const Scores scores = FeatureRun("vif", {{"debug", "true"}}, g).score(pictures.view);
    assert_scales(scores, {1, 1, 1, 1});
    const double sizes[] = {4096, 1024, 256, 64};
    for (int s = 0; s < kVifScales; ++s) {
      unit::assert_same(scores.at("integer_vif_num_scale" + std::to_string(s)), sizes[s]);
      unit::assert_same(scores.at("integer_vif_den_scale" + std::to_string(s)), sizes[s]);
    }
    unit::assert_same(scores.at("integer_vif"), 1);
    unit::assert_same(scores.at("integer_vif_num"), 5440);
    assert_int_equal(scores.size(), 15);
  }
}

void pattern_sums(void**) {
  const Geometry g{64, 48, QC_CHROMA_420, 8};
  const Pictures pictures(g, deepened(pattern_a, 8), deepened(pattern_a_distorted, 8));
  FeatureRun run("vif", {{"debug", "true"}}, g);
  const std::vector<uint8_t> bytes = run.record(pictures.view);
  VifRecord record;
  std::memcpy(&record, bytes.data(), sizeof record);
  const VifScaleSums expected[] = {
      {48923130, 71892438, 0, 0}, {7563059, 7574978, 0, 0}, {1316326, 1316020, 311797, 3}, {218379, 219119, 343681, 4}};
  for (int s = 0; s < kVifScales; ++s) assert_memory_equal(&record.scale[s], &expected[s], sizeof expected[s]);

  Scores scores = run.score(pictures.view);
  const std::vector<double> scales = {0.68050450086593628, 0.99842655658721924, 1.0002309083938599, 0.9967416524887085};
  assert_scales(scores, scales);
  unit::assert_same(scores.at("integer_vif"), 0.71633488485851959);
  unit::assert_same(scores.at("integer_vif_num"), 28337.513046264648);
  unit::assert_same(scores.at("integer_vif_den"), 39559.02978515625);
  unit::assert_same(scores.at("integer_vif_num_scale3"), 110.63005065917969);
  unit::assert_same(scores.at("integer_vif_den_scale0"), 35103.73046875);

  scores = FeatureRun("vif", {{"debug", "true"}, {"vif_skip_scale0", "true"}}, g).score(pictures.view);
  assert_scales(scores, {0, scales[1], scales[2], scales[3]});
  unit::assert_same(scores.at("integer_vif"), 0.99864602500007393);
  unit::assert_same(scores.at("integer_vif_num"), 4449.2669525146484);
  unit::assert_same(scores.at("integer_vif_den"), 4455.29931640625);
  unit::assert_same(scores.at("integer_vif_num_scale0"), 0);
  unit::assert_same(scores.at("integer_vif_den_scale0"), -1);
}

void pattern_scores(void**) {
  const Geometry g{64, 48, QC_CHROMA_420, 8};
  Scores scores = score({{"debug", "true"}}, g, pattern_b, pattern_b_distorted);
  assert_scales(scores, {0.91841208934783936, 0.92908036708831787, 0.93107914924621582, 0.93374639749526978});
  unit::assert_same(scores.at("integer_vif"), 0.92124596031179551);
  assert_scales(score({}, g, pattern_b, pattern_b_enhanced),
                {1.0015720129013062, 1.0115327835083008, 1.0048109292984009, 0.984466552734375});
  assert_scales(score({{"vif_enhn_gain_limit", "1.0"}}, g, pattern_b, pattern_b_enhanced),
                {0.94362401962280273, 0.95495754480361938, 0.95160603523254395, 0.93705308437347412});
  // Equal pictures are a table step short of 1.
  assert_scales(score({}, g, pattern_b, pattern_b), {0.99999994039535522, 1, 1, 0.99999648332595825});
  assert_scales(score({}, g, pattern_a, pattern_a), {1, 1, 0.9999995231628418, 0.99999701976776123});
}

void depths(void**) {
  const std::map<int, std::vector<double>> expected = {
      {8, {0.68292838335037231, 0.99939334392547607, 1.0032140016555786, 1.0008500814437866}},
      {10, {0.68291372060775757, 0.99936974048614502, 1.0022625923156738, 0.99884849786758423}},
      {12, {0.68291634321212769, 0.99891656637191772, 1.0008288621902466, 1.001165509223938}},
      {16, {0.68292802572250366, 0.99903756380081177, 1.0011821985244751, 0.99364835023880005}},
  };
  for (const auto& [depth, scales] : expected)
    assert_scales(score({}, {37, 29, QC_CHROMA_420, depth}, pattern_a, pattern_a_distorted), scales);
}

void small_pictures(void**) {
  assert_scales(score({}, {12, 10, QC_CHROMA_420, 8}, pattern_a, pattern_a_distorted),
                {0.67840349674224854, 0.99931579828262329, 1.0073226690292358, 1.0091773271560669});
  assert_scales(score({}, {8, 20, QC_CHROMA_420, 8}, pattern_a, pattern_a_distorted),
                {0.68471866846084595, 1.002005934715271, 1.0115293264389038, 1.0126832723617554});
  assert_scales(score({}, {20, 9, QC_CHROMA_420, 8}, pattern_a, pattern_a_distorted),
                {0.68036413192749023, 0.9999164342880249, 1.0053192377090454, 1.0180536508560181});
  unit::assert_fails(QC_ERROR_INVALID, "8x8", [] { FeatureRun("vif", {}, {7, 64, QC_CHROMA_400, 8}); });
  unit::assert_fails(QC_ERROR_INVALID, "8x8", [] { FeatureRun("vif", {}, {64, 7, QC_CHROMA_400, 8}); });
}

// Kinds: noise; extremes in patches; small noise on a ramp, with pixels on both sides of the noise variance.
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
    return ((static_cast<uint32_t>(x + y) & 127U) + h % 6) * step + (h >> 8) % step;
  };
}

void assert_sums(const VifSums actual[], const VifSums expected[], const std::string& what) {
  for (int s = 0; s < kVifScales; ++s) {
    const VifSums& a = actual[s];
    const VifSums& e = expected[s];
    if (a.log_numerator != e.log_numerator || a.log_denominator != e.log_denominator ||
        a.flat_numerator != e.flat_numerator || a.flat_count != e.flat_count)
      fail_msg("%s: scale %d differs", what.c_str(), s);
  }
}

void targets_and_layouts(void**) {
  // Around multiples of vectors and of strips.
  const int sizes[][2] = {{16, 16},  {17, 17},  {33, 18},  {47, 31},  {128, 16},
                          {639, 17}, {641, 19}, {673, 16}, {1290, 21}};
  uint32_t seed = 1;
  VifScratch scratch;
  for (const auto& size : sizes) {
    for (int depth : {8, 9, 10, 12, 14, 15, 16}) {
      for (int kind = 0; kind < 3; ++kind) {
        if (size[0] > 100 && kind != static_cast<int>(seed % 3)) continue;
        const Geometry g{size[0], size[1], QC_CHROMA_400, depth};
        const Layout layouts[] = {{}, {depth == 8 ? 0 : 16 - depth, false, 6, false, true}, {0, false, 2, true, false}};
        const Pictures pictures(g, noise(seed, depth, kind), noise(seed + 1 + kind % 2, depth, kind), layouts[seed % 3],
                                layouts[seed / 3 % 3]);
        const PlaneView& r = pictures.view.reference.plane[0];
        const PlaneView& d = pictures.view.distorted.plane[0];
        VifRequest request{seed % 4 != 0, {100.0}};
        if (seed % 2) request.gain_limits.insert(request.gain_limits.end(), {1.0, 1.2});
        VifSums expected[kVifScales];
        plain::vif_sums(r, d, request, expected);
        for (const std::string& target : available_targets()) {
          assert_true(force_target(target));
          VifSums actual[kVifScales];
          vif_sums(r, d, request, scratch, actual);
          assert_sums(actual, expected,
                      target + " " + std::to_string(g.width) + "x" + std::to_string(g.height) + ", " +
                          std::to_string(depth) + " bits, kind " + std::to_string(kind));
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
      cmocka_unit_test(log_table),        cmocka_unit_test(logarithm),
      cmocka_unit_test(vector_logarithm), cmocka_unit_test(filters),
      cmocka_unit_test(flat_pictures),    cmocka_unit_test(pattern_sums),
      cmocka_unit_test(pattern_scores),   cmocka_unit_test(depths),
      cmocka_unit_test(small_pictures),   cmocka_unit_test(targets_and_layouts),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
