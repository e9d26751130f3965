// Sums in order by the kernels of cuda/math/ordered_sum.cu, on the stand-in for the driver in tests/emulation, against
// the plain loop.

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "cuda/emulation.h"
#include "cuda/math/ordered_summation.h"

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

namespace cuda = qc::cuda;
using Terms = std::vector<double>;
using Random = std::mt19937_64;
using Limits = std::numeric_limits<double>;

class DeviceSum {
 public:
  double operator()(const Terms& terms) const {
    const auto count = static_cast<int64_t>(terms.size());
    const size_t bytes = terms.size() * sizeof(double);
    const cuda::DeviceBuffer memory = cuda::DeviceBuffer::allocate(bytes);
    const cuda::DeviceBuffer scratch = cuda::DeviceBuffer::allocate(cuda::OrderedSummation::scratch_bytes(count));
    const cuda::DeviceBuffer result = cuda::DeviceBuffer::allocate(sizeof(double));
    cuda::driver().cuMemcpyHtoDAsync(memory.get(), terms.data(), bytes, stream_.get());
    summation_.enqueue(stream_.get(), cuda::pointer<double>(memory.get()), count,
                       cuda::pointer<std::byte>(scratch.get()), cuda::pointer<double>(result.get()));
    double sum = 0;
    cuda::driver().cuMemcpyDtoHAsync(&sum, result.get(), sizeof(sum), stream_.get());
    cuda::driver().cuStreamSynchronize(stream_.get());
    return sum;
  }

 private:
  cuda::PrimaryContext context_{0};
  cuda::ContextScope scope_{context_.get()};
  cuda::Device device_{0};
  cuda::OrderedSummation summation_{device_};
  cuda::Stream stream_ = cuda::Stream::create();
};

double uniform(Random& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

struct Family {
  const char* name;
  std::function<double(Random&, size_t)> term;
};

const std::vector<Family>& families() {
  static const std::vector<Family> all = {
      {"uniform", [](Random& r, size_t) { return uniform(r); }},
      {"mostly positive", [](Random& r, size_t) { return uniform(r) - 0.05; }},
      {"negative", [](Random& r, size_t) { return -uniform(r); }},
      {"signed", [](Random& r, size_t) { return uniform(r) - 0.5; }},
      {"drifting down", [](Random& r, size_t i) { return i == 0 ? 3000.0 : uniform(r) - 0.6; }},
      {"integers", [](Random& r, size_t) { return static_cast<double>(r() % 65536); }},
      {"ties", [](Random& r, size_t i) { return i == 0 ? 1.0 : static_cast<double>(r() % 4) * 0x1p-53; }},
      {"signed ties", [](Random& r, size_t i) { return i == 0 ? 1.5 : (static_cast<double>(r() % 9) - 4) * 0x1p-53; }},
      {"about a power of two",
       [](Random& r, size_t i) { return i == 0 ? 2.0 : (static_cast<double>(r() % 17) - 8) * 0x1p-53; }},
      {"zeros", [](Random&, size_t) { return 0.0; }},
      {"zeros of both signs", [](Random& r, size_t) { return r() % 2 ? 0.0 : -0.0; }},
      {"zeros, then some", [](Random& r, size_t i) { return i % 40000 < 25000 ? 0.0 : uniform(r); }},
      {"tiny against the sum", [](Random& r, size_t i) { return i == 0 ? 0x1p60 : uniform(r); }},
      {"huge now and then", [](Random& r, size_t i) { return i % 9001 == 9000 ? 0x1p40 : uniform(r); }},
      {"back to zero", [](Random&, size_t i) { return i % 2 ? -1.0 : 1.0; }},
      {"wide range", [](Random& r, size_t) { return std::ldexp(uniform(r), static_cast<int>(r() % 80) - 60); }},
      {"subnormal", [](Random& r, size_t) { return (static_cast<double>(r() % 9) - 3) * Limits::denorm_min(); }},
      {"up to the least normal", [](Random& r, size_t) { return Limits::min() * (uniform(r) - 0.4); }},
      {"largest", [](Random& r, size_t i) { return i % 3 ? Limits::max() / 8 * uniform(r) : -Limits::max() / 8; }},
      {"overflowing", [](Random&, size_t) { return Limits::max() / 3000; }},
      {"infinite", [](Random& r, size_t i) { return i == 700 ? Limits::infinity() : uniform(r); }},
      {"not a number", [](Random& r, size_t i) { return i == 700 ? Limits::quiet_NaN() : uniform(r); }},
  };
  return all;
}

// The sign and payload of a NaN say nothing.
bool same(double a, double b) { return (a != a && b != b) || std::memcmp(&a, &b, sizeof a) == 0; }

void check(const DeviceSum& device_sum, const Family& family, size_t count) {
  Random random(count);
  Terms terms(count);
  for (size_t i = 0; i < count; ++i) terms[i] = family.term(random, i);
  double expected = 0;
  for (const double t : terms) expected += t;
  const double found = device_sum(terms);
  if (!same(found, expected)) fail_msg("%s, %zu terms: %.17g is not %.17g", family.name, count, found, expected);
}

constexpr size_t kGroup = size_t{cuda::kChunkTerms} * cuda::kChunksPerGroup;

// Within a group, and about the size of a chunk.
void every_family(void**) {
  const DeviceSum device_sum;
  for (const Family& family : families())
    for (const size_t count : {size_t{1}, size_t{257}, size_t{3000}}) check(device_sum, family, count);
}

// More than a group, and more than the walk's warps join at a time.
void many_terms(void**) {
  const DeviceSum device_sum;
  for (size_t i = 0; i < 5; ++i) check(device_sum, families()[i], kGroup + 300);
  check(device_sum, families()[0], kGroup * cuda::kWalkThreads + 1000);
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(every_family),
      cmocka_unit_test(many_terms),
  };
  return cmocka_run_group_tests(tests, qc::test::load_emulation, nullptr);
}
