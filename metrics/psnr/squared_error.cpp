#include "psnr/squared_error.h"

#include "core/row_reader.h"
#include "core/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "psnr/squared_error.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#ifndef QC_PSNR_SQUARED_ERROR_PLAIN
#define QC_PSNR_SQUARED_ERROR_PLAIN
namespace qc::plain {

template <class T>
uint64_t squared_error_row(const T* reference, const T* distorted, int width) {
  uint64_t sum = 0;
  for (int x = 0; x < width; ++x) {
    const int64_t difference = int64_t{reference[x]} - int64_t{distorted[x]};
    sum += static_cast<uint64_t>(difference * difference);
  }
  return sum;
}

}  // namespace qc::plain
#endif

HWY_BEFORE_NAMESPACE();
namespace qc::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if QC_PLAIN_TARGET
uint64_t squared_error_row8(const uint8_t* r, const uint8_t* d, int width) {
  return plain::squared_error_row(r, d, width);
}
uint64_t squared_error_row16(const uint16_t* r, const uint16_t* d, int width) {
  return plain::squared_error_row(r, d, width);
}
#else

// |difference| fits 8 bits, its square 16, and 32-bit lanes hold 2^15 pairs of squares: rows are at most 32768 wide.
uint64_t squared_error_row8(const uint8_t* r, const uint8_t* d, int width) {
  const hn::ScalableTag<uint8_t> d8;
  const hn::Repartition<int16_t, decltype(d8)> d16;
  const hn::Repartition<int32_t, decltype(d8)> d32;
  const auto zero = hn::Zero(d8);
  auto sum0 = hn::Zero(d32);
  auto sum1 = hn::Zero(d32);
  const int lanes = static_cast<int>(hn::Lanes(d8));
  int x = 0;
  for (; x + lanes <= width; x += lanes) {
    const auto a = hn::LoadU(d8, r + x);
    const auto b = hn::LoadU(d8, d + x);
    const auto difference = hn::Or(hn::SaturatedSub(a, b), hn::SaturatedSub(b, a));
    const auto low = hn::BitCast(d16, hn::InterleaveLower(d8, difference, zero));
    const auto high = hn::BitCast(d16, hn::InterleaveUpper(d8, difference, zero));
    sum0 = hn::ReorderWidenMulAccumulate(d32, low, low, sum0, sum1);
    sum0 = hn::ReorderWidenMulAccumulate(d32, high, high, sum0, sum1);
  }
  HWY_ALIGN int32_t lane_sums[2 * hn::MaxLanes(d32)];
  hn::Store(sum0, d32, lane_sums);
  hn::Store(sum1, d32, lane_sums + hn::Lanes(d32));
  uint64_t sum = plain::squared_error_row(r + x, d + x, width - x);
  for (size_t i = 0; i < 2 * hn::Lanes(d32); ++i) sum += static_cast<uint32_t>(lane_sums[i]);
  return sum;
}

uint64_t squared_error_row16(const uint16_t* r, const uint16_t* d, int width) {
  const hn::ScalableTag<uint16_t> d16;
  const hn::Repartition<uint32_t, decltype(d16)> d32;
  const hn::Repartition<uint64_t, decltype(d16)> d64;
  const auto zero = hn::Zero(d16);
  auto sum = hn::Zero(d64);
  const int lanes = static_cast<int>(hn::Lanes(d16));
  int x = 0;
  for (; x + lanes <= width; x += lanes) {
    const auto a = hn::LoadU(d16, r + x);
    const auto b = hn::LoadU(d16, d + x);
    const auto difference = hn::Or(hn::SaturatedSub(a, b), hn::SaturatedSub(b, a));
    const auto low = hn::BitCast(d32, hn::InterleaveLower(d16, difference, zero));
    const auto high = hn::BitCast(d32, hn::InterleaveUpper(d16, difference, zero));
    const auto low_square = hn::BitCast(d64, hn::Mul(low, low));
    const auto high_square = hn::BitCast(d64, hn::Mul(high, high));
    const auto mask = hn::Set(d64, 0xffffffffU);
    sum = hn::Add(sum, hn::Add(hn::And(low_square, mask), hn::ShiftRight<32>(low_square)));
    sum = hn::Add(sum, hn::Add(hn::And(high_square, mask), hn::ShiftRight<32>(high_square)));
  }
  return hn::GetLane(hn::SumOfLanes(d64, sum)) + plain::squared_error_row(r + x, d + x, width - x);
}
#endif

}  // namespace qc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qc {
namespace {
HWY_EXPORT(squared_error_row8);
HWY_EXPORT(squared_error_row16);

template <class T, class Row>
uint64_t sum_rows(const PlaneView& reference, const PlaneView& distorted, Row row) {
  RowReader<T> r(reference);
  RowReader<T> d(distorted);
  uint64_t sum = 0;
  for (int y = 0; y < reference.height; ++y) sum += row(r.row(y), d.row(y), reference.width);
  return sum;
}

}  // namespace

uint64_t squared_error(const PlaneView& reference, const PlaneView& distorted) {
  if (reference.bytes == 1)
    return sum_rows<uint8_t>(reference, distorted, HWY_DYNAMIC_DISPATCH(squared_error_row8));
  return sum_rows<uint16_t>(reference, distorted, HWY_DYNAMIC_DISPATCH(squared_error_row16));
}

}  // namespace qc
#endif
