#include "ssimulacra2/blur_rows.h"

#include <algorithm>

#include "core/simd.h"
#include "ssimulacra2/ssimulacra2_record.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ssimulacra2/blur_rows.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace qc::ssimulacra2::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if QC_PLAIN_TARGET
// Not called: whole pictures are left to plain::sums.
void turn(const ChannelBlock&) {}
void along_rows(bool, const ChannelBlock&) {}
void down_columns(bool, const ChannelBlock&) {}
void add_row(const ErrorChain*, int, int) {}
#else

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;
constexpr D d;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(d));
static_assert(kBlockRows % kLanes == 0);

// Four floats from each of MaxLanes / 4 rows that are 4 * `pitch` apart.
template <class DF>
HWY_INLINE hn::Vec<DF> load_quads(DF df, const float* at, size_t pitch) {
  if constexpr (hn::MaxLanes(DF()) <= 4) {
    (void)pitch;
    return hn::LoadU(df, at);
  } else {
    const hn::Half<DF> half;
    return hn::Combine(df, load_quads(half, at + hn::MaxLanes(DF()) / 2 * pitch, pitch), load_quads(half, at, pitch));
  }
}

template <class DF>
HWY_INLINE void store_quads(DF df, hn::Vec<DF> v, float* at, size_t pitch) {
  if constexpr (hn::MaxLanes(DF()) <= 4) {
    (void)pitch;
    hn::StoreU(v, df, at);
  } else {
    const hn::Half<DF> half;
    store_quads(half, hn::LowerHalf(half, v), at, pitch);
    store_quads(half, hn::UpperHalf(half, v), at + hn::MaxLanes(DF()) / 2 * pitch, pitch);
  }
}

// Transposes the 4x4 blocks of four vectors.
HWY_INLINE void transpose(V& a, V& b, V& c, V& e) {
  const hn::Repartition<double, D> dd;
  const auto ab0 = hn::BitCast(dd, hn::InterleaveLower(d, a, b));
  const auto ab1 = hn::BitCast(dd, hn::InterleaveUpper(d, a, b));
  const auto ce0 = hn::BitCast(dd, hn::InterleaveLower(d, c, e));
  const auto ce1 = hn::BitCast(dd, hn::InterleaveUpper(d, c, e));
  a = hn::BitCast(d, hn::InterleaveLower(dd, ab0, ce0));
  b = hn::BitCast(d, hn::InterleaveUpper(dd, ab0, ce0));
  c = hn::BitCast(d, hn::InterleaveLower(dd, ab1, ce1));
  e = hn::BitCast(d, hn::InterleaveUpper(dd, ab1, ce1));
}

void turn(const ChannelBlock& block) {
  for (int i = 0; i < 2; ++i) {
    for (int group = 0; group < kBlockRows; group += kLanes) {
      const float* from = block.xyb + i * kRingTile + (block.first % kRingRows + group) * kTileColumns;
      float* to = block.turned[i] + group;
      for (int x = 0; x < block.width; x += 4) {
        const float* at = from + x / kTileColumns * (2 * kRingTile) + x % kTileColumns;
        V a = load_quads(d, at, kTileColumns);
        V b = load_quads(d, at + kTileColumns, kTileColumns);
        V c = load_quads(d, at + 2 * kTileColumns, kTileColumns);
        V e = load_quads(d, at + 3 * kTileColumns, kTileColumns);
        transpose(a, b, c, e);
        hn::Store(a, d, to + x * kBlockRows);
        hn::Store(b, d, to + (x + 1) * kBlockRows);
        hn::Store(c, d, to + (x + 2) * kBlockRows);
        hn::Store(e, d, to + (x + 3) * kBlockRows);
      }
    }
  }
}

// The last two values of the three recursions. Arrays of vectors, here and below, would end up in memory.
struct State {
  V p1_0, p1_1, p1_2;
  V p2_0, p2_1, p2_2;
};

// Six vectors, `stride` apart.
HWY_INLINE State load_state(const float* from, int stride) {
  return {hn::Load(d, from),
          hn::Load(d, from + stride),
          hn::Load(d, from + 2 * stride),
          hn::Load(d, from + 3 * stride),
          hn::Load(d, from + 4 * stride),
          hn::Load(d, from + 5 * stride)};
}

