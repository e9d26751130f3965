// Highway vectors as the lanes of functions-inl.h and pixel-inl.h: included in a namespace of the instruction set, like
// them.
//
// A Single is two vectors of float32, a Double as many numbers in four vectors. The operations of a pixel depend on
// each other, so vectors side by side keep the processor busy.

using DF = hn::ScalableTag<float>;
using DI = hn::ScalableTag<int32_t>;
using DD = hn::ScalableTag<double>;
using DL = hn::ScalableTag<int64_t>;
using HalfF = hn::Half<DF>;
using HalfI = hn::Half<DI>;

using VF = hn::Vec<DF>;
using VI = hn::Vec<DI>;
using VD = hn::Vec<DD>;
using MF = hn::Mask<DF>;
using MD = hn::Mask<DD>;

template <class T>
struct Two {
  T first;
  T second;
};

using Single = Two<VF>;
using Int = Two<VI>;
using Double = Two<Two<VD> >;
using Mask = Two<Two<MD> >;

constexpr int kPixels = static_cast<int>(2 * hn::MaxLanes(DF()));

// Vectors.

#if HWY_NATIVE_FMA
HWY_INLINE VD fused(const VD& a, const VD& b, const VD& c) { return hn::MulAdd(a, b, c); }
HWY_INLINE VD residue(const VD& c, const VD& a, const VD& b) { return hn::NegMulAdd(a, b, c); }
#else
HWY_INLINE VD fused(const VD& a, const VD& b, const VD& c) {
  constexpr size_t kLanes = hn::MaxLanes(DD());
  HWY_ALIGN double x[kLanes];
  HWY_ALIGN double y[kLanes];
  HWY_ALIGN double z[kLanes];
  hn::Store(a, DD(), x);
  hn::Store(b, DD(), y);
  hn::Store(c, DD(), z);
  for (size_t i = 0; i < kLanes; ++i) x[i] = std::fma(x[i], y[i], z[i]);
  return hn::Load(DD(), x);
}
HWY_INLINE VD residue(const VD& c, const VD& a, const VD& b) { return fused(hn::Neg(a), b, c); }
#endif
HWY_INLINE VD square_root(const VD& v) { return hn::Sqrt(v); }
HWY_INLINE VD absolute(const VD& v) { return hn::Abs(v); }
HWY_INLINE VD maximum(const VD& a, const VD& b) { return hn::Max(a, b); }
HWY_INLINE VD minimum(const VD& a, const VD& b) { return hn::Min(a, b); }
HWY_INLINE MD greater(const VD& a, const VD& b) { return a > b; }
HWY_INLINE MF greater(const VF& a, const VF& b) { return a > b; }
HWY_INLINE MD equal(const VD& a, const VD& b) { return a == b; }
HWY_INLINE MD either(const MD& a, const MD& b) { return hn::Or(a, b); }
HWY_INLINE VD select(const MD& m, const VD& yes, const VD& no) { return hn::IfThenElse(m, yes, no); }
HWY_INLINE VF select(const MF& m, const VF& yes, const VF& no) { return hn::IfThenElse(m, yes, no); }
HWY_INLINE VD if_so(const MD& m, const VD& v) { return hn::IfThenElseZero(m, v); }
HWY_INLINE VD negate_if(const MD& m, const VD& v) { return hn::Xor(v, hn::IfThenElseZero(m, hn::Set(DD(), -0.0))); }

HWY_INLINE Two<VD> widen(const VF& v) {
  return {hn::PromoteTo(DD(), hn::LowerHalf(HalfF(), v)), hn::PromoteTo(DD(), hn::UpperHalf(HalfF(), v))};
}
HWY_INLINE Two<VD> widen(const VI& v) {
  return {hn::PromoteTo(DD(), hn::LowerHalf(HalfI(), v)), hn::PromoteTo(DD(), hn::UpperHalf(HalfI(), v))};
}
HWY_INLINE VF narrow(const Two<VD>& v) {
  return hn::Combine(DF(), hn::DemoteTo(HalfF(), v.second), hn::DemoteTo(HalfF(), v.first));
}
HWY_INLINE VI bits(const VF& v) { return hn::BitCast(DI(), v); }
HWY_INLINE VF from_bits(const VI& v) { return hn::BitCast(DF(), v); }
HWY_INLINE VF to_single(const VI& v) { return hn::ConvertTo(DF(), v); }
// Of numbers that fit, without Highway's treatment of those that don't.
HWY_INLINE VI truncate(const VF& v) {
#if HWY_TARGET == HWY_AVX3
  return VI{_mm512_cvttps_epi32(v.raw)};
#elif HWY_TARGET == HWY_AVX2
  return VI{_mm256_cvttps_epi32(v.raw)};
#elif HWY_TARGET == HWY_SSE4
  return VI{_mm_cvttps_epi32(v.raw)};
#else
  return hn::ConvertTo(DI(), v);
#endif
}
HWY_INLINE VI whole(const Two<VD>& v) {
  return hn::Combine(DI(), hn::DemoteTo(HalfI(), v.second), hn::DemoteTo(HalfI(), v.first));
}
HWY_INLINE VI and_bits(const VI& a, const VI& b) { return hn::And(a, b); }
template <int kShift>
HWY_INLINE VI shift_right(const VI& v) {
  return hn::ShiftRight<kShift>(v);
}
HWY_INLINE Two<VD> power_of_two(const VI& exponent) {
  const VI biased = exponent + hn::Set(DI(), 1023);
  return {hn::BitCast(DD(), hn::ShiftLeft<52>(hn::PromoteTo(DL(), hn::LowerHalf(HalfI(), biased)))),
          hn::BitCast(DD(), hn::ShiftLeft<52>(hn::PromoteTo(DL(), hn::UpperHalf(HalfI(), biased))))};
}
HWY_INLINE Two<VD> look_up(const double* table, const VI& index) {
  return {hn::GatherIndex(DD(), table, hn::PromoteTo(DL(), hn::LowerHalf(HalfI(), index))),
          hn::GatherIndex(DD(), table, hn::PromoteTo(DL(), hn::UpperHalf(HalfI(), index)))};
}

