// Rows of scales 1 to 3 of the feature adm, in 32-bit lanes with 64-bit products. Compiled once for each target.
#if defined(METRICS_ADM_ADM_COARSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef METRICS_ADM_ADM_COARSE_INL_H_
#undef METRICS_ADM_ADM_COARSE_INL_H_
#else
#define METRICS_ADM_ADM_COARSE_INL_H_
#endif

#include "adm/adm_finest-inl.h"
#include "adm/adm_scratch.h"
#include "adm/adm_vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qc::HWY_NAMESPACE {

#if !QC_PLAIN_TARGET

// Four samples in each lane, ready for the taps of the wavelet: sums of 64 bits in two halves of 16-bit factors.
// kShift 0: the samples fit 16 bits and the sum is not rounded. Otherwise the sum is (sum + unit / 2) >> kShift.
template <int kShift>
class FourSamples {
 public:
  HWY_INLINE FourSamples(V32 a, V32 b, V32 c, V32 e) {
    low01_ = hn::OddEven(as16(hn::ShiftLeft<16>(b)), as16(a));
    low23_ = hn::OddEven(as16(hn::ShiftLeft<16>(e)), as16(c));
    if (kShift != 0) {
      // The low halves become signed: 32768 less, which `offset` below makes up for.
      const V16 sign = hn::Set(D16(), int16_t{-32768});
      low01_ = hn::Xor(low01_, sign);
      low23_ = hn::Xor(low23_, sign);
      high01_ = hn::OddEven(as16(b), as16(hn::ShiftRight<16>(a)));
      high23_ = hn::OddEven(as16(e), as16(hn::ShiftRight<16>(c)));
    }
  }
  HWY_INLINE V32 low_pass() const {
    constexpr int kSum = adm::kLow0 + adm::kLow1 + adm::kLow2 + adm::kLow3;
    return filter(pair(adm::kLow0, adm::kLow1), pair(adm::kLow2, adm::kLow3),
                  static_cast<int32_t>((int64_t{32768} * kSum) >> kShift));
  }
  HWY_INLINE V32 high_pass() const { return filter(pair(adm::kHigh0, adm::kHigh1), pair(adm::kHigh2, adm::kHigh3), 0); }

 private:
  HWY_INLINE V32 filter(V16 taps01, V16 taps23, int32_t offset) const {
    const V32 low = pair_products(low01_, taps01, low23_, taps23);
    if (kShift == 0) return low;
    const V32 high = pair_products(high01_, taps01, high23_, taps23);
    const V32 rounded =
        hn::ShiftRight<kShift>(hn::Add(low, hn::Set(D32(), kShift == 0 ? 0 : 1 << (kShift == 0 ? 0 : kShift - 1))));
    const V32 shifted = kShift == 15 ? hn::Add(high, high) : high;
    return hn::Add(hn::Add(shifted, rounded), hn::Set(D32(), offset));
  }
  V16 low01_;
  V16 low23_;
  V16 high01_;
  V16 high23_;
};

// Vertical pass over `count` columns.
template <int kShift>
HWY_NOINLINE void vertical_coarse(const int32_t* const rows[4], int count, int32_t* low, int32_t* high) {
  const D32 d;
  for (int x = 0; x < count; x += kLanes32) {
    const FourSamples<kShift> samples(hn::LoadU(d, rows[0] + x), hn::LoadU(d, rows[1] + x), hn::LoadU(d, rows[2] + x),
                                      hn::LoadU(d, rows[3] + x));
    hn::StoreU(samples.low_pass(), d, low + x);
    if (high) hn::StoreU(samples.high_pass(), d, high + x);
  }
}

template <int kShift>
HWY_INLINE FourSamples<kShift> neighbours_coarse(const int32_t* const parity[2], int x) {
  const D32 d;
  return FourSamples<kShift>(hn::LoadU(d, parity[1] + x - 1), hn::LoadU(d, parity[0] + x), hn::LoadU(d, parity[1] + x),
                             hn::LoadU(d, parity[0] + x + 1));
}

