// The vector code streams: the rows of a scale are filtered, enter and leave the counts of the window, and give the
// rows of the next scale.
//
// For each level there is a row of counts: how many masked pixels of the window around each column have that level. A
// run of equal pixels that enters the window adds a trapezoid to its level's row; where a pixel leaves that is equal to
// the one that enters, nothing changes. Counts for all columns of a vector are then loads, one for each level that
// occurs among its pixels.
#include "cambi/contrast_sums.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "cambi/cambi_plain.h"
#include "cambi/top_sum.h"
#include "core/error.h"
#include "core/row_reader.h"
#include "core/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cambi/contrast_sums.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#ifndef QC_CAMBI_CONTRAST_SUMS_LAYOUT
#define QC_CAMBI_CONTRAST_SUMS_LAYOUT
namespace qc::cambi {

// Columns before and after a row, and what row lengths are a multiple of: whole vectors may be read and written.
constexpr int kMargin = 64;

// Columns of counts before a row: the window's half, and that of a run that ends there.
constexpr int kCountMargin = 128;

// Pixels of a run at most.
constexpr int kMaxRun = 64;

// A level that does not count.
constexpr uint16_t kNoLevel = 0xffff;

constexpr size_t rounded_up(int width) { return static_cast<size_t>((width + kMargin - 1) / kMargin * kMargin); }

// `n` elements of `buffer`, aligned to a cache line.
template <class T>
T* aligned(std::vector<T>& buffer, size_t n) {
  constexpr size_t kLine = 64;
  if (buffer.size() < n + kLine / sizeof(T)) buffer.resize(n + kLine / sizeof(T));
  const size_t misalignment = reinterpret_cast<uintptr_t>(buffer.data()) % kLine;
  return buffer.data() + (misalignment ? (kLine - misalignment) / sizeof(T) : 0);
}

// Rows with a margin at both ends.
template <class T>
struct Rows {
  Rows(std::vector<T>& buffer, int width, int height)
      : pitch(rounded_up(width) + kMargin),
        first(aligned(buffer, kMargin + pitch * static_cast<size_t>(height) + kMargin) + kMargin) {}
  T* row(int y) const { return first + static_cast<size_t>(y) * pitch; }
  size_t pitch;
  T* first;
};

}  // namespace qc::cambi
#endif

HWY_BEFORE_NAMESPACE();
namespace qc::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if QC_PLAIN_TARGET
void contrast_sums(const PlaneView& plane, const cambi::PictureParameters& picture, const cambi::Parameters& parameters,
                   cambi::Scratch& scratch, const cambi::ContrastObserver& observe, double* sums) {
  plain::contrast_sums(plane, picture, parameters, scratch, observe, sums);
}
#else

using cambi::Rows;

// Samples as levels. Returns the union of the samples' bits.
template <class T>
uint32_t convert_row(const T* samples, int width, int depth, uint16_t* levels) {
  const hn::ScalableTag<uint16_t> d;
  const hn::Rebind<T, decltype(d)> dt;
  const int lanes = static_cast<int>(hn::Lanes(d));
  uint32_t bits = 0;
  int x = 0;
  if constexpr (sizeof(T) == 1) {
    for (; x + lanes <= width; x += lanes)
      hn::StoreU(hn::ShiftLeft<2>(hn::PromoteTo(d, hn::LoadU(dt, samples + x))), d, levels + x);
  } else {
    auto all = hn::Zero(d);
    const auto one = hn::Set(d, 1);
    for (; x + lanes <= width; x += lanes) {
      auto v = hn::LoadU(d, samples + x);
      all = hn::Or(all, v);
      if (depth < 10) {
        v = hn::ShiftLeftSame(v, 10 - depth);
      } else if (depth > 10) {
        v = hn::Add(hn::ShiftRightSame(v, depth - 10), hn::And(hn::ShiftRightSame(v, depth - 11), one));
      }
      hn::StoreU(v, d, levels + x);
    }
    HWY_ALIGN uint16_t lane[hn::MaxLanes(d)];
    hn::Store(all, d, lane);
    for (int i = 0; i < lanes; ++i) bits |= lane[i];
  }
  for (; x < width; ++x) {
    bits |= samples[x];
    levels[x] = static_cast<uint16_t>(cambi::to_level(samples[x], depth));
  }
  return bits;
}

