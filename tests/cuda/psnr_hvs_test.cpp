// psnr_hvs's sums in order on the device for pictures that the random pairs of tests/parity do not have, on the
// stand-in for the driver in tests/emulation: the CPU path's scores.

#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "cuda/driver/objects.h"
#include "cuda/emulation.h"
#include "qualitycuda.h"

// Last, for cmocka.h defines macros such as fail(); it needs what stands before it.
// clang-format off
extern "C" {
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
}
// clang-format on

namespace {

QCFormat format(int width, int height, int depth) {
  QCFormat f{};
  f.width = width;
  f.height = height;
  f.chroma = QC_CHROMA_444;
  f.depth = depth;
  f.sample_bytes = 2;
  f.matrix = f.primaries = f.transfer = 2;
  f.full_range = -1;
  return f;
}

using Picture = std::vector<uint16_t>;

// Of the planes, and of all.
std::vector<double> scores(const char* backend, const QCFormat& f, const Picture& reference, const Picture& distorted) {
  QCContext* ctx = nullptr;
  assert_int_equal(qc_create(&ctx), QC_OK);
  assert_int_equal(qc_set(ctx, "feature", "name=psnr_hvs"), QC_OK);
  assert_int_equal(qc_set(ctx, "backend", backend), QC_OK);
  assert_int_equal(qc_open(ctx, &f, &f, nullptr), QC_OK);
  QCPair pair{};
  // The same samples in each plane.
  for (int p = 0; p < 3; ++p) {
    pair.reference.data[p] = reference.data();
    pair.distorted.data[p] = distorted.data();
    pair.reference.stride[p] = pair.distorted.stride[p] = 2 * f.width;
  }
  assert_int_equal(qc_send(ctx, &pair), QC_OK);
  assert_int_equal(qc_send(ctx, nullptr), QC_OK);
  QCResult result;
  assert_int_equal(qc_receive(ctx, &result), QC_OK);
  const std::vector<double> values(result.values, result.values + result.count);
  qc_destroy(&ctx);
  return values;
}

struct Case {
  const char* name;
  int width;
  int height;
  int depth;
  std::function<int(std::mt19937&, int x, int y)> reference;
  std::function<int(std::mt19937&, int x, int y)> distorted;
};

void same_scores(void**) {
  const auto noise = [](std::mt19937& r, int, int) { return static_cast<int>(r() % 256); };
  const auto black = [](std::mt19937&, int, int) { return 0; };
  const std::vector<Case> cases = {
      {"more groups of blocks than the walk joins at a time", 15, 7 * 1100 + 1, 10, noise, noise},
      {"equal", 300, 40, 10, black, black},
      {"equal but for the last block", 300, 200, 10, black,
       [](std::mt19937&, int x, int y) { return x > 290 && y > 190 ? 255 : 0; }},
      {"a constant difference", 700, 400, 10, black, [](std::mt19937&, int, int) { return 1; }},
      {"a difference that swamps those after it", 300, 200, 16, black,
       [](std::mt19937& r, int x, int y) {
         return x < 8 && y < 8 ? 65535 * ((x + y) % 2) : static_cast<int>(r() % 2);
       }},
      {"the greatest differences", 300, 60, 16, [](std::mt19937&, int x, int y) { return 65535 * ((x + y) % 2); },
       [](std::mt19937&, int x, int y) { return 65535 - 65535 * ((x + y) % 2); }},
      {"growing", 460, 300, 12, black,
       [](std::mt19937& r, int, int y) { return static_cast<int>(r()) & ((1 << y / 25) - 1); }},
  };
  for (const Case& c : cases) {
    std::mt19937 random(1);
    Picture reference;
    Picture distorted;
    for (int y = 0; y < c.height; ++y)
      for (int x = 0; x < c.width; ++x) {
        reference.push_back(static_cast<uint16_t>(c.reference(random, x, y)));
        distorted.push_back(static_cast<uint16_t>(c.distorted(random, x, y)));
      }
    const QCFormat f = format(c.width, c.height, c.depth);
    const std::vector<double> cpu = scores("cpu", f, reference, distorted);
    const std::vector<double> cuda = scores("cuda", f, reference, distorted);
    assert_int_equal(cpu.size(), 4);
    for (size_t i = 0; i < cpu.size(); ++i)
      if (std::memcmp(&cpu[i], &cuda[i], sizeof(double)) != 0)
        fail_msg("%s: %.17g is not %.17g", c.name, cuda[i], cpu[i]);
  }
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {cmocka_unit_test(same_scores)};
  return cmocka_run_group_tests(tests, qc::test::load_emulation, nullptr);
}
