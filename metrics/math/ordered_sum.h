// Sums of floating-point terms whose rounding depends on their order, evaluated in parallel to the same bits
// (math.md §1, psnr.md A.3 and A.4). For host and device.
//
// While a running sum S keeps its sign and 2^e <= |S| < 2^(e+1), adding a term is integer arithmetic: with p bits of
// precision, u = 2^(e-p+1) and |S| = K u, RN(S + t) changes K by t/u rounded to an integer, and where t/u is halfway
// between two integers the parity of K decides. So a run of terms is a map with two states, one for each parity of K on
// entry. Maps compose associatively: any tree of threads can make the map of a run, and one thread then walks over the
// runs.
//
//     1. Approximate prefix sums, in any order and without error bounds, suggest a Binade for each run (binade_of).
//     2. In parallel, each run gets the map of its terms in that binade: `extend` for terms, `compose` for parts.
//     3. One thread walks: `advance` applies a map if it is the right one for the sum as it is, else the run's terms
//     are
//        added one by one.
//
// A wrong suggestion costs time, never bits.
#pragma once

#include <cstdint>

#include "math/plane_view.h"

namespace qc {

template <class T>
struct FloatFormat;

template <>
struct FloatFormat<float> {
  using Bits = uint32_t;
  using Integer = int32_t;
  static constexpr int kPrecision = 24;
  static constexpr int kBias = 127;
};

template <>
struct FloatFormat<double> {
  using Bits = uint64_t;
  using Integer = int64_t;
  static constexpr int kPrecision = 53;
  static constexpr int kBias = 1023;
};

// A floating-point number taken apart.
template <class T>
struct FloatParts {
  using Format = FloatFormat<T>;
  using Bits = typename Format::Bits;
  using Integer = typename Format::Integer;
  static constexpr Integer kHidden = Integer{1} << (Format::kPrecision - 1);
  static constexpr int kSpecialField = 2 * Format::kBias + 1;  // infinities and NaN

  QC_HD constexpr explicit FloatParts(T x) : bits(__builtin_bit_cast(Bits, x)) {}
  QC_HD constexpr bool negative() const { return (bits >> (8 * sizeof(T) - 1)) != 0; }
  QC_HD constexpr int exponent_field() const {
    return static_cast<int>(bits >> (Format::kPrecision - 1)) & kSpecialField;
  }
  // |x| in units of the last place: with the hidden bit for normal numbers.
  QC_HD constexpr Integer significand() const {
    const Integer fraction = static_cast<Integer>(bits & static_cast<Bits>(kHidden - 1));
    return exponent_field() == 0 ? fraction : fraction | kHidden;
  }
  // floor(log2 |x|) of a normal number; one less than the least for zero and subnormals, one more than the greatest for
  // infinities and NaN.
  QC_HD constexpr int exponent() const { return exponent_field() - Format::kBias; }

