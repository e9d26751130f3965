// ssimulacra2: the specification's checks, colour descriptions, RGB, every instruction set against the plain code,
// layouts and guarded memory.
#include <bit>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/session.h"
#include "core/targets.h"
#include "guarded_picture.h"
#include "ssimulacra2/ssimulacra2_parameters.h"
#include "unit.h"

namespace {

using namespace qc;
using namespace qc::ssimulacra2;
using unit::assert_fails;
using unit::assert_same;
using unit::assert_text;
using unit::GuardedPicture;
using unit::Layout;
using unit::SampleFunction;

// The test pattern of the specification.
struct Sample {
  uint32_t reference;
  uint32_t distorted;
};
Sample pattern(int plane, int frame, int x, int y, int depth) {
  const auto ux = static_cast<uint32_t>(x);
  const auto uy = static_cast<uint32_t>(y);
  const auto uc = static_cast<uint32_t>(plane);
  const auto uk = static_cast<uint32_t>(frame);
  uint32_t t = (ux * 73856093U) ^ (uy * 19349663U) ^ ((uc + 1) * 83492791U) ^ ((uk + 1) * 2654435761U);
  t ^= t >> 13;
  t *= 0x5bd1e995U;
  t ^= t >> 15;
  const uint32_t reference = 64 + ((ux + 2 * uy + 16 * uc + 3 * uk) & 63) + (t & 31);
  const uint32_t distorted = ((ux >> 3) + (uy >> 3)) % 2 ? reference + ((t >> 8) & 7) - 3 : reference;
  const int more = depth - 8;
  const uint32_t low = (t >> 16) & ((1U << more) - 1);
  return {reference << more | low, distorted << more | low};
}

SampleFunction reference_pattern(int depth, int frame = 0) {
  return [=](int p, int x, int y) { return pattern(p, frame, x, y, depth).reference; };
}
SampleFunction distorted_pattern(int depth, int frame = 0) {
  return [=](int p, int x, int y) { return pattern(p, frame, x, y, depth).distorted; };
}
SampleFunction flat(uint32_t y, uint32_t u, uint32_t v) {
  return [=](int p, int, int) { return p == 0 ? y : p == 1 ? u : v; };
}
SampleFunction noise(uint32_t seed, int depth) {
  return [=](int p, int x, int y) {
    uint64_t h = seed + static_cast<uint64_t>(x) * 0xbf58476d1ce4e5b9U + static_cast<uint64_t>(y) * 0x94d049bb133111ebU;
    h = (h ^ (h >> 30)) * (0xbf58476d1ce4e5b9U + static_cast<uint64_t>(p));
    return static_cast<uint32_t>(h >> 40) & ((1U << depth) - 1);
  };
}

Geometry yuv(int width, int height, QCChroma chroma, int depth = 8) { return {width, height, chroma, depth}; }

struct Pictures {
  Pictures(const Geometry& g, const SampleFunction& reference, const SampleFunction& distorted,
           const Layout& layout = {}, const Layout& distorted_layout = {})
      : r(g, layout, reference), d(g, distorted_layout, distorted) {}
  GuardedPicture r;
  GuardedPicture d;
};

// What a session says of one pair.
struct Said {
  double score = 0;
  std::vector<std::string> lines;
};

// Scores a pair whose formats `describe` has completed.
Said score(const Pictures& pictures, const std::string& options, const std::function<void(QCFormat&)>& describe = {}) {
  Said said;
  Session session([&](QCLogLevel, const std::string& line) { said.lines.push_back(line); });
  session.set("feature", "name=ssimulacra2" + options);
  session.set("n_threads", "1");
  QCFormat reference = pictures.r.format();
  QCFormat distorted = pictures.d.format();
  if (describe) {
    describe(reference);
    describe(distorted);
  }
  session.open(reference, distorted, nullptr);
  QCPair pair{};
  pair.reference = pictures.r.frame();
  pair.distorted = pictures.d.frame();
  assert_int_equal(session.send(&pair), QC_OK);
  assert_int_equal(session.send(nullptr), QC_OK);
  QCResult result;
  assert_int_equal(session.receive(result), QC_OK);
  assert_int_equal(result.count, 1);
  said.score = result.values[0];
  return said;
}

void rgb(QCFormat& f) { f.matrix = 0; }

void for_each_target(const std::function<void()>& body) {
  for (const std::string& target : available_targets()) {
    assert_true(force_target(target));
    body();
  }
  force_target("");
}

// The specification's scores for the matrices 0 to 3.
void pattern_scores(void**) {
  struct Case {
    Geometry geometry;
    int frame;
    double score[4];
  };
  const Case cases[] = {
      {yuv(64, 48, QC_CHROMA_420), 0, {91.803087338797411, 91.337777299485154, 92.428648916158906, 92.001328446016871}},
      {yuv(64, 48, QC_CHROMA_420), 1, {91.559258230853672, 91.154674997610513, 92.156433314944678, 91.789209721710947}},
      {yuv(96, 80, QC_CHROMA_422, 10),
       0,
       {90.626308074049049, 90.16042777052607, 91.281954916129365, 90.848576205206086}},
      {yuv(40, 24, QC_CHROMA_444), 0, {93.695632431168377, 93.686604205405402, 94.163251008525776, 94.130355277825373}},
      {yuv(400, 320, QC_CHROMA_444),
       0,
       {88.200426027605175, 88.73616776202077, 88.944763171826523, 89.468037813711575}},
  };
  for (const Case& c : cases) {
    const int depth = c.geometry.depth;
    const Pictures pictures(c.geometry, reference_pattern(depth, c.frame), distorted_pattern(depth, c.frame));
    for_each_target([&] {
      for (int m = 0; m < 4; ++m) assert_same(score(pictures, ":yuv_matrix=" + std::to_string(m)).score, c.score[m]);
    });
  }
  const Geometry g = yuv(64, 48, QC_CHROMA_420);
  assert_same(score(Pictures(g, distorted_pattern(8), reference_pattern(8)), "").score, 91.879234142726588);
}

void flat_pictures(void**) {
  const Geometry g = yuv(64, 64, QC_CHROMA_444);
  const auto check = [&](const SampleFunction& a, const SampleFunction& b, double limited, double full) {
    const Pictures pictures(g, a, b);
    for_each_target([&] {
      assert_same(score(pictures, ":yuv_matrix=0").score, limited);
      assert_same(score(pictures, ":yuv_matrix=2").score, full);
    });
  };
  check(flat(100, 128, 128), flat(110, 128, 128), 70.001083241825256, 75.518048605130602);
  check(flat(110, 128, 128), flat(100, 128, 128), 69.165008044532897, 74.700909960996995);
  check(flat(100, 128, 128), flat(100, 140, 128), 90.654758830342402, 91.155024659860018);
  check(flat(16, 128, 128), flat(235, 128, 128), -998.8052552731142, -726.14413622013728);
  check(flat(235, 128, 128), flat(16, 128, 128), -1012.648531436645, -736.59180573977483);
  check(flat(0, 0, 0), flat(255, 255, 255), -130.63196655340835, -93.566062440127666);
  check(reference_pattern(8), reference_pattern(8), 100, 100);
}

void small_pictures(void**) {
  for (const auto& [width, height] : {std::pair{7, 20}, {4, 4}, {1, 1}, {20, 7}})
    assert_same(score(Pictures(yuv(width, height, QC_CHROMA_444), flat(0, 0, 0), flat(255, 0, 9)), "").score, 100);
}

void rgb_scores(void**) {
  // Planes 0, 1, 2 of the pattern are red, green and blue; those of a picture are green, blue and red.
  const auto reordered = [](const SampleFunction& f) {
    return [f](int p, int x, int y) { return f((p + 1) % 3, x, y); };
  };
  const SampleFunction r = reordered(reference_pattern(8));
  const SampleFunction d = reordered(distorted_pattern(8));
  for_each_target([&] {
    const Geometry g = yuv(40, 24, QC_CHROMA_444);
    assert_same(score(Pictures(g, r, d), "", rgb).score, 94.041804149953393);
    assert_same(score(Pictures(g, d, r), "", rgb).score, 94.192122797346272);
    assert_same(score(Pictures(yuv(400, 320, QC_CHROMA_444), r, d), "", rgb).score, 90.113152124914905);
  });
}

void rgb_needs_features_that_know_it(void**) {
  const Geometry g = yuv(40, 24, QC_CHROMA_444);
  const Pictures pictures(g, flat(1, 2, 3), flat(4, 5, 6));
  QCFormat format = pictures.r.format();
  format.matrix = 0;
  const auto session_of = [](const char* feature) {
    auto session = std::make_unique<Session>([](QCLogLevel, const std::string&) {});
    session->set("feature", feature);
    return session;
  };
  assert_true(session_of("name=ssimulacra2")->accepts_rgb());
  assert_false(session_of("name=ssimulacra2|name=psnr")->accepts_rgb());
  assert_false(session_of("")->accepts_rgb());
  assert_fails(QC_ERROR_UNSUPPORTED, "psnr is not defined for RGB",
               [&] { session_of("name=psnr")->open(format, format, nullptr); });
  assert_fails(QC_ERROR_INVALID, "is RGB, the other one YUV",
               [&] { session_of("name=ssimulacra2")->open(format, pictures.d.format(), nullptr); });
  format.chroma = QC_CHROMA_420;
  assert_fails(QC_ERROR_INVALID, "three whole planes",
               [&] { session_of("name=ssimulacra2")->open(format, format, nullptr); });
}

// The constants of the fork.
void conversions(void**) {
  QCFormat f = GuardedPicture(yuv(16, 16, QC_CHROMA_444), {}, flat(0, 0, 0)).format();
  const auto colour = [&](int matrix) { return make_parameters(geometry_of(f), f, f, matrix).input[0].colour; };
  const Colour a = colour(0);
  assert_same(a.step, 0x1.010102p-8f);
  assert_same(a.luma_offset, 0x1.010102p-4f);
  assert_same(a.luma_scale, 0x1.2a150ap+0f);
  assert_same(a.chroma_scale, 0x1.236db6p+0f);
  assert_same(a.red_v, 0x1.932618p+0f);
  assert_same(a.blue_u, 0x1.db089ap+0f);
  assert_same(a.green_u, -0x1.7fa3dcp-3f);
  assert_same(a.green_v, -0x1.df5bf8p-2f);
  const Colour b = colour(3);
  assert_same(b.luma_offset, 0);
  assert_same(b.luma_scale, 1);
  assert_same(b.red_v, 0x1.66e978p+0f);
  assert_same(b.blue_u, 0x1.c5a1cap+0f);
  assert_same(b.green_u, -0x1.606542p-2f);
  assert_same(b.green_v, -0x1.6da344p-1f);
  // Sum of the bits of the table of the transfer function.
  const std::vector<float> table = make_parameters(geometry_of(f), f, f, 0).input[0].transfer;
  uint32_t sum = 0;
  for (size_t i = 0; i < table.size(); ++i) sum += static_cast<uint32_t>(i + 1) * std::bit_cast<uint32_t>(table[i]);
  assert_int_equal(table.size(), 1024);
  assert_int_equal(sum, 0x9701b410U);
}

// Tags do what the option does, the option overrides them, and each input follows its own.
void tags(void**) {
  const Geometry g = yuv(48, 40, QC_CHROMA_420);
  const Pictures pictures(g, reference_pattern(8), distorted_pattern(8));
  const auto tagged = [&](int matrix, int range, const std::string& options = "") {
    return score(pictures, options, [=](QCFormat& f) {
      f.matrix = matrix;
      f.full_range = range;
    });
  };
  assert_same(tagged(6, 1).score, score(pictures, ":yuv_matrix=3").score);
  assert_same(tagged(5, 0).score, score(pictures, ":yuv_matrix=1").score);
  assert_same(tagged(1, 1).score, score(pictures, ":yuv_matrix=2").score);
  assert_same(tagged(6, 1, ":yuv_matrix=0").score, score(pictures, ":yuv_matrix=0").score);
  assert_true(tagged(9, 0).score != tagged(1, 0).score);
  assert_fails(QC_ERROR_UNSUPPORTED, "has the matrix 8", [&] { tagged(8, 0); });
  tagged(8, 0, ":yuv_matrix=0");

  // A full-range copy of limited-range gray looks nearly the same: the middle of chroma is no code.
  const Pictures ranges(g, flat(16 + 146, 128, 128), flat(170, 128, 128));
  int next = 0;
  const double same = score(ranges, "", [&](QCFormat& f) { f.full_range = next++; }).score;
  assert_true(same > 97 && score(ranges, "").score < 95);
}

void notes(void**) {
  const Pictures pictures(yuv(16, 16, QC_CHROMA_420), flat(1, 2, 3), flat(4, 5, 6));
  const std::string end = ", which is not tagged; yuv_matrix=0 to 3 chooses both";
  const Said nothing = score(pictures, "");
  assert_int_equal(nothing.lines.size(), 1);
  assert_text(
      nothing.lines[0],
      "ssimulacra2 assumes the matrix of BT.709 and limited range for the reference input, the matrix of BT.709 "
      "and limited range for the distorted input" +
          end);
  int inputs = 0;
  const Said one = score(pictures, "", [&](QCFormat& f) {
    f.matrix = 1;
    f.full_range = inputs++ ? -1 : 0;
  });
  assert_int_equal(one.lines.size(), 1);
  assert_text(one.lines[0], "ssimulacra2 assumes limited range for the distorted input" + end);
  assert_int_equal(score(pictures, ":yuv_matrix=2").lines.size(), 0);
}

void transfers_and_primaries(void**) {
  const Geometry g = yuv(48, 40, QC_CHROMA_444);
  const Pictures pictures(g, reference_pattern(8), distorted_pattern(8));
  const auto tagged = [&](int transfer, int primaries, int matrix = 1) {
    return score(pictures, "",
                 [=](QCFormat& f) {
                   f.matrix = matrix;
                   f.transfer = transfer;
                   f.primaries = primaries;
                 })
        .score;
  };
  for (const int matrix : {0, 1}) {
    const double plain = tagged(2, 2, matrix);
    assert_same(tagged(1, 1, matrix), plain);
    assert_same(tagged(13, 1, matrix), plain);
    assert_same(tagged(15, 1, matrix), plain);
    for (const int transfer : {4, 5, 8}) assert_true(tagged(transfer, 1, matrix) != plain);
    for (const int primaries : {5, 6, 9, 12, 22}) {
      const double converted = tagged(1, primaries, matrix);
      assert_true(converted != plain && converted > 50);
      for_each_target([&] { assert_same(tagged(1, primaries, matrix), converted); });
    }
  }
  assert_fails(QC_ERROR_UNSUPPORTED, "the transfer function 16", [&] { tagged(16, 9); });
  assert_fails(QC_ERROR_UNSUPPORTED, "the primaries 10", [&] { tagged(1, 10); });

  // Gray stays gray whatever the primaries.
  QCFormat f = pictures.r.format();
  f.primaries = 9;
  const Colour c = make_parameters(g, f, f, 0).input[0].colour;
  for (int row = 0; row < 3; ++row)
    assert_true(std::abs(c.gamut[3 * row] + c.gamut[3 * row + 1] + c.gamut[3 * row + 2] - 1.0f) < 1e-6f);
  // ITU-R BT.2087.
  assert_true(std::abs(c.gamut[0] - 1.6605f) < 1e-4f && std::abs(c.gamut[1] + 0.5876f) < 1e-4f);
  assert_true(std::abs(c.gamut[7] + 0.1006f) < 1e-4f && std::abs(c.gamut[8] - 1.1187f) < 1e-4f);
}

void gray_is_refused(void**) {
  const Pictures pictures(yuv(16, 16, QC_CHROMA_400), flat(1, 2, 3), flat(4, 5, 6));
  assert_fails(QC_ERROR_UNSUPPORTED, "needs colour", [&] { score(pictures, ""); });
}

// Every instruction set against the plain code, bit for bit in every sum, over sizes around the block sizes.
void targets(void**) {
  const std::pair<int, int> sizes[] = {{8, 8},    {9, 11},   {15, 17},  {16, 16},  {17, 33}, {23, 8},
                                       {8, 40},   {31, 30},  {33, 65},  {64, 64},  {65, 18}, {113, 21},
                                       {130, 97}, {257, 40}, {40, 259}, {300, 131}};
  for (const auto& [width, height] : sizes) {
    for (const QCChroma chroma : {QC_CHROMA_420, QC_CHROMA_422, QC_CHROMA_444}) {
      for (const int depth : {8, 10, 16}) {
        const Geometry g = yuv(width, height, chroma, depth);
        const bool extreme = (width + depth) % 3 == 0;
        const Pictures pictures(g, extreme ? noise(1, depth) : reference_pattern(depth),
                                extreme ? noise(2, depth) : distorted_pattern(depth));
        for (const bool as_rgb : {false, true}) {
          if (as_rgb && chroma != QC_CHROMA_444) continue;
          const auto describe = [&](QCFormat& f) { f.matrix = as_rgb ? 0 : 1; };
          assert_true(force_target("scalar"));
          const double expected = score(pictures, "", describe).score;
          for_each_target([&] { assert_same(score(pictures, "", describe).score, expected); });
        }
      }
    }
  }
}

// Scores depend on the samples, not on how they lie in memory; nothing outside the pictures is touched.
void layouts(void**) {
  const Layout planar = {};
  for (const int depth : {8, 10, 16}) {
    const Geometry g = yuv(67, 37, QC_CHROMA_420, depth);
    const SampleFunction r = reference_pattern(depth);
    const SampleFunction d = distorted_pattern(depth);
    const double expected = score(Pictures(g, r, d), "").score;
    const Layout others[] = {{0, false, 0, false, false},
                             {0, false, 38, false, true},
                             {0, false, 4, true, true},
                             {depth == 10 ? 6 : 0, true, 2, false, true}};
    for (const Layout& layout : others) {
      const Pictures pictures(g, r, d, layout, planar);
      for_each_target([&] { assert_same(score(pictures, "").score, expected); });
    }
  }
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(pattern_scores),
      cmocka_unit_test(flat_pictures),
      cmocka_unit_test(small_pictures),
      cmocka_unit_test(rgb_scores),
      cmocka_unit_test(rgb_needs_features_that_know_it),
      cmocka_unit_test(conversions),
      cmocka_unit_test(tags),
      cmocka_unit_test(notes),
      cmocka_unit_test(transfers_and_primaries),
      cmocka_unit_test(gray_is_refused),
      cmocka_unit_test(targets),
      cmocka_unit_test(layouts),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
