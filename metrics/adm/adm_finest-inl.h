// Rows of scale 0 of the feature adm, in 16-bit lanes where the arithmetic is 16-bit. Compiled once for each target.
#if defined(METRICS_ADM_ADM_FINEST_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef METRICS_ADM_ADM_FINEST_INL_H_
#undef METRICS_ADM_ADM_FINEST_INL_H_
#else
#define METRICS_ADM_ADM_FINEST_INL_H_
#endif

#include "adm/adm_scratch.h"
#include "adm/adm_vector-inl.h"
#include "hwy/cache_control.h"

HWY_BEFORE_NAMESPACE();
namespace qc::HWY_NAMESPACE {

#if !QC_PLAIN_TARGET

HWY_INLINE V16 load_samples(const uint8_t* p, int, V16) {
  return hn::PromoteTo(D16(), hn::LoadU(hn::Rebind<uint8_t, D16>(), p));
}
HWY_INLINE V16 load_samples(const uint16_t* p, int shift, V16 sign) {
  return hn::Xor(hn::BitCast(D16(), hn::ShiftRightSame(hn::LoadU(DU16(), p), shift)), sign);
}

// Vertical pass over `width` columns, at least a vector. Samples of 16 bits are made signed, others are small enough as
// they are.
template <class T>
HWY_NOINLINE void vertical_finest(const T* const rows[4], const PlaneView& plane, int16_t* low, int16_t* high) {
  const D16 d;
  const int width = plane.width;
  const int depth = plane.depth;
  const int32_t half = 1 << (depth - 1);
  constexpr int kLowSum = adm::kLow0 + adm::kLow1 + adm::kLow2 + adm::kLow3;
  const V32 low_term = hn::Set(D32(), depth == 16 ? half : half - kLowSum * half);
  const V32 high_term = hn::Set(D32(), half);
  const V16 sign = hn::Set(d, depth == 16 ? int16_t{-32768} : int16_t{0});
  const V16 low01 = pair(adm::kLow0, adm::kLow1);
  const V16 low23 = pair(adm::kLow2, adm::kLow3);
  const V16 high01 = pair(adm::kHigh0, adm::kHigh1);
  const V16 high23 = pair(adm::kHigh2, adm::kHigh3);
  for (int next = 0; next < width; next += kLanes16) {
    const int x = next + kLanes16 <= width ? next : width - kLanes16;
    const V16 a = load_samples(rows[0] + x, plane.shift, sign);
    const V16 b = load_samples(rows[1] + x, plane.shift, sign);
    const V16 c = load_samples(rows[2] + x, plane.shift, sign);
    const V16 e = load_samples(rows[3] + x, plane.shift, sign);
    // The next row of detail begins with two more rows of the picture.
    const uint8_t* ahead = reinterpret_cast<const uint8_t*>(rows[3] + x) + plane.stride;
    hwy::Prefetch(ahead);
    hwy::Prefetch(ahead + plane.stride);
    const V16 ab0 = hn::InterleaveLower(d, a, b);
    const V16 ab1 = hn::InterleaveUpper(d, a, b);
    const V16 ce0 = hn::InterleaveLower(d, c, e);
    const V16 ce1 = hn::InterleaveUpper(d, c, e);
    auto filter = [&](V16 taps01, V16 taps23, V32 term) {
      const V32 sum0 = hn::Add(pair_products(ab0, taps01, ce0, taps23), term);
      const V32 sum1 = hn::Add(pair_products(ab1, taps01, ce1, taps23), term);
      return hn::ReorderDemote2To(d, hn::ShiftRightSame(sum0, depth), hn::ShiftRightSame(sum1, depth));
    };
    hn::StoreU(filter(low01, low23, low_term), d, low + x);
    if (high) hn::StoreU(filter(high01, high23, high_term), d, high + x);
  }
}

// Horizontal sums of kLanes32 outputs from x on, rounded.
HWY_INLINE V32 horizontal_finest(const int16_t* row, int x, V16 taps01, V16 taps23) {
  const int16_t* p = row + 2 * x - 1;
  const V32 sum = pair_products(hn::LoadU(D16(), p), taps01, hn::LoadU(D16(), p + 2), taps23);
  return hn::ShiftRight<16>(hn::Add(sum, hn::Set(D32(), 32768)));
}

// Approximation, even and odd columns apart.
HWY_NOINLINE void approximation_finest(const int16_t* low, int width, int32_t* even, int32_t* odd) {
  const D32 d;
  const V16 taps01 = pair(adm::kLow0, adm::kLow1);
  const V16 taps23 = pair(adm::kLow2, adm::kLow3);
  for (int x = 0; x < width; x += 2 * kLanes32) {
    const V32 first = horizontal_finest(low, x, taps01, taps23);
    const V32 second = horizontal_finest(low, x + kLanes32, taps01, taps23);
    hn::StoreU(hn::ConcatEven(d, second, first), d, even + x / 2);
    hn::StoreU(hn::ConcatOdd(d, second, first), d, odd + x / 2);
  }
}

HWY_NOINLINE void detail_finest(const int16_t* low, const int16_t* high, const AdmActive& active,
                                int16_t* const detail[3]) {
  const D16 d;
  const V16 low01 = pair(adm::kLow0, adm::kLow1);
  const V16 low23 = pair(adm::kLow2, adm::kLow3);
  const V16 high01 = pair(adm::kHigh0, adm::kHigh1);
  const V16 high23 = pair(adm::kHigh2, adm::kHigh3);
  for (int x = active.left; x < active.right; x += kLanes16) {
    auto filter = [&](const int16_t* row, V16 taps01, V16 taps23) {
      return ordered_demote(horizontal_finest(row, x, taps01, taps23),
                            horizontal_finest(row, x + kLanes32, taps01, taps23));
    };
    hn::StoreU(filter(high, low01, low23), d, detail[0] + x);
    hn::StoreU(filter(low, high01, high23), d, detail[1] + x);
    hn::StoreU(filter(high, high01, high23), d, detail[2] + x);
  }
}

HWY_INLINE V16 same_direction_finest(V16 oh, V16 ov, V16 th, V16 tv) {
  const D16 d;
  const DF32 df;
  auto half = [&](V16 o, V16 t) {
    return compare_directions(hn::ConvertTo(df, pair_products(o, t)), hn::ConvertTo(df, pair_products(o, o)),
                              hn::ConvertTo(df, pair_products(t, t)));
  };
  const Direction first = half(hn::InterleaveLower(d, oh, ov), hn::InterleaveLower(d, th, tv));
  const Direction second = half(hn::InterleaveUpper(d, oh, ov), hn::InterleaveUpper(d, th, tv));
  V16 same = hn::ReorderDemote2To(d, first.same, second.same);
  const V32 unclear = hn::Or(first.unclear, second.unclear);
  if (HWY_UNLIKELY(!hn::AllTrue(D32(), hn::Eq(unclear, hn::Zero(D32()))))) same = exact_directions(oh, ov, th, tv);
  return same;
}

// Restored parts of the three bands.
HWY_INLINE void restored_finest(const V16 o[3], const V16 t[3], V16 same, const GainLimit& limit, V16 r[3]) {
  const D16 d;
  const V16 zero = hn::Zero(d);
  const V16 one = hn::Set(d, int16_t{1});
  V32 inverse[6];
  HWY_UNROLL(3)
  for (int b = 0; b < 3; ++b) {
    const V16 divisor = hn::Max(hn::Abs(o[b]), one);
    inverse[2 * b] = hn::BitCast(D32(), hn::InterleaveLower(d, divisor, zero));
    inverse[2 * b + 1] = hn::BitCast(D32(), hn::InterleaveUpper(d, divisor, zero));
  }
  reciprocals(inverse);
  HWY_UNROLL(3)
  for (int b = 0; b < 3; ++b) {
    const V16 kept = hn::Max(with_sign_of(t[b], o[b]), zero);
    // A gain above 1 is cut, so that more than |o| + 1 needn't be divided.
    const V16 dividend = hn::Min(kept, hn::Add(hn::Abs(o[b]), one));
    auto gain_less_1 = [](V32 reciprocal, V16 m) {
      const VU32 product = as_u32(hn::Mul(reciprocal, hn::BitCast(D32(), m)));
      const VU32 k = hn::Min(hn::ShiftRight<15>(hn::Add(product, hn::Set(DU32(), 16384))), hn::Set(DU32(), 32768));
      return hn::Sub(hn::BitCast(D32(), k), hn::Set(D32(), 32768));
    };
    const V16 gain = hn::ReorderDemote2To(d, gain_less_1(inverse[2 * b], hn::InterleaveLower(d, dividend, zero)),
                                          gain_less_1(inverse[2 * b + 1], hn::InterleaveUpper(d, dividend, zero)));
    const V16 z = hn::Add(o[b], hn::MulFixedPoint15(o[b], gain));
    r[b] = limited(z, o[b], kept, same, limit);
  }
}

struct FinestWeights {
  explicit FinestWeights(const AdmScale& scale)
      : hv(static_cast<int16_t>(static_cast<int32_t>(scale.weight_hv) - 32768)),
        d(static_cast<int16_t>(scale.weight_d)),
        d_carry(scale.weight_d >= 32768 ? int16_t{-1} : int16_t{0}) {}
  int16_t hv;       // less 1.0
  int16_t d;        // less 65536 if that much does not fit
  int16_t d_carry;  // -1 then
};

// What the samples of a signal add to their neighbours' thresholds, what they add to their own in excess of that, and
// the largest contrast.
struct Thresholds {
  V16 to_neighbours;
  V16 itself_more;
  V16 contrast;
};

HWY_INLINE Thresholds thresholds_finest(const V16 signal[3], const FinestWeights& weights) {
  const D16 d;
  const V16 weight_hv = hn::Set(d, weights.hv);
  const V16 weight_d = hn::Set(d, weights.d);
  auto contrast_hv = [&](V16 y) { return hn::Abs(hn::Add(y, hn::MulFixedPoint15(y, weight_hv))); };
  const V16 y = signal[2];
  const V16 product_high = hn::Add(hn::MulHigh(y, weight_d), hn::And(y, hn::Set(d, weights.d_carry)));
  const V16 whole = hn::VecFromMask(d, hn::Eq(hn::Mul(y, weight_d), hn::Zero(d)));
  const V16 rounded_up = hn::Add(hn::Add(product_high, hn::Set(d, int16_t{1})), whole);
  const V16 contrast[3] = {contrast_hv(signal[0]), contrast_hv(signal[1]), hn::Abs(hn::ShiftRight<1>(rounded_up))};
  Thresholds sum{hn::Zero(d), hn::Zero(d), contrast[0]};
  for (const V16 c : contrast) {
    const V16 fraction = hn::MulFixedPoint15(c, hn::Set(d, int16_t{2184}));
    const V16 fraction2 = hn::MulFixedPoint15(c, hn::Set(d, int16_t{4368}));
    sum.to_neighbours = hn::Add(sum.to_neighbours, hn::Add(c, fraction));
    sum.itself_more = hn::Add(sum.itself_more, hn::Add(c, hn::Sub(fraction2, fraction)));
    sum.contrast = hn::Max(sum.contrast, c);
  }
  return sum;
}

using FinestSignal = AdmSignalRows<int16_t, uint16_t>;

// Split of row `y` and its signals' contributions to thresholds.
template <bool kAim>
HWY_NOINLINE void split_row(const AdmScratch::Finest& rows, AdmSplitRows<int16_t, uint16_t>& split,
                            const AdmScale& scale, double gain_limit, int y) {
  const D16 d;
  const DU16 du;
  const GainLimit limit(gain_limit);
  const FinestWeights weights(scale);
  V16 restored_contrast = hn::Zero(d);
  V16 additive_contrast = hn::Zero(d);
  auto store = [&](FinestSignal& signal, const Thresholds& t, int x) {
    hn::StoreU(hn::BitCast(du, t.to_neighbours), du, signal.to_neighbours[y % 3] + x);
    hn::StoreU(hn::BitCast(du, t.itself_more), du, signal.itself_more[y % 2] + x);
  };
  for (int x = rows.active.left; x < rows.active.right; x += kLanes16) {
    V16 o[3];
    V16 t[3];
    V16 r[3];
    V16 a[3];
    for (int b = 0; b < 3; ++b) {
      o[b] = hn::LoadU(d, rows.detail[0][b] + x);
      t[b] = hn::LoadU(d, rows.detail[1][b] + x);
    }
    const V16 same = same_direction_finest(o[0], o[1], t[0], t[1]);
    restored_finest(o, t, same, limit, r);
    for (int b = 0; b < 3; ++b) {
      a[b] = hn::Sub(t[b], r[b]);
      hn::StoreU(r[b], d, split.restored.samples[y % 2][b] + x);
      hn::StoreU(a[b], d, split.additive.samples[y % 2][b] + x);
    }
    const Thresholds by_additive = thresholds_finest(a, weights);
    store(split.additive, by_additive, x);
    additive_contrast = hn::Max(additive_contrast, by_additive.contrast);
    if (kAim) {
      const Thresholds by_restored = thresholds_finest(r, weights);
      store(split.restored, by_restored, x);
      restored_contrast = hn::Max(restored_contrast, by_restored.contrast);
    }
  }
  const V16 largest = hn::Set(d, int16_t{15359});
  split.additive.cut[y % 2] = !hn::AllFalse(d, hn::Gt(additive_contrast, largest));
  split.restored.cut[y % 2] = !hn::AllFalse(d, hn::Gt(restored_contrast, largest));
  for (int b = 0; b < 3; ++b) {
    clear_after(split.restored.samples[y % 2][b], scale.right);
    clear_after(split.additive.samples[y % 2][b], scale.right);
  }
}

template <int kScale>
HWY_NOINLINE void reference_row(const int16_t* const detail[3], const AdmScale& scale, uint64_t sums[3]) {
  const D32 d;
  for (int b = 0; b < 3; ++b) {
    VU64 sum = hn::Zero(DU64());
    for (int x = scale.left; x < scale.right; x += kLanes32) {
      const V32 o = hn::Abs(hn::PromoteTo(d, hn::LoadU(hn::Rebind<int16_t, D32>(), detail[b] + x)));
      const V32 square = hn::Mul(o, o);
      const VU32 square_odd = as_u32(hn::ShiftRight<32>(as64(square)));
      const VU32 odd = as_u32(hn::ShiftRight<32>(as64(o)));
      sum = hn::Add(sum, hn::Add(hn::MulEven(as_u32(square), as_u32(o)), hn::MulEven(square_odd, odd)));
    }
    sums[b] += (total(sum) + ((uint64_t{1} << scale.reference_row_shift) >> 1)) >> scale.reference_row_shift;
  }
}

// A row whose thresholds leave the range of the vector code: as defined.
inline void masked_row_finest_plain(const FinestSignal& signal, const FinestSignal& mask, const AdmScale& scale, int y,
                                    int above, int below, int64_t sums[3]) {
  const uint16_t* rows[3] = {mask.to_neighbours[above % 3], mask.to_neighbours[y % 3], mask.to_neighbours[below % 3]};
  int64_t row_sums[3] = {};
  for (int x = scale.left; x < scale.right; ++x) {
    const int left = x == 0 ? 1 : x - 1;
    const int right = x + 1 == scale.width ? x : x + 1;
    int32_t threshold = -static_cast<int32_t>(rows[1][x]);
    for (const uint16_t* row : rows) threshold += row[left] + row[x] + row[right];
    for (int b = 0; b < 3; ++b) {
      const uint32_t weight = b == 2 ? scale.weight_d : scale.weight_hv;
      const int32_t weighted = adm::FinestScale::weighted(weight, mask.samples[y % 2][b][x]);
      threshold += adm::FinestScale::to_itself(adm::FinestScale::contrast(weighted, b == 2));
    }
    for (int b = 0; b < 3; ++b) {
      const uint32_t weight = b == 2 ? scale.weight_d : scale.weight_hv;
      row_sums[b] +=
          adm::masked_cube<adm::FinestScale>(adm::FinestScale::weighted(weight, signal.samples[y % 2][b][x]), threshold,
                                             b == 2, b == 2 ? scale.cube_shift_d : scale.cube_shift_hv);
    }
  }
  for (int b = 0; b < 3; ++b) sums[b] += adm::rounding_shift(row_sums[b], scale.cube_row_shift);
}

// Row y's sums of `signal` masked by `mask`. `above` and `below` are the rows that stand for y - 1 and y + 1.
HWY_NOINLINE void masked_row(const FinestSignal& signal, const FinestSignal& mask, AdmScratch::Finest& rows,
                             const AdmScale& scale, int y, int above, int below, int64_t sums[3]) {
  const D32 d;
  const hn::Rebind<uint16_t, D32> half;
  if (HWY_UNLIKELY(mask.cut[y % 2])) {
    masked_row_finest_plain(signal, mask, scale, y, above, below, sums);
    return;
  }
  const uint16_t* row0 = mask.to_neighbours[above % 3];
  const uint16_t* row1 = mask.to_neighbours[y % 3];
  const uint16_t* row2 = mask.to_neighbours[below % 3];
  const uint16_t* itself_more = mask.itself_more[y % 2];
  int32_t* column_sums = rows.column_sums;
  sum_columns(
      rows.active, scale.width,
      [&](int x) {
        return hn::Add(
            hn::Add(hn::PromoteTo(d, hn::LoadU(half, row0 + x)), hn::PromoteTo(d, hn::LoadU(half, row1 + x))),
            hn::PromoteTo(d, hn::LoadU(half, row2 + x)));
      },
      column_sums);
  const int16_t* const* samples = signal.samples[y % 2];
  const V32 weight_hv = hn::Set(d, static_cast<int32_t>(scale.weight_hv));
  const V32 weight_d = hn::Set(d, static_cast<int32_t>(scale.weight_d));
  const VU64 term_hv = rounding_term(scale.cube_shift_hv);
  const VU64 term_d = rounding_term(scale.cube_shift_d);
  // Anything smaller has no cube in the sums' units.
  const V32 nothing = hn::Set(d, 16383);
  VU64 sum[3] = {hn::Zero(DU64()), hn::Zero(DU64()), hn::Zero(DU64())};
  V32 bits = hn::Zero(d);
  for (int x = scale.left; x < scale.right; x += kLanes32) {
    V32 threshold = hn::Add(hn::LoadU(d, column_sums + x - 1), hn::LoadU(d, column_sums + x));
    threshold = hn::Add(threshold, hn::LoadU(d, column_sums + x + 1));
    threshold = hn::Add(threshold, hn::PromoteTo(d, hn::LoadU(half, itself_more + x)));
    bits = hn::Or(bits, threshold);
    auto excess = [&](int b, V32 weight, V32 raised) {
      const V32 y_abs = hn::Abs(hn::PromoteTo(d, hn::LoadU(hn::Rebind<int16_t, D32>(), samples[b] + x)));
      return hn::Max(hn::Sub(hn::Mul(y_abs, weight), raised), hn::Zero(d));
    };
    const V32 raised = hn::ShiftLeft<10>(threshold);
    const V32 h = excess(0, weight_hv, raised);
    const V32 v = excess(1, weight_hv, raised);
    const V32 dd = excess(2, weight_d, hn::ShiftLeft<2>(raised));
    if (hn::AllFalse(d, hn::Gt(hn::Max(hn::Max(h, v), dd), nothing))) continue;
    sum[0] = add_cubes<29>(sum[0], h, term_hv, scale.cube_shift_hv);
    sum[1] = add_cubes<29>(sum[1], v, term_hv, scale.cube_shift_hv);
    sum[2] = add_cubes<30>(sum[2], dd, term_d, scale.cube_shift_d);
  }
  // A threshold of 2^19 or more would overflow when it is raised.
  if (HWY_UNLIKELY(!hn::AllTrue(d, hn::Eq(hn::ShiftRight<19>(bits), hn::Zero(d))))) {
    masked_row_finest_plain(signal, mask, scale, y, above, below, sums);
    return;
  }
  for (int b = 0; b < 3; ++b) sums[b] += adm::rounding_shift(static_cast<int64_t>(total(sum[b])), scale.cube_row_shift);
}

#endif

}  // namespace qc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
