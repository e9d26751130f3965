#include "math/ordered_sum_simd.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "core/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "math/ordered_sum_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#ifndef QC_MATH_ORDERED_SUM_SIMD_PLAIN
#define QC_MATH_ORDERED_SUM_SIMD_PLAIN
namespace qc::plain {

inline double add_in_order(double sum, const double* terms, size_t count) {
  for (size_t i = 0; i < count; ++i) sum += terms[i];
  return sum;
}

}  // namespace qc::plain
#endif

HWY_BEFORE_NAMESPACE();
namespace qc::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if QC_PLAIN_TARGET
double add_chunks(double sum, const double* terms, size_t count) { return plain::add_in_order(sum, terms, count); }
bool add_chunk(double&, const double*, size_t) { return false; }
#else

// Terms that are tried together.
constexpr size_t kChunk = 256;

// Adds a chunk's terms if all the sums stay in one binade and none of the terms is a tie; else leaves the sum and
// returns false.
//
// Let 2^e <= sum < 2^(e + 1) and u = 2^(e - 52). As long as the sums stay in that binade, rounding sum + t adds to the
// sum the multiple r of u that is nearest to t, unless t lies half-way between two multiples. So the terms commute, and
// the chunk adds the sum of the r, which are multiples of u: their sums are exact below 2^53 u.
//   r = (t + M) - M with M = 1.5 * 2^52 u, if |t| <= 2^51 u;
//   A = sum of |r| < 2^(e - 1) = 2^51 u shows that every |t| was in that range, and keeps all other sums exact (a NaN
//   fails the comparison); the greatest |t - r| is below u / 2 if no term is a tie; the positive r sum to (A + R) / 2
//   and the negative ones to -(A - R) / 2, where R is the sum of the r. If sum + (A + R) / 2 < 2^(e + 1) and sum - (A -
//   R) / 2 > 2^e then no order of the terms leaves the binade.
bool add_chunk(double& sum, const double* terms, size_t count) {
  if (!(sum >= 0x1p-900 && sum <= 0x1p900)) return false;
  const double bottom = std::bit_cast<double>(std::bit_cast<uint64_t>(sum) & 0x7ff0000000000000U);
  const hn::ScalableTag<double> d;
  const auto magic = hn::Set(d, 1.5 * bottom);
  const size_t lanes = hn::Lanes(d);
  auto signed0 = hn::Zero(d);
  auto signed1 = hn::Zero(d);
  auto magnitude0 = hn::Zero(d);
  auto magnitude1 = hn::Zero(d);
  auto rest0 = hn::Zero(d);
  auto rest1 = hn::Zero(d);
  const auto add = [&](const double* at) HWY_ATTR {
    const auto t0 = hn::LoadU(d, at);
    const auto t1 = hn::LoadU(d, at + lanes);
    const auto r0 = hn::Sub(hn::Add(t0, magic), magic);
    const auto r1 = hn::Sub(hn::Add(t1, magic), magic);
    signed0 = hn::Add(signed0, r0);
    signed1 = hn::Add(signed1, r1);
    magnitude0 = hn::Add(magnitude0, hn::Abs(r0));
    magnitude1 = hn::Add(magnitude1, hn::Abs(r1));
    rest0 = hn::Max(rest0, hn::Abs(hn::Sub(t0, r0)));
    rest1 = hn::Max(rest1, hn::Abs(hn::Sub(t1, r1)));
  };
  size_t i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes) add(terms + i);
  if (i < count) {
    HWY_ALIGN double last[2 * hn::MaxLanes(d)] = {};
    std::copy(terms + i, terms + count, last);
    add(last);
  }
  const double total = hn::GetLane(hn::SumOfLanes(d, hn::Add(signed0, signed1)));
  const double magnitude = hn::GetLane(hn::SumOfLanes(d, hn::Add(magnitude0, magnitude1)));
  const double rest = hn::GetLane(hn::MaxOfLanes(d, hn::Max(rest0, rest1)));
  if (!(magnitude < 0.5 * bottom && rest < bottom * 0x1p-53)) return false;
  if (!(sum + 0.5 * (magnitude + total) < 2 * bottom && sum - 0.5 * (magnitude - total) > bottom)) return false;
  sum += total;
  return true;
}

double add_chunks(double sum, const double* terms, size_t count) {
  for (size_t i = 0; i < count; i += kChunk) {
    const size_t n = std::min(kChunk, count - i);
    if (!add_chunk(sum, terms + i, n)) sum = plain::add_in_order(sum, terms + i, n);
  }
  return sum;
}
#endif

}  // namespace qc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qc {
HWY_EXPORT(add_chunks);
HWY_EXPORT(add_chunk);

double ordered_sum(double sum, const double* terms, size_t count) {
  return HWY_DYNAMIC_DISPATCH(add_chunks)(sum, terms, count);
}

bool add_if_order_is_free(double& sum, const double* terms, size_t count) {
  return HWY_DYNAMIC_DISPATCH(add_chunk)(sum, terms, count);
}

}  // namespace qc
#endif
