#include "psnr/row_sums.h"

#include "core/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "psnr/row_sums.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#ifndef QC_PSNR_ROW_SUMS_PLAIN
#define QC_PSNR_ROW_SUMS_PLAIN
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

inline uint64_t rounded_squared_error_row(const uint16_t* reference, const uint16_t* distorted, int width) {
  uint64_t sum = 0;
  for (int x = 0; x < width; ++x) {
    const float difference = static_cast<float>(reference[x]) - static_cast<float>(distorted[x]);
    sum += static_cast<uint64_t>(difference * difference);
  }
  return sum;
}

template <class T>
RowMoments moments_row(const T* samples, int width) {
  RowMoments m{0, 0};
  for (int x = 0; x < width; ++x) {
    const float value = static_cast<float>(samples[x]);
    m.sum += samples[x];
    m.square_sum += static_cast<uint64_t>(value * value);
  }
  return m;
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
uint64_t squared_error_row14(const uint16_t* r, const uint16_t* d, int width, int) {
  return plain::squared_error_row(r, d, width);
}
uint64_t squared_error_row16(const uint16_t* r, const uint16_t* d, int width) {
  return plain::squared_error_row(r, d, width);
}
uint64_t rounded_squared_error_row16(const uint16_t* r, const uint16_t* d, int width) {
  return plain::rounded_squared_error_row(r, d, width);
}
RowMoments moments_row8(const uint8_t* v, int width) { return plain::moments_row(v, width); }
RowMoments moments_row12(const uint16_t* v, int width, int) { return plain::moments_row(v, width); }
RowMoments moments_row16(const uint16_t* v, int width) { return plain::moments_row(v, width); }
#else

// Adds pairs of unsigned 32-bit lanes.
template <class D64, class V32>
hn::Vec<D64> add_pairs(D64 d64, V32 v) {
  const auto pairs = hn::BitCast(d64, v);
  return hn::Add(hn::And(pairs, hn::Set(d64, 0xffffffffU)), hn::ShiftRight<32>(pairs));
}

template <class D, class T>
hn::Vec<D> absolute_difference(D d, const T* r, const T* s) {
  const auto a = hn::LoadU(d, r);
  const auto b = hn::LoadU(d, s);
  return hn::Or(hn::SaturatedSub(a, b), hn::SaturatedSub(b, a));
}

// |differences| of the last vector of a row that is at least a vector wide, those of the first `done` samples zero.
template <class D, class T>
hn::Vec<D> last_absolute_difference(D d, const T* r, const T* s, size_t done) {
  return hn::IfThenZeroElse(hn::FirstN(d, done), absolute_difference(d, r, s));
}

// Hands the |differences| of a row that is at least a vector wide to add(), with zeros in the last vector.
template <class D, class T, class Add>
HWY_INLINE void add_absolute_differences(D d, const T* r, const T* s, int width, Add add) {
  const int lanes = static_cast<int>(hn::Lanes(d));
  int x = 0;
  for (; x + lanes <= width; x += lanes) add(absolute_difference(d, r + x, s + x));
  if (x < width) {
    const int last = width - lanes;
    add(last_absolute_difference(d, r + last, s + last, static_cast<size_t>(x - last)));
  }
}

// Squares fit 16 bits; a 32-bit lane adds up at most 2^13 of them on a row of 32768 samples.
uint64_t squared_error_row8(const uint8_t* r, const uint8_t* d, int width) {
  const hn::ScalableTag<uint8_t> d8;
  const hn::Repartition<int16_t, decltype(d8)> d16;
  const hn::Repartition<int32_t, decltype(d8)> d32;
  const hn::Repartition<uint64_t, decltype(d8)> d64;
  if (width < static_cast<int>(hn::Lanes(d8))) return plain::squared_error_row(r, d, width);
  const auto zero = hn::Zero(d8);
  auto low_sum = hn::Zero(d32);
  auto low_rest = hn::Zero(d32);
  auto high_sum = hn::Zero(d32);
  auto high_rest = hn::Zero(d32);
  add_absolute_differences(d8, r, d, width, [&](hn::Vec<decltype(d8)> difference) HWY_ATTR {
    const auto low = hn::BitCast(d16, hn::InterleaveLower(d8, difference, zero));
    const auto high = hn::BitCast(d16, hn::InterleaveUpper(d8, difference, zero));
    low_sum = hn::ReorderWidenMulAccumulate(d32, low, low, low_sum, low_rest);
    high_sum = hn::ReorderWidenMulAccumulate(d32, high, high, high_sum, high_rest);
  });
  const auto sum = hn::Add(hn::Add(low_sum, low_rest), hn::Add(high_sum, high_rest));
  return hn::GetLane(hn::SumOfLanes(d64, add_pairs(d64, sum)));
}

// Differences fit 15 bits with their sign. An unsigned 32-bit lane holds 2^(31 - 2 depth) sums of two squares.
uint64_t squared_error_row14(const uint16_t* r, const uint16_t* d, int width, int depth) {
  const hn::ScalableTag<int16_t> d16;
  const hn::RebindToUnsigned<decltype(d16)> du16;
  const hn::Repartition<int32_t, decltype(d16)> d32;
  const hn::Repartition<uint64_t, decltype(d16)> d64;
  const int lanes = static_cast<int>(hn::Lanes(d16));
  if (width < lanes) return plain::squared_error_row(r, d, width);
  const int block = lanes << (31 - 2 * depth < 10 ? 31 - 2 * depth : 10);
  auto sum = hn::Zero(d64);
  int x = 0;
  while (x + lanes <= width) {
    const int end = width - x > block ? x + block : width;
    auto part = hn::Zero(d32);
    auto rest = hn::Zero(d32);
    for (; x + lanes <= end; x += lanes) {
      const auto difference = hn::BitCast(d16, hn::Sub(hn::LoadU(du16, r + x), hn::LoadU(du16, d + x)));
      part = hn::ReorderWidenMulAccumulate(d32, difference, difference, part, rest);
    }
    sum = hn::Add(sum, hn::Add(add_pairs(d64, part), add_pairs(d64, rest)));
  }
  if (x < width) {
    const int last = width - lanes;
    const auto difference =
        hn::BitCast(d16, last_absolute_difference(du16, r + last, d + last, static_cast<size_t>(x - last)));
    auto rest = hn::Zero(d32);
    const auto part = hn::ReorderWidenMulAccumulate(d32, difference, difference, hn::Zero(d32), rest);
    sum = hn::Add(sum, hn::Add(add_pairs(d64, part), add_pairs(d64, rest)));
  }
  return hn::GetLane(hn::SumOfLanes(d64, sum));
}

// The low and the high halves of the 32-bit squares are summed apart, in 32-bit lanes that each take at most 2^14 of
// them.
uint64_t squared_error_row16(const uint16_t* r, const uint16_t* d, int width) {
  const hn::ScalableTag<uint16_t> d16;
  const hn::Repartition<uint32_t, decltype(d16)> d32;
  const hn::Repartition<uint64_t, decltype(d16)> d64;
  if (width < static_cast<int>(hn::Lanes(d16))) return plain::squared_error_row(r, d, width);
  const auto mask = hn::Set(d32, 0xffffU);
  auto low_sum = hn::Zero(d32);
  auto high_sum = hn::Zero(d32);
  add_absolute_differences(d16, r, d, width, [&](hn::Vec<decltype(d16)> difference) HWY_ATTR {
    const auto low = hn::BitCast(d32, hn::Mul(difference, difference));
    const auto high = hn::BitCast(d32, hn::MulHigh(difference, difference));
    low_sum = hn::Add(low_sum, hn::Add(hn::And(low, mask), hn::ShiftRight<16>(low)));
    high_sum = hn::Add(high_sum, hn::Add(hn::And(high, mask), hn::ShiftRight<16>(high)));
  });
  const auto sum = hn::Add(add_pairs(d64, low_sum), hn::ShiftLeft<16>(add_pairs(d64, high_sum)));
  return hn::GetLane(hn::SumOfLanes(d64, sum));
}

// Rounded squares are integers up to 2^32, so float64 sums of a row of them are exact.
uint64_t rounded_squared_error_row16(const uint16_t* r, const uint16_t* d, int width) {
  const hn::ScalableTag<double> df64;
  const hn::Rebind<float, decltype(df64)> df32;
  const hn::Rebind<int32_t, decltype(df64)> di32;
  const hn::Rebind<uint16_t, decltype(df64)> d16;
  const int lanes = static_cast<int>(hn::Lanes(df64));
  auto sum0 = hn::Zero(df64);
  auto sum1 = hn::Zero(df64);
  const auto squares = [&](int x) HWY_ATTR {
    const auto a = hn::PromoteTo(di32, hn::LoadU(d16, r + x));
    const auto b = hn::PromoteTo(di32, hn::LoadU(d16, d + x));
    const auto difference = hn::ConvertTo(df32, hn::Sub(a, b));
    return hn::PromoteTo(df64, hn::Mul(difference, difference));
  };
  int x = 0;
  for (; x + 2 * lanes <= width; x += 2 * lanes) {
    sum0 = hn::Add(sum0, squares(x));
    sum1 = hn::Add(sum1, squares(x + lanes));
  }
  for (; x + lanes <= width; x += lanes) sum0 = hn::Add(sum0, squares(x));
  const double sum = hn::GetLane(hn::SumOfLanes(df64, hn::Add(sum0, sum1)));
  return static_cast<uint64_t>(sum) + plain::rounded_squared_error_row(r + x, d + x, width - x);
}

// Squares fit 16 bits; a 32-bit lane adds up at most 2^13 of them on a row of 32768 samples.
RowMoments moments_row8(const uint8_t* v, int width) {
  const hn::ScalableTag<uint8_t> d8;
  const hn::Repartition<int16_t, decltype(d8)> d16;
  const hn::Repartition<int32_t, decltype(d8)> d32;
  const hn::Repartition<uint64_t, decltype(d8)> d64;
  const int lanes = static_cast<int>(hn::Lanes(d8));
  if (width < lanes) return plain::moments_row(v, width);
  const auto zero = hn::Zero(d8);
  auto sum = hn::Zero(d64);
  auto low_squares = hn::Zero(d32);
  auto low_rest = hn::Zero(d32);
  auto high_squares = hn::Zero(d32);
  auto high_rest = hn::Zero(d32);
  const auto add = [&](hn::Vec<decltype(d8)> samples) HWY_ATTR {
    const auto low = hn::BitCast(d16, hn::InterleaveLower(d8, samples, zero));
    const auto high = hn::BitCast(d16, hn::InterleaveUpper(d8, samples, zero));
    sum = hn::Add(sum, hn::SumsOf8(samples));
    low_squares = hn::ReorderWidenMulAccumulate(d32, low, low, low_squares, low_rest);
    high_squares = hn::ReorderWidenMulAccumulate(d32, high, high, high_squares, high_rest);
  };
  int x = 0;
  for (; x + lanes <= width; x += lanes) add(hn::LoadU(d8, v + x));
  if (x < width) {
    const int last = width - lanes;
    add(hn::IfThenZeroElse(hn::FirstN(d8, static_cast<size_t>(x - last)), hn::LoadU(d8, v + last)));
  }
  const auto squares = hn::Add(hn::Add(low_squares, low_rest), hn::Add(high_squares, high_rest));
  return {hn::GetLane(hn::SumOfLanes(d64, sum)), hn::GetLane(hn::SumOfLanes(d64, add_pairs(d64, squares)))};
}

// Squares fit 24 bits and are exact. An unsigned 32-bit lane holds 2^(31 - 2 depth) sums of two squares, and any row's
// sum.
RowMoments moments_row12(const uint16_t* v, int width, int depth) {
  const hn::ScalableTag<int16_t> d16;
  const hn::RebindToUnsigned<decltype(d16)> du16;
  const hn::Repartition<int32_t, decltype(d16)> d32;
  const hn::Repartition<uint64_t, decltype(d16)> d64;
  const int lanes = static_cast<int>(hn::Lanes(d16));
  if (width < lanes) return plain::moments_row(v, width);
  const int block = lanes << (31 - 2 * depth < 10 ? 31 - 2 * depth : 10);
  const auto one = hn::Set(d16, 1);
  auto sum = hn::Zero(d32);
  auto sum_rest = hn::Zero(d32);
  auto squares = hn::Zero(d64);
  int x = 0;
  while (x + lanes <= width) {
    const int end = width - x > block ? x + block : width;
    auto part = hn::Zero(d32);
    auto rest = hn::Zero(d32);
    for (; x + lanes <= end; x += lanes) {
      const auto samples = hn::BitCast(d16, hn::LoadU(du16, v + x));
      sum = hn::ReorderWidenMulAccumulate(d32, samples, one, sum, sum_rest);
      part = hn::ReorderWidenMulAccumulate(d32, samples, samples, part, rest);
    }
    squares = hn::Add(squares, hn::Add(add_pairs(d64, part), add_pairs(d64, rest)));
  }
  RowMoments m = plain::moments_row(v + x, width - x);
  m.sum += hn::GetLane(hn::SumOfLanes(d64, add_pairs(d64, hn::Add(sum, sum_rest))));
  m.square_sum += hn::GetLane(hn::SumOfLanes(d64, squares));
  return m;
}

// Rounded squares are integers up to 2^32, so float64 sums of a row of them are exact.
RowMoments moments_row16(const uint16_t* v, int width) {
  const hn::ScalableTag<double> df64;
  const hn::Rebind<float, decltype(df64)> df32;
  const hn::Rebind<int32_t, decltype(df64)> di32;
  const hn::Rebind<uint16_t, decltype(df64)> d16;
  const hn::Repartition<uint64_t, decltype(di32)> d64;
  const int lanes = static_cast<int>(hn::Lanes(df64));
  auto sum = hn::Zero(di32);
  auto squares = hn::Zero(df64);
  int x = 0;
  for (; x + lanes <= width; x += lanes) {
    const auto samples = hn::PromoteTo(di32, hn::LoadU(d16, v + x));
    const auto value = hn::ConvertTo(df32, samples);
    sum = hn::Add(sum, samples);
    squares = hn::Add(squares, hn::PromoteTo(df64, hn::Mul(value, value)));
  }
  RowMoments m = plain::moments_row(v + x, width - x);
  m.sum += hn::GetLane(hn::SumOfLanes(d64, add_pairs(d64, sum)));
  m.square_sum += static_cast<uint64_t>(hn::GetLane(hn::SumOfLanes(df64, squares)));
  return m;
}
#endif

}  // namespace qc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qc {
namespace {

HWY_EXPORT(squared_error_row8);
HWY_EXPORT(squared_error_row14);
HWY_EXPORT(squared_error_row16);
HWY_EXPORT(rounded_squared_error_row16);
HWY_EXPORT(moments_row8);
HWY_EXPORT(moments_row12);
HWY_EXPORT(moments_row16);

}  // namespace

uint64_t squared_error_row(const uint8_t* reference, const uint8_t* distorted, int width, int) {
  return HWY_DYNAMIC_DISPATCH(squared_error_row8)(reference, distorted, width);
}

uint64_t squared_error_row(const uint16_t* reference, const uint16_t* distorted, int width, int depth) {
  if (depth <= 14) return HWY_DYNAMIC_DISPATCH(squared_error_row14)(reference, distorted, width, depth);
  return HWY_DYNAMIC_DISPATCH(squared_error_row16)(reference, distorted, width);
}

uint64_t rounded_squared_error_row(const uint16_t* reference, const uint16_t* distorted, int width) {
  return HWY_DYNAMIC_DISPATCH(rounded_squared_error_row16)(reference, distorted, width);
}

RowMoments moments_row(const uint8_t* samples, int width, int) {
  return HWY_DYNAMIC_DISPATCH(moments_row8)(samples, width);
}

RowMoments moments_row(const uint16_t* samples, int width, int depth) {
  if (depth <= 12) return HWY_DYNAMIC_DISPATCH(moments_row12)(samples, width, depth);
  return HWY_DYNAMIC_DISPATCH(moments_row16)(samples, width);
}

}  // namespace qc
#endif
