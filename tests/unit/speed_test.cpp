// speed_chroma and speed_temporal: the specification's checks, the logarithm, filters, prescaling, refusals, layouts.
#include <bit>
#include <cfloat>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "core/targets.h"
#include "guarded_picture.h"
#include "speed/eigenvalues.h"
#include "speed/speed_log2.h"
#include "speed/speed_parameters.h"
#include "unit.h"

namespace {

using namespace qc;
using unit::assert_fails;
using unit::assert_same;
using unit::GuardedPicture;
using unit::Layout;
using unit::SampleFunction;

using Columns = std::map<std::string, std::vector<double>>;

// The test pattern of the specification.
uint32_t hash(int plane, int frame, int x, int y) {
  uint32_t t = (static_cast<uint32_t>(x) * 73856093U) ^ (static_cast<uint32_t>(y) * 19349663U) ^
               (static_cast<uint32_t>(plane + 1) * 83492791U) ^ (static_cast<uint32_t>(frame + 1) * 2654435761U);
  t ^= t >> 13;
  t *= 0x5bd1e995U;
  return t ^ (t >> 15);
}

SampleFunction pattern(int depth, int frame, bool distorted) {
  return [=](int c, int x, int y) {
    const uint32_t h = hash(c, frame, x, y);
    int v = 64 + ((x + 2 * y + 16 * c + 3 * frame) & 63) + static_cast<int>(h & 31);
    if (distorted && (((x >> 3) + (y >> 3)) & 1)) v += static_cast<int>((h >> 8) & 7) - 3;
    const uint32_t fine = (h >> 16) & ((1U << (depth - 8)) - 1);
    return static_cast<uint32_t>(v) << (depth - 8) | fine;
  };
}

SampleFunction flat(uint32_t value) {
  return [=](int, int, int) { return value; };
}

using Pair = std::pair<SampleFunction, SampleFunction>;

Columns run_stream(const std::string& feature, const Geometry& g, const std::vector<Pair>& pairs,
                   const Layout& layout = {}) {
  std::vector<std::unique_ptr<GuardedPicture>> pictures;
  for (const Pair& p : pairs) {
    pictures.push_back(std::make_unique<GuardedPicture>(g, layout, p.first));
    pictures.push_back(std::make_unique<GuardedPicture>(g, layout, p.second));
  }
  QCContext* context = nullptr;
  assert_int_equal(qc_create(&context), QC_OK);
  assert_int_equal(qc_set(context, "feature", feature.c_str()), QC_OK);
  assert_int_equal(qc_set(context, "n_threads", "1"), QC_OK);
  const QCFormat& format = pictures[0]->format();
  if (qc_open(context, &format, &format, nullptr) != QC_OK) {
    const Error error(QC_ERROR_INVALID, qc_error(context));
    qc_destroy(&context);
    throw error;
  }
  Columns columns;
  auto receive = [&] {
    QCResult result;
    while (qc_receive(context, &result) == QC_OK)
      for (int i = 0; i < result.count; ++i) columns[result.names[i]].push_back(result.values[i]);
  };
  for (size_t i = 0; i < pictures.size(); i += 2) {
    QCPair pair{};
    pair.reference = pictures[i]->frame();
    pair.distorted = pictures[i + 1]->frame();
    while (qc_send(context, &pair) == QC_AGAIN) receive();
  }
  assert_int_equal(qc_send(context, nullptr), QC_OK);
  receive();
  qc_destroy(&context);
  return columns;
}

std::vector<Pair> pattern_frames(int depth, int frames) {
  std::vector<Pair> pairs;
  for (int k = 0; k < frames; ++k) pairs.emplace_back(pattern(depth, k, false), pattern(depth, k, true));
  return pairs;
}

void assert_column(const Columns& columns, const std::string& name, const std::vector<double>& expected) {
  const auto found = columns.find(name);
  if (found == columns.end()) fail_msg("no column %s", name.c_str());
  assert_int_equal(found->second.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) assert_same(found->second[i], expected[i]);
}

void for_each_target(const std::function<void()>& body) {
  for (const std::string& target : available_targets()) {
    assert_true(force_target(target));
    body();
  }
  force_target("");
}

constexpr Geometry kPattern{400, 320, QC_CHROMA_444, 8};
constexpr Geometry kPattern10{400, 320, QC_CHROMA_444, 10};

void specification_checks(void**) {
  for_each_target([] {
    Columns c = run_stream("name=speed_chroma", kPattern, pattern_frames(8, 3));
    assert_column(c, "speed_chroma_u", {6.0260787010192871, 6.4891295433044434, 4.6675596237182617});
    assert_column(c, "speed_chroma_v", {3.843172550201416, 5.4337224960327148, 5.0321054458618164});
    assert_column(c, "speed_chroma_uv", {4.9346256256103516, 5.96142578125, 4.8498325347900391});
    c = run_stream("name=speed_temporal", kPattern, pattern_frames(8, 3));
    assert_column(c, "speed_temporal", {0, 4.3866362571716309, 5.8594193458557129});
    c = run_stream("name=speed_temporal:speed_use_ref_diff=true", kPattern, pattern_frames(8, 3));
    assert_column(c, "speed_temporal_urd", {0, 4.0784244537353516, 3.9472618103027344});
    c = run_stream(
        "name=speed_chroma:speed_max_val=45:speed_nn_floor=0.1:speed_prescale=0.6:speed_prescale_method=bilinear:"
        "speed_sigma_nn=0.19:speed_weight_var_mode=5",
        kPattern, pattern_frames(8, 1));
    const std::string suffix = "_mxv_45_nnf_0.1_ps_0.6_psm_bilinear_snn_0.19_wvm_5";
    assert_column(c, "speed_chroma_u" + suffix, {2.2930614948272705});
    assert_column(c, "speed_chroma_v" + suffix, {1.0889028310775757});
    assert_column(c, "speed_chroma_uv" + suffix, {1.6909821033477783});
    c = run_stream("name=speed_temporal:speed_max_val=0.25", kPattern10, pattern_frames(10, 3));
    assert_same(c.at("speed_temporal_mxv_0.25").at(2), 5.8236064910888672);
  });
}

// Pictures without regular statistics, and equal ones.
void degenerate_pictures(void**) {
  for_each_target([] {
    const SampleFunction r = pattern(8, 0, false);
    for (const char* mode : {"0", "1", "2", "3"}) {
      const Columns c = run_stream(std::string("name=speed_chroma:speed_weight_var_mode=") + mode, kPattern, {{r, r}});
      for (const auto& [name, values] : c) assert_same(values[0], 0);
    }
    for (const char* mode : {"4", "5", "6"}) {
      const Columns c = run_stream(std::string("name=speed_chroma:speed_weight_var_mode=") + mode, kPattern, {{r, r}});
      assert_same(c.at(std::string("speed_chroma_u_wvm_") + mode)[0], 3.4332274481130298e-06);
      assert_same(c.at(std::string("speed_chroma_uv_wvm_") + mode)[0], 2.4795531317067798e-06);
    }
    Columns c = run_stream("name=speed_chroma|name=speed_temporal", kPattern, {{flat(50), flat(90)}, {r, flat(50)}});
    assert_column(c, "speed_chroma_uv", {0, 0});
    assert_column(c, "speed_temporal", {0, 0});
    const SampleFunction d = pattern(8, 0, true);
    c = run_stream("name=speed_chroma", kPattern,
                   {{[=](int p, int x, int y) { return p == 1 ? 77U : r(p, x, y); }, d}});
    assert_column(c, "speed_chroma_u", {0});
    assert_column(c, "speed_chroma_v", {3.843172550201416});
    assert_column(c, "speed_chroma_uv", {3.843172550201416});
    c = run_stream("name=speed_chroma", {80, 80, QC_CHROMA_444, 8}, pattern_frames(8, 1));
    assert_column(c, "speed_chroma_uv", {0});
    c = run_stream("name=speed_temporal", {160, 90, QC_CHROMA_400, 8}, pattern_frames(8, 3));
    assert_column(c, "speed_temporal", {0, 0, 0});
  });
}

void refusals(void**) {
  const auto open = [](const char* feature, const Geometry& g) {
    return [=] { run_stream(feature, g, {{flat(1), flat(1)}}); };
  };
  assert_fails(QC_ERROR_INVALID, "needs chroma", open("name=speed_chroma", {400, 320, QC_CHROMA_400, 8}));
  assert_fails(QC_ERROR_INVALID, "at least 80x80 samples are needed, not 79x80",
               open("name=speed_chroma", {159, 160, QC_CHROMA_420, 8}));
  assert_fails(QC_ERROR_INVALID, "not 80x79", open("name=speed_temporal", {80, 79, QC_CHROMA_400, 8}));
  assert_fails(QC_ERROR_INVALID, "after the prescaling of 158x400",
               open("name=speed_temporal:speed_prescale=0.5", {158, 400, QC_CHROMA_400, 8}));
  assert_fails(QC_ERROR_INVALID, "speed_kernelscale=0.9 is not defined",
               open("name=speed_temporal:speed_kernelscale=0.9", kPattern));
  assert_fails(QC_ERROR_INVALID, "nearest, bilinear, bicubic and lanczos4",
               open("name=speed_temporal:speed_prescale_method=cubic", kPattern));
  assert_fails(QC_ERROR_INVALID, "use 1",
               open("name=speed_temporal:speed_prescale=1.0009", {1920, 1080, QC_CHROMA_400, 8}));
}

void prescaling_by_almost_one(void**) {
  const Geometry g{322, 245, QC_CHROMA_444, 8};
  const Columns a = run_stream("name=speed_chroma", g, pattern_frames(8, 1));
  const Columns b = run_stream("name=speed_chroma:speed_prescale=0.9995", g, pattern_frames(8, 1));
  assert_same(a.at("speed_chroma_uv")[0], b.at("speed_chroma_uv_ps_0.9995")[0]);
}

// Every way that planes can lie in memory, at odd sizes, with every prescaling, and next to pages that must not be
// touched.
void layouts(void**) {
  for (const char* options : {"", ":speed_prescale=0.7", ":speed_prescale=1.5:speed_prescale_method=bilinear",
                              ":speed_prescale=0.6:speed_prescale_method=bicubic",
                              ":speed_prescale=0.8:speed_prescale_method=lanczos4", ":speed_kernelscale=2"}) {
    const std::string features = std::string("name=speed_chroma") + options + "|name=speed_temporal" + options;
    for (int depth : {8, 10}) {
      for (QCChroma chroma : {QC_CHROMA_420, QC_CHROMA_422}) {
        const Geometry g{293, 277, chroma, depth};
        force_target("scalar");
        const Columns expected = run_stream(features, g, pattern_frames(depth, 2));
        force_target("");
        for_each_target([&] {
          for (int interleaved = 0; interleaved < 2; ++interleaved)
            for (int end = 0; end < 2; ++end)
              assert_true(run_stream(features, g, pattern_frames(depth, 2),
                                     {depth == 10 && interleaved ? 6 : 0, interleaved == 1, 3 * (depth == 8), end == 0,
                                      end == 1}) == expected);
        });
      }
    }
  }
}

void filters(void**) {
  const float a9[] = {0x1.35db8cp-4F, 0x1.95ed7p-4F, 0x1.ec4b3cp-4F, 0x1.1459bp-3F, 0x1.1f3866p-3F};
  const float a35[] = {0x1.1b2cd2p-6F, 0x1.340bc6p-6F, 0x1.4d655ap-6F, 0x1.66fee4p-6F, 0x1.809806p-6F, 0x1.99eba8p-6F,
                       0x1.b2b10cp-6F, 0x1.ca9d1cp-6F, 0x1.e163d4p-6F, 0x1.f6b9d2p-6F, 0x1.052af4p-5F, 0x1.0df966p-5F,
                       0x1.15a844p-5F, 0x1.1c1b16p-5F, 0x1.213986p-5F, 0x1.24effcp-5F, 0x1.27301ap-5F, 0x1.27f12p-5F};
  const float b3[] = {0x1.54be42p-3F, 0x1.55a0dep-1F};
  const float b9[] = {0x1.36efd8p-6F, 0x1.c9eaf6p-5F, 0x1.ef4ac4p-4F, 0x1.897426p-3F, 0x1.cb1b82p-3F};
  const auto check = [](const speed::Filter& filter, const float* half, int taps) {
    assert_int_equal(filter.taps(), taps);
    for (int i = 0; i < taps; ++i)
      assert_same(double(filter.tap[static_cast<size_t>(i)]), double(half[i < taps / 2 ? i : taps - 1 - i]));
  };
  check(speed::antialias_filter(1.0F), a9, 9);
  check(speed::antialias_filter(360.0F / 97.0F), a35, 35);
  check(speed::local_mean_filter(1.0F), b3, 3);
  check(speed::local_mean_filter(360.0F / 97.0F), b9, 9);
  assert_int_equal(speed::antialias_filter(1.0005F).taps(), 11);
  assert_int_equal(speed::antialias_filter(3.0005F).taps(), 29);
}

// Against the extended logarithm of the C library, which is good to 2^-63.
void logarithm(void**) {
  const speed::Log2Entry* table = speed::log2_table();
  assert_same(speed::log2(0.0, table), -INFINITY);
  assert_same(speed::log2(-0.0, table), -INFINITY);
  assert_same(speed::log2(INFINITY, table), INFINITY);
  assert_true(std::isnan(speed::log2(-1.0, table)));
  assert_true(std::isnan(speed::log2(-INFINITY, table)));
  assert_true(std::isnan(speed::log2(NAN, table)));
  for (int e = -149; e < 128; ++e) assert_same(speed::log2(std::ldexp(1.0, e), table), e);
  if (LDBL_MANT_DIG < 64) return;
  double worst = 0;
  const auto check = [&](double x) {
    const double own = speed::log2(x, table);
    if (own == 0.0) return;
    const long double exact = std::log2(static_cast<long double>(x));
    const double ulp = std::ldexp(1.0, std::ilogb(own) - 52);
    worst = std::max(worst, double(std::fabs((static_cast<long double>(own) - exact) / static_cast<long double>(ulp))));
  };
  // Float32 arguments, and float64 ones, over all exponents and closely around 1.
  for (uint64_t i = 0x00800000; i < 0x7f800000; i += 1009)
    check(double(std::bit_cast<float>(static_cast<uint32_t>(i))));
  for (uint64_t i = 0x3f000000; i < 0x40000000; i += 41) check(double(std::bit_cast<float>(static_cast<uint32_t>(i))));
  for (uint64_t i = 0; i < 1000000; ++i)
    check(std::bit_cast<double>(0x3fe8000000000000U + (i * 0x9e3779b97f4a7c15U >> 12)));
  if (worst > 0.501) fail_msg("error of %g ulp", worst);
}

// All arguments, with the worst estimates.
void reciprocal_roots(void**) {
  for (uint32_t bits = 0x3f800000; bits <= 0x40000000; ++bits) {
    const float x = std::bit_cast<float>(bits);
    const double root = 1.0 / std::sqrt(double(x));
    const auto expected = static_cast<float>(root);
    for (const double error : {-0x1p-22, 0x1p-22})
      if (speed::reciprocal_root(x, static_cast<float>(root * (1 + error))) != expected)
        fail_msg("reciprocal root of %a", double(x));
  }
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(specification_checks),
      cmocka_unit_test(degenerate_pictures),
      cmocka_unit_test(refusals),
      cmocka_unit_test(prescaling_by_almost_one),
      cmocka_unit_test(layouts),
      cmocka_unit_test(filters),
      cmocka_unit_test(logarithm),
      cmocka_unit_test(reciprocal_roots),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