// From vertical low-pass: V in `detail` and, unless `even` is null, the approximation with even and odd columns apart.
template <int kShift>
HWY_NOINLINE void horizontal_low_coarse(int32_t* const low[2], int width, int32_t* detail, int32_t* even,
                                        int32_t* odd) {
  const D32 d;
  for (int x = 0; x < width; x += 2 * kLanes32) {
    const auto first = neighbours_coarse<kShift>(low, x);
    const auto second = neighbours_coarse<kShift>(low, x + kLanes32);
    hn::StoreU(first.high_pass(), d, detail + x);
    hn::StoreU(second.high_pass(), d, detail + x + kLanes32);
    if (!even) continue;
    const V32 first_low = first.low_pass();
    const V32 second_low = second.low_pass();
    hn::StoreU(hn::ConcatEven(d, second_low, first_low), d, even + x / 2);
    hn::StoreU(hn::ConcatOdd(d, second_low, first_low), d, odd + x / 2);
  }
}

// From vertical high-pass: H and D.
template <int kShift>
HWY_NOINLINE void horizontal_high_coarse(int32_t* const high[2], const AdmActive& active, int32_t* h, int32_t* dd) {
  const D32 d;
  for (int x = active.left; x < active.right; x += kLanes32) {
    const auto samples = neighbours_coarse<kShift>(high, x);
    hn::StoreU(samples.low_pass(), d, h + x);
    hn::StoreU(samples.high_pass(), d, dd + x);
  }
}

HWY_INLINE V32 same_direction_coarse(V32 oh, V32 ov, V32 th, V32 tv) {
  const D32 d;
  const DF32 df;
  const VF32 foh = hn::ConvertTo(df, oh);
  const VF32 fov = hn::ConvertTo(df, ov);
  const VF32 fth = hn::ConvertTo(df, th);
  const VF32 ftv = hn::ConvertTo(df, tv);
  const Direction direction =
      compare_directions(hn::Add(hn::Mul(foh, fth), hn::Mul(fov, ftv)), hn::Add(hn::Mul(foh, foh), hn::Mul(fov, fov)),
                         hn::Add(hn::Mul(fth, fth), hn::Mul(ftv, ftv)));
  if (HWY_LIKELY(hn::AllTrue(d, hn::Eq(direction.unclear, hn::Zero(d))))) return direction.same;
  return exact_directions(oh, ov, th, tv);
}

// Bits of m beyond 15, 0 if there are none.
HWY_INLINE V32 excess_bits(V32 m) {
  // With every bit after the first cleared that would let the conversion round up to the next power of two.
  const V32 same_length = hn::AndNot(hn::ShiftRight<1>(m), m);
  const V32 exponent = hn::ShiftRight<23>(hn::BitCast(D32(), hn::ConvertTo(DF32(), same_length)));
  return hn::Max(hn::Sub(exponent, hn::Set(D32(), 127 + 14)), hn::Zero(D32()));
}

// Restored parts of the three bands.
HWY_INLINE void restored_coarse(const V32 o[3], const V32 t[3], V32 same, const GainLimit& limit, V32 r[3]) {
  const D32 d;
  const DU32 du;
  const V32 zero = hn::Zero(d);
  const V32 one = hn::Set(d, 1);
  V32 extra[3];
  V32 inverse[3];
  HWY_UNROLL(3)
  for (int b = 0; b < 3; ++b) {
    const V32 magnitude = hn::Abs(o[b]);
    extra[b] = excess_bits(magnitude);
    const VU32 half = hn::ShiftRight<1>(hn::Shl(hn::Set(du, 1), as_u32(extra[b])));
    const VU32 divisor = hn::Shr(hn::Add(as_u32(magnitude), half), as_u32(extra[b]));
    inverse[b] = hn::Max(hn::BitCast(d, divisor), one);
  }
  reciprocals(inverse);
  V32 gain_less_1[3];
  HWY_UNROLL(3)
  for (int b = 0; b < 3; ++b) {
    const V32 magnitude = hn::Abs(o[b]);
    const V32 kept = hn::Max(with_sign_of(t[b], o[b]), zero);
    // A gain above 1 is cut, so that more than |o| * 1.5 needn't be divided.
    const V32 dividend = hn::Min(kept, hn::Add(magnitude, hn::ShiftRight<1>(magnitude)));
    const VU64 shift = as64(hn::Add(extra[b], hn::Set(d, 14)));
    const VU32 inverse_odd = as_u32(hn::ShiftRight<32>(as64(inverse[b])));
    const VU32 dividend_odd = as_u32(hn::ShiftRight<32>(as64(dividend)));
    const VU64 even =
        hn::Shr(hn::MulEven(as_u32(inverse[b]), as_u32(dividend)), hn::And(shift, hn::Set(DU64(), 0xffffffffU)));
    const VU64 odd = hn::Shr(hn::MulEven(inverse_odd, dividend_odd), hn::ShiftRight<32>(shift));
    const V32 twice = as32(hn::Or(even, hn::ShiftLeft<32>(odd)));
    gain_less_1[b] = hn::Sub(hn::Min(hn::ShiftRight<1>(hn::Add(twice, one)), hn::Set(d, 32768)), hn::Set(d, 32768));
  }
  HWY_UNROLL(3)
  for (int b = 0; b < 3; ++b) {
    const V32 kept = hn::Max(with_sign_of(t[b], o[b]), zero);
    const V32 z = hn::Add(o[b], shifted_product<15>(gain_less_1[b], o[b], hn::Set(DU64(), 16384)));
    r[b] = limited(z, o[b], kept, same, limit);
  }
}