HWY_INLINE void store_state(const State& s, float* to, int stride) {
  hn::Store(s.p1_0, d, to);
  hn::Store(s.p1_1, d, to + stride);
  hn::Store(s.p1_2, d, to + 2 * stride);
  hn::Store(s.p2_0, d, to + 3 * stride);
  hn::Store(s.p2_1, d, to + 4 * stride);
  hn::Store(s.p2_2, d, to + 5 * stride);
}

template <bool kRgb>
HWY_INLINE V sum_of_terms(V a, V b, V c) {
  return kRgb ? hn::Add(a, hn::Add(b, c)) : hn::Add(hn::Add(a, b), c);
}

template <bool kRgb, int kTerm>
HWY_INLINE V step_term(V& p1, V& p2, V sum) {
  const V gain = hn::Set(d, blur_input(kTerm));
  const V feedback = hn::Set(d, blur_feedback(kTerm));
  V out;
  if constexpr (kRgb)
    out = hn::MulAdd(gain, sum, hn::NegMulSub(feedback, p1, p2));
  else
    out = hn::Sub(hn::Sub(hn::Mul(gain, sum), hn::Mul(feedback, p1)), p2);
  p2 = p1;
  p1 = out;
  return out;
}

// One step of the recursion down a column, and for YUV along a row.
template <bool kRgb>
HWY_INLINE V step(State& s, V sum) {
  const V a = step_term<kRgb, 0>(s.p1_0, s.p2_0, sum);
  const V b = step_term<kRgb, 1>(s.p1_1, s.p2_1, sum);
  const V c = step_term<kRgb, 2>(s.p1_2, s.p2_2, sum);
  return sum_of_terms<kRgb>(a, b, c);
}

template <int kTerm>
HWY_INLINE V single_term(V& p1, V& p2, V sum) {
  using R = RgbDialect;
  const V fresh = hn::Mul(sum, hn::Set(d, R::block_input(kTerm, 0)));
  const V out =
      hn::MulAdd(hn::Set(d, R::block_p1(kTerm, 0)), p1, hn::MulAdd(hn::Set(d, R::block_p2(kTerm, 0)), p2, fresh));
  p2 = p1;
  p1 = out;
  return out;
}

// One step along a row.
template <bool kRgb>
HWY_INLINE V step_along_row(State& s, V sum) {
  if constexpr (kRgb) {
    const V a = single_term<0>(s.p1_0, s.p2_0, sum);
    const V b = single_term<1>(s.p1_1, s.p2_1, sum);
    const V c = single_term<2>(s.p1_2, s.p2_2, sum);
    return sum_of_terms<true>(a, b, c);
  } else {
    return step<false>(s, sum);
  }
}

// Always initialised: gcc cannot inline NEON vectors' constructor into a default constructor.
struct Four {
  V v0, v1, v2, v3;
};

template <int kTerm>
HWY_INLINE Four block_term(V& p1, V& p2, const Four& sum) {
  using R = RgbDialect;
  const auto input = [](int j) HWY_ATTR { return hn::Set(d, R::block_input(kTerm, j)); };
  const auto feedback = [p1, p2](int j, V v) HWY_ATTR {
    return hn::MulAdd(hn::Set(d, R::block_p1(kTerm, j)), p1, hn::MulAdd(hn::Set(d, R::block_p2(kTerm, j)), p2, v));
  };
  const V v0 = feedback(0, hn::Mul(sum.v0, input(0)));
  const V v1 = feedback(1, hn::MulAdd(input(0), sum.v1, hn::Mul(sum.v0, input(1))));
  const V v2 = feedback(2, hn::MulAdd(input(0), sum.v2, hn::MulAdd(input(1), sum.v1, hn::Mul(sum.v0, input(2)))));
  const V v3 =
      feedback(3, hn::MulAdd(input(0), sum.v3,
                             hn::MulAdd(input(1), sum.v2, hn::MulAdd(input(2), sum.v1, hn::Mul(sum.v0, input(3))))));
  p2 = v2;
  p1 = v3;
  return {v0, v1, v2, v3};
}

