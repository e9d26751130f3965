#include "motion/blurred_difference.h"

#include <algorithm>
#include <cstdlib>

#include "core/row_reader.h"
#include "core/simd.h"
#include "motion/motion_arithmetic.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "motion/blurred_difference.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#ifndef QC_MOTION_BLURRED_DIFFERENCE_PLAIN
#define QC_MOTION_BLURRED_DIFFERENCE_PLAIN
namespace qc::plain {

inline int64_t five_taps(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e) {
  return motion::kOuterTap * (a + e) + motion::kInnerTap * (b + d) + motion::kMiddleTap * c;
}

inline uint64_t blurred_difference(const PlaneView& older, const PlaneView& newer, MotionScratch& scratch) {
  using motion::mirror;
  const int w = newer.width;
  const int h = newer.height;
  const int depth = newer.depth;
  auto& v = scratch.blurred_row;
  v.resize(static_cast<size_t>(w));
  uint64_t sum = 0;
  for (int y = 0; y < h; ++y) {
    for (int x = 0; x < w; ++x) {
      int64_t d[5];
      for (int k = 0; k < 5; ++k) {
        const int row = mirror(y + k - 2, h);
        d[k] = int64_t{older.at(x, row)} - int64_t{newer.at(x, row)};
      }
      const int64_t taps = five_taps(d[0], d[1], d[2], d[3], d[4]);
      v[static_cast<size_t>(x)] = static_cast<int32_t>((taps + (int64_t{1} << (depth - 1))) >> depth);
    }
    auto at = [&](int x) { return int64_t{v[static_cast<size_t>(mirror(x, w))]}; };
    for (int x = 0; x < w; ++x) {
      const int64_t taps = five_taps(at(x - 2), at(x - 1), at(x), at(x + 1), at(x + 2));
      sum += static_cast<uint64_t>(std::abs((taps + 32768) >> 16));
    }
  }
  return sum;
}

}  // namespace qc::plain
#endif

HWY_BEFORE_NAMESPACE();
namespace qc::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if QC_PLAIN_TARGET
uint64_t blurred_difference8(const PlaneView& older, const PlaneView& newer, MotionScratch& scratch) {
  return plain::blurred_difference(older, newer, scratch);
}
uint64_t blurred_difference14(const PlaneView& older, const PlaneView& newer, MotionScratch& scratch) {
  return plain::blurred_difference(older, newer, scratch);
}
uint64_t blurred_difference16(const PlaneView& older, const PlaneView& newer, MotionScratch& scratch) {
  return plain::blurred_difference(older, newer, scratch);
}
#else