// The anti-dither filter, in place. `below` is nullptr for the last row.
void smooth_row(uint16_t* row, const uint16_t* below, int width) {
  const hn::ScalableTag<uint16_t> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const int end = width - 1;
  if (below) {
    const auto last = static_cast<uint16_t>((row[end] + below[end]) >> 1);
    for (int x = 0; x < width; x += lanes) {
      const auto own = hn::Add(hn::LoadU(d, row + x), hn::LoadU(d, row + x + 1));
      const auto next = hn::Add(hn::LoadU(d, below + x), hn::LoadU(d, below + x + 1));
      hn::StoreU(hn::ShiftRight<2>(hn::Add(own, next)), d, row + x);
    }
    row[end] = last;
  } else {
    const uint16_t last = row[end];
    for (int x = 0; x < width; x += lanes)
      hn::StoreU(hn::ShiftRight<1>(hn::Add(hn::LoadU(d, row + x), hn::LoadU(d, row + x + 1))), d, row + x);
    row[end] = last;
  }
}

template <class T>
void prepare(const PlaneView& plane, const cambi::PictureParameters& picture, bool smoothed,
             std::vector<uint16_t>& buffer, const Rows<uint16_t>& image) {
  const int h = picture.height;
  const int depth = plane.depth;
  RowReader<T> reader(plane);
  uint32_t bits = 0;
  if (picture.columns.empty()) {
    for (int y = 0; y < h; ++y) bits |= convert_row(reader.row(y), picture.width, depth, image.row(y));
  } else {
    uint16_t* levels = cambi::aligned(buffer, static_cast<size_t>(plane.width));
    if (sizeof(T) == 2)
      for (int y = 0; y < plane.height; ++y) bits |= convert_row(reader.row(y), plane.width, depth, levels);
    for (int y = 0; y < h; ++y) {
      const int source = picture.rows[static_cast<size_t>(y)];
      if (y == 0 || source != picture.rows[static_cast<size_t>(y) - 1])
        convert_row(reader.row(source), plane.width, depth, levels);
      uint16_t* to = image.row(y);
      for (size_t x = 0; x < picture.columns.size(); ++x) to[x] = levels[static_cast<size_t>(picture.columns[x])];
    }
  }
  if (bits >> depth != 0)
    fail_invalid("cambi: a sample exceeds the greatest value of " + std::to_string(depth) + " bits");
  if (!smoothed) return;
  for (int y = 0; y < h; ++y) smooth_row(image.row(y), y + 1 < h ? image.row(y + 1) : nullptr, picture.width);
}

// -1 where a pixel is equal to its right and its lower neighbour, 0 elsewhere and behind the row.
void equal_row(const uint16_t* row, const uint16_t* below, int width, int8_t* equal) {
  const hn::ScalableTag<uint16_t> d;
  const hn::RebindToSigned<decltype(d)> di;
  const hn::Rebind<int8_t, decltype(d)> d8;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const uint16_t* next = below ? below : row;
  for (int x = 0; x < width; x += lanes) {
    const auto own = hn::LoadU(d, row + x);
    const auto same = hn::And(hn::Eq(own, hn::LoadU(d, row + x + 1)), hn::Eq(own, hn::LoadU(d, next + x)));
    hn::StoreU(hn::DemoteTo(d8, hn::BitCast(di, hn::VecFromMask(d, same))), d8, equal + x);
  }
  equal[width - 1] = row[width - 1] == next[width - 1] ? -1 : 0;
  std::memset(equal + width, 0, cambi::kMargin);
}