// Four steps along a row, for RGB at once.
template <bool kRgb>
HWY_INLINE void four_steps_along_row(State& s, Four& f) {
  if constexpr (kRgb) {
    const Four a = block_term<0>(s.p1_0, s.p2_0, f);
    const Four b = block_term<1>(s.p1_1, s.p2_1, f);
    const Four c = block_term<2>(s.p1_2, s.p2_2, f);
    f.v0 = sum_of_terms<true>(a.v0, b.v0, c.v0);
    f.v1 = sum_of_terms<true>(a.v1, b.v1, c.v1);
    f.v2 = sum_of_terms<true>(a.v2, b.v2, c.v2);
    f.v3 = sum_of_terms<true>(a.v3, b.v3, c.v3);
  } else {
    f.v0 = step<false>(s, f.v0);
    f.v1 = step<false>(s, f.v1);
    f.v2 = step<false>(s, f.v2);
    f.v3 = step<false>(s, f.v3);
  }
}

// Value of a signal: a sample, or the product of two.
template <bool kProduct>
HWY_INLINE V signal(const float* a, const float* b) {
  if constexpr (kProduct) return hn::Mul(hn::Load(d, a), hn::Load(d, b));
  return hn::Load(d, a);
}

template <bool kProduct>
HWY_INLINE V inner_sum(const float* a, const float* b) {
  return hn::Add(signal<kProduct>(a - kBehind * kBlockRows, b - kBehind * kBlockRows),
                 signal<kProduct>(a + kAhead * kBlockRows, b + kAhead * kBlockRows));
}

// Where column k of a row of a blurred signal is, from where column 0 is.
HWY_INLINE float* column_of(float* row, int k) {
  return row + k / kTileColumns * (kSignals * kRingTile) + k % kTileColumns;
}

// One column of a group of rows. a, b: where column 0 is; memory: the state; row: where column 0 of the blurred
// signal's first row is.
template <bool kRgb, bool kProduct>
void blur_column(const float* a, const float* b, int n, int k, float* memory, float* row) {
  const auto at = [&](int x) HWY_ATTR {
    return x >= 0 && x < n ? signal<kProduct>(a + x * kBlockRows, b + x * kBlockRows) : hn::Zero(d);
  };
  State s = load_state(memory, kLanes);
  const V value = step_along_row<kRgb>(s, hn::Add(at(k - kBehind), at(k + kAhead)));
  store_state(s, memory, kLanes);
  if (k < 0) return;
  HWY_ALIGN float lane[kLanes];
  hn::Store(value, d, lane);
  float* to = column_of(row, k);
  for (int i = 0; i < kLanes; ++i) to[i * kTileColumns] = lane[i];
}

// Four columns far enough from the ends of the rows. a, b: where the first one is; to: where the first one of the
// blurred signal's first row is.
template <bool kRgb, bool kProduct>
HWY_INLINE void blur_four_columns(const float* a, const float* b, float* memory, float* to) {
  State s = load_state(memory, kLanes);
  Four f = {inner_sum<kProduct>(a, b), inner_sum<kProduct>(a + kBlockRows, b + kBlockRows),
            inner_sum<kProduct>(a + 2 * kBlockRows, b + 2 * kBlockRows),
            inner_sum<kProduct>(a + 3 * kBlockRows, b + 3 * kBlockRows)};
  four_steps_along_row<kRgb>(s, f);
  store_state(s, memory, kLanes);
  transpose(f.v0, f.v1, f.v2, f.v3);
  store_quads(d, f.v0, to, kTileColumns);
  store_quads(d, f.v1, to + kTileColumns, kTileColumns);
  store_quads(d, f.v2, to + 2 * kTileColumns, kTileColumns);
  store_quads(d, f.v3, to + 3 * kTileColumns, kTileColumns);
}

