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

struct State {
  V p1[kTerms];
  V p2[kTerms];
};

HWY_INLINE State zero_state() {
  const V zero = hn::Zero(d);
  return {{zero, zero, zero}, {zero, zero, zero}};
}

// One step of the recursion down a column.
template <bool kRgb>
HWY_INLINE V step(State& s, V sum) {
  V out[kTerms];
  for (int i = 0; i < kTerms; ++i) {
    const V gain = hn::Set(d, blur_input(i));
    const V feedback = hn::Set(d, blur_feedback(i));
    if constexpr (kRgb)
      out[i] = hn::MulAdd(gain, sum, hn::NegMulSub(feedback, s.p1[i], s.p2[i]));
    else
      out[i] = hn::Sub(hn::Sub(hn::Mul(gain, sum), hn::Mul(feedback, s.p1[i])), s.p2[i]);
    s.p2[i] = s.p1[i];
    s.p1[i] = out[i];
  }
  if constexpr (kRgb) return hn::Add(out[0], hn::Add(out[1], out[2]));
  return hn::Add(hn::Add(out[0], out[1]), out[2]);
}

// One step along a row of RGB.
HWY_INLINE V single_step(State& s, V sum) {
  using R = RgbDialect;
  V out[kTerms];
  for (int i = 0; i < kTerms; ++i) {
    out[i] =
        hn::MulAdd(hn::Set(d, R::block_p1(i, 0)), s.p1[i],
                   hn::MulAdd(hn::Set(d, R::block_p2(i, 0)), s.p2[i], hn::Mul(sum, hn::Set(d, R::block_input(i, 0)))));
    s.p2[i] = s.p1[i];
    s.p1[i] = out[i];
  }
  return hn::Add(out[0], hn::Add(out[1], out[2]));
}

// Four steps along a row of RGB at once.
HWY_INLINE void block_step(State& s, const V (&sum)[4], V (&to)[4]) {
  using R = RgbDialect;
  V out[kTerms][4];
  for (int i = 0; i < kTerms; ++i) {
    for (int j = 0; j < 4; ++j) {
      V v = hn::Mul(sum[0], hn::Set(d, R::block_input(i, j)));
      for (int t = 1; t <= j; ++t) v = hn::MulAdd(hn::Set(d, R::block_input(i, j - t)), sum[t], v);
      v = hn::MulAdd(hn::Set(d, R::block_p2(i, j)), s.p2[i], v);
      out[i][j] = hn::MulAdd(hn::Set(d, R::block_p1(i, j)), s.p1[i], v);
    }
    s.p2[i] = out[i][2];
    s.p1[i] = out[i][3];
  }
  for (int j = 0; j < 4; ++j) to[j] = hn::Add(out[0][j], hn::Add(out[1][j], out[2][j]));
}

// Signals go in two groups, so that one's arithmetic hides the other's latency: the pictures themselves, and their
// products.
enum class Group { Means, Products };
template <Group kGroup>
constexpr int kLines = kGroup == Group::Means ? 2 : 3;
template <Group kGroup>
constexpr int kFirstSignal = kGroup == Group::Means ? kMean1 : kSquare1;

// The group's signals where the pictures have these samples.
template <Group kGroup>
HWY_INLINE void signals(V r, V t, V (&out)[kLines<kGroup>]) {
  if constexpr (kGroup == Group::Means) {
    out[0] = r;
    out[1] = t;
  } else {
    out[0] = hn::Mul(r, r);
    out[1] = hn::Mul(t, t);
    out[2] = hn::Mul(r, t);
  }
}

// Of rows whose columns are at r and t.
template <Group kGroup>
HWY_INLINE void padded_sums(const float* r, const float* t, int n, int k, V (&sum)[kLines<kGroup>]) {
  const V zero = hn::Zero(d);
  const auto load = [&](const float* row, int at)
                        HWY_ATTR { return at >= 0 && at < n ? hn::Load(d, row + at * kBlockRows) : zero; };
  V behind[kLines<kGroup>], ahead[kLines<kGroup>];
  signals<kGroup>(load(r, k - kBehind), load(t, k - kBehind), behind);
  signals<kGroup>(load(r, k + kAhead), load(t, k + kAhead), ahead);
  for (int l = 0; l < kLines<kGroup>; ++l) sum[l] = hn::Add(behind[l], ahead[l]);
}

template <Group kGroup>
HWY_INLINE void inner_sums(const float* r, const float* t, int k, V (&sum)[kLines<kGroup>]) {
  V behind[kLines<kGroup>], ahead[kLines<kGroup>];
  signals<kGroup>(hn::Load(d, r + (k - kBehind) * kBlockRows), hn::Load(d, t + (k - kBehind) * kBlockRows), behind);
  signals<kGroup>(hn::Load(d, r + (k + kAhead) * kBlockRows), hn::Load(d, t + (k + kAhead) * kBlockRows), ahead);
  for (int l = 0; l < kLines<kGroup>; ++l) sum[l] = hn::Add(behind[l], ahead[l]);
}

// Where column k of a row of a blurred signal is, from where column 0 is.
HWY_INLINE float* column_of(float* row, int k) {
  return row + k / kTileColumns * (kSignals * kRingTile) + k % kTileColumns;
}