// -1 where the mask is on, else 0.
void flat_areas(const Rows<uint16_t>& image, int width, int height, int threshold, std::vector<uint8_t>& buffer,
                const Rows<uint8_t>& mask) {
  // Rows y - 4 … y + 3 of the indicator, then one of zeros and the sums over seven rows.
  constexpr int kRing = 8;
  const Rows<uint8_t> ring(buffer, width + cambi::kMargin, kRing + 2);
  for (int i = kRing; i < kRing + 2; ++i) std::memset(ring.row(i) - cambi::kMargin, 0, ring.pitch + cambi::kMargin);
  const uint8_t* none = ring.row(kRing);
  uint8_t* columns = ring.row(kRing + 1);
  const hn::ScalableTag<uint8_t> d;
  const hn::RebindToSigned<decltype(d)> di;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto limit = hn::Set(di, static_cast<int8_t>(threshold));
  for (int entering = 0; entering < height + 3; ++entering) {
    uint8_t* added = ring.row(entering % kRing);
    if (entering < height)
      equal_row(image.row(entering), entering + 1 < height ? image.row(entering + 1) : nullptr, width,
                reinterpret_cast<int8_t*>(added));
    const uint8_t* in = entering < height ? added : none;
    const uint8_t* out = entering >= 7 ? ring.row((entering - 7) % kRing) : none;
    for (int x = 0; x < width; x += lanes)
      hn::StoreU(hn::Add(hn::Sub(hn::LoadU(d, columns + x), hn::LoadU(d, in + x)), hn::LoadU(d, out + x)), d,
                 columns + x);
    const int y = entering - 3;
    if (y < 0) continue;
    uint8_t* to = mask.row(y);
    for (int x = 0; x < width; x += lanes) {
      const uint8_t* p = columns + x;
      const auto outer = hn::Add(hn::LoadU(d, p - 3), hn::LoadU(d, p + 3));
      const auto inner =
          hn::Add(hn::Add(hn::LoadU(d, p - 2), hn::LoadU(d, p + 2)), hn::Add(hn::LoadU(d, p - 1), hn::LoadU(d, p + 1)));
      const auto count = hn::Add(hn::Add(outer, inner), hn::LoadU(d, p));
      hn::StoreU(hn::BitCast(d, hn::VecFromMask(di, hn::Gt(hn::BitCast(di, count), limit))), d, to + x);
    }
  }
}

// Even columns.
void decimate_row(const uint16_t* row, int half_width, uint16_t* out) {
  const hn::ScalableTag<int32_t> d;
  const hn::Rebind<uint16_t, decltype(d)> d16;
  const hn::Repartition<uint16_t, decltype(d)> pairs;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto low = hn::Set(d, 0xffff);
  for (int x = 0; x < half_width; x += lanes)
    hn::StoreU(hn::DemoteTo(d16, hn::And(hn::BitCast(d, hn::LoadU(pairs, row + 2 * x)), low)), d16, out + x);
}

void decimate_row(const uint8_t* row, int half_width, uint8_t* out) {
  const hn::ScalableTag<int16_t> d;
  const hn::Rebind<uint8_t, decltype(d)> d8;
  const hn::Repartition<uint8_t, decltype(d)> pairs;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto low = hn::Set(d, 0xff);
  for (int x = 0; x < half_width; x += lanes)
    hn::StoreU(hn::DemoteTo(d8, hn::And(hn::BitCast(d, hn::LoadU(pairs, row + 2 * x)), low)), d8, out + x);
}

template <class V>
V mode_of_three(V a, V b, V c) {
  const V smallest = hn::Min(hn::Min(a, b), c);
  const V unless_a = hn::IfThenElse(hn::Eq(b, c), b, smallest);
  return hn::IfThenElse(hn::Or(hn::Eq(a, b), hn::Eq(a, c)), a, unless_a);
}