// Blurs the block's rows. Each step of a recursion waits for the one before it: signals and groups of rows take turns
// every four columns, so that the processor has others to work on meanwhile.
template <bool kRgb, bool kProducts>
void blur_lines(const ChannelBlock& block) {
  constexpr int kGroups = kBlockRows / kLanes;
  constexpr int kMemory = 2 * kTerms * kLanes;
  HWY_ALIGN float memory[kGroups][kSignals][kMemory] = {};
  float* ring = block.blurred + block.first % kRingRows * kTileColumns;
  const int n = block.width;
  int k = -kAhead;
  const auto single_until = [&](int end) HWY_ATTR {
    for (; k < end; ++k) {
      for (int group = 0; group < kGroups; ++group) {
        const float* r = block.turned[0] + group * kLanes;
        const float* t = block.turned[1] + group * kLanes;
        float* to = ring + group * kLanes * kTileColumns;
        float(*m)[kMemory] = memory[group];
        blur_column<kRgb, false>(r, r, n, k, m[kMean1], to + kMean1 * kRingTile);
        blur_column<kRgb, false>(t, t, n, k, m[kMean2], to + kMean2 * kRingTile);
        if constexpr (kProducts) {
          blur_column<kRgb, true>(r, r, n, k, m[kSquare1], to + kSquare1 * kRingTile);
          blur_column<kRgb, true>(t, t, n, k, m[kSquare2], to + kSquare2 * kRingTile);
          blur_column<kRgb, true>(r, t, n, k, m[kProduct], to + kProduct * kRingTile);
        }
      }
    }
  };
  // Any step from kBehind on, and a multiple of 4, so that four columns are in one tile.
  constexpr int kFirst = RgbDialect::kFirstBlock;
  static_assert(kFirst >= kBehind);
  single_until(std::min(n, kFirst));
  for (; k < n - RgbDialect::kBlocksUntil; k += 4) {
    for (int group = 0; group < kGroups; ++group) {
      const float* r = block.turned[0] + k * kBlockRows + group * kLanes;
      const float* t = block.turned[1] + k * kBlockRows + group * kLanes;
      float* to = column_of(ring + group * kLanes * kTileColumns, k);
      float(*m)[kMemory] = memory[group];
      blur_four_columns<kRgb, false>(r, r, m[kMean1], to + kMean1 * kRingTile);
      blur_four_columns<kRgb, false>(t, t, m[kMean2], to + kMean2 * kRingTile);
      if constexpr (kProducts) {
        blur_four_columns<kRgb, true>(r, r, m[kSquare1], to + kSquare1 * kRingTile);
        blur_four_columns<kRgb, true>(t, t, m[kSquare2], to + kSquare2 * kRingTile);
        blur_four_columns<kRgb, true>(r, t, m[kProduct], to + kProduct * kRingTile);
      }
    }
  }
  single_until(n);
}

template <bool kRgb>
HWY_INLINE void all_lines(const ChannelBlock& block) {
  if (block.first < block.height) {
    if (block.ssim)
      blur_lines<kRgb, true>(block);
    else
      blur_lines<kRgb, false>(block);
  }
  float* ring = block.blurred + block.first % kRingRows * kTileColumns;
  const int rows = std::clamp(block.height - block.first, 0, kBlockRows);
  for (int x = 0; rows < kBlockRows && x < block.width; x += kTileColumns)
    for (int signal = 0; signal < kSignals; ++signal)
      std::fill_n(column_of(ring + signal * kRingTile + rows * kTileColumns, x), (kBlockRows - rows) * kTileColumns,
                  0.0f);
}

void along_rows(bool rgb, const ChannelBlock& block) {
#if HWY_NATIVE_FMA
  if (rgb) return all_lines<true>(block);
#endif
  (void)rgb;
  all_lines<false>(block);
}

// Rows that are blurred before the next signal has its turn.
constexpr int kRowsATurn = 4;
static_assert(kBlockRows % kRowsATurn == 0 && kAhead % kRowsATurn == 0);

// Blurred values of a tile's columns for the rows of the block.
using BlurredTile = float[kSignals][kBlockRows * kTileColumns];

// Where row `row` of the picture is in a tile.
HWY_INLINE size_t row_in_ring(size_t row) { return row % kRingRows * kTileColumns; }