namespace {

// Columns before and after a row of vertical results, for the mirrored ones.
constexpr int kMargin = 2;

// out[x] = older[x] - newer[x]
template <class T, class D>
void subtract_row(const T* older, const T* newer, int width, D* out) {
  const hn::ScalableTag<D> d;
  const hn::Rebind<T, decltype(d)> dt;
  const int lanes = static_cast<int>(hn::Lanes(d));
  int x = 0;
  for (; x + lanes <= width; x += lanes) {
    auto a = hn::Zero(d);
    auto b = hn::Zero(d);
    if constexpr (sizeof(T) == sizeof(D)) {
      a = hn::BitCast(d, hn::LoadU(dt, older + x));
      b = hn::BitCast(d, hn::LoadU(dt, newer + x));
    } else {
      a = hn::PromoteTo(d, hn::LoadU(dt, older + x));
      b = hn::PromoteTo(d, hn::LoadU(dt, newer + x));
    }
    hn::StoreU(hn::Sub(a, b), d, out + x);
  }
  for (; x < width; ++x) out[x] = static_cast<D>(older[x] - newer[x]);
}

template <class V>
V half_sum(V outer, V inner, V middle) {
  const hn::DFromV<V> d;
  return hn::Add(
      hn::Add(hn::Mul(inner, hn::Set(d, motion::kInnerTap / 2)), hn::Mul(middle, hn::Set(d, motion::kMiddleTap / 2))),
      hn::ShiftRight<1>(hn::Mul(outer, hn::Set(d, motion::kOuterTap))));
}

using D16 = hn::ScalableTag<int16_t>;
using D32 = hn::ScalableTag<int32_t>;
using V16 = hn::Vec<D16>;
using V32 = hn::Vec<D32>;

// The 16-bit pair (first, second) in all lanes.
HWY_INLINE V16 tap_pair(int first, int second) { return hn::BitCast(D16(), hn::Set(D32(), second * 65536 + first)); }

// 32-bit lane i: a[2i] * taps[2i] + a[2i + 1] * taps[2i + 1].
HWY_INLINE V32 pair_products(V16 a, V16 taps) {
  V32 rest = hn::Zero(D32());
  const V32 sum = hn::ReorderWidenMulAccumulate(D32(), a, taps, hn::Zero(D32()), rest);
  return hn::RearrangeToOddPlusEven(sum, rest);
}

// Vertical pass over five rows of 16-bit differences, into columns kMargin … of `out`. Reads and writes whole vectors.
// False if a result did not fit in 16 bits.
bool blur_rows_narrow(const int16_t* const rows[5], int width, int depth, int16_t* out) {
  const D16 d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const V16 sides = tap_pair(motion::kOuterTap, motion::kInnerTap);
  const V16 middle_and_round = tap_pair(motion::kMiddleTap, 1 << (depth - 1));
  const V16 one = hn::Set(d, 1);
  // Copies, which no store can change.
  const int16_t* const above2 = rows[0];
  const int16_t* const above1 = rows[1];
  const int16_t* const at = rows[2];
  const int16_t* const below1 = rows[3];
  const int16_t* const below2 = rows[4];
  V16 lowest = hn::Zero(d);
  V16 highest = hn::Zero(d);
  for (int x = 0; x < width; x += lanes) {
    // Differences are of at most 14 bits and a sign, so that two of them add up without overflow.
    const V16 outer = hn::Add(hn::LoadU(d, above2 + x), hn::LoadU(d, below2 + x));
    const V16 inner = hn::Add(hn::LoadU(d, above1 + x), hn::LoadU(d, below1 + x));
    const V16 middle = hn::LoadU(d, at + x);
    const V32 low = hn::Add(pair_products(hn::InterleaveLower(d, outer, inner), sides),
                            pair_products(hn::InterleaveLower(d, middle, one), middle_and_round));
    const V32 high = hn::Add(pair_products(hn::InterleaveUpper(d, outer, inner), sides),
                             pair_products(hn::InterleaveUpper(d, middle, one), middle_and_round));
    // Undoes the order of the interleaving.
    const V16 v = hn::ReorderDemote2To(d, hn::ShiftRightSame(low, depth), hn::ShiftRightSame(high, depth));
    lowest = hn::Min(lowest, v);
    highest = hn::Max(highest, v);
    hn::StoreU(v, d, out + kMargin + x);
  }
  // What did not fit has become the least or the greatest value.
  return hn::AllFalse(d, hn::Or(hn::Eq(lowest, hn::Set(d, -32768)), hn::Eq(highest, hn::Set(d, 32767))));
}

template <class T>
void mirror_ends(T* row, int width) {
  row[1] = row[kMargin + 1];
  row[0] = row[kMargin + 2];
  row[kMargin + width] = row[kMargin + width - 2];
  row[kMargin + width + 1] = row[kMargin + width - 3];
}

// Of lanes that are not negative.
HWY_INLINE uint64_t sum_of_lanes(V32 sum) {
  const hn::Repartition<uint64_t, D32> d64;
  const auto pairs = hn::BitCast(d64, sum);
  const auto low = hn::And(pairs, hn::Set(d64, 0xffffffffU));
  return hn::GetLane(hn::SumOfLanes(d64, hn::Add(low, hn::ShiftRight<32>(pairs))));
}

// Horizontal pass; sum of the magnitudes. Reads up to a vector and kMargin values behind the last column.
uint64_t blur_columns_narrow(int16_t* row, int width) {
  mirror_ends(row, width);
  const D16 d;
  const D32 d32;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const V16 left = tap_pair(motion::kOuterTap, motion::kInnerTap);
  const V16 right = tap_pair(motion::kMiddleTap, motion::kInnerTap);
  const V16 last = tap_pair(motion::kOuterTap, 0);
  const V32 round = hn::Set(d32, 32768);
  // Of every other column, the first one's five values from p on.
  const auto magnitude = [&](const int16_t* p) HWY_ATTR {
    const V32 sum = hn::Add(hn::Add(pair_products(hn::LoadU(d, p), left), pair_products(hn::LoadU(d, p + 2), right)),
                            hn::Add(pair_products(hn::LoadU(d, p + 4), last), round));
    return hn::Abs(hn::ShiftRight<16>(sum));
  };
  // A lane adds up at most 65535 / 8 magnitudes of 15 bits.
  V32 even = hn::Zero(d32);
  V32 odd = hn::Zero(d32);
  int x = 0;
  for (; x + lanes <= width; x += lanes) {
    even = hn::Add(even, magnitude(row + x));
    odd = hn::Add(odd, magnitude(row + x + 1));
  }
  if (x < width) {
    const size_t rest = static_cast<size_t>(width - x);
    even = hn::Add(even, hn::IfThenElseZero(hn::FirstN(d32, (rest + 1) / 2), magnitude(row + x)));
    odd = hn::Add(odd, hn::IfThenElseZero(hn::FirstN(d32, rest / 2), magnitude(row + x + 1)));
  }
  return sum_of_lanes(hn::Add(even, odd));
}

// Vertical pass over five rows of differences, into columns kMargin … of `out`. Reads and writes whole vectors.
template <class D>
void blur_rows(const D* const rows[5], int width, int depth, int32_t* out) {
  const hn::ScalableTag<int32_t> d32;
  const hn::Rebind<D, decltype(d32)> dd;
  const int lanes = static_cast<int>(hn::Lanes(d32));
  const auto round = hn::Set(d32, 1 << (depth - 2));
  auto widen = [&](auto v) {
    if constexpr (sizeof(D) == 2) {
      return hn::PromoteTo(d32, v);
    } else {
      return v;
    }
  };
  for (int x = 0; x < width; x += lanes) {
    // 16-bit differences are of at most 14 bits and a sign, so that two of them add up without overflow.
    const auto outer = widen(hn::Add(hn::LoadU(dd, rows[0] + x), hn::LoadU(dd, rows[4] + x)));
    const auto inner = widen(hn::Add(hn::LoadU(dd, rows[1] + x), hn::LoadU(dd, rows[3] + x)));
    const auto middle = widen(hn::LoadU(dd, rows[2] + x));
    const auto sum = hn::Add(half_sum(outer, inner, middle), round);
    hn::StoreU(hn::ShiftRightSame(sum, depth - 1), d32, out + kMargin + x);
  }
}

// Horizontal pass; sum of the magnitudes.
uint64_t blur_columns(int32_t* row, int width) {
  mirror_ends(row, width);
  const D32 d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto round = hn::Set(d, 1 << 14);
  auto magnitude = [&](int x) {
    const int32_t* p = row + x;
    const auto outer = hn::Add(hn::LoadU(d, p), hn::LoadU(d, p + 4));
    const auto inner = hn::Add(hn::LoadU(d, p + 1), hn::LoadU(d, p + 3));
    const auto sum = hn::Add(half_sum(outer, inner, hn::LoadU(d, p + 2)), round);
    return hn::Abs(hn::ShiftRight<15>(sum));
  };
  // A lane adds up at most 65535 / 4 magnitudes of 16 bits.
  auto sum = hn::Zero(d);
  int x = 0;
  for (; x + lanes <= width; x += lanes) sum = hn::Add(sum, magnitude(x));
  if (x < width) sum = hn::Add(sum, hn::IfThenElseZero(hn::FirstN(d, static_cast<size_t>(width - x)), magnitude(x)));
  return sum_of_lanes(sum);
}

template <class T, class D>
uint64_t sum_rows(const PlaneView& older, const PlaneView& newer, std::vector<D>& buffer, MotionScratch& scratch) {
  using motion::mirror;
  const int w = newer.width;
  const int h = newer.height;
  const size_t lanes = hn::Lanes(D16());
  const size_t pitch = (static_cast<size_t>(w) + lanes - 1) / lanes * lanes;
  buffer.resize(5 * pitch);
  scratch.blurred_row.resize(pitch + lanes + 2 * kMargin);
  scratch.narrow_blurred_row.resize(pitch + lanes + 2 * kMargin);
  RowReader<T> a(older);
  RowReader<T> b(newer);
  // Row y of the differences lies at slot y mod 5.
  auto slot = [&](int y) { return buffer.data() + static_cast<size_t>(y % 5) * pitch; };
  for (int y = 0; y < std::min(h, 2); ++y) subtract_row(a.row(y), b.row(y), w, slot(y));
  uint64_t sum = 0;
  for (int y = 0; y < h; ++y) {
    if (y + 2 < h) subtract_row(a.row(y + 2), b.row(y + 2), w, slot(y + 2));
    const D* rows[5];
    for (int k = 0; k < 5; ++k) rows[k] = slot(mirror(y + k - 2, h));
    // Only greater changes than half the range need more than 16 bits.
    if constexpr (sizeof(D) == 2) {
      if (blur_rows_narrow(rows, w, newer.depth, scratch.narrow_blurred_row.data())) {
        sum += blur_columns_narrow(scratch.narrow_blurred_row.data(), w);
        continue;
      }
    }
    blur_rows(rows, w, newer.depth, scratch.blurred_row.data());
    sum += blur_columns(scratch.blurred_row.data(), w);
  }
  return sum;
}

}  // namespace