void filter_along_row(const uint16_t* row, int width, uint16_t* out) {
  const hn::ScalableTag<uint16_t> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  for (int x = 0; x < width; x += lanes)
    hn::StoreU(mode_of_three(hn::LoadU(d, row + x - 1), hn::LoadU(d, row + x), hn::LoadU(d, row + x + 1)), d, out + x);
  out[0] = row[0];
  out[width - 1] = row[width - 1];
}

void filter_along_columns(const uint16_t* above, const uint16_t* row, const uint16_t* below, int width, uint16_t* out) {
  const hn::ScalableTag<uint16_t> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  for (int x = 0; x < width; x += lanes)
    hn::StoreU(mode_of_three(hn::LoadU(d, above + x), hn::LoadU(d, row + x), hn::LoadU(d, below + x)), d, out + x);
}

// Levels from `base` on where the mask is on and they are fewer than `levels`, else kNoLevel.
void select_levels(const uint16_t* row, const uint8_t* mask, int width, uint16_t base, uint16_t levels, uint16_t* out) {
  const hn::ScalableTag<uint16_t> d;
  const hn::RebindToSigned<decltype(d)> di;
  const hn::Rebind<int8_t, decltype(d)> d8;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto lowest = hn::Set(d, base);
  const auto highest = hn::Set(d, static_cast<uint16_t>(levels - 1));
  const auto none = hn::Set(d, cambi::kNoLevel);
  for (int x = 0; x < width; x += lanes) {
    const auto level = hn::Sub(hn::LoadU(d, row + x), lowest);
    const auto on = hn::BitCast(d, hn::PromoteTo(di, hn::LoadU(d8, reinterpret_cast<const int8_t*>(mask) + x)));
    const auto counts = hn::Eq(hn::Min(level, highest), level);
    hn::StoreU(hn::IfThenElse(counts, hn::OrAnd(hn::AndNot(on, none), level, on), none), d, out + x);
  }
  std::fill_n(out + width, cambi::kMargin, cambi::kNoLevel);
}

// The counts of a scale.
struct Counts {
  uint16_t* first;  // level 0, column 0
  size_t pitch;
  const uint16_t* ramp;  // ramp[i] = i + 1 from 0 to the window's width, from -kMaxRun on
  int pad;

  uint16_t* at(uint16_t level, int x) const { return first + level * pitch + x; }
};

// Adds the window of `length` pixels of one level to its counts, or takes it away.
template <bool kAdd>
void count_run(const Counts& counts, uint16_t level, int x, int length) {
  const hn::ScalableTag<uint16_t> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  uint16_t* to = counts.at(level, x - counts.pad);
  const int n = length + 2 * counts.pad;
  for (int i = 0; i < n; i += lanes) {
    const auto trapezoid = hn::Sub(hn::LoadU(d, counts.ramp + i), hn::LoadU(d, counts.ramp + i - length));
    const auto old = hn::LoadU(d, to + i);
    hn::StoreU(kAdd ? hn::Add(old, trapezoid) : hn::Sub(old, trapezoid), d, to + i);
  }
}

// Counts the runs of a word of pixels: those that change the counts and, of them, those equal to the pixel before.
template <bool kAdd>
void count_runs(const Counts& counts, const uint16_t* row, int x, uint64_t changes, uint64_t repeats) {
  const uint64_t continued = changes & (changes << 1) & repeats;
  for (uint64_t starts = changes & ~continued; starts != 0; starts &= starts - 1) {
    const int i = std::countr_zero(starts);
    const int length = 1 + std::countr_one(continued >> i >> 1);
    count_run<kAdd>(counts, row[x + i], x + i, length);
  }
}