// Twos: each operation on both in turn.

HWY_INLINE Single single(float v) { return {hn::Set(DF(), v), hn::Set(DF(), v)}; }
HWY_INLINE Int integer(int32_t v) { return {hn::Set(DI(), v), hn::Set(DI(), v)}; }
HWY_INLINE Double number(double v) {
  const VD all = hn::Set(DD(), v);
  return {{all, all}, {all, all}};
}

#define QC_ON_ONE(function)                                                     \
  template <class T>                                                            \
  HWY_INLINE auto function(const Two<T>& v)->Two<decltype(function(v.first))> { \
    return {function(v.first), function(v.second)};                             \
  }
#define QC_ON_TWO(function)                                                                               \
  template <class T>                                                                                      \
  HWY_INLINE auto function(const Two<T>& a, const Two<T>& b)->Two<decltype(function(a.first, b.first))> { \
    return {function(a.first, b.first), function(a.second, b.second)};                                    \
  }
#define QC_ON_THREE(function)                                                             \
  template <class T>                                                                      \
  HWY_INLINE Two<T> function(const Two<T>& a, const Two<T>& b, const Two<T>& c) {         \
    return {function(a.first, b.first, c.first), function(a.second, b.second, c.second)}; \
  }
#define QC_ON_CHOICE(function)                                         \
  template <class M, class T>                                          \
  HWY_INLINE Two<T> function(const Two<M>& m, const Two<T>& v) {       \
    return {function(m.first, v.first), function(m.second, v.second)}; \
  }
QC_ON_TWO(operator+)
QC_ON_TWO(operator-)
QC_ON_TWO(operator*)
QC_ON_TWO(operator/)
QC_ON_TWO(maximum)
QC_ON_TWO(minimum)
QC_ON_TWO(greater)
QC_ON_TWO(equal)
QC_ON_TWO(either)
QC_ON_TWO(and_bits)
QC_ON_THREE(fused)
QC_ON_THREE(residue)
QC_ON_ONE(square_root)
QC_ON_ONE(absolute)
QC_ON_ONE(widen)
QC_ON_ONE(bits)
QC_ON_ONE(from_bits)
QC_ON_ONE(to_single)
QC_ON_ONE(truncate)
QC_ON_ONE(power_of_two)
QC_ON_CHOICE(if_so)
QC_ON_CHOICE(negate_if)
#undef QC_ON_ONE
#undef QC_ON_TWO
#undef QC_ON_THREE
#undef QC_ON_CHOICE

template <class M, class T>
HWY_INLINE Two<T> select(const Two<M>& m, const Two<T>& yes, const Two<T>& no) {
  return {select(m.first, yes.first, no.first), select(m.second, yes.second, no.second)};
}
HWY_INLINE Single narrow(const Double& v) { return {narrow(v.first), narrow(v.second)}; }
HWY_INLINE Int whole(const Double& v) { return {whole(v.first), whole(v.second)}; }
HWY_INLINE Int plus(const Int& a, const Int& b) { return a + b; }
template <int kShift>
HWY_INLINE Int shift_right(const Int& v) {
  return {shift_right<kShift>(v.first), shift_right<kShift>(v.second)};
}
HWY_INLINE Double look_up(const double* table, const Int& index) {
  return {look_up(table, index.first), look_up(table, index.second)};
}

// Memory. Floating-point numbers are aligned, samples are not.

HWY_INLINE Single load(const float* from) { return {hn::Load(DF(), from), hn::Load(DF(), from + kPixels / 2)}; }
HWY_INLINE void store(const Single& v, float* to) {
  hn::Store(v.first, DF(), to);
  hn::Store(v.second, DF(), to + kPixels / 2);
}
HWY_INLINE Double load(const double* from) {
  return {{hn::Load(DD(), from), hn::Load(DD(), from + kPixels / 4)},
          {hn::Load(DD(), from + kPixels / 2), hn::Load(DD(), from + 3 * kPixels / 4)}};
}
HWY_INLINE void store(const Double& v, double* to) {
  hn::Store(v.first.first, DD(), to);
  hn::Store(v.first.second, DD(), to + kPixels / 4);
  hn::Store(v.second.first, DD(), to + kPixels / 2);
  hn::Store(v.second.second, DD(), to + 3 * kPixels / 4);
}
HWY_INLINE Double load(const uint16_t* from) {
  const hn::Rebind<uint16_t, DI> samples;
  return widen(
      Int{hn::PromoteTo(DI(), hn::LoadU(samples, from)), hn::PromoteTo(DI(), hn::LoadU(samples, from + kPixels / 2))});
}