// Blurs one vector of columns of a signal, for the block's rows from j on. `ring`, `memory` and `out` are those of the
// columns. Above the picture the ring is zero.
template <bool kRgb>
HWY_INLINE void blur_four_rows(const float* ring, float* memory, size_t first, size_t j, float* out) {
  const float* ahead = ring + row_in_ring(first + j);
  const size_t behind = first + j + kRingRows - kAhead - kBehind;
  State s = load_state(memory, kTileColumns);
  const auto blur = [&](size_t i) HWY_ATTR {
    const V sum = hn::Add(hn::Load(d, ring + row_in_ring(behind + i)), hn::Load(d, ahead + i * kTileColumns));
    hn::Store(step<kRgb>(s, sum), d, out + (j + i) * kTileColumns);
  };
  blur(0);
  blur(1);
  blur(2);
  blur(3);
  store_state(s, memory, kTileColumns);
}

using DD = hn::ScalableTag<double>;
constexpr DD dd;
using DH = hn::Rebind<float, DD>;
constexpr DH dh;
using VD = hn::Vec<DD>;

// The SSIM error of half the lanes: their parts' product, and the denominator.
HWY_INLINE VD lower(V v) { return hn::PromoteTo(dd, hn::LowerHalf(dh, v)); }
HWY_INLINE VD upper(V v) { return hn::PromoteTo(dd, hn::UpperHalf(dh, v)); }

HWY_INLINE VD one_minus(VD v) {
  const VD error = hn::Sub(hn::Set(dd, 1.0), v);
  return hn::IfThenZeroElse(hn::Lt(error, hn::Zero(dd)), error);
}

HWY_INLINE VD edge(VD distance1, VD distance2) {
  const VD one = hn::Set(dd, 1.0);
  return hn::Sub(hn::Div(hn::Add(one, distance2), hn::Add(one, distance1)), one);
}

// The errors of one vector of a row. blurred: where it is among the blurred values of signal 0.
template <bool kRgb>
HWY_INLINE void ssim_errors(const float* blurred, double* to) {
  constexpr size_t kNext = kBlockRows * kTileColumns;
  const V mean1 = hn::Load(d, blurred + kMean1 * kNext);
  const V mean2 = hn::Load(d, blurred + kMean2 * kNext);
  const V square1 = hn::Load(d, blurred + kSquare1 * kNext);
  const V square2 = hn::Load(d, blurred + kSquare2 * kNext);
  const V product = hn::Load(d, blurred + kProduct * kNext);
  const V stabiliser = hn::Set(d, kStabiliser);
  const V difference = hn::Sub(mean1, mean2);
  const V luminance = hn::Sub(hn::Set(d, 1.0f), hn::Mul(difference, difference));
  const V structure = hn::Add(hn::Mul(hn::Set(d, 2.0f), hn::Sub(product, hn::Mul(mean1, mean2))), stabiliser);
  const V denominator =
      hn::Add(hn::Add(hn::Sub(square1, hn::Mul(mean1, mean1)), hn::Sub(square2, hn::Mul(mean2, mean2))), stabiliser);
  if constexpr (kRgb) {
    const V quotient = hn::Div(hn::Mul(luminance, structure), denominator);
    hn::Store(one_minus(lower(quotient)), dd, to);
    hn::Store(one_minus(upper(quotient)), dd, to + kLanes / 2);
  } else {
    hn::Store(one_minus(hn::Div(hn::Mul(lower(luminance), lower(structure)), lower(denominator))), dd, to);
    hn::Store(one_minus(hn::Div(hn::Mul(upper(luminance), upper(structure)), upper(denominator))), dd, to + kLanes / 2);
  }
}

// xyb1, xyb2: samples of both pictures.
HWY_INLINE void edge_changes(const float* xyb1, const float* xyb2, const float* blurred, double* to) {
  constexpr size_t kNext = kBlockRows * kTileColumns;
  const V distance1 = hn::Abs(hn::Sub(hn::Load(d, xyb1), hn::Load(d, blurred + kMean1 * kNext)));
  const V distance2 = hn::Abs(hn::Sub(hn::Load(d, xyb2), hn::Load(d, blurred + kMean2 * kNext)));
  hn::Store(edge(lower(distance1), lower(distance2)), dd, to);
  hn::Store(edge(upper(distance1), upper(distance2)), dd, to + kLanes / 2);
}