uint64_t blurred_difference8(const PlaneView& older, const PlaneView& newer, MotionScratch& scratch) {
  return sum_rows<uint8_t>(older, newer, scratch.narrow_rows, scratch);
}
uint64_t blurred_difference14(const PlaneView& older, const PlaneView& newer, MotionScratch& scratch) {
  return sum_rows<uint16_t>(older, newer, scratch.narrow_rows, scratch);
}
uint64_t blurred_difference16(const PlaneView& older, const PlaneView& newer, MotionScratch& scratch) {
  return sum_rows<uint16_t>(older, newer, scratch.wide_rows, scratch);
}
#endif

}  // namespace qc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qc {
namespace {
HWY_EXPORT(blurred_difference8);
HWY_EXPORT(blurred_difference14);
HWY_EXPORT(blurred_difference16);
}  // namespace

uint64_t blurred_difference(const PlaneView& older, const PlaneView& newer, MotionScratch& scratch) {
  if (newer.bytes == 1) return HWY_DYNAMIC_DISPATCH(blurred_difference8)(older, newer, scratch);
  if (newer.depth <= 14) return HWY_DYNAMIC_DISPATCH(blurred_difference14)(older, newer, scratch);
  return HWY_DYNAMIC_DISPATCH(blurred_difference16)(older, newer, scratch);
}

}  // namespace qc
#endif