// (factor * c - 2^31) >> 32 for c >= 0.
HWY_INLINE V32 scaled(V32 c, uint32_t factor) {
  const VU32 f = hn::Set(DU32(), factor);
  const VU64 term = hn::Set(DU64(), uint64_t{1} << 31);
  const VU64 even = hn::Sub(hn::MulEven(as_u32(c), f), term);
  const VU64 odd = hn::Sub(hn::MulEven(as_u32(hn::ShiftRight<32>(as64(c))), f), term);
  return hn::OddEven(as32(odd), as32(hn::ShiftRight<32>(even)));
}

using CoarseSignal = AdmSignalRows<int32_t, int32_t>;

// Split of row `y`, its signals' weighted magnitudes and contributions to thresholds.
template <bool kAim>
HWY_NOINLINE void split_row(const AdmScratch::Coarse& rows, AdmSplitRows<int32_t, int32_t>& split,
                            const AdmScale& scale, double gain_limit, int y) {
  const D32 d;
  const GainLimit limit(gain_limit);
  const V32 weight_hv = hn::Set(d, static_cast<int32_t>(scale.weight_hv));
  const V32 weight_d = hn::Set(d, static_cast<int32_t>(scale.weight_d));
  const VU64 term = hn::Set(DU64(), uint64_t{1} << 27);
  for (int x = rows.active.left; x < rows.active.right; x += kLanes32) {
    V32 o[3];
    V32 t[3];
    for (int b = 0; b < 3; ++b) {
      o[b] = hn::LoadU(d, rows.detail[0][b] + x);
      t[b] = hn::LoadU(d, rows.detail[1][b] + x);
    }
    const V32 same = same_direction_coarse(o[0], o[1], t[0], t[1]);
    V32 to_neighbours[2] = {hn::Zero(d), hn::Zero(d)};
    V32 itself_more[2] = {hn::Zero(d), hn::Zero(d)};
    V32 r[3];
    restored_coarse(o, t, same, limit, r);
    HWY_UNROLL(3)
    for (int b = 0; b < 3; ++b) {
      const V32 weight = b == 2 ? weight_d : weight_hv;
      const V32 restored = hn::Abs(shifted_multiple<28>(r[b], weight, term));
      const V32 additive = hn::Abs(shifted_multiple<28>(hn::Sub(t[b], r[b]), weight, term));
      hn::StoreU(restored, d, split.restored.samples[y % 2][b] + x);
      hn::StoreU(additive, d, split.additive.samples[y % 2][b] + x);
      auto add_thresholds = [&](int signal, V32 c) {
        const V32 n = scaled(c, 143165577);
        to_neighbours[signal] = hn::Add(to_neighbours[signal], n);
        itself_more[signal] = hn::Add(itself_more[signal], hn::Sub(scaled(c, 286331153), n));
      };
      add_thresholds(1, additive);
      if (kAim) add_thresholds(0, restored);
    }
    hn::StoreU(to_neighbours[1], d, split.additive.to_neighbours[y % 3] + x);
    hn::StoreU(itself_more[1], d, split.additive.itself_more[y % 2] + x);
    if (kAim) {
      hn::StoreU(to_neighbours[0], d, split.restored.to_neighbours[y % 3] + x);
      hn::StoreU(itself_more[0], d, split.restored.itself_more[y % 2] + x);
    }
  }
  for (int b = 0; b < 3; ++b) {
    clear_after(split.restored.samples[y % 2][b], scale.right);
    clear_after(split.additive.samples[y % 2][b], scale.right);
  }
}

