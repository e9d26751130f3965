#include "psnr_hvs/block_errors.h"

#include <bit>
#include <cstring>

#include "core/row_reader.h"
#include "core/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "psnr_hvs/block_errors.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace qc::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if QC_PLAIN_TARGET
float block_errors(const PlaneView& reference, const PlaneView& distorted, const hvs::Weights& weights,
                   BlockErrorScratch&) {
  return plain::block_errors(reference, distorted, weights);
}
#else

namespace {

using hvs::kBlock;
using hvs::kBlockStep;
using hvs::kBlockTerms;
using hvs::Weights;

using DI = hn::ScalableTag<int32_t>;
using DF = hn::ScalableTag<float>;
using Int = hn::Vec<DI>;
using Float = hn::Vec<DF>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(DI()));

HWY_INLINE Float broadcast(float v) { return hn::Set(DF(), v); }
HWY_INLINE Float to_float(Int v) { return hn::ConvertTo(DF(), v); }
HWY_INLINE Int magnitude(Int v) { return hn::Abs(v); }
HWY_INLINE Int halve(Int v) { return hn::ShiftRight<1>(v - hn::ShiftRight<31>(v)); }

template <bool kWide, int kFactor, int kShift>
HWY_INLINE Int scaled(Int v) {
  const Int factor = hn::Set(DI(), kFactor);
  const Int round = hn::Set(DI(), 1 << (kShift - 1));
  if constexpr (kWide) {
    // v = 256 high + low: the shift's first 8 bits concern the low part alone.
    const Int high = hn::ShiftRight<8>(v);
    const Int low = hn::And(v, hn::Set(DI(), 255));
    return hn::ShiftRight<kShift - 8>(high * factor + hn::ShiftRight<8>(low * factor + round));
  } else {
    return hn::ShiftRight<kShift>(v * factor + round);
  }
}

template <bool kWide>
HWY_INLINE Float square(Int v) {
  if constexpr (kWide) {
    // Exact in float64.
    const hn::ScalableTag<double> dd;
    const hn::Half<DI> dih;
    const hn::Half<DF> dfh;
    const auto low = hn::PromoteTo(dd, hn::LowerHalf(dih, v));
    const auto high = hn::PromoteTo(dd, hn::UpperHalf(dih, v));
    return hn::Combine(DF(), hn::DemoteTo(dfh, high * high), hn::DemoteTo(dfh, low * low));
  } else {
    return hn::ConvertTo(DF(), v * v);
  }
}

HWY_INLINE Float square_root(Float v) { return hn::Sqrt(v); }
HWY_INLINE Float greater_of(Float a, Float b) { return hn::IfThenElse(a > b, a, b); }
HWY_INLINE Float if_positive(Float v, Float value) { return hn::IfThenElseZero(v > hn::Zero(DF()), value); }
HWY_INLINE Float excess(Float v, Float threshold) { return hn::IfThenZeroElse(v < threshold, v - threshold); }

#define QC_LANES HWY_INLINE
#define QC_UNROLL
#include "psnr_hvs/block-inl.h"
#undef QC_UNROLL
#undef QC_LANES

// A row of samples sorted by column modulo the step between blocks, so that a column of consecutive blocks is a vector:
// column c of block b, also with c = 7, lies at phase c % 7, position b + c / 7.
template <class T>
void sort_row(const T* row, int blocks, size_t pitch, int32_t* phases) {
  for (int b = 0; b < blocks; ++b)
    for (size_t c = 0; c < kBlockStep; ++c)
      phases[c * pitch + static_cast<size_t>(b)] = row[b * kBlockStep + static_cast<int>(c)];
  phases[blocks] = row[blocks * kBlockStep];
}

void load_blocks(const int32_t* const rows[kBlock], size_t pitch, int first, Int* block) {
  for (int y = 0; y < kBlock; ++y) {
    const int32_t* row = rows[y] + first;
    for (size_t x = 0; x < kBlockStep; ++x) block[y * kBlock + static_cast<int>(x)] = hn::LoadU(DI(), row + x * pitch);
    block[y * kBlock + kBlockStep] = hn::LoadU(DI(), row + 1);
  }
}

