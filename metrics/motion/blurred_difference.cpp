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
  row[1] = row[kMargin + 1];
  row[0] = row[kMargin + 2];
  row[kMargin + width] = row[kMargin + width - 2];
  row[kMargin + width + 1] = row[kMargin + width - 3];
  const hn::ScalableTag<int32_t> d;
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
  const hn::Repartition<uint64_t, decltype(d)> d64;
  const auto pairs = hn::BitCast(d64, sum);
  const auto low = hn::And(pairs, hn::Set(d64, 0xffffffffU));
  return hn::GetLane(hn::SumOfLanes(d64, hn::Add(low, hn::ShiftRight<32>(pairs))));
}

template <class T, class D>
uint64_t sum_rows(const PlaneView& older, const PlaneView& newer, std::vector<D>& buffer,
                  std::vector<int32_t>& blurred) {
  using motion::mirror;
  const int w = newer.width;
  const int h = newer.height;
  const size_t lanes = hn::Lanes(hn::ScalableTag<int32_t>());
  const size_t pitch = (static_cast<size_t>(w) + lanes - 1) / lanes * lanes;
  buffer.resize(5 * pitch);
  blurred.resize(pitch + lanes + 2 * kMargin);
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
    blur_rows(rows, w, newer.depth, blurred.data());
    sum += blur_columns(blurred.data(), w);
  }
  return sum;
}

uint64_t blurred_difference8(const PlaneView& older, const PlaneView& newer, MotionScratch& scratch) {
  return sum_rows<uint8_t>(older, newer, scratch.narrow_rows, scratch.blurred_row);
}
uint64_t blurred_difference14(const PlaneView& older, const PlaneView& newer, MotionScratch& scratch) {
  return sum_rows<uint16_t>(older, newer, scratch.narrow_rows, scratch.blurred_row);
}
uint64_t blurred_difference16(const PlaneView& older, const PlaneView& newer, MotionScratch& scratch) {
  return sum_rows<uint16_t>(older, newer, scratch.wide_rows, scratch.blurred_row);
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