  Bits bits;
};

// Numbers of one sign with 2^exponent <= |x| < 2^(exponent + 1).
struct Binade {
  int exponent;
  bool negative;
};

// The binade of x, with the exponent moved by `offset`. No number is in it if x is zero, subnormal or not finite.
template <class T>
QC_HD constexpr Binade binade_of(T x, int offset = 0) {
  const FloatParts<T> parts(x);
  return {parts.exponent() + offset, parts.negative()};
}

template <class T>
QC_HD constexpr bool contains(const Binade& binade, T x) {
  const FloatParts<T> parts(x);
  return parts.exponent_field() != 0 && parts.exponent_field() != FloatParts<T>::kSpecialField &&
         parts.exponent() == binade.exponent && parts.negative() == binade.negative;
}

// What one term does to K in a binade.
template <class T>
struct TermStep {
  using Integer = typename FloatFormat<T>::Integer;
  Integer floor;         // of t/u
  Integer increment[2];  // t/u as it is rounded for even and for odd K
  bool possible;         // false if adding the term leaves the binade whatever K is
};

template <class T>
QC_HD constexpr TermStep<T> term_step(T term, const Binade& binade) {
  using Integer = typename FloatFormat<T>::Integer;
  constexpr int kPrecision = FloatFormat<T>::kPrecision;
  const FloatParts<T> parts(term);
  Integer m = parts.significand();
  if (m == 0) return {0, {0, 0}, true};
  const int field = parts.exponent_field();
  // term / u = m * 2^shift
  const int shift = (field == 0 ? 1 : field) - FloatFormat<T>::kBias - binade.exponent;
  if (field == FloatParts<T>::kSpecialField || shift > 1) return {0, {0, 0}, false};
  if (parts.negative() != binade.negative) m = -m;
  if (shift >= 0) {
    const Integer whole = m * (Integer{1} << shift);
    return {whole, {whole, whole}, true};
  }
  // Less than a quarter of u.
  if (-shift > kPrecision + 1) return {m < 0 ? Integer{-1} : Integer{0}, {0, 0}, true};
  const Integer floor = m >> -shift;
  const Integer rest = m - floor * (Integer{1} << -shift);
  const Integer half = Integer{1} << (-shift - 1);
  if (rest == half) return {floor, {floor + (floor & 1), floor + ((floor + 1) & 1)}, true};
  const Integer nearest = floor + (rest > half ? 1 : 0);
  return {floor, {nearest, nearest}, true};
}

// The map of a run of terms of any sign, by the parity of K before the run.
template <class T>
struct RunMap {
  using Integer = typename FloatFormat<T>::Integer;
  static constexpr Integer kLimit = Integer{1} << FloatFormat<T>::kPrecision;  // no valid map moves K farther
  static constexpr Integer kNever = -16 * kLimit;

  Integer increment[2];
  Integer low[2];   // least floor of K + t/u on the way, from K; kNever or thereabouts if the map is of no use
  Integer high[2];  // greatest K on the way

  static QC_HD constexpr RunMap identity() { return {{0, 0}, {0, 0}, {0, 0}}; }
  // Of a run that leaves every binade.
  static QC_HD constexpr RunMap never() { return {{0, 0}, {kNever, kNever}, {0, 0}}; }

  static QC_HD constexpr RunMap of(T term, const Binade& binade) {
    const TermStep<T> step = term_step(term, binade);
    const Integer low = step.possible ? step.floor : kNever;
    return {{step.increment[0], step.increment[1]}, {low, low}, {step.increment[0], step.increment[1]}};
  }

  // True if the run keeps a sum with this K in its binade all the way.
  QC_HD constexpr bool valid_at(Integer k) const {
    const bool odd = (k & 1) != 0;
    return k + (odd ? low[1] : low[0]) >= FloatParts<T>::kHidden && k + (odd ? high[1] : high[0]) < kLimit;
  }
  // True of the identity.
  QC_HD constexpr bool changes_nothing() const {
    return (increment[0] | increment[1] | low[0] | low[1] | high[0] | high[1]) == 0;
  }
};

// First `a`, then `b`.
template <class T>
QC_HD constexpr RunMap<T> compose(const RunMap<T>& a, const RunMap<T>& b) {
  using Map = RunMap<T>;
  Map map = Map::identity();
  for (int parity = 0; parity < 2; ++parity) {
    const auto first = a.increment[parity];
    // Not an index: a device has arrays that are indexed by a variable in memory.
    const bool odd = ((parity ^ first) & 1) != 0;
    const auto low = first + (odd ? b.low[1] : b.low[0]);
    const auto high = first + (odd ? b.high[1] : b.high[0]);
    map.increment[parity] = first + (odd ? b.increment[1] : b.increment[0]);
    map.low[parity] = a.low[parity] < low ? a.low[parity] : low;
    map.high[parity] = a.high[parity] > high ? a.high[parity] : high;
    // Keeps integers from growing without end.
    if (map.increment[parity] > Map::kLimit || map.increment[parity] < -Map::kLimit) {
      map.increment[parity] = 0;
      map.low[parity] = Map::kNever;
      map.high[parity] = 0;
    }
  }
  return map;
}

// The map of a run of terms that are not negative, for a sum that is positive: a third of the size.
template <class T>
struct GrowingRunMap {
  using Integer = typename FloatFormat<T>::Integer;
  static constexpr Integer kLimit = Integer{1} << FloatFormat<T>::kPrecision;