// Moves the window down: `in` enters, `out` leaves.
void move_window(const Counts& counts, const uint16_t* in, const uint16_t* out, int width) {
  const hn::ScalableTag<uint16_t> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto none = hn::Set(d, cambi::kNoLevel);
  for (int x = 0; x < width; x += cambi::kMaxRun) {
    uint8_t bits[4][8];
    for (int i = 0; i < cambi::kMaxRun; i += lanes) {
      const auto a = hn::LoadU(d, in + x + i);
      const auto b = hn::LoadU(d, out + x + i);
      const auto differ = hn::Ne(a, b);
      hn::StoreMaskBits(d, hn::And(differ, hn::Ne(a, none)), bits[0] + i / 8);
      hn::StoreMaskBits(d, hn::Eq(a, hn::LoadU(d, in + x + i - 1)), bits[1] + i / 8);
      hn::StoreMaskBits(d, hn::And(differ, hn::Ne(b, none)), bits[2] + i / 8);
      hn::StoreMaskBits(d, hn::Eq(b, hn::LoadU(d, out + x + i - 1)), bits[3] + i / 8);
    }
    uint64_t words[4];
    std::memcpy(words, bits, sizeof words);
    count_runs<true>(counts, in, x, words[0], words[1]);
    count_runs<false>(counts, out, x, words[2], words[3]);
  }
}

// Sums of a scale that vectors add up.
template <class D>
struct Totals {
  hn::Vec<D> sum;
  size_t positive;
};

// Contrast values of as many pixels as a vector of int32_t has. `own` and `other[1 … differences]` are their counts.
template <class D, class D16>
hn::Vec<hn::RebindToFloat<D> > contrasts_of(D d, D16 d16, const uint16_t* own_counts, const uint16_t* other_counts,
                                            size_t other_pitch, int differences, const float* reciprocals) {
  const hn::RebindToFloat<D> df;
  const auto own = hn::PromoteTo(d, hn::LoadU(d16, own_counts));
  auto largest = hn::Zero(df);
  for (int i = 1; i <= differences; ++i) {
    const auto other = hn::PromoteTo(d, hn::LoadU(d16, other_counts + static_cast<size_t>(i) * other_pitch));
    const auto product = hn::Mul(hn::Mul(own, other), hn::Set(d, cambi::contrast_weight(i)));
    const auto reciprocal = hn::GatherIndex(df, reciprocals, hn::Add(own, other));
    largest = hn::Max(largest, hn::Mul(hn::ConvertTo(df, product), reciprocal));
  }
  return largest;
}

// Contrast values of a row of levels. Writes whole vectors.
template <class D64>
void contrast_row(const Counts& counts, const uint16_t* levels, int width, const cambi::Parameters& p, uint16_t base,
                  float* out, Totals<D64>& totals) {
  const hn::ScalableTag<uint16_t> d;
  const hn::ScalableTag<int32_t> d32;
  const hn::Rebind<uint16_t, decltype(d32)> d16;
  const hn::ScalableTag<float> df;
  const D64 d64;
  const hn::Rebind<float, D64> df64;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const int lanes32 = static_cast<int>(hn::Lanes(d32));
  const int lanes64 = static_cast<int>(hn::Lanes(d64));
  constexpr size_t kPitch = hn::MaxLanes(d);
  const int differences = p.differences;
  // Levels next to the first and the last one that count are there for their counts only.
  const auto lowest = hn::Set(d, static_cast<uint16_t>(differences));
  const auto range = hn::Set(d, static_cast<uint16_t>(p.last_level - p.first_level));
  HWY_ALIGN uint16_t own[kPitch];
  HWY_ALIGN uint16_t other[(cambi::kMaxDifferences + 1) * kPitch];
  for (int x = 0; x < width; x += lanes) {
    const auto level = hn::LoadU(d, levels + x);
    const auto above = hn::Sub(level, lowest);
    auto remaining = hn::Eq(hn::Min(above, range), above);
    if (hn::AllFalse(d, remaining)) {
      for (int i = 0; i < lanes; i += lanes32) hn::StoreU(hn::Zero(df), df, out + x + i);
      continue;
    }
    auto own_count = hn::Zero(d);
    for (int i = 1; i <= differences; ++i) hn::Store(hn::Zero(d), d, other + static_cast<size_t>(i) * kPitch);
    auto any = hn::Zero(d);
    do {
      const uint16_t l = levels[x + hn::FindFirstTrue(d, remaining)];
      const auto same = hn::And(remaining, hn::Eq(level, hn::Set(d, l)));
      remaining = hn::AndNot(same, remaining);
      const uint16_t* at = counts.at(l, x);
      own_count = hn::IfThenElse(same, hn::LoadU(d, at), own_count);
      for (int i = p.first_difference[static_cast<uint16_t>(l + base)]; i <= differences; ++i) {
        const size_t distance = static_cast<size_t>(i) * counts.pitch;
        const auto larger = hn::Max(hn::LoadU(d, at + distance), hn::LoadU(d, at - distance));
        uint16_t* to = other + static_cast<size_t>(i) * kPitch;
        const auto merged = hn::IfThenElse(same, larger, hn::Load(d, to));
        any = hn::Or(any, merged);
        hn::Store(merged, d, to);
      }
    } while (!hn::AllFalse(d, remaining));
    if (hn::AllTrue(d, hn::Eq(any, hn::Zero(d)))) {
      for (int i = 0; i < lanes; i += lanes32) hn::StoreU(hn::Zero(df), df, out + x + i);
      continue;
    }
    hn::Store(own_count, d, own);
    for (int i = 0; i < lanes; i += lanes32) {
      const auto c = contrasts_of(d32, d16, own + i, other + i, kPitch, differences, p.reciprocals.data());
      hn::StoreU(c, df, out + x + i);
      totals.positive += hn::CountTrue(df, hn::Gt(c, hn::Zero(df)));
    }
    for (int i = 0; i < lanes; i += lanes64)
      totals.sum = hn::Add(totals.sum, hn::PromoteTo(d64, hn::LoadU(df64, out + x + i)));
  }
}