template <int kScale>
HWY_NOINLINE void reference_row(const int32_t* const detail[3], const AdmScale& scale, uint64_t sums[3]) {
  constexpr int kSquareShift = kScale == 2 ? 30 : 31;
  const D32 d;
  const VU64 unit = hn::Set(DU64(), uint64_t{1} << kSquareShift);
  const VU64 term = rounding_term(scale.reference_shift);
  for (int b = 0; b < 3; ++b) {
    VU64 sum = hn::Zero(DU64());
    auto add = [&](VU32 o) {
      const VU32 square = as_u32(hn::ShiftRight<kSquareShift>(hn::Add(hn::MulEven(o, o), unit)));
      sum = hn::Add(sum, hn::ShiftRightSame(hn::Add(hn::MulEven(square, o), term), scale.reference_shift));
    };
    for (int x = scale.left; x < scale.right; x += kLanes32) {
      const V32 o = hn::Abs(hn::LoadU(d, detail[b] + x));
      add(as_u32(o));
      add(as_u32(hn::ShiftRight<32>(as64(o))));
    }
    sums[b] += (total(sum) + ((uint64_t{1} << scale.reference_row_shift) >> 1)) >> scale.reference_row_shift;
  }
}

// Row y's sums of `signal` masked by `mask`. `above` and `below` are the rows that stand for y - 1 and y + 1.
HWY_NOINLINE void masked_row(const CoarseSignal& signal, const CoarseSignal& mask, AdmScratch::Coarse& rows,
                             const AdmScale& scale, int y, int above, int below, int64_t sums[3]) {
  const D32 d;
  const int32_t* row0 = mask.to_neighbours[above % 3];
  const int32_t* row1 = mask.to_neighbours[y % 3];
  const int32_t* row2 = mask.to_neighbours[below % 3];
  const int32_t* itself_more = mask.itself_more[y % 2];
  int32_t* column_sums = rows.column_sums;
  sum_columns(
      rows.active, scale.width,
      [&](int x) { return hn::Add(hn::Add(hn::LoadU(d, row0 + x), hn::LoadU(d, row1 + x)), hn::LoadU(d, row2 + x)); },
      column_sums);
  const int32_t* const* samples = signal.samples[y % 2];
  const VU64 term = rounding_term(scale.cube_shift_hv);
  // Anything smaller has no cube in the sums' units.
  const V32 nothing = hn::Set(d, 23170);
  VU64 sum[3] = {hn::Zero(DU64()), hn::Zero(DU64()), hn::Zero(DU64())};
  for (int x = scale.left; x < scale.right; x += kLanes32) {
    V32 threshold = hn::Add(hn::LoadU(d, column_sums + x - 1), hn::LoadU(d, column_sums + x));
    threshold = hn::Add(threshold, hn::LoadU(d, column_sums + x + 1));
    threshold = hn::Add(threshold, hn::LoadU(d, itself_more + x));
    auto excess = [&](int b) { return hn::Max(hn::Sub(hn::LoadU(d, samples[b] + x), threshold), hn::Zero(d)); };
    const V32 h = excess(0);
    const V32 v = excess(1);
    const V32 dd = excess(2);
    if (hn::AllFalse(d, hn::Gt(hn::Max(hn::Max(h, v), dd), nothing))) continue;
    sum[0] = add_cubes<30>(sum[0], h, term, scale.cube_shift_hv);
    sum[1] = add_cubes<30>(sum[1], v, term, scale.cube_shift_hv);
    sum[2] = add_cubes<30>(sum[2], dd, term, scale.cube_shift_hv);
  }
  for (int b = 0; b < 3; ++b) sums[b] += adm::rounding_shift(static_cast<int64_t>(total(sum[b])), scale.cube_row_shift);
}

#endif

}  // namespace qc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