// The edge changes of the last few pixels of the plane, which are in its last row (a side is 8 or more), where
// libvmaf's AVX2 code works in float64. The tile's first column is x; the row is j of the block.
void wide_edge_changes(const ChannelBlock& block, const BlurredTile& blurred, int x, int j) {
  const int wide = static_cast<int>(int64_t{block.width} * block.height % YuvDialect::kWidePixels);
  const float* xyb1 = block.xyb + x / kTileColumns * 2 * kRingTile + row_in_ring(static_cast<size_t>(block.height - 1));
  const float* xyb2 = xyb1 + kRingTile;
  double* to = block.edges + static_cast<size_t>(j) * block.error_pitch + x;
  for (int i = std::max(0, block.width - wide - x); i < kTileColumns && x + i < block.width; ++i) {
    const int at = j * kTileColumns + i;
    const Moments m = {blurred[kMean1][at], blurred[kMean2][at], 0, 0, 0};
    to[i] = YuvDialect::edge_error(xyb1[i], xyb2[i], m, true);
  }
}

// Rows are blurred in turns, all those of a turn, though some may lie past the picture's end.
template <bool kRgb, bool kSsim>
void columns(const ChannelBlock& block) {
  constexpr size_t kCount = kSsim ? kSignals : kSquare1;
  const size_t first = static_cast<size_t>(block.first);
  const int last = std::min(block.first - kAhead + kBlockRows, block.height);
  const int rows = last - (block.first - kAhead);
  double* const ssim = block.ssim;
  double* const edges = block.edges;
  const size_t pitch = block.error_pitch;
  HWY_ALIGN BlurredTile blurred;
  for (int x = 0; x < block.width; x += kTileColumns) {
    const size_t tile = static_cast<size_t>(x / kTileColumns);
    const float* ring = block.blurred + tile * kSignals * kRingTile;
    const float* xyb = block.xyb + tile * 2 * kRingTile;
    float* memory = block.state + tile * kSignals * kStateTile;
    for (size_t j = 0; j < static_cast<size_t>(rows); j += kRowsATurn) {
      for (size_t signal = 0; signal < kCount; ++signal)
        for (size_t i = 0; i < kTileColumns; i += kLanes)
          blur_four_rows<kRgb>(ring + signal * kRingTile + i, memory + signal * kStateTile + i, first, j,
                               blurred[signal] + i);
      if (first + j < kAhead) continue;
      for (size_t y = j; y < j + kRowsATurn; ++y) {
        const size_t error = y * pitch + static_cast<size_t>(x);
        for (size_t i = 0; i < kTileColumns; i += kLanes) {
          const float* at = blurred[0] + y * kTileColumns + i;
          if constexpr (kSsim) ssim_errors<kRgb>(at, ssim + error + i);
          if (kSsim && !edges) continue;
          const float* sample = xyb + row_in_ring(first + y - kAhead) + i;
          edge_changes(sample, sample + kRingTile, at, edges + error + i);
        }
      }
    }
    if (!kRgb && edges && last == block.height) wide_edge_changes(block, blurred, x, rows - 1);
  }
}

template <bool kRgb>
void all_columns(const ChannelBlock& block) {
  if (block.ssim)
    columns<kRgb, true>(block);
  else
    columns<kRgb, false>(block);
}

void down_columns(bool rgb, const ChannelBlock& block) {
#if HWY_NATIVE_FMA
  if (rgb) return all_columns<true>(block);
#endif
  (void)rgb;
  all_columns<false>(block);
}

// Chains of additions that run side by side, since each addition waits for the one before it.
constexpr int kFewChains = 4;
constexpr int kManyChains = 8;
// Pixels whose terms are made at a time.
constexpr int kStretch = 64;