HWY_INLINE void store_four(V (&v)[4], float* row, int k) {
  float* to = column_of(row, k);
  transpose(v[0], v[1], v[2], v[3]);
  for (int j = 0; j < 4; ++j) store_quads(d, v[j], to + j * kTileColumns, kTileColumns);
}

HWY_INLINE void store_column(V v, float* row, int k) {
  float* to = column_of(row, k);
  HWY_ALIGN float lane[kLanes];
  hn::Store(v, d, lane);
  for (int i = 0; i < kLanes; ++i) to[i * kTileColumns] = lane[i];
}

// r, t: the columns of the group of rows; out: where column 0 of the group's first row is in the ring of signal 0.
template <bool kRgb, Group kGroup>
void blur_lines(const float* r, const float* t, int n, float* out) {
  constexpr int kCount = kLines<kGroup>;
  out += kFirstSignal<kGroup> * kRingTile;
  State state[kCount];
  for (State& s : state) s = zero_state();
  int k = -kAhead;
  const auto single_until = [&](int end) HWY_ATTR {
    for (; k < end; ++k) {
      V sum[kCount];
      padded_sums<kGroup>(r, t, n, k, sum);
      for (int l = 0; l < kCount; ++l) {
        V value;
        if constexpr (kRgb)
          value = single_step(state[l], sum[l]);
        else
          value = step<false>(state[l], sum[l]);
        if (k >= 0) store_column(value, out + l * kRingTile, k);
      }
    }
  };
  // Any step from kBehind on, and a multiple of 4, so that four columns are in one tile.
  constexpr int kFirst = RgbDialect::kFirstBlock;
  static_assert(kFirst >= kBehind);
  single_until(std::min(n, kFirst));
  for (; k < n - RgbDialect::kBlocksUntil; k += 4) {
    V sum[4][kCount];
    V value[kCount][4];
    for (int j = 0; j < 4; ++j) {
      inner_sums<kGroup>(r, t, k + j, sum[j]);
      if constexpr (!kRgb)
        for (int l = 0; l < kCount; ++l) value[l][j] = step<false>(state[l], sum[j][l]);
    }
    for (int l = 0; l < kCount; ++l) {
      if constexpr (kRgb) {
        const V four[4] = {sum[0][l], sum[1][l], sum[2][l], sum[3][l]};
        block_step(state[l], four, value[l]);
      }
      store_four(value[l], out + l * kRingTile, k);
    }
  }
  single_until(n);
}

template <bool kRgb>
HWY_INLINE void all_lines(const ChannelBlock& block) {
  float* ring = block.blurred + block.first % kRingRows * kTileColumns;
  for (int group = 0; block.first < block.height && group < kBlockRows; group += kLanes) {
    const float* r = block.turned[0] + group;
    const float* t = block.turned[1] + group;
    blur_lines<kRgb, Group::Means>(r, t, block.width, ring + group * kTileColumns);
    if (block.ssim) blur_lines<kRgb, Group::Products>(r, t, block.width, ring + group * kTileColumns);
  }
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

// Blurs one vector of columns of a group's signals, and leaves the values of the block's rows in `out`. `ring` and
// `memory` are those of the columns and of signal 0.
template <bool kRgb, Group kGroup>
HWY_INLINE void blur_columns(const float* ring, float* memory, int first, int steps,
                             float (*out)[kBlockRows * kLanes]) {
  constexpr int kCount = kLines<kGroup>;
  constexpr int kSignal = kFirstSignal<kGroup>;
  State s[kCount];
  for (int l = 0; l < kCount; ++l) {
    const float* from = memory + (kSignal + l) * kStateTile;
    for (int i = 0; i < kTerms; ++i) {
      s[l].p1[i] = hn::Load(d, from + i * kTileColumns);
      s[l].p2[i] = hn::Load(d, from + (kTerms + i) * kTileColumns);
    }
  }
  // Above the picture the ring is zero.
  for (int j = 0; j < steps; ++j) {
    const int ahead = first + j;
    const int behind = ahead + kRingRows - kAhead - kBehind;
    for (int l = 0; l < kCount; ++l) {
      const float* from = ring + (kSignal + l) * kRingTile;
      const V sum = hn::Add(hn::Load(d, from + behind % kRingRows * kTileColumns),
                            hn::Load(d, from + ahead % kRingRows * kTileColumns));
      hn::Store(step<kRgb>(s[l], sum), d, out[kSignal + l] + j * kLanes);
    }
  }
  for (int l = 0; l < kCount; ++l) {
    float* to = memory + (kSignal + l) * kStateTile;
    for (int i = 0; i < kTerms; ++i) {
      hn::Store(s[l].p1[i], d, to + i * kTileColumns);
      hn::Store(s[l].p2[i], d, to + (kTerms + i) * kTileColumns);
    }
  }
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
    blur_columns<kRgb, Group::Means>(ring, memory, block.first, steps, blurred);
    if (block.ssim) {
      blur_columns<kRgb, Group::Products>(ring, memory, block.first, steps, blurred);
      for (int j = begin; j < steps; ++j)
        ssim_errors<kRgb>(blurred, j, block.errors + static_cast<size_t>(2 * j) * block.error_pitch + x);
    }
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