void contrast_sums(const PlaneView& plane, const cambi::PictureParameters& picture, const cambi::Parameters& p,
                   cambi::Scratch& scratch, const cambi::ContrastObserver& observe, double* sums) {
  if (p.last_level < p.first_level) return plain::contrast_sums(plane, picture, p, scratch, observe, sums);
  int w = picture.width;
  int h = picture.height;
  {
    const Rows<uint16_t> image(scratch.image, w, h);
    if (plane.bytes == 1) {
      prepare<uint8_t>(plane, picture, p.smoothed, scratch.level_rows, image);
    } else {
      prepare<uint16_t>(plane, picture, p.smoothed, scratch.level_rows, image);
    }
    flat_areas(image, w, h, picture.mask_threshold, scratch.equal_rows, Rows<uint8_t>(scratch.mask, w, h));
  }
  if (p.half_size) {
    const cambi::Scale& scale = picture.scales[0];
    const Rows<uint16_t> image(scratch.image, w, h);
    const Rows<uint8_t> mask(scratch.mask, w, h);
    const Rows<uint16_t> half_image(scratch.filtered, scale.width, scale.height);
    const Rows<uint8_t> half_mask(scratch.next_mask, scale.width, scale.height);
    for (int y = 0; y < scale.height; ++y) {
      decimate_row(image.row(2 * y), scale.width, half_image.row(y));
      decimate_row(mask.row(2 * y), scale.width, half_mask.row(y));
    }
    std::swap(scratch.image, scratch.filtered);
    std::swap(scratch.mask, scratch.next_mask);
  }

  const int window = picture.window;
  const auto base = static_cast<uint16_t>(p.first_level - p.differences);
  const auto levels = static_cast<uint16_t>(p.last_level - p.first_level + 1 + 2 * p.differences);
  const hn::ScalableTag<double> d64;
  const size_t vector = hn::Lanes(hn::ScalableTag<uint16_t>());
  Counts counts{};
  counts.pad = window / 2;
  {
    const size_t n = 2 * cambi::kMaxRun + static_cast<size_t>(window) + vector;
    uint16_t* ramp = cambi::aligned(scratch.ramp, n);
    for (int i = 0; i < static_cast<int>(n); ++i)
      ramp[i] = static_cast<uint16_t>(std::clamp(i - cambi::kMaxRun + 1, 0, window));
    counts.ramp = ramp + cambi::kMaxRun;
  }
  for (int s = 0; s < kCambiScales; ++s) {
    const cambi::Scale& scale = picture.scales[s];
    w = scale.width;
    h = scale.height;
    const Rows<uint16_t> image(scratch.image, w, h);
    const Rows<uint8_t> mask(scratch.mask, w, h);
    const int next_width = (w + 1) / 2;
    const Rows<uint16_t> next_image(scratch.filtered, next_width, (h + 1) / 2);
    const Rows<uint8_t> next_mask(scratch.next_mask, next_width, (h + 1) / 2);
    const Rows<uint16_t> filter(scratch.filter_rows, w, 4);
    // The rows of the window, the one that leaves it, and one without levels.
    const int ring = window + 1;
    const Rows<uint16_t> selected(scratch.level_rows, w, ring + 1);
    std::fill_n(selected.row(ring) - cambi::kMargin, selected.pitch, cambi::kNoLevel);
    // An odd number of cache lines, so that the counts of neighbouring levels don't compete for the same ones.
    counts.pitch = cambi::rounded_up(w) + 2 * cambi::kCountMargin + cambi::kMaxRun + 32;
    const size_t count_size = counts.pitch * levels;
    counts.first = cambi::aligned(scratch.counts, count_size);
    std::fill_n(counts.first, count_size, uint16_t{0});
    counts.first += cambi::kCountMargin;
    const size_t n = scale.pixels();
    scratch.contrasts.resize(std::max(scratch.contrasts.size(), n + cambi::kMargin));

    Totals<decltype(d64)> totals{hn::Zero(d64), 0};
    filter_along_row(image.row(0), w, filter.row(0));
    for (int in = 0; in < h + counts.pad; ++in) {
      if (in < h) {
        if (in + 1 < h) filter_along_row(image.row(in + 1), w, filter.row((in + 1) % 3));
        const uint16_t* filtered = image.row(in);
        if (in > 0 && in + 1 < h) {
          filter_along_columns(filter.row((in + 2) % 3), filter.row(in % 3), filter.row((in + 1) % 3), w,
                               filter.row(3));
          filtered = filter.row(3);
        }
        select_levels(filtered, mask.row(in), w, base, levels, selected.row(in % ring));
        if (in % 2 == 0) {
          decimate_row(filtered, next_width, next_image.row(in / 2));
          decimate_row(mask.row(in), next_width, next_mask.row(in / 2));
        }
      }
      const int leaving = in - window;
      move_window(counts, selected.row(in < h ? in % ring : ring),
                  selected.row(leaving >= 0 && leaving < h ? leaving % ring : ring), w);
      if (const int y = in - counts.pad; y >= 0)
        contrast_row(counts, selected.row(y % ring), w, p, base,
                     scratch.contrasts.data() + static_cast<size_t>(y) * static_cast<size_t>(w), totals);
    }
    if (observe) observe(s, scratch.contrasts.data());
    const cambi::ValueTotals found{totals.positive, hn::GetLane(hn::SumOfLanes(d64, totals.sum))};
    sums[s] = cambi::top_sum(scratch.contrasts.data(), n, scale.pooled, found, scratch.selection);
    std::swap(scratch.image, scratch.filtered);
    std::swap(scratch.mask, scratch.next_mask);
  }
}
#endif

}  // namespace qc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qc {
namespace {
HWY_EXPORT(contrast_sums);
}  // namespace

namespace cambi {

void contrast_sums(const PlaneView& plane, const PictureParameters& picture, const Parameters& parameters,
                   Scratch& scratch, const ContrastObserver& observe, double sums[kCambiScales]) {
  HWY_DYNAMIC_DISPATCH(contrast_sums)(plane, picture, parameters, scratch, observe, sums);
}

}  // namespace cambi
}  // namespace qc
#endif
