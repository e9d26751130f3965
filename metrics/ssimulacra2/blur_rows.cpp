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
void add_row(const double*, const double*, int, double*) {}
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
  Four out;
  out.v0 = feedback(0, hn::Mul(sum.v0, input(0)));
  out.v1 = feedback(1, hn::MulAdd(input(0), sum.v1, hn::Mul(sum.v0, input(1))));
  out.v2 = feedback(2, hn::MulAdd(input(0), sum.v2, hn::MulAdd(input(1), sum.v1, hn::Mul(sum.v0, input(2)))));
  out.v3 =
      feedback(3, hn::MulAdd(input(0), sum.v3,
                             hn::MulAdd(input(1), sum.v2, hn::MulAdd(input(2), sum.v1, hn::Mul(sum.v0, input(3))))));
  p2 = out.v2;
  p1 = out.v3;
  return out;
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

// Blurs one vector of columns of a signal, from row j of the block on. `ring` and `memory` are those of the columns.
// Above the picture the ring is zero.
template <bool kRgb>
HWY_INLINE void blur_four_rows(const float* ring, float* memory, int first, int j, float* out) {
  const float* ahead = ring + (first + j) % kRingRows * kTileColumns;
  const int behind = first + j + kRingRows - kAhead - kBehind;
  const auto sum = [&](int i) HWY_ATTR {
    return hn::Add(hn::Load(d, ring + (behind + i) % kRingRows * kTileColumns), hn::Load(d, ahead + i * kTileColumns));
  };
  State s = load_state(memory, kTileColumns);
  hn::Store(step<kRgb>(s, sum(0)), d, out + j * kLanes);
  hn::Store(step<kRgb>(s, sum(1)), d, out + (j + 1) * kLanes);
  hn::Store(step<kRgb>(s, sum(2)), d, out + (j + 2) * kLanes);
  hn::Store(step<kRgb>(s, sum(3)), d, out + (j + 3) * kLanes);
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

template <bool kRgb>
HWY_INLINE void ssim_errors(const float (*blurred)[kBlockRows * kLanes], int j, double* to) {
  const V mean1 = hn::Load(d, blurred[kMean1] + j * kLanes);
  const V mean2 = hn::Load(d, blurred[kMean2] + j * kLanes);
  const V square1 = hn::Load(d, blurred[kSquare1] + j * kLanes);
  const V square2 = hn::Load(d, blurred[kSquare2] + j * kLanes);
  const V product = hn::Load(d, blurred[kProduct] + j * kLanes);
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

// For columns x … of the rows of the block from `begin` to `end`.
HWY_INLINE void edge_changes(const ChannelBlock& block, const float (*blurred)[kBlockRows * kLanes], int x, int begin,
                             int end, bool wide_end) {
  const float* xyb1 = block.xyb + x / kTileColumns * 2 * kRingTile + x % kTileColumns;
  const float* xyb2 = xyb1 + kRingTile;
  double* to = block.errors + block.error_pitch + x;
  for (int j = begin; j < end; ++j) {
    const int row = (block.first - kAhead + j) % kRingRows * kTileColumns;
    const V distance1 = hn::Abs(hn::Sub(hn::Load(d, xyb1 + row), hn::Load(d, blurred[kMean1] + j * kLanes)));
    const V distance2 = hn::Abs(hn::Sub(hn::Load(d, xyb2 + row), hn::Load(d, blurred[kMean2] + j * kLanes)));
    double* change = to + static_cast<size_t>(2 * j) * block.error_pitch;
    hn::Store(edge(lower(distance1), lower(distance2)), dd, change);
    hn::Store(edge(upper(distance1), upper(distance2)), dd, change + kLanes / 2);
  }
  if (!wide_end) return;
  // The last few pixels of the plane, which are in its last row (a side is 8 or more), where libvmaf's AVX2 code works
  // in float64.
  const int wide = static_cast<int>(int64_t{block.width} * block.height % YuvDialect::kWidePixels);
  const int j = end - 1;
  const int row = (block.height - 1) % kRingRows * kTileColumns;
  for (int i = std::max(0, block.width - wide - x); i < kLanes && x + i < block.width; ++i) {
    const Moments m = {blurred[kMean1][j * kLanes + i], blurred[kMean2][j * kLanes + i], 0, 0, 0};
    to[static_cast<size_t>(2 * j) * block.error_pitch + static_cast<size_t>(i)] =
        YuvDialect::edge_error(xyb1[row + i], xyb2[row + i], m, true);
  }
}

template <bool kRgb>
HWY_INLINE void columns(const ChannelBlock& block) {
  const int last = std::min(block.first - kAhead + kBlockRows, block.height);
  const int steps = last - (block.first - kAhead);
  const int begin = std::max(0, kAhead - block.first);
  HWY_ALIGN float blurred[kSignals][kBlockRows * kLanes];
  for (int x = 0; x < block.width; x += kLanes) {
    const int tile = x / kTileColumns;
    const int within = x % kTileColumns;
    const float* ring = block.blurred + tile * kSignals * kRingTile + within;
    float* memory = block.state + tile * kSignals * kStateTile + within;
    for (int j = 0; j < steps; j += kRowsATurn)
      for (int signal = 0; signal < (block.ssim ? kSignals : kSquare1); ++signal)
        blur_four_rows<kRgb>(ring + signal * kRingTile, memory + signal * kStateTile, block.first, j, blurred[signal]);
    if (block.ssim)
      for (int j = begin; j < steps; ++j)
        ssim_errors<kRgb>(blurred, j, block.errors + static_cast<size_t>(2 * j) * block.error_pitch + x);
    if (block.edges) edge_changes(block, blurred, x, begin, steps, !kRgb && last == block.height);
  }
}

void down_columns(bool rgb, const ChannelBlock& block) {
#if HWY_NATIVE_FMA
  if (rgb) return columns<true>(block);
#endif
  (void)rgb;
  columns<false>(block);
}

void add_row(const double* ssim, const double* change, int width, double* sum) {
  // An error and its fourth power are added side by side.
  constexpr int kStretch = 64;
  constexpr int kErrors = kSums / 2;
  const hn::Full128<double> pair;
  HWY_ALIGN double term[kErrors][2 * kStretch];
  const auto put = [&](int error, int i, VD v) HWY_ATTR {
    const VD square = hn::Mul(v, v);
    hn::StoreInterleaved2(v, hn::Mul(square, square), dd, term[error] + 2 * i);
  };
  const VD zero = hn::Zero(dd);
  auto sum0 = hn::LoadU(pair, sum + kSsim);
  auto sum1 = hn::LoadU(pair, sum + kArtifact);
  auto sum2 = hn::LoadU(pair, sum + kDetail);
  for (int x = 0; x < width; x += kStretch) {
    const int count = std::min(kStretch, width - x);
    for (int i = 0; i < count; i += static_cast<int>(hn::MaxLanes(dd))) {
      if (ssim) put(kSsim / 2, i, hn::LoadU(dd, ssim + x + i));
      if (!change) continue;
      const VD z = hn::LoadU(dd, change + x + i);
      put(kArtifact / 2, i, hn::IfThenElseZero(hn::Gt(z, zero), z));
      put(kDetail / 2, i, hn::IfThenElseZero(hn::Lt(z, zero), hn::Neg(z)));
    }
    // Side by side where both are wanted, since each addition waits for the one before it.
    for (int i = 0; ssim && i < count; ++i) {
      sum0 = hn::Add(sum0, hn::Load(pair, term[kSsim / 2] + 2 * i));
      if (!change) continue;
      sum1 = hn::Add(sum1, hn::Load(pair, term[kArtifact / 2] + 2 * i));
      sum2 = hn::Add(sum2, hn::Load(pair, term[kDetail / 2] + 2 * i));
    }
    for (int i = 0; !ssim && i < count; ++i) {
      sum1 = hn::Add(sum1, hn::Load(pair, term[kArtifact / 2] + 2 * i));
      sum2 = hn::Add(sum2, hn::Load(pair, term[kDetail / 2] + 2 * i));
    }
  }
  hn::StoreU(sum0, pair, sum + kSsim);
  hn::StoreU(sum1, pair, sum + kArtifact);
  hn::StoreU(sum2, pair, sum + kDetail);
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
void add_errors(const double* ssim, const double* change, int width, double* sum) {
  HWY_DYNAMIC_DISPATCH(add_row)(ssim, change, width, sum);
}

}  // namespace qc::ssimulacra2
#endif
