// Vector arithmetic of the feature float_adm. Compiled once for each target.
#if defined(METRICS_ADM_FLOAT_ADM_VECTOR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef METRICS_ADM_FLOAT_ADM_VECTOR_INL_H_
#undef METRICS_ADM_FLOAT_ADM_VECTOR_INL_H_
#else
#define METRICS_ADM_FLOAT_ADM_VECTOR_INL_H_
#endif

#include "adm/float_adm_arithmetic.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace qc::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if !QC_PLAIN_TARGET

using DF = hn::ScalableTag<float>;
using DHalf = hn::Half<DF>;
using DD = hn::Repartition<double, DF>;
using DI = hn::RebindToSigned<DF>;
using DU = hn::RebindToUnsigned<DF>;
using VF = hn::Vec<DF>;
using VHalf = hn::Vec<DHalf>;
using VD = hn::Vec<DD>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(DF()));

HWY_INLINE VF four_products(VF a, VF b, VF c, VF d, float c0, float c1, float c2, float c3) {
  const DF df;
  VF sum = hn::Add(hn::Mul(hn::Set(df, c0), a), hn::Mul(hn::Set(df, c1), b));
  sum = hn::Add(sum, hn::Mul(hn::Set(df, c2), c));
  return hn::Add(sum, hn::Mul(hn::Set(df, c3), d));
}
HWY_INLINE VF low_pass(VF a, VF b, VF c, VF d) {
  return four_products(a, b, c, d, float_adm::kLow0, float_adm::kLow1, float_adm::kLow2, float_adm::kLow3);
}
HWY_INLINE VF high_pass(VF a, VF b, VF c, VF d) {
  return four_products(a, b, c, d, float_adm::kHigh0, float_adm::kHigh1, float_adm::kHigh2, float_adm::kHigh3);
}

// `operation` on float64 lanes, rounded to float32.
template <class Operation>
HWY_INLINE VF in_double(VF v, Operation operation) {
  const DHalf dh;
  const DD dd;
  const VD low = operation(hn::PromoteTo(dd, hn::LowerHalf(dh, v)));
  const VD high = operation(hn::PromoteTo(dd, hn::UpperHalf(dh, v)));
  return hn::Combine(DF(), hn::DemoteTo(dh, high), hn::DemoteTo(dh, low));
}

HWY_INLINE VF times(double factor, VF v) {
  const VD factors = hn::Set(DD(), factor);
  return in_double(v, [&](VD x) HWY_ATTR { return hn::Mul(factors, x); });
}

// float_adm::add_own
HWY_INLINE VF add_own(VF sum, VF contrast) {
  const DHalf dh;
  const DD dd;
  const VD share = hn::Set(dd, float_adm::kOwnShare);
  const VD low = hn::Add(hn::PromoteTo(dd, hn::LowerHalf(dh, sum)),
                         hn::Mul(share, hn::PromoteTo(dd, hn::LowerHalf(dh, contrast))));
  const VD high = hn::Add(hn::PromoteTo(dd, hn::UpperHalf(dh, sum)),
                          hn::Mul(share, hn::PromoteTo(dd, hn::UpperHalf(dh, contrast))));
  return hn::Combine(DF(), hn::DemoteTo(dh, high), hn::DemoteTo(dh, low));
}

// A function of floats, lane by lane.
template <class Function>
HWY_NOINLINE VF lane_by_lane(VF v, Function function) {
  const DF df;
  HWY_ALIGN float lanes[kLanes];
  hn::Store(v, df, lanes);
  for (float& lane : lanes) lane = function(lane);
  return hn::Load(df, lanes);
}

HWY_INLINE VF quotient(VF t, VF d, const uint32_t* estimates) {
  const DF df;
  const DU du;
  if (!estimates) return hn::Div(t, d);
  const auto bits = hn::BitCast(du, d);
  const auto exponent = hn::And(hn::ShiftRight<23>(bits), hn::Set(du, 255));
  // 1 … 252
  const auto small = hn::Lt(hn::BitCast(DI(), hn::Sub(exponent, hn::Set(du, 1))), hn::Set(DI(), 252));
  const auto positive = hn::Gt(hn::BitCast(DI(), exponent), hn::Zero(DI()));
  VF estimate;
  if (HWY_LIKELY(hn::AllTrue(DI(), hn::And(small, positive)))) {
    const auto index = hn::And(hn::ShiftRight<11>(bits), hn::Set(du, 0xfff));
    const auto fraction = hn::GatherIndex(du, estimates, hn::BitCast(DI(), index));
    const auto magnitude = hn::Or(hn::ShiftLeft<23>(hn::Sub(hn::Set(du, 253), exponent)), hn::ShiftLeft<11>(fraction));
    estimate = hn::BitCast(df, hn::Or(magnitude, hn::And(bits, hn::Set(du, 0x80000000U))));
  } else {
    estimate = lane_by_lane(d, [=](float x) { return reciprocal_estimate(x, estimates); });
  }
  const VF correction = hn::Mul(estimate, hn::Sub(hn::Set(df, 1.0F), hn::Mul(d, estimate)));
  return hn::Mul(t, hn::Add(estimate, correction));
}

