// Vector helpers of the feature adm. Compiled once for each target.
#if defined(METRICS_ADM_ADM_VECTOR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef METRICS_ADM_ADM_VECTOR_INL_H_
#undef METRICS_ADM_ADM_VECTOR_INL_H_
#else
#define METRICS_ADM_ADM_VECTOR_INL_H_
#endif

#include <cmath>
#include <cstdint>

#include "adm/adm_arithmetic.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace qc::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if !QC_PLAIN_TARGET

using D16 = hn::ScalableTag<int16_t>;
using DU16 = hn::ScalableTag<uint16_t>;
using D32 = hn::ScalableTag<int32_t>;
using DU32 = hn::ScalableTag<uint32_t>;
using D64 = hn::ScalableTag<int64_t>;
using DU64 = hn::ScalableTag<uint64_t>;
using DF32 = hn::ScalableTag<float>;
using DF64 = hn::ScalableTag<double>;
using V16 = hn::Vec<D16>;
using V32 = hn::Vec<D32>;
using VU32 = hn::Vec<DU32>;
using VU64 = hn::Vec<DU64>;
using VF32 = hn::Vec<DF32>;

constexpr int kLanes16 = static_cast<int>(hn::MaxLanes(D16()));
constexpr int kLanes32 = static_cast<int>(hn::MaxLanes(D32()));

HWY_INLINE V16 as16(V32 v) { return hn::BitCast(D16(), v); }
HWY_INLINE VU64 as64(V32 v) { return hn::BitCast(DU64(), v); }
HWY_INLINE V32 as32(VU64 v) { return hn::BitCast(D32(), v); }
HWY_INLINE VU32 as_u32(VU64 v) { return hn::BitCast(DU32(), v); }
HWY_INLINE VU32 as_u32(V32 v) { return hn::BitCast(DU32(), v); }

// Truncation of floats that fit, without Highway's treatment of those that don't.
HWY_INLINE V32 truncate(VF32 v) {
#if HWY_TARGET == HWY_AVX3
  return V32{_mm512_cvttps_epi32(v.raw)};
#elif HWY_TARGET == HWY_AVX2
  return V32{_mm256_cvttps_epi32(v.raw)};
#elif HWY_TARGET == HWY_SSE4
  return V32{_mm_cvttps_epi32(v.raw)};
#else
  return hn::ConvertTo(D32(), v);
#endif
}

// The 16-bit pair (first, second) in all lanes.
HWY_INLINE V16 pair(int first, int second) {
  return as16(hn::Set(D32(), static_cast<int32_t>((static_cast<uint32_t>(second) << 16) | (first & 0xffff))));
}

// 32-bit lane i: a[2i] * x[2i] + a[2i+1] * x[2i+1].
HWY_INLINE V32 pair_products(V16 a, V16 x) {
  V32 rest = hn::Zero(D32());
  const V32 sum = hn::ReorderWidenMulAccumulate(D32(), a, x, hn::Zero(D32()), rest);
  return hn::RearrangeToOddPlusEven(sum, rest);
}
HWY_INLINE V32 pair_products(V16 a, V16 x, V16 b, V16 y) {
  V32 rest = hn::Zero(D32());
  V32 sum = hn::ReorderWidenMulAccumulate(D32(), a, x, hn::Zero(D32()), rest);
  sum = hn::ReorderWidenMulAccumulate(D32(), b, y, sum, rest);
  return hn::RearrangeToOddPlusEven(sum, rest);
}

// Lanes of `low`, then those of `high`, in 16 bits. All fit.
HWY_INLINE V16 ordered_demote(V32 low, V32 high) {
  const V16 demoted = hn::ReorderDemote2To(D16(), low, high);
#if HWY_TARGET == HWY_AVX3
  alignas(64) static constexpr int32_t kOrder[16] = {0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15};
  return as16(hn::TableLookupLanes(hn::BitCast(D32(), demoted), hn::SetTableIndices(D32(), kOrder)));
#elif HWY_TARGET == HWY_AVX2
  alignas(32) static constexpr int32_t kOrder[8] = {0, 1, 4, 5, 2, 3, 6, 7};
  return as16(hn::TableLookupLanes(hn::BitCast(D32(), demoted), hn::SetTableIndices(D32(), kOrder)));
#else
  return demoted;
#endif
}

