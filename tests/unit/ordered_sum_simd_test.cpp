// Ordered sums with vector instructions: every instruction set against the loop.
#include "math/ordered_sum_simd.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "core/targets.h"
#include "unit.h"

namespace {

using namespace qc;

constexpr size_t kCount = 3001;

double loop(double sum, const std::vector<double>& terms) {
  for (double term : terms) sum += term;
  return sum;
}

// Bits are equal, or both are NaN.
bool equal(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b)); }

void for_each_target(const std::function<void()>& body) {
  for (const std::string& target : available_targets()) {
    assert_true(force_target(target));
    body();
  }
  force_target("");
}

// Terms of several natures, among them ties of every binade on the way, sums that change sign, and what isn't finite.
std::vector<std::vector<double>> sequences() {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> unit(0, 1);
  const auto make = [&](const std::function<double(size_t)>& term) {
    std::vector<double> terms(kCount);
    for (size_t i = 0; i < kCount; ++i) terms[i] = term(i);
    return terms;
  };
  std::vector<std::vector<double>> all;
  all.push_back(make([&](size_t) { return unit(random); }));
  all.push_back(make([&](size_t) { return unit(random) - 0.5; }));
  all.push_back(make([&](size_t) { return 1 - 1e-3 * unit(random); }));
  all.push_back(make([&](size_t) { return static_cast<double>(static_cast<float>(unit(random))); }));
  all.push_back(make([&](size_t) { return std::exp(20 * unit(random)); }));
  all.push_back(make([&](size_t) { return 0.0; }));
  all.push_back(make([&](size_t) { return -0.0; }));
  all.push_back(make([&](size_t) { return -unit(random); }));
  for (int e : {-53, -52, -51, -45, -42}) {
    // Half and quarter units of sums around 1 to 2048, to and fro around a power of two.
    all.push_back(make([&](size_t i) { return i == 0 ? 1.0 : std::ldexp(static_cast<double>(random() % 4), e); }));
    all.push_back(
        make([&](size_t i) { return i == 0 ? 1024.0 : std::ldexp(static_cast<double>(random() % 9) - 4, e + 10); }));
    all.push_back(
        make([&](size_t i) { return i % 500 == 0 ? 1.0 : std::ldexp(static_cast<double>(random() % 5) - 2, e); }));
  }
  for (double special : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN(), 1e300,
                         -1e300, std::numeric_limits<double>::denorm_min()})
    all.push_back(make([&](size_t i) { return i == 1700 ? special : unit(random); }));
  return all;
}

void sums_in_order(void**) {
  for (const std::vector<double>& terms : sequences()) {
    for (double start : {0.0, 1e-310, 1.0, 1000.0, 4095.9999, -7.0, 1e305}) {
      const double expected = loop(start, terms);
      for_each_target([&] { assert_true(equal(ordered_sum(start, terms.data(), terms.size()), expected)); });
    }
  }
}

void all_counts(void**) {
  const std::vector<double> terms = sequences()[2];
  for (size_t count = 0; count < 600; ++count) {
    const std::vector<double> some(terms.begin(), terms.begin() + static_cast<ptrdiff_t>(count));
    const double expected = loop(5000.0, some);
    for_each_target([&] { assert_true(equal(ordered_sum(5000.0, some.data(), count), expected)); });
  }
}

// Where the order is said to be free, the loop gives the same forwards, backwards and shuffled; else nothing is added.
void free_order(void**) {
  std::mt19937_64 random(2);
  int free = 0;
  for (const std::vector<double>& sequence : sequences()) {
    for (size_t first = 0; first + 100 <= sequence.size(); first += 100) {
      std::vector<double> terms(sequence.begin() + static_cast<ptrdiff_t>(first),
                                sequence.begin() + static_cast<ptrdiff_t>(first + 100));
      for (double start : {1.0, 1000.0, 4090.0, 1e6}) {
        for_each_target([&] {
          double sum = start;
          if (!add_if_order_is_free(sum, terms.data(), terms.size())) {
            assert_true(equal(sum, start));
            return;
          }
          ++free;
          assert_true(equal(loop(start, terms), sum));
          const std::vector<double> backwards(terms.rbegin(), terms.rend());
          assert_true(equal(loop(start, backwards), sum));
          std::shuffle(terms.begin(), terms.end(), random);
          assert_true(equal(loop(start, terms), sum));
        });
      }
    }
  }
  // Vector targets find it in most of these chunks.
  assert_true(available_targets().size() == 1 || free > 1000);
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(sums_in_order),
      cmocka_unit_test(all_counts),
      cmocka_unit_test(free_order),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
