// Ordered sums by maps, certified rounding and pair sums against the plain loops, bit for bit.
#include "math/ordered_sum.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "math/certified_rounding.h"
#include "math/float_pair.h"
#include "unit.h"

namespace {

using namespace qc;

using Random = std::mt19937_64;

template <class T>
bool same(T a, T b) {
  // The sign and payload of a NaN say nothing.
  return (a != a && b != b) || std::memcmp(&a, &b, sizeof a) == 0;
}

// Uniform in [0, 1).
template <class T>
T uniform(Random& random) {
  return static_cast<T>(static_cast<double>(random() >> 40) * 0x1p-24);
}

template <class T>
T normal_number(Random& random, int exponent) {
  const T fraction = static_cast<T>(static_cast<double>(random() >> 11) * 0x1p-53);
  return std::ldexp((T{1} + fraction) / T{2}, exponent + 1);
}

template <class T>
T ulp(int exponent) {
  return std::ldexp(T{1}, exponent - FloatFormat<T>::kPrecision + 1);
}

template <class T>
struct Family {
  const char* name;
  bool growing;  // no negative terms
  std::function<T(Random&, size_t)> term;
};

template <class T>
std::vector<Family<T>> families() {
  using Limits = std::numeric_limits<T>;
  return {
      {"uniform", true, [](Random& r, size_t) { return uniform<T>(r); }},
      {"near one", true, [](Random& r, size_t) { return T{1} - uniform<T>(r) / 1024; }},
      {"two thirds zeros", true, [](Random& r, size_t) { return r() % 3 ? T{0} : uniform<T>(r); }},
      {"exponential", true, [](Random& r, size_t) { return static_cast<T>(-std::log(1.0 - uniform<T>(r) / 2)); }},
      {"dyadic", true, [](Random& r, size_t) { return static_cast<T>(r() % 64) / 8; }},
      {"wide range", true, [](Random& r, size_t) { return normal_number<T>(r, static_cast<int>(r() % 60) - 50); }},
      {"half units", true, [](Random& r, size_t i) { return i == 0 ? T{1} : static_cast<T>(r() % 4) * ulp<T>(0) / 2; }},
      {"around a power of two", false,
       [](Random& r, size_t i) { return i == 0 ? T{2} : (static_cast<T>(r() % 17) - 8) * ulp<T>(1) / 4; }},
      {"signed", false, [](Random& r, size_t) { return uniform<T>(r) - T{0.5}; }},
      {"negative", false, [](Random& r, size_t) { return -uniform<T>(r) - T{0.25}; }},
      {"drifting", false, [](Random& r, size_t) { return uniform<T>(r) - T{0.4}; }},
      {"up and back", false,
       [](Random& r, size_t i) {
         const T size = std::ldexp(T{1}, static_cast<int>(i / 40 % 20)) * (T{1} + uniform<T>(r));
         return i / 800 % 2 ? -size : size;
       }},
      {"cancelling", false,
       [](Random& r, size_t i) {
         const T size = std::ldexp(T{1} + static_cast<T>(i / 2 % 5), static_cast<int>(i / 2 % 30));
         return i % 2 ? -size + uniform<T>(r) / 4096 : size;
       }},
      {"subnormal", false,
       [](Random& r, size_t) { return (static_cast<T>(r() % 9) - 3) * Limits::denorm_min() * 1000; }},
      {"into subnormals", false,
       [](Random& r, size_t i) {
         return i % 50 < 25 ? Limits::min() * uniform<T>(r) * 4 : -Limits::min() * uniform<T>(r) * 4;
       }},
      {"overflowing", true, [](Random&, size_t) { return Limits::max() / 700; }},
      {"largest", false,
       [](Random& r, size_t) { return r() % 2 ? Limits::max() / 4 : -Limits::max() / 4 * (T{1} + uniform<T>(r)); }},
      {"infinite", true, [](Random& r, size_t i) { return i == 900 ? Limits::infinity() : uniform<T>(r); }},
      {"not a number", false,
       [](Random& r, size_t i) {
         return i == 500 ? Limits::infinity() : (i == 700 ? -Limits::infinity() : uniform<T>(r));
       }},
      {"minus zeros", false, [](Random& r, size_t) { return r() % 2 ? -T{0} : T{0}; }},
  };
}

// The procedure as a kernel would run it: approximate prefix sums, maps of all runs, then the walk.
template <class T, class Map, int kBinades>
T sum_by_maps(const std::vector<T>& terms, int64_t run_terms, int offset, int64_t& replayed) {
  const int64_t count = static_cast<int64_t>(terms.size());
  std::vector<PreparedRun<Map, kBinades>> runs;
  double prefix = 0;
  for (int64_t first = 0; first < count; first += run_terms) {
    const int64_t last = std::min(first + run_terms, count);
    PreparedRun<Map, kBinades>& run = runs.emplace_back();
    run.binade = binade_of(static_cast<T>(prefix), offset);
    for (int b = 0; b < kBinades; ++b) {
      const Binade binade = {run.binade.exponent + b, run.binade.negative};
      // Two halves that are composed, as two threads would leave them.
      Map half[2] = {Map::identity(), Map::identity()};
      const int64_t middle = (first + last) / 2;
      for (int64_t i = first; i < last; ++i) extend(half[i >= middle], terms[static_cast<size_t>(i)], binade);
      run.map[b] = compose(half[0], half[1]);
    }
    for (int64_t i = first; i < last; ++i) prefix += static_cast<double>(terms[static_cast<size_t>(i)]);
  }
  return walk(T{0}, runs.data(), terms.data(), count, run_terms, &replayed);
}

template <class T>
void check_families() {
  Random random(1);
  for (const Family<T>& family : families<T>()) {
    for (size_t count : {size_t{1}, size_t{7}, size_t{1000}, size_t{6001}}) {
      std::vector<T> terms(count);
      for (size_t i = 0; i < count; ++i) terms[i] = family.term(random, i);
      const T expected = add_in_order(T{0}, terms.data(), static_cast<int64_t>(count));
      for (int64_t run_terms : {1, 2, 3, 16, 64, 255, 1024, 4096}) {
        int64_t replayed = 0;
        const auto check = [&](T sum, const char* how) {
          if (!same(sum, expected))
            fail_msg("%s: %zu terms, runs of %d, %s: %.17g is not %.17g", family.name, count,
                     static_cast<int>(run_terms), how, static_cast<double>(sum), static_cast<double>(expected));
        };
        check(sum_by_maps<T, RunMap<T>, 1>(terms, run_terms, 0, replayed), "one binade");
        check(sum_by_maps<T, RunMap<T>, 3>(terms, run_terms, -1, replayed), "three binades");
        // Wrong suggestions.
        check(sum_by_maps<T, RunMap<T>, 2>(terms, run_terms, 1, replayed), "wrong binades");
        if (!family.growing) continue;
        check(sum_by_maps<T, GrowingRunMap<T>, 1>(terms, run_terms, 0, replayed), "growing, one binade");
        check(sum_by_maps<T, GrowingRunMap<T>, 3>(terms, run_terms, -1, replayed), "growing, three binades");
      }
    }
  }
}

void families_float(void**) { check_families<float>(); }
void families_double(void**) { check_families<double>(); }

// The maps are not only right but used: few runs of a growing sum are replayed.
template <class T>
void check_replays() {
  Random random(2);
  std::vector<T> terms(300000);
  for (T& t : terms) t = uniform<T>(random);
  const T expected = add_in_order(T{0}, terms.data(), static_cast<int64_t>(terms.size()));
  int64_t replayed = 0;
  assert_true(same(sum_by_maps<T, GrowingRunMap<T>, 3>(terms, 64, -1, replayed), expected));
  assert_in_range(replayed, 5, 25);
  replayed = 0;
  assert_true(same(sum_by_maps<T, RunMap<T>, 3>(terms, 64, -1, replayed), expected));
  assert_in_range(replayed, 5, 25);
  // A run that has the wrong exponent is always replayed.
  replayed = 0;
  assert_true(same(sum_by_maps<T, RunMap<T>, 1>(terms, 64, 3, replayed), expected));
  assert_int_equal(replayed, (300000 + 63) / 64);
}

void replays(void**) {
  check_replays<float>();
  check_replays<double>();
}

// One term: where the map holds, it gives the sum; where it does not, the sum has left the binade or come to its edge.
template <class T>
void check_steps() {
  Random random(3);
  using Limits = std::numeric_limits<T>;
  constexpr int kBias = FloatFormat<T>::kBias;
  int held = 0;
  for (int n = 0; n < 200000; ++n) {
    const int exponent =
        n % 8 == 0 ? 1 - kBias + n % 3 : (n % 8 == 1 ? kBias - n % 3 : static_cast<int>(random() % 60) - 30);
    T sum = normal_number<T>(random, exponent);
    if (n % 5 == 0) sum = std::ldexp(T{1}, exponent) + static_cast<T>(random() % 3) * ulp<T>(exponent);
    T term = 0;
    switch (random() % 5) {
      case 0:
        term = normal_number<T>(random, exponent - static_cast<int>(random() % (FloatFormat<T>::kPrecision + 4)));
        break;
      case 1:
        term = static_cast<T>(random() % 16) * ulp<T>(exponent) / 4;
        break;
      case 2:
        term = static_cast<T>(random() % 1024) * ulp<T>(exponent) / 2;
        break;
      case 3:
        term = std::ldexp(sum, -static_cast<int>(random() % 3));
        break;
      case 4:
        term = static_cast<T>(random() % 100) * Limits::denorm_min();
        break;
    }
    if (random() % 2) term = -term;
    if (random() % 2) sum = -sum;
    if (!std::isnormal(sum)) continue;
    const Binade binade = binade_of(sum);
    const T expected = sum + term;
    T mapped = sum;
    const bool holds = advance(mapped, RunMap<T>::of(term, binade), binade);
    if (holds) {
      ++held;
      if (!same(mapped, expected))
        fail_msg("%.17g + %.17g is %.17g by map", static_cast<double>(sum), static_cast<double>(term),
                 static_cast<double>(mapped));
    } else {
      assert_true(same(mapped, sum));
      const T edge = std::ldexp(T{1}, binade.exponent);
      assert_true(!contains(binade, expected) || std::fabs(expected) == edge);
    }
    if (sum > 0 && term >= 0) {
      T grown = sum;
      if (advance(grown, GrowingRunMap<T>::of(term, binade), binade)) {
        assert_true(holds);
        assert_true(same(grown, expected));
      } else {
        assert_false(holds);
      }
    }
  }
  assert_in_range(held, 80000, 200000);
}

void steps(void**) {
  check_steps<float>();
  check_steps<double>();
}

// Halfway cases go to even K, whatever the sign.
template <class T>
void check_ties() {
  const T unit = ulp<T>(0);
  const Binade one = {0, false};
  const Binade minus_one = {0, true};
  for (int k = 0; k < 6; ++k) {
    for (int halves = -7; halves <= 7; ++halves) {
      const T term = static_cast<T>(halves) * unit / 2;
      const T start = T{1.5} + static_cast<T>(k) * unit;
      T up = start;
      assert_true(advance(up, RunMap<T>::of(term, one), one));
      assert_true(same(up, start + term));
      T down = -start;
      assert_true(advance(down, RunMap<T>::of(-term, minus_one), minus_one));
      assert_true(same(down, -start - term));
    }
  }
  // The parity passes from one half unit to the next.
  T sum = T{1} + unit;
  RunMap<T> map = RunMap<T>::identity();
  for (int i = 0; i < 3; ++i) extend(map, unit / 2, one);
  const T expected = sum + unit / 2 + unit / 2 + unit / 2;
  assert_true(advance(sum, map, one));
  assert_true(same(sum, expected));
}

void ties(void**) {
  check_ties<float>();
  check_ties<double>();
}

// A run that leaves the binade and comes back must not pass, nor one that touches a power of two from above.
template <class T>
void check_edges() {
  const Binade one = {0, false};
  const auto refused = [&](T start, std::initializer_list<T> terms) {
    RunMap<T> map = RunMap<T>::identity();
    for (T t : terms) extend(map, t, one);
    T sum = start;
    return !advance(sum, map, one);
  };
  const T unit = ulp<T>(0);
  assert_true(refused(T{1.5}, {T{0.75}, T{-0.75}}));
  assert_true(refused(T{1.5}, {T{-0.75}, T{0.75}}));
  assert_true(refused(T{1}, {-unit / 4}));
  assert_true(refused(T{1}, {-unit / 2, unit / 2}));
  assert_true(refused(T{2} - unit, {unit}));
  assert_true(refused(T{2} - unit, {unit / 2}));  // rounds up to 2
  assert_false(refused(T{2} - unit, {unit / 4}));
  assert_false(refused(T{1}, {unit / 4, T{0}, unit / 2}));
  assert_true(refused(T{1.5}, {T{4}}));
  assert_true(refused(T{1.5}, {std::numeric_limits<T>::infinity()}));
  assert_true(refused(T{1.5}, {std::numeric_limits<T>::quiet_NaN()}));
  // Integers of long runs stay bounded.
  RunMap<T> map = RunMap<T>::identity();
  for (int i = 0; i < 100; ++i) extend(map, T{3.5}, one);
  for (int i = 0; i < 100; ++i) extend(map, T{-3.5}, one);
  T sum = T{1.5};
  assert_false(advance(sum, map, one));
  GrowingRunMap<T> growing = GrowingRunMap<T>::identity();
  for (int i = 0; i < 100; ++i) extend(growing, T{3.5}, one);
  assert_false(advance(sum, growing, one));
  growing = GrowingRunMap<T>::of(-unit, one);
  assert_false(advance(sum, growing, one));
  // No binade holds zero, subnormals, infinities.
  for (T special : {T{0}, std::numeric_limits<T>::denorm_min(), std::numeric_limits<T>::infinity()}) {
    T s = special;
    assert_false(advance(s, RunMap<T>::identity(), binade_of(special)));
  }
}

void edges(void**) {
  check_edges<float>();
  check_edges<double>();
}

// What a walk does with runs that have no map, and with those that need none.
template <class Map, class T>
void check_never_and_nothing() {
  const Binade one = {0, false};
  Map zeros = Map::identity();
  for (const T zero : {T{0}, -T{0}, T{0}}) extend(zeros, zero, one);
  assert_true(zeros.changes_nothing());
  Map some = zeros;
  extend(some, ulp<T>(0) / 2, one);
  assert_false(some.changes_nothing());
  assert_false(Map::never().changes_nothing());
  Map map = Map::identity();
  for (int i = 0; i < 100; ++i) {
    map = i == 50 ? compose(map, Map::never()) : compose(map, Map::of(ulp<T>(0) * static_cast<T>(i), one));
    assert_false(map.changes_nothing() && i > 0);
    for (const T sum : {T{1}, T{1} + ulp<T>(0), T{1.5}, T{2} - ulp<T>(0)}) {
      T walked = sum;
      if (i >= 50) assert_false(advance(walked, map, one));
    }
  }
}

void never_and_nothing(void**) {
  check_never_and_nothing<RunMap<float>, float>();
  check_never_and_nothing<RunMap<double>, double>();
  check_never_and_nothing<GrowingRunMap<float>, float>();
  check_never_and_nothing<GrowingRunMap<double>, double>();
}

template <class T>
void check_associativity() {
  Random random(4);
  const Binade binade = {0, false};
  for (int n = 0; n < 2000; ++n) {
    RunMap<T> m[3];
    for (RunMap<T>& map : m) {
      map = RunMap<T>::identity();
      for (int i = 0; i < 4; ++i) {
        const T term = (static_cast<T>(random() % 33) - 16) * ulp<T>(0) / 4;
        extend(map, n % 4 ? term : term * 1024 * static_cast<T>(random() % 5), binade);
      }
    }
    const RunMap<T> left = compose(compose(m[0], m[1]), m[2]);
    const RunMap<T> right = compose(m[0], compose(m[1], m[2]));
    assert_memory_equal(&left, &right, sizeof left);
  }
}

void associativity(void**) {
  check_associativity<float>();
  check_associativity<double>();
}

// float64 sums of blocks of 64 that are combined in a tree.
double tree_sum(const std::vector<double>& terms, size_t first, size_t last) {
  if (last - first <= 64) {
    double sum = 0;
    for (size_t i = first; i < last; ++i) sum += terms[i];
    return sum;
  }
  const size_t middle = (first + last) / 2;
  return tree_sum(terms, first, middle) + tree_sum(terms, middle, last);
}

void certified_quotients(void**) {
  Random random(5);
  int certain = 0;
  constexpr int kRounds = 300;
  for (int n = 0; n < kRounds; ++n) {
    std::vector<double> terms(20000);
    double magnitude = 0;
    double in_order = 0;
    for (double& t : terms) {
      t = n % 2 ? uniform<double>(random) : std::sqrt(uniform<double>(random)) - 0.25;
      magnitude += std::fabs(t);
      in_order += t;
    }
    const double count = static_cast<double>(terms.size());
    const double any_order = tree_sum(terms, 0, terms.size());
    const double bound = any_order_bound(static_cast<int64_t>(terms.size()), magnitude);
    assert_true(std::fabs(any_order - in_order) <= bound);
    float quotient = 0;
    if (!certified_quotient(any_order, bound, count, &quotient)) continue;
    ++certain;
    assert_true(same(quotient, static_cast<float>(in_order / count)));
  }
  assert_in_range(certain, kRounds * 9 / 10, kRounds);

  // A sum halfway between two floats is never certain, and nothing that is not finite.
  float quotient = 0;
  assert_false(certified_quotient(1 + 0x1p-24, any_order_bound(10, 1), 1, &quotient));
  assert_true(certified_quotient(1 + 0x1p-24, 0, 1, &quotient));
  assert_false(certified_quotient(std::numeric_limits<double>::infinity(), 0, 1, &quotient));
  assert_false(certified_quotient(std::numeric_limits<double>::quiet_NaN(), 0, 1, &quotient));
  assert_false(certified_quotient(1, std::numeric_limits<double>::infinity(), 1, &quotient));
  assert_false(certified_quotient(0, 0x1p-1000, 1, &quotient));
  assert_true(certified_quotient(0, 0, 1, &quotient));
  assert_true(same(quotient, 0.0F));
}

// Terms of one window, their pair sum and its certainty.
struct Window {
  FloatPair pair{0, 0};
  float magnitude = 0;
  double in_order = 0;
  int count = 0;
  void add(float term) {
    pair = qc::add(pair, term);
    magnitude += std::fabs(term);
    in_order += static_cast<double>(term);
    ++count;
  }
  bool certain(float* result) const { return certified_float(pair, pair_bound(count, magnitude), result); }
};

void two_sums(void**) {
  Random random(6);
  for (int n = 0; n < 100000; ++n) {
    const float a = normal_number<float>(random, static_cast<int>(random() % 24) - 12) * (n % 2 ? 1.0F : -1.0F);
    const float b = normal_number<float>(random, static_cast<int>(random() % 24) - 12);
    const FloatPair s = two_sum(a, b);
    assert_true(same(s.high, a + b));
    // Both sides are exact: the operands are less than 2^25 apart and have 24 bits.
    assert_true(static_cast<double>(s.high) - static_cast<double>(a) - static_cast<double>(b) ==
                -static_cast<double>(s.low));
  }
}

void pair_sums(void**) {
  Random random(7);
  constexpr int kWindows = 200000;
  int certain = 0;
  for (int n = 0; n < kWindows; ++n) {
    Window window;
    const int taps = n % 3 == 0 ? 81 : 11;
    for (int i = 0; i < taps; ++i) {
      const float tap = std::exp(-static_cast<float>((i - taps / 2) * (i - taps / 2)) / 4.5F) / 3.76F;
      float value = uniform<float>(random) * 255;
      if (n % 4 == 1) value = static_cast<float>(random() % 256);
      if (n % 4 == 2) value *= value;
      if (n % 4 == 3) value -= 100;
      window.add(tap * value);
    }
    float result = 0;
    if (!window.certain(&result)) continue;
    ++certain;
    assert_true(same(result, static_cast<float>(window.in_order)));
  }
  assert_in_range(certain, kWindows - kWindows / 200, kWindows);
}

// Windows whose float64 sum comes close to the middle between two floats, on one side or the other.
void pair_sums_near_ties(void**) {
  Random random(8);
  int certain = 0;
  int wrong = 0;
  constexpr int kWindows = 50000;
  for (int n = 0; n < kWindows; ++n) {
    Window window;
    // Sizes differ, so that the low part is rounded, too.
    for (int i = 0; i < 80; ++i)
      window.add(std::ldexp(normal_number<float>(random, 3), -static_cast<int>(random() % 24)));
    // The last terms bring the sum to a tie plus or minus a little.
    const float rounded = static_cast<float>(window.in_order);
    const double unit = static_cast<double>(std::nextafter(rounded, 1e30F)) - static_cast<double>(rounded);
    const double target = static_cast<double>(rounded) + unit / 2;
    const double rest = target - window.in_order;
    const float coarse = static_cast<float>(rest);
    window.add(coarse);
    window.add(static_cast<float>(rest - static_cast<double>(coarse)) +
               static_cast<float>(std::ldexp(unit, -static_cast<int>(random() % 34))) * (n % 2 ? 1.0F : -1.0F));
    float result = 0;
    const FloatPair s = two_sum(window.pair.high, window.pair.low);
    const float below = std::nextafter(s.high, 0.0F);
    if (!same(s.high, static_cast<float>(window.in_order)) && 2 * std::fabs(s.low) != s.high - below) ++wrong;
    if (!window.certain(&result)) continue;
    ++certain;
    assert_true(same(result, static_cast<float>(window.in_order)));
  }
  // Both answers occur, and rounding the pair without the bound would have been wrong somewhere.
  assert_in_range(certain, kWindows / 10, kWindows * 9 / 10);
  assert_in_range(wrong, 1, kWindows);
}

void pair_specials(void**) {
  float result = 1;
  Window zeros;
  for (int i = 0; i < 11; ++i) zeros.add(0);
  assert_true(zeros.certain(&result));
  assert_true(same(result, 0.0F));

  Window cancelled;
  cancelled.add(1);
  cancelled.add(-1);
  assert_false(cancelled.certain(&result));

  Window exact;
  for (int i = 0; i < 11; ++i) exact.add(3);
  assert_true(exact.certain(&result));
  assert_true(same(result, 33.0F));

  Window tiny;
  tiny.add(0x1p-130F);
  assert_false(tiny.certain(&result));

  Window huge;
  huge.add(std::numeric_limits<float>::max());
  huge.add(std::numeric_limits<float>::max());
  assert_false(huge.certain(&result));

  Window undefined;
  undefined.add(std::numeric_limits<float>::quiet_NaN());
  assert_false(undefined.certain(&result));

  Window tie;
  tie.add(1);
  tie.add(0x1p-24F);
  assert_false(tie.certain(&result));
  // Below a power of two the next number is nearer.
  Window power;
  power.add(1);
  power.add(-0x1p-26F);
  assert_true(power.certain(&result));
  assert_true(same(result, 1.0F));
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(families_float),
      cmocka_unit_test(families_double),
      cmocka_unit_test(replays),
      cmocka_unit_test(steps),
      cmocka_unit_test(ties),
      cmocka_unit_test(edges),
      cmocka_unit_test(never_and_nothing),
      cmocka_unit_test(associativity),
      cmocka_unit_test(certified_quotients),
      cmocka_unit_test(two_sums),
      cmocka_unit_test(pair_sums),
      cmocka_unit_test(pair_sums_near_ties),
      cmocka_unit_test(pair_specials),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