// The low 32 bits of (a * b + addend) >> kShift for signed 32-bit factors.
template <int kShift>
HWY_INLINE V32 shifted_product(V32 a, V32 b, VU64 addend) {
  const VU64 even = hn::Add(hn::BitCast(DU64(), hn::MulEven(a, b)), addend);
  const V32 a_odd = as32(hn::ShiftRight<32>(as64(a)));
  const V32 b_odd = as32(hn::ShiftRight<32>(as64(b)));
  const VU64 odd = hn::Add(hn::BitCast(DU64(), hn::MulEven(a_odd, b_odd)), addend);
  return hn::OddEven(as32(hn::ShiftLeft<32 - kShift>(odd)), as32(hn::ShiftRight<kShift>(even)));
}

// n becomes floor(2^30 / n), 1 <= n <= 32768. The first estimate is never too large and misses by at most 400 / n + 1,
// and the half that is added keeps the correction away from whole numbers by more than its error. Several at a time,
// step by step, so that they hide each other's latency.
template <int kCount>
HWY_INLINE void reciprocals(V32 (&n)[kCount]) {
  const DF32 df;
  VF32 inverse[kCount];
  V32 estimate[kCount];
  HWY_UNROLL(6)
  for (int i = 0; i < kCount; ++i) inverse[i] = hn::Div(hn::Set(df, 1.0f), hn::ConvertTo(df, n[i]));
  HWY_UNROLL(6)
  for (int i = 0; i < kCount; ++i) estimate[i] = truncate(hn::Mul(inverse[i], hn::Set(df, 0x1.fffff8p29f)));
  HWY_UNROLL(6)
  for (int i = 0; i < kCount; ++i) {
    const V32 rest = hn::Sub(hn::Set(D32(), 1 << 30), hn::Mul(estimate[i], n[i]));
    inverse[i] = hn::Mul(hn::Add(hn::ConvertTo(df, rest), hn::Set(df, 0.5f)), inverse[i]);
  }
  HWY_UNROLL(6)
  for (int i = 0; i < kCount; ++i) n[i] = hn::Add(estimate[i], truncate(inverse[i]));
}

// Compares directions by approximate products of gradients: `same` is right where `unclear` is 0. The relative error of
// the products is below 2^-20 of the product of the lengths, whatever their rounding.
struct Direction {
  V32 same;
  V32 unclear;
};
HWY_INLINE Direction compare_directions(VF32 product, VF32 o_square, VF32 t_square) {
  const DF32 df;
  const VF32 left = hn::Mul(product, product);
  const VF32 right = hn::Mul(hn::Mul(hn::Set(df, adm::kCosineSquared), o_square), t_square);
  const auto unclear = hn::Lt(hn::Abs(hn::Sub(left, right)), hn::Mul(right, hn::Set(df, 4e-6f)));
  const auto same = hn::And(hn::Ge(product, hn::Zero(df)), hn::Ge(left, right));
  return {hn::BitCast(D32(), hn::VecFromMask(df, same)), hn::BitCast(D32(), hn::VecFromMask(df, unclear))};
}

// The same exactly, lane by lane.
template <class V>
HWY_NOINLINE V exact_directions(V oh, V ov, V th, V tv) {
  const hn::DFromV<V> d;
  using T = hn::TFromD<decltype(d)>;
  constexpr size_t kLanes = hn::MaxLanes(decltype(d)());
  HWY_ALIGN T lanes[5][kLanes];
  hn::Store(oh, d, lanes[0]);
  hn::Store(ov, d, lanes[1]);
  hn::Store(th, d, lanes[2]);
  hn::Store(tv, d, lanes[3]);
  for (size_t i = 0; i < kLanes; ++i)
    lanes[4][i] = adm::same_direction(lanes[0][i], lanes[1][i], lanes[2][i], lanes[3][i]) ? T{-1} : T{0};
  return hn::Load(d, lanes[4]);
}

// v or -v, by the sign of x.
template <class V>
HWY_INLINE V with_sign_of(V v, V x) {
  const V sign = hn::ShiftRight<8 * sizeof(hn::TFromV<V>) - 1>(x);
  return hn::Sub(hn::Xor(v, sign), sign);
}

// adm_enhn_gain_limit: whole numbers need no floating point.
struct GainLimit {
  explicit GainLimit(double gain_limit) : value(gain_limit), whole(gain_limit == std::floor(gain_limit)) {}
  double value;
  bool whole;
};