// term: an error and its fourth power for each pixel; sum: theirs.
template <int kChains>
HWY_INLINE void add_side_by_side(const double (*term)[2 * kStretch], int count, double (*sum)[2]) {
  const hn::Full128<double> pair;
  constexpr int kOther = kChains - kFewChains;  // the first of the second four, if there are any
  auto s0 = hn::Load(pair, sum[0]);
  auto s1 = hn::Load(pair, sum[1]);
  auto s2 = hn::Load(pair, sum[2]);
  auto s3 = hn::Load(pair, sum[3]);
  auto s4 = hn::Load(pair, sum[kOther]);
  auto s5 = hn::Load(pair, sum[kOther + 1]);
  auto s6 = hn::Load(pair, sum[kOther + 2]);
  auto s7 = hn::Load(pair, sum[kOther + 3]);
  for (int i = 0; i < 2 * count; i += 2) {
    s0 = hn::Add(s0, hn::Load(pair, term[0] + i));
    s1 = hn::Add(s1, hn::Load(pair, term[1] + i));
    s2 = hn::Add(s2, hn::Load(pair, term[2] + i));
    s3 = hn::Add(s3, hn::Load(pair, term[3] + i));
    if constexpr (kChains == kFewChains) continue;
    s4 = hn::Add(s4, hn::Load(pair, term[kOther] + i));
    s5 = hn::Add(s5, hn::Load(pair, term[kOther + 1] + i));
    s6 = hn::Add(s6, hn::Load(pair, term[kOther + 2] + i));
    s7 = hn::Add(s7, hn::Load(pair, term[kOther + 3] + i));
  }
  hn::Store(s0, pair, sum[0]);
  hn::Store(s1, pair, sum[1]);
  hn::Store(s2, pair, sum[2]);
  hn::Store(s3, pair, sum[3]);
  if constexpr (kChains == kFewChains) return;
  hn::Store(s4, pair, sum[kOther]);
  hn::Store(s5, pair, sum[kOther + 1]);
  hn::Store(s6, pair, sum[kOther + 2]);
  hn::Store(s7, pair, sum[kOther + 3]);
}

// The terms of a chain for `count` pixels.
template <class Term>
HWY_INLINE void make_terms(const double* errors, int count, double* to, const Term& term) {
  for (int i = 0; i < count; i += static_cast<int>(hn::MaxLanes(dd))) {
    const VD v = term(hn::LoadU(dd, errors + i));
    const VD square = hn::Mul(v, v);
    hn::StoreInterleaved2(v, hn::Mul(square, square), dd, to + 2 * i);
  }
}

template <int kChains>
void add_chains(const ErrorChain* chains, int used, int width) {
  HWY_ALIGN double term[kChains][2 * kStretch] = {};
  HWY_ALIGN double sum[kChains][2] = {};
  for (int c = 0; c < used; ++c) std::copy_n(chains[c].sum, 2, sum[c]);
  const VD zero = hn::Zero(dd);
  for (int x = 0; x < width; x += kStretch) {
    const int count = std::min(kStretch, width - x);
    for (int c = 0; c < used; ++c) {
      const double* errors = chains[c].errors + x;
      if (chains[c].error == kSsim)
        make_terms(errors, count, term[c], [](VD v) HWY_ATTR { return v; });
      else if (chains[c].error == kArtifact)
        make_terms(errors, count, term[c], [zero](VD v) HWY_ATTR { return hn::IfThenElseZero(hn::Gt(v, zero), v); });
      else
        make_terms(errors, count, term[c],
                   [zero](VD v) HWY_ATTR { return hn::IfThenElseZero(hn::Lt(v, zero), hn::Neg(v)); });
    }
    add_side_by_side<kChains>(term, count, sum);
  }
  for (int c = 0; c < used; ++c) std::copy_n(sum[c], 2, chains[c].sum);
}

void add_row(const ErrorChain* chains, int count, int width) {
  for (; count > kFewChains; count -= kManyChains, chains += kManyChains)
    add_chains<kManyChains>(chains, std::min(count, kManyChains), width);
  if (count > 0) add_chains<kFewChains>(chains, count, width);
}
#endif

}  // namespace qc::ssimulacra2::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qc::ssimulacra2 {
HWY_EXPORT(turn);
HWY_EXPORT(along_rows);
HWY_EXPORT(down_columns);
HWY_EXPORT(add_row);

void turn_block(const ChannelBlock& block) { HWY_DYNAMIC_DISPATCH(turn)(block); }
void blur_along_rows(bool rgb, const ChannelBlock& block) { HWY_DYNAMIC_DISPATCH(along_rows)(rgb, block); }
void blur_down_columns(bool rgb, const ChannelBlock& block) { HWY_DYNAMIC_DISPATCH(down_columns)(rgb, block); }
void add_errors(const ErrorChain* chains, int count, int width) { HWY_DYNAMIC_DISPATCH(add_row)(chains, count, width); }

}  // namespace qc::ssimulacra2
#endif