// float_adm::restored
template <class Mask>
HWY_INLINE VF restored(VF o, VF t, Mask same, const float_adm::GainLimit& limit, const uint32_t* estimates) {
  const DF df;
  const VF zero = hn::Zero(df);
  const VF one = hn::Set(df, 1.0F);
  VF k = quotient(t, hn::Add(o, hn::Set(df, float_adm::kLeast)), estimates);
  k = hn::IfThenZeroElse(hn::Lt(k, zero), k);
  k = hn::IfThenElse(hn::Gt(k, one), one, k);
  const VF z = hn::Mul(k, o);
  const VF g = limit.is_single ? hn::Mul(z, hn::Set(df, limit.single)) : times(limit.value, z);
  const auto positive = hn::Gt(z, zero);
  const auto negative = hn::Lt(z, zero);
  const auto nearer = hn::Or(hn::And(positive, hn::Lt(g, t)), hn::And(negative, hn::Gt(g, t)));
  const VF enhanced = hn::IfThenElse(nearer, g, t);
  return hn::IfThenElse(hn::And(same, hn::Or(positive, negative)), enhanced, z);
}

#if HWY_TARGET <= HWY_AVX2
// float64 lanes of qc::power for ordinary x; `ordinary` becomes false if a result may not be one.
HWY_INLINE VHalf ordinary_power(VHalf x, VD y, const PowerTables& tables, bool& ordinary) {
  const DHalf dh;
  const DD dd;
  const hn::RebindToUnsigned<DHalf> du;
  const hn::RebindToSigned<DHalf> di;
  const hn::RebindToSigned<DD> di64;
  const hn::RebindToUnsigned<DD> du64;
  const auto bits = hn::BitCast(du, x);
  const auto offset = hn::Sub(bits, hn::Set(du, kPowerOffset));
  const auto index = hn::And(hn::ShiftRight<23 - kPowerLogBits>(offset), hn::Set(du, (1U << kPowerLogBits) - 1));
  const auto index64 = hn::PromoteTo(di64, hn::BitCast(di, index));
  const auto top = hn::And(offset, hn::Set(du, 0xff800000U));
  const VD exponent = hn::PromoteTo(dd, hn::ShiftRight<23>(hn::BitCast(di, top)));
  const VD z = hn::PromoteTo(dd, hn::BitCast(dh, hn::Sub(bits, top)));
  const VD r = hn::MulSub(z, hn::GatherIndex(dd, tables.inverse, index64), hn::Set(dd, 1.0));
  const VD r2 = hn::Mul(r, r);
  VD p = hn::MulAdd(hn::Set(dd, kPowerLog2), r, hn::Set(dd, kPowerLog3));
  VD q = hn::MulAdd(hn::Set(dd, kPowerLog4), r, hn::Add(hn::GatherIndex(dd, tables.log2, index64), exponent));
  q = hn::MulAdd(p, r2, q);
  p = hn::MulAdd(hn::Set(dd, kPowerLog0), r, hn::Set(dd, kPowerLog1));
  const VD log2 = hn::Mul(y, hn::MulAdd(p, hn::Mul(r2, r2), q));
  ordinary = ordinary && hn::AllTrue(dd, hn::Lt(hn::Abs(log2), hn::Set(dd, 126.0)));
  const VD shift = hn::Set(dd, kPowerShift);
  const VD shifted = hn::Add(log2, shift);
  const auto n = hn::BitCast(du64, shifted);
  const VD rest = hn::Sub(log2, hn::Sub(shifted, shift));
  const auto entry = hn::BitCast(di64, hn::And(n, hn::Set(du64, (1U << kPowerExpBits) - 1)));
  const VD scale =
      hn::BitCast(dd, hn::Add(hn::GatherIndex(du64, tables.exp2, entry), hn::ShiftLeft<52 - kPowerExpBits>(n)));
  const VD head = hn::MulAdd(hn::Set(dd, kPowerExp0), rest, hn::Set(dd, kPowerExp1));
  const VD tail = hn::MulAdd(hn::Set(dd, kPowerExp2), rest, hn::Set(dd, 1.0));
  return hn::DemoteTo(dh, hn::Mul(hn::MulAdd(head, hn::Mul(rest, rest), tail), scale));
}
#endif

// x >= 0 to the power y.
HWY_INLINE VF power_lanes(VF x, float y, const PowerTables& tables) {
#if HWY_TARGET <= HWY_AVX2
  const DF df;
  const DHalf dh;
  const auto is_zero = hn::Eq(x, hn::Zero(df));
  if (hn::AllTrue(df, is_zero)) return hn::Zero(df);
  const VF base = hn::IfThenElse(is_zero, hn::Set(df, 1.0F), x);
  const VD exponent = hn::Set(DD(), static_cast<double>(y));
  bool ordinary = hn::AllTrue(df, hn::And(hn::Ge(base, hn::Set(df, 0x1p-126F)), hn::Lt(base, hn::Set(df, 0x1p127F))));
  const VHalf low = ordinary_power(hn::LowerHalf(dh, base), exponent, tables, ordinary);
  const VHalf high = ordinary_power(hn::UpperHalf(dh, base), exponent, tables, ordinary);
  if (HWY_LIKELY(ordinary)) return hn::IfThenZeroElse(is_zero, hn::Combine(df, high, low));
#endif
  return lane_by_lane(x, [&](float v) { return power(v, y, tables); });
}

// float_adm::raise
HWY_INLINE VF raise(VF x, const float_adm::Exponent& exponent, const PowerTables& tables) {
  return exponent.cube ? hn::Mul(hn::Mul(x, x), x) : power_lanes(x, exponent.value, tables);
}

#endif

}  // namespace qc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