// z times the limit; what doesn't fit becomes the greatest number, which exceeds every sample as well.
template <class V>
HWY_INLINE V enhanced(V z, const GainLimit& limit) {
  const hn::DFromV<V> d;
  using T = hn::TFromD<decltype(d)>;
  constexpr T kMost = hwy::LimitsMax<T>();
  if (HWY_LIKELY(limit.whole)) {
    const T factor = static_cast<T>(limit.value);
    const V cap = hn::Set(d, static_cast<T>(kMost / factor));
    return hn::Mul(hn::Max(hn::Min(z, cap), hn::Neg(cap)), hn::Set(d, factor));
  }
  HWY_ALIGN T lanes[hn::MaxLanes(decltype(d)())];
  hn::Store(z, d, lanes);
  for (T& lane : lanes) {
    const double product = static_cast<double>(lane) * limit.value;
    lane = static_cast<T>(product > kMost ? kMost : product < -kMost ? -kMost : product);
  }
  return hn::Load(d, lanes);
}

// The restored part: z, or where the directions are the same z enhanced, but not beyond `kept`.
template <class V>
HWY_INLINE V limited(V z, V o, V kept, V same, const GainLimit& limit) {
  const V more = with_sign_of(hn::Min(with_sign_of(enhanced(z, limit), o), kept), o);
  return hn::Or(hn::And(same, more), hn::AndNot(same, z));
}

// A vector of zeros at column `right`: nothing to sum after the scored region.
template <class T>
HWY_INLINE void clear_after(T* row, int right) {
  const hn::ScalableTag<T> d;
  hn::StoreU(hn::Zero(d), d, row + right);
}

// Adds the cubes of v >= 0: (square * v + addend) >> cube_shift, where square = (v * v + unit / 2) >> kSquareShift.
template <int kSquareShift>
HWY_INLINE VU64 add_cubes(VU64 sum, V32 v, VU64 addend, int cube_shift) {
  const VU64 half = hn::Set(DU64(), uint64_t{1} << (kSquareShift - 1));
  const VU32 even = as_u32(v);
  const VU32 odd = as_u32(hn::ShiftRight<32>(as64(v)));
  const VU32 even_square = as_u32(hn::ShiftRight<kSquareShift>(hn::Add(hn::MulEven(even, even), half)));
  const VU32 odd_square = as_u32(hn::ShiftRight<kSquareShift>(hn::Add(hn::MulEven(odd, odd), half)));
  sum = hn::Add(sum, hn::ShiftRightSame(hn::Add(hn::MulEven(even_square, even), addend), cube_shift));
  return hn::Add(sum, hn::ShiftRightSame(hn::Add(hn::MulEven(odd_square, odd), addend), cube_shift));
}

// The low 32 bits of (a * factor + addend) >> kShift, where `factor` is the same in all lanes.
template <int kShift>
HWY_INLINE V32 shifted_multiple(V32 a, V32 factor, VU64 addend) {
  const V32 a_odd = as32(hn::ShiftRight<32>(as64(a)));
  const VU64 even = hn::Add(hn::BitCast(DU64(), hn::MulEven(a, factor)), addend);
  const VU64 odd = hn::Add(hn::BitCast(DU64(), hn::MulEven(a_odd, factor)), addend);
  return hn::OddEven(as32(hn::ShiftLeft<32 - kShift>(odd)), as32(hn::ShiftRight<kShift>(even)));
}

HWY_INLINE VU64 rounding_term(int shift) { return hn::Set(DU64(), shift > 0 ? uint64_t{1} << (shift - 1) : 0); }

HWY_INLINE uint64_t total(VU64 v) { return hn::GetLane(hn::SumOfLanes(DU64(), v)); }

// Sums of three rows, with the columns outside the picture that a threshold at its border takes.
template <class Widen>
HWY_INLINE void sum_columns(const AdmActive& active, int width, Widen widened, int32_t* sums) {
  const D32 d;
  for (int x = active.left; x < active.right; x += kLanes32) hn::StoreU(widened(x), d, sums + x);
  if (active.left == 0) sums[-1] = sums[1];
  if (active.right == width) sums[width] = sums[width - 1];
}

#endif

}  // namespace qc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