  Integer increment[2];  // kLimit: the map is of no use

  static QC_HD constexpr GrowingRunMap identity() { return {{0, 0}}; }
  static QC_HD constexpr GrowingRunMap never() { return {{kLimit, kLimit}}; }

  static QC_HD constexpr GrowingRunMap of(T term, const Binade& binade) {
    const TermStep<T> step = term_step(term, binade);
    if (!step.possible || step.floor < 0 || binade.negative) return {{kLimit, kLimit}};
    return {{step.increment[0] < kLimit ? step.increment[0] : kLimit,
             step.increment[1] < kLimit ? step.increment[1] : kLimit}};
  }

  QC_HD constexpr bool valid_at(Integer k) const { return k + ((k & 1) != 0 ? increment[1] : increment[0]) < kLimit; }
  // True of the identity.
  QC_HD constexpr bool changes_nothing() const { return (increment[0] | increment[1]) == 0; }
};

template <class T>
QC_HD constexpr GrowingRunMap<T> compose(const GrowingRunMap<T>& a, const GrowingRunMap<T>& b) {
  using Map = GrowingRunMap<T>;
  Map map = Map::identity();
  for (int parity = 0; parity < 2; ++parity) {
    const auto first = a.increment[parity];
    const auto sum = first + (((parity ^ first) & 1) != 0 ? b.increment[1] : b.increment[0]);
    map.increment[parity] = sum < Map::kLimit ? sum : Map::kLimit;
  }
  return map;
}

// Appends a term to a run.
template <class Map, class T>
QC_HD constexpr void extend(Map& map, T term, const Binade& binade) {
  map = compose(map, Map::of(term, binade));
}

// Adds a run to `sum` by its map, which was made for `binade`. False, and `sum` as it was, if the map does not hold for
// it.
template <class Map, class T>
QC_HD constexpr bool advance(T& sum, const Map& map, const Binade& binade) {
  if (!contains(binade, sum)) return false;
  const FloatParts<T> parts(sum);
  const auto k = parts.significand();
  if (!map.valid_at(k)) return false;
  // K is the significand, and inside a binade the bits of a number count up with it.
  using Bits = typename FloatFormat<T>::Bits;
  sum = __builtin_bit_cast(
      T, static_cast<Bits>(parts.bits + static_cast<Bits>((k & 1) != 0 ? map.increment[1] : map.increment[0])));
  return true;
}

// Adds terms to `sum` one by one.
template <class T>
QC_HD constexpr T add_in_order(T sum, const T* terms, int64_t count) {
  for (int64_t i = 0; i < count; ++i) sum += terms[i];
  return sum;
}

// The maps of one run for `kBinades` consecutive exponents from `binade` on. One is enough for float64, where the
// suggestion is seldom wrong. A float32 sum of many terms lags behind or runs ahead of the exact one: take three, from
// one below the suggestion on.
template <class Map, int kBinades>
struct PreparedRun {
  Binade binade;
  Map map[kBinades];
};

// Walks `sum` over `runs` prepared runs of `run_terms` terms each, the last one shorter if `count` says so. Returns the
// sum in order. *replayed counts the runs whose terms were added one by one.
template <class T, class Map, int kBinades>
QC_HD constexpr T walk(T sum, const PreparedRun<Map, kBinades>* runs, const T* terms, int64_t count, int64_t run_terms,
                       int64_t* replayed) {
  for (int64_t first = 0; first < count; first += run_terms, ++runs) {
    bool done = false;
    for (int i = 0; i < kBinades && !done; ++i)
      done = advance(sum, runs->map[i], {runs->binade.exponent + i, runs->binade.negative});
    if (done) continue;
    sum = add_in_order(sum, terms + first, count - first < run_terms ? count - first : run_terms);
    ++*replayed;
  }
  return sum;
}

}  // namespace qc