// Adds the terms of a vector of blocks, none of them negative, if all the sums stay in one binade and no term is a tie;
// else leaves the sum and returns false. ordered_sum_simd.cpp has the same for float64, and the reasons.
bool add_if_order_is_free(float& sum, const float* terms) {
  if (!(sum >= 0x1p-60F && sum <= 0x1p100F)) return false;
  const float bottom = std::bit_cast<float>(std::bit_cast<uint32_t>(sum) & 0x7f800000U);
  const Float magic = broadcast(1.5F * bottom);
  Float total = broadcast(0.0F);
  Float rest = broadcast(0.0F);
  for (int i = 0; i < kBlockTerms; ++i) {
    const Float term = hn::Load(DF(), terms + i * kLanes);
    const Float rounded = (term + magic) - magic;
    total = total + rounded;
    rest = hn::Max(rest, hn::Abs(term - rounded));
  }
  const float added = hn::GetLane(hn::SumOfLanes(DF(), total));
  if (!(added < 0.5F * bottom && hn::GetLane(hn::MaxOfLanes(DF(), rest)) < bottom * 0x1p-24F)) return false;
  if (!(sum + added < 2 * bottom)) return false;
  sum += added;
  return true;
}

template <bool kWide, class T>
float sum_errors(const PlaneView& reference, const PlaneView& distorted, const Weights& weights,
                 BlockErrorScratch& scratch) {
  const int across = hvs::blocks_along(reference.width);
  const int down = hvs::blocks_along(reference.height);
  // Whole vectors are read, one position further for the last column.
  const size_t pitch = (static_cast<size_t>(across) + 2 * kLanes) / kLanes * kLanes;
  const size_t row_samples = pitch * kBlockStep;
  if (scratch.row_samples < row_samples) {
    scratch.rows = hwy::AllocateAligned<int32_t>(2 * kBlock * row_samples);
    std::memset(scratch.rows.get(), 0, 2 * kBlock * row_samples * sizeof(int32_t));
    scratch.row_samples = row_samples;
  }
  RowReader<T> readers[2] = {RowReader<T>(reference), RowReader<T>(distorted)};
  const auto sorted_row = [&](int picture, int y) {
    return scratch.rows.get() + static_cast<size_t>(picture * kBlock + y % kBlock) * row_samples;
  };
  float sum = 0;
  int next_row = 0;
  HWY_ALIGN float terms[kBlockTerms * kLanes];
  for (int b = 0; b < down; ++b) {
    const int top = b * kBlockStep;
    for (; next_row < top + kBlock; ++next_row)
      for (int p = 0; p < 2; ++p) sort_row(readers[p].row(next_row), across, pitch, sorted_row(p, next_row));
    const int32_t* rows[2][kBlock];
    for (int y = 0; y < kBlock; ++y)
      for (int p = 0; p < 2; ++p) rows[p][y] = sorted_row(p, top + y);
    for (int first = 0; first < across; first += kLanes) {
      Int r[kBlockTerms];
      Int d[kBlockTerms];
      load_blocks(rows[0], pitch, first, r);
      load_blocks(rows[1], pitch, first, d);
      const Float threshold =
          greater_of(masking_threshold<kWide>(d, weights.mask), masking_threshold<kWide>(r, weights.mask));
      for (int i = 0; i < kBlockTerms; ++i)
        hn::Store(error_term(r[i], d[i], threshold, weights, i), DF(), terms + i * kLanes);
      const int blocks = across - first < kLanes ? across - first : kLanes;
      if (blocks == kLanes && add_if_order_is_free(sum, terms)) continue;
      for (int k = 0; k < blocks; ++k)
        for (int i = 0; i < kBlockTerms; ++i) sum += terms[i * kLanes + k];
    }
  }
  return sum;
}

}  // namespace

float block_errors(const PlaneView& reference, const PlaneView& distorted, const Weights& weights,
                   BlockErrorScratch& scratch) {
  if (reference.width < kBlock || reference.height < kBlock) return 0;
  if (reference.bytes == 1) return sum_errors<false, uint8_t>(reference, distorted, weights, scratch);
  if (reference.depth <= 12) return sum_errors<false, uint16_t>(reference, distorted, weights, scratch);
  return sum_errors<true, uint16_t>(reference, distorted, weights, scratch);
}
#endif

}  // namespace qc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qc {
HWY_EXPORT(block_errors);

float block_errors(const PlaneView& reference, const PlaneView& distorted, const hvs::Weights& weights,
                   BlockErrorScratch& scratch) {
  return HWY_DYNAMIC_DISPATCH(block_errors)(reference, distorted, weights, scratch);
}

}  // namespace qc
#endif
