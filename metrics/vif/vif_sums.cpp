// One pass over each scale. The picture is cut into strips of columns; down a strip, the rows under the filter stay in
// a ring in the first-level cache, from which moments, sums and the next scale's pictures come without going through
// memory.
//
// All filters run in 16-bit lanes: samples and halves of squares are made signed by subtracting 2^15 (which takes 2^31
// off a filter's sum, since taps add up to 2^16), and two taps at a time are multiplied and added into 32-bit lanes. A
// square's high and low halves are filtered separately; as the sums are rounded only after adding both, nothing is
// lost.
#include "vif/vif_sums.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "core/row_reader.h"
#include "core/simd.h"
#include "vif/vif_arithmetic.h"
#include "vif/vif_log.h"
#include "vif/vif_plain.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "vif/vif_sums.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#ifndef QC_VIF_SUMS_SHARED
#define QC_VIF_SUMS_SHARED
namespace qc::vif {

// Pictures of one scale and where the next scale's go.
struct ScalePictures {
  PlaneView picture[2];  // reference, distorted
  uint16_t* next[2];     // nullptr at the last scale
  size_t next_pitch;     // in samples; room for a vector after the last one
};

// A filter as pairs of taps: rows (or columns) are taken two at a time, starting at an even one, and the same pairs
// serve the even and the odd output.
template <int kScale>
struct PairedTaps {
  static constexpr int kReach = (kRadius[kScale] + 1) / 2 * 2;  // rows above the even output
  static constexpr int kPairs = kReach + 1;
  // The centre tap of scale 3 exceeds 16 bits. 2^16 less fits; the rest is added as the sample times 2^16.
  static constexpr bool kWideCentre = tap(kScale, 0) > 32767;
  static constexpr int32_t pair(int first) {
    const auto a = static_cast<uint16_t>(tap(kScale, first));
    const auto b = static_cast<uint16_t>(tap(kScale, first + 1));
    return static_cast<int32_t>(uint32_t{a} | uint32_t{b} << 16);
  }
  static constexpr int32_t even(int j) { return pair(2 * j - kReach); }
  static constexpr int32_t odd(int j) { return pair(2 * j - 1 - kReach); }
  // All of them in memory. Not constant, since compilers would keep constants in more registers than there are.
  int32_t pairs[kPairs][2];
  PairedTaps() {
    for (int j = 0; j < kPairs; ++j) {
      pairs[j][0] = even(j);
      pairs[j][1] = odd(j);
    }
  }
};

// Smaller pictures have scales of a single row or column, which libvmaf handles in its own way.
constexpr int kLeastVectorSize = 16;

constexpr int kStrip = 640;  // columns
// Columns of a buffer: a strip, what the filter reaches on both sides, rounded up to whole vectors; a multiple of 64
// keeps rows aligned.
constexpr int kBufferColumns = (kStrip + 2 * 8 + 2 + 63) / 64 * 64;

// Copies columns x … x + n - 1 of a row, mirrored beyond its ends. Returns low-aligned samples.
template <class T>
void copy_mirrored(const PlaneView& plane, int y, int x, int n, T* out) {
  const T* row = reinterpret_cast<const T*>(plane.data + mirror(y, plane.height) * plane.stride);
  const int first = std::max(x, 0);
  const int last = std::min(x + n, plane.width);
  if (plane.shift == 0 && plane.step == 1) {
    std::memcpy(out + (first - x), row + first, static_cast<size_t>(last - first) * sizeof(T));
  } else {
    unpack_row(row + first * plane.step, plane.step, plane.shift, last - first, out + (first - x));
  }
  auto sample = [&](int c) { return static_cast<T>(row[mirror(c, plane.width) * plane.step] >> plane.shift); };
  for (int c = x; c < first; ++c) out[c - x] = sample(c);
  for (int c = last; c < x + n; ++c) out[c - x] = sample(c);
}

}  // namespace qc::vif
#endif

HWY_BEFORE_NAMESPACE();
namespace qc::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if QC_PLAIN_TARGET
void vif_sums(const PlaneView& reference, const PlaneView& distorted, const VifRequest& request, VifScratch&,
              VifSums sums[kVifScales]) {
  plain::vif_sums(reference, distorted, request, sums);
}
void vif_logarithms(const double* numbers, size_t count, int32_t* out) {
  for (size_t i = 0; i < count; ++i) out[i] = vif::logarithm(static_cast<uint64_t>(numbers[i]), vif::log_residuals());
}
#else

using vif::kBufferColumns;
using vif::kLogPolynomial;
using vif::kStrip;
using vif::PairedTaps;

using D16 = hn::ScalableTag<int16_t>;
using D32 = hn::Repartition<int32_t, D16>;
using DU16 = hn::RebindToUnsigned<D16>;
using DU32 = hn::RebindToUnsigned<D32>;
using DU64 = hn::Repartition<uint64_t, D32>;
using DI64 = hn::Repartition<int64_t, D32>;
using DF64 = hn::Repartition<double, D32>;
using V16 = hn::VFromD<D16>;
using V32 = hn::VFromD<D32>;
using VU16 = hn::VFromD<DU16>;
using VU32 = hn::VFromD<DU32>;
using VU64 = hn::VFromD<DU64>;
using VF64 = hn::VFromD<DF64>;

constexpr int kLanes16 = static_cast<int>(hn::MaxLanes(D16()));
constexpr int kLanes32 = kLanes16 / 2;
constexpr uint32_t kBias32 = 0x80000000U;
alignas(16) constexpr uint8_t kHalvesOrder[16] = {0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15};

// sum + a[2i] * b[2i] + a[2i + 1] * b[2i + 1], modulo 2^32
HWY_INLINE V32 add_pairs(V32 sum, V16 a, V16 b) {
  const D32 d;
#if HWY_ARCH_X86
  V32 unused = sum;
  return hn::ReorderWidenMulAccumulate(d, a, b, sum, unused);
#else
  const V32 a32 = hn::BitCast(d, a);
  const V32 b32 = hn::BitCast(d, b);
  const V32 low = hn::Mul(hn::ShiftRight<16>(hn::ShiftLeft<16>(a32)), hn::ShiftRight<16>(hn::ShiftLeft<16>(b32)));
  const V32 high = hn::Mul(hn::ShiftRight<16>(a32), hn::ShiftRight<16>(b32));
  return hn::Add(sum, hn::Add(low, high));
#endif
}

// Keeps GCC from computing all products of unrolled filters first, of which there are more than registers.
template <class V>
HWY_INLINE V in_order(V v) {
#if HWY_COMPILER_GCC && HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  asm("" : "+v"(v.raw));
#elif HWY_COMPILER_GCC && HWY_ARCH_X86
  asm("" : "+x"(v.raw));
#endif
  return v;
}

HWY_INLINE VU32 as_unsigned(V32 v) { return hn::BitCast(DU32(), v); }
HWY_INLINE V32 as_signed(VU32 v) { return hn::BitCast(D32(), v); }

// Adds pair kPair of kCount rows to the filter sums. Which taps are zero is known to the compiler: a test that it left
// in would cost more than the filter.
template <int kPair, int kCount, class Taps, class Load>
HWY_INLINE void filter_pair(const Taps& taps, Load load, V32 even[kCount], V32 odd[kCount]) {
  const D32 d;
  const D16 d16;
  const V16 even_taps = hn::BitCast(d16, hn::Set(d, taps.pairs[kPair][0]));
  const V16 odd_taps = hn::BitCast(d16, hn::Set(d, taps.pairs[kPair][1]));
  HWY_UNROLL(8)
  for (int i = 0; i < kCount; ++i) {
    const V16 v = in_order(load(kPair, i));
    if constexpr (Taps::even(kPair) != 0) even[i] = in_order(add_pairs(even[i], v, even_taps));
    if constexpr (Taps::odd(kPair) != 0) odd[i] = in_order(add_pairs(odd[i], v, odd_taps));
  }
}

template <int kCount, class Taps, class Load, int... kPair>
HWY_INLINE void filter_all_pairs(const Taps& taps, Load load, V32 even[kCount], V32 odd[kCount],
                                 std::integer_sequence<int, kPair...>) {
  (filter_pair<kPair, kCount>(taps, load, even, odd), ...);
}

// Filter sums of kCount rows of pairs, for the even and the odd output. Pair j of row i lies at load(j, i). Sum i
// starts at start(i).
template <int kCount, class Taps, class Load, class Start>
HWY_INLINE void filter_pairs(const Taps& taps, Load load, Start start, V32 even[kCount], V32 odd[kCount]) {
  const D32 d;
  HWY_UNROLL(8)
  for (int i = 0; i < kCount; ++i) even[i] = odd[i] = hn::Set(d, static_cast<int32_t>(start(i)));
  filter_all_pairs<kCount>(taps, load, even, odd, std::make_integer_sequence<int, Taps::kPairs>());
  if constexpr (Taps::kWideCentre) {
    HWY_UNROLL(8)
    for (int i = 0; i < kCount; ++i) {
      const V32 pair = hn::BitCast(d, load(Taps::kReach / 2, i));
      even[i] = hn::Add(even[i], hn::ShiftLeft<16>(pair));
      odd[i] = hn::Add(odd[i], hn::And(pair, hn::Set(d, static_cast<int32_t>(0xffff0000U))));
    }
  }
}

// Of numbers that fit, without Highway's treatment of those that don't.
HWY_INLINE V32 truncate(hn::Vec<hn::Repartition<float, D32> > v) {
#if HWY_TARGET == HWY_AVX3
  return V32{_mm512_cvttps_epi32(v.raw)};
#elif HWY_TARGET == HWY_AVX2
  return V32{_mm256_cvttps_epi32(v.raw)};
#else
  return hn::ConvertTo(D32(), v);
#endif
}

// 2048 * log2 of whole numbers, plus a constant that kLogOffset takes off: exponent and leading bits of the double are
// the table's index. Two vectors of doubles give one of 32-bit results in some order.
constexpr int32_t kLogOffset = 2048 * 1040;  // that of kNoise
HWY_INLINE V32 high_words(VF64 a, VF64 b) {
  const D32 d;
  return hn::OddEven(hn::BitCast(d, b), hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(DU64(), a))));
}
HWY_INLINE V32 logarithm(V32 high_words) {
  const D32 d;
  const V32 q = hn::ShiftRight<5>(high_words);
  if constexpr (kLanes32 < vif::kLogSegments) {
    const V32 index = hn::And(q, hn::Set(d, vif::kLogEntries - 1));
    const V32 residual = hn::GatherOffset(d, reinterpret_cast<const int32_t*>(vif::log_residuals()), index);
    return hn::Add(hn::ShiftRight<4>(q), hn::And(residual, hn::Set(d, 255)));
  } else {
    const hn::Repartition<float, D32> df;
    const V32 mantissa = hn::ShiftLeft<8>(hn::And(q, hn::Set(d, vif::kLogEntries - 1)));
    const auto segment = hn::IndicesFromVec(df, hn::ShiftRight<20>(mantissa));
    const auto of_segment = [&](const float* table)
                                HWY_ATTR { return hn::TableLookupLanes(hn::Load(df, table), segment); };
    const auto one = hn::Set(df, 1.0F);
    const auto x = hn::Or(hn::BitCast(df, mantissa), one);
    const auto t = hn::MulSub(x, of_segment(kLogPolynomial.reciprocal), one);
    auto p = hn::MulAdd(hn::Set(df, kLogPolynomial.c4), t, hn::Set(df, kLogPolynomial.c3));
    p = hn::MulAdd(p, t, hn::Set(df, kLogPolynomial.c2));
    p = hn::MulAdd(p, t, of_segment(kLogPolynomial.slope));
    p = hn::MulAdd(p, t, of_segment(kLogPolynomial.constant));
    return hn::ShiftRight<4>(hn::Add(q, truncate(p)));
  }
}

// Rows of a strip after the vertical pass, biased. A square or product is a high and a low half.
enum Row { kMeanR, kMeanD, kProductHigh, kProductLow, kSquareRHigh, kSquareRLow, kSquareDHigh, kSquareDLow, kRows };

// Buffers of a strip.
template <class T>
struct VifStrip {
  // Quantities in the ring: both samples, then the product and the squares: whole ones of 8-bit samples, else high and
  // low halves.
  static constexpr int kQuantities = sizeof(T) == 1 ? 5 : 8;
  static constexpr int kSlots = 9;
  alignas(64) T samples[2][2][kBufferColumns];  // picture, row of a pair
  alignas(64) int32_t ring[kSlots][kQuantities][kBufferColumns];
  alignas(64) int16_t rows[2][kRows][kBufferColumns];  // even and odd output row
  alignas(64) int16_t next[2][kBufferColumns];         // of the next scale, before the horizontal pass
  // Pixels of an output row, in some order: variances and covariance, then the high words of the logarithms' arguments.
  alignas(64) int32_t reference[kStrip];
  alignas(64) int32_t distorted[kStrip];
  alignas(64) int32_t both[kStrip];
};

template <class T, int kScale>
class ScalePass {
  using Taps = PairedTaps<kScale>;
  static constexpr int kReach = Taps::kReach;
  static constexpr int kNext = kScale < 3 ? kScale + 1 : 3;
  using NextTaps = PairedTaps<kNext>;
  static constexpr int kQuantities = VifStrip<T>::kQuantities;

 public:
  ScalePass(const vif::ScalePictures& pictures, const VifRequest& request, bool moments, VifSums& sums,
            uint8_t* scratch)
      : pictures_(pictures),
        request_(request),
        moments_(moments),
        sums_(sums),
        strip_(*reinterpret_cast<VifStrip<T>*>(scratch)),
        kept_(reinterpret_cast<int32_t*>(scratch + sizeof(VifStrip<T>))),
        width_(pictures.picture[0].width),
        height_(pictures.picture[0].height) {
    const vif::Shifts shifts = vif::shifts(kScale, pictures.picture[0].depth);
    mean_shift_ = shifts.mean;
    square_shift_ = shifts.square;
    // Samples of 15 bits are signed as they are.
    sample_bias_ = pictures.picture[0].depth == 16 ? 0x8000 : 0;
    mean_bias_ = sample_bias_ ? 0 : 0x8000;
  }

  static size_t scratch_bytes(const VifRequest& request) {
    return sizeof(VifStrip<T>) + request.gain_limits.size() * kStrip * sizeof(int32_t);
  }

  void run() {
    std::memset(static_cast<void*>(&strip_), 0, sizeof(strip_));
    for (int x = 0; x < width_; x += kStrip) run_strip(x, std::min(kStrip, width_ - x));
    sums_.flat_count = moments_ ? int64_t{width_} * height_ - signal_count_ : 0;
  }

 private:
  void run_strip(int x, int columns) {
    for (int row = -kReach; row < kReach; row += 2) load_pair(row, x, columns);
    for (int y = 0; y < height_; y += 2) {
      load_pair(y + kReach, x, columns);
      const int32_t* slots[Taps::kPairs];
      for (int j = 0; j < Taps::kPairs; ++j) slots[j] = slot(y - kReach + 2 * j);
      if (moments_) {
        moments_of_rows(slots, columns);
        for (int i = 0; i < 2 && y + i < height_; ++i) {
          const int pixels = variances_of_row(strip_.rows[i], columns);
          add_logarithms(logarithm_arguments(pixels));
        }
      }
      if (kScale < 3 && y / 2 < height_ / 2) next_scale_row(slots, x, y, columns);
    }
  }

  int32_t* slot(int row) { return &strip_.ring[static_cast<size_t>((row + kReach) / 2 % Taps::kPairs)][0][0]; }

  // Puts rows `row` and `row` + 1 into the ring. Both halves of a vector of pairs are in the order of Interleave, which
  // ReorderDemote2To undoes.
  void load_pair(int row, int x, int columns) {
    const int n = columns + 2 * kReach + 2;
    for (int p = 0; p < 2; ++p)
      for (int i = 0; i < 2; ++i)
        vif::copy_mirrored(pictures_.picture[p], row + i, x - kReach, n, strip_.samples[p][i]);
    int32_t* const out = slot(row);
    const DU16 d;
    const hn::Rebind<T, DU16> dt;
    const VU16 bias = hn::Set(d, static_cast<uint16_t>(0x8000));
    const VU16 sample_bias = hn::Set(d, static_cast<uint16_t>(sample_bias_));
    auto widen = [&](const T* p) {
      if constexpr (sizeof(T) == 1) {
        return hn::PromoteTo(d, hn::Load(dt, p));
      } else {
        return hn::Load(d, p);
      }
    };
    auto store = [&](VU16 v, int quantity, int c) {
      hn::Store(hn::BitCast(D32(), v), D32(), out + quantity * kBufferColumns + c);
    };
    auto store_pairs = [&](VU16 r, VU16 t, int c) {
      store(hn::Xor(r, sample_bias), 0, c);
      store(hn::Xor(t, sample_bias), 1, c);
      if (!moments_) return;
      if constexpr (sizeof(T) == 1) {
        store(hn::Xor(hn::Mul(r, t), bias), 2, c);
        store(hn::Xor(hn::Mul(r, r), bias), 3, c);
        store(hn::Xor(hn::Mul(t, t), bias), 4, c);
      } else {
        store(hn::Xor(hn::MulHigh(r, t), bias), 2, c);
        store(hn::Xor(hn::Mul(r, t), bias), 3, c);
        store(hn::Xor(hn::MulHigh(r, r), bias), 4, c);
        store(hn::Xor(hn::Mul(r, r), bias), 5, c);
        store(hn::Xor(hn::MulHigh(t, t), bias), 6, c);
        store(hn::Xor(hn::Mul(t, t), bias), 7, c);
      }
    };
    for (int c = 0; c < n; c += kLanes16) {
      const VU16 r0 = widen(strip_.samples[0][0] + c);
      const VU16 r1 = widen(strip_.samples[0][1] + c);
      const VU16 t0 = widen(strip_.samples[1][0] + c);
      const VU16 t1 = widen(strip_.samples[1][1] + c);
      store_pairs(hn::InterleaveLower(d, r0, r1), hn::InterleaveLower(d, t0, t1), c);
      store_pairs(hn::InterleaveUpper(d, r0, r1), hn::InterleaveUpper(d, t0, t1), c + kLanes32);
    }
  }

  // Rounded mean, biased, of a filter sum that started at the rounding.
  HWY_INLINE V32 mean(V32 sum) const {
    return hn::Sub(hn::ShiftRightSame(sum, mean_shift_), hn::Set(D32(), mean_bias_));
  }

  // Rounded square, biased, from the sums over high and low halves. They started at their bias, the lower one's
  // rounding added, and the higher one's so that the result is biased.
  HWY_INLINE V32 square(V32 high, V32 low) const {
    const VU32 l = hn::ShiftRightSame(as_unsigned(low), square_shift_);
    const VU32 h = hn::ShiftLeftSame(as_unsigned(high), 16 - square_shift_);
    return as_signed(hn::Add(h, l));
  }

  HWY_INLINE static void store_mean(V32 a, V32 b, int16_t* out) {
    hn::Store(hn::ReorderDemote2To(D16(), a, b), D16(), out);
  }

  HWY_INLINE static void store_halves(V32 a, V32 b, int16_t* high, int16_t* low) {
    // Lower halves first, then higher ones, in each block of 16 bytes.
    const DU64 d64;
    const hn::Repartition<uint8_t, D16> d8;
    const auto order = hn::LoadDup128(d8, kHalvesOrder);
    const VU64 as = hn::BitCast(d64, hn::TableLookupBytes(hn::BitCast(d8, a), order));
    const VU64 bs = hn::BitCast(d64, hn::TableLookupBytes(hn::BitCast(d8, b), order));
    const V16 bias = hn::Set(D16(), static_cast<int16_t>(-32768));
    hn::Store(hn::BitCast(D16(), hn::InterleaveUpper(d64, as, bs)), D16(), high);
    hn::Store(hn::Xor(hn::BitCast(D16(), hn::InterleaveLower(d64, as, bs)), bias), D16(), low);
  }

  // The vertical pass: rows of means and squares of two output rows.
  void moments_of_rows(const int32_t* const* slots, int columns) {
    const D32 d;
    const D16 d16;
    const int n = columns + 2 * kReach + 2;
    auto& rows = strip_.rows;
    for (int c = 0; c < n; c += kLanes16) {
      auto load = [&](int quantity, int half) {
        return [=](int j, int i) {
          return hn::BitCast(d16, hn::Load(d, slots[j] + (quantity + i) * kBufferColumns + c + half * kLanes32));
        };
      };
      const auto mean_start = [&](int) { return 1U << (mean_shift_ - 1); };
      // Index: half of a vector, output row, quantity.
      if constexpr (sizeof(T) == 1) {
        const auto start = [&](int i) { return i < 2 ? mean_start(i) : 0U; };
        V32 sum[2][2][5];
        for (int half = 0; half < 2; ++half) filter_pairs<5>(taps_, load(0, half), start, sum[half][0], sum[half][1]);
        for (int o = 0; o < 2; ++o) {
          for (int i = 0; i < 2; ++i) store_mean(mean(sum[0][o][i]), mean(sum[1][o][i]), rows[o][kMeanR + i] + c);
          for (int i = 0; i < 3; ++i)
            store_halves(sum[0][o][2 + i], sum[1][o][2 + i], rows[o][kProductHigh + 2 * i] + c,
                         rows[o][kProductLow + 2 * i] + c);
        }
      } else {
        const uint32_t high_start = kBias32 - (kBias32 >> (16 - square_shift_));
        const uint32_t low_start = kBias32 + (1U << (square_shift_ - 1));
        const auto square_start = [&](int i) { return i % 2 == 0 ? high_start : low_start; };
        const auto start = [&](int i) { return i < 2 ? mean_start(i) : square_start(i); };
        V32 sum[2][2][4];
        for (int half = 0; half < 2; ++half) filter_pairs<4>(taps_, load(0, half), start, sum[half][0], sum[half][1]);
        const auto store_square = [&](int o, int i, int row) {
          store_halves(square(sum[0][o][i], sum[0][o][i + 1]), square(sum[1][o][i], sum[1][o][i + 1]), rows[o][row] + c,
                       rows[o][row + 1] + c);
        };
        for (int o = 0; o < 2; ++o) {
          for (int i = 0; i < 2; ++i) store_mean(mean(sum[0][o][i]), mean(sum[1][o][i]), rows[o][kMeanR + i] + c);
          store_square(o, 2, kProductHigh);
        }
        for (int half = 0; half < 2; ++half)
          filter_pairs<4>(taps_, load(4, half), square_start, sum[half][0], sum[half][1]);
        for (int o = 0; o < 2; ++o) {
          store_square(o, 0, kSquareRHigh);
          store_square(o, 2, kSquareDHigh);
        }
      }
    }
  }

  // High halves of rounded products.
  HWY_INLINE static V32 rounded_high(VU32 a, VU32 b) {
    const DU64 d;
    const VU64 round = hn::Set(d, uint64_t{kBias32});
    const VU64 even = hn::Add(hn::MulEven(a, b), round);
    const VU64 odd = hn::Add(hn::MulEven(odd_lanes(a), odd_lanes(b)), round);
    return hn::OddEven(hn::BitCast(D32(), odd), hn::BitCast(D32(), hn::ShiftRight<32>(even)));
  }
  HWY_INLINE static VU32 odd_lanes(VU32 v) { return hn::BitCast(DU32(), hn::ShiftRight<32>(hn::BitCast(DU64(), v))); }

  // The horizontal pass over one row. Returns how many pixels there are with those that fill vectors up, which are 0.
  int variances_of_row(const int16_t (*rows)[kBufferColumns], int columns) const {
    int n = 0;
    const D16 d16;
    const D32 d;
    for (int c = 0; c < columns; c += kLanes16) {
      auto load = [&](int row) { return [=](int j, int i) { return hn::LoadU(d16, rows[row + i] + c + 2 * j); }; };
      // Sums start at their bias; those of low halves also at what rounds them.
      V32 product[2][4];
      filter_pairs<4>(
          taps_, load(kMeanR), [](int i) { return kBias32 + (i == 3 ? 32768U : 0U); }, product[0], product[1]);
      V32 square[2][4];
      filter_pairs<4>(
          taps_, load(kSquareRHigh), [](int i) { return kBias32 + (i % 2 == 1 ? 32768U : 0U); }, square[0], square[1]);
      HWY_UNROLL(2)
      for (int odd = 0; odd < 2; ++odd) {
        const VU32 mean_r = as_unsigned(product[odd][0]);
        const VU32 mean_d = as_unsigned(product[odd][1]);
        V32 reference = hn::Sub(whole(square[odd][0], square[odd][1]), rounded_high(mean_r, mean_r));
        V32 distorted = hn::Sub(whole(square[odd][2], square[odd][3]), rounded_high(mean_d, mean_d));
        const V32 both = hn::Sub(whole(product[odd][2], product[odd][3]), rounded_high(mean_r, mean_d));
        distorted = hn::Max(distorted, hn::Zero(d));
        if (const int valid = (columns - c + 1 - odd) / 2; valid < kLanes32) {
          const auto mask = hn::FirstN(d, static_cast<size_t>(valid));
          reference = hn::IfThenElseZero(mask, reference);
          distorted = hn::IfThenElseZero(mask, distorted);
        }
        hn::Store(reference, d, strip_.reference + n);
        hn::Store(distorted, d, strip_.distorted + n);
        hn::Store(both, d, strip_.both + n);
        n += kLanes32;
      }
    }
    return n;
  }

  // A rounded square from the sums over its halves.
  HWY_INLINE static V32 whole(V32 high, V32 low) {
    return hn::Add(high, as_signed(hn::ShiftRight<16>(as_unsigned(low))));
  }

  // Counts pixels without a signal and adds them up. Of vectors that have a signal, leaves the high words of the
  // logarithms' arguments; returns how many those are.
  int logarithm_arguments(int pixels) {
    const D32 d;
    const DU64 d64;
    const DF64 f;
    const hn::Rebind<int32_t, DF64> d_half;
    const V32 zero = hn::Zero(d);
    const VF64 noise = hn::Set(f, double(vif::kNoise));
    VU64 flat_numerator = hn::Zero(d64);
    V32 signal_count = zero;
    int n = 0;
    for (int k = 0; k < pixels; k += kLanes32) {
      V32 reference = hn::Load(d, strip_.reference + k);
      const V32 distorted = hn::Load(d, strip_.distorted + k);
      V32 both = hn::Load(d, strip_.both + k);
      const auto signal = hn::Gt(reference, hn::Set(d, vif::kNoise - 1));
      const VU64 flat = hn::BitCast(d64, hn::IfThenZeroElse(signal, distorted));
      flat_numerator =
          hn::Add(flat_numerator, hn::Add(hn::ShiftRight<32>(flat), hn::And(flat, hn::Set(d64, 0xffffffffU))));
      if (hn::AllFalse(d, signal)) continue;
      signal_count = hn::Sub(signal_count, hn::VecFromMask(d, signal));
      // Pixels without a signal, and covariances that don't count, are 0 from here on: the logarithms' differences are,
      // too.
      reference = hn::IfThenElseZero(signal, reference);
      both = hn::IfThenElseZero(hn::And(signal, hn::Gt(distorted, zero)), hn::Max(both, zero));
      struct Half {
        VF64 reference, gain, first;
      };
      auto compute = [&](auto r, auto t, auto b) HWY_ATTR {
        const VF64 rf = hn::PromoteTo(f, r);
        const VF64 bf = hn::PromoteTo(f, b);
        const VF64 gain = hn::Div(bf, hn::Add(rf, hn::Set(f, vif::kEpsilon)));
        const VF64 rest = hn::Trunc(hn::Sub(hn::PromoteTo(f, t), hn::Mul(gain, bf)));
        return Half{rf, gain, hn::Add(hn::Max(rest, hn::Zero(f)), noise)};
      };
      const Half low =
          compute(hn::LowerHalf(d_half, reference), hn::LowerHalf(d_half, distorted), hn::LowerHalf(d_half, both));
      const Half high =
          compute(hn::UpperHalf(d_half, reference), hn::UpperHalf(d_half, distorted), hn::UpperHalf(d_half, both));
      for (size_t i = 0; i < request_.gain_limits.size(); ++i) {
        const VF64 limit = hn::Set(f, request_.gain_limits[i]);
        auto second = [&](const Half& half) HWY_ATTR {
          const VF64 g = hn::Min(half.gain, limit);
          return hn::Add(hn::Trunc(hn::Mul(hn::Mul(g, g), half.reference)), half.first);
        };
        hn::Store(high_words(second(low), second(high)), d, kept_ + i * kStrip + n);
      }
      hn::Store(high_words(hn::Add(low.reference, noise), hn::Add(high.reference, noise)), d, strip_.reference + n);
      hn::Store(high_words(low.first, high.first), d, strip_.distorted + n);
      n += kLanes32;
    }
    sums_.flat_numerator += static_cast<int64_t>(hn::GetLane(hn::SumOfLanes(d64, flat_numerator)));
    signal_count_ += total(signal_count);
    return n;
  }

  static int64_t total(V32 v) {
    alignas(64) int32_t lanes[kLanes32];
    hn::Store(v, D32(), lanes);
    int64_t sum = 0;
    for (int32_t lane : lanes) sum += lane;
    return sum;
  }

  // Sum of the logarithms of n numbers, plus kLogOffset for each.
  HWY_INLINE static int64_t sum_logarithms(const int32_t* high_words, int n) {
    const D32 d;
    V32 sum = hn::Zero(d);
    for (int k = 0; k < n; k += kLanes32) sum = hn::Add(sum, logarithm(hn::Load(d, high_words + k)));
    return total(sum);
  }

  void add_logarithms(int n) {
    sums_.log_denominator += sum_logarithms(strip_.reference, n) - int64_t{kLogOffset} * n;
    const int64_t first = sum_logarithms(strip_.distorted, n);
    for (size_t i = 0; i < request_.gain_limits.size(); ++i)
      sums_.log_numerator[i] += sum_logarithms(kept_ + i * kStrip, n) - first;
  }

  // Row y / 2 of the next scale's pictures.
  void next_scale_row(const int32_t* const* slots, int x, int y, int columns) {
    if constexpr (kScale < 3) {
      const D16 d16;
      const D32 d;
      constexpr int kShift = (kReach - NextTaps::kReach) / 2;
      const int n = columns + 2 * kReach + 2;
      V32 even[2];
      V32 odd[2];
      for (int c = 0; c < n; c += kLanes16) {
        V32 sum[2][2];
        for (int half = 0; half < 2; ++half) {
          auto load = [&](int j, int i) {
            return hn::BitCast(d16, hn::Load(d, slots[j + kShift] + i * kBufferColumns + c + half * kLanes32));
          };
          filter_pairs<2>(
              next_taps_, load, [&](int) { return 1U << (mean_shift_ - 1); }, sum[half], odd);
        }
        for (int p = 0; p < 2; ++p) store_mean(mean(sum[0][p]), mean(sum[1][p]), strip_.next[p] + c);
      }
      const hn::Rebind<int16_t, D32> d_half;
      const hn::RebindToUnsigned<decltype(d_half)> du_half;
      for (int c = 0; c < columns; c += kLanes16) {
        auto load = [&](int j, int i) {
          return hn::LoadU(d16, strip_.next[i] + c + kReach - NextTaps::kReach + 2 * j);
        };
        filter_pairs<2>(
            next_taps_, load, [](int) { return 32768U; }, even, odd);
        for (int p = 0; p < 2; ++p) {
          const V32 rounded = hn::ShiftRight<16>(even[p]);
          const auto samples = hn::BitCast(du_half, hn::DemoteTo(d_half, rounded));
          uint16_t* const out = pictures_.next[p] + static_cast<size_t>(y / 2) * pictures_.next_pitch + (x + c) / 2;
          hn::StoreU(hn::Xor(samples, hn::Set(du_half, static_cast<uint16_t>(0x8000))), du_half, out);
        }
      }
    }
  }

  Taps taps_;
  NextTaps next_taps_;
  const vif::ScalePictures& pictures_;
  const VifRequest& request_;
  const bool moments_;
  VifSums& sums_;
  VifStrip<T>& strip_;
  int32_t* const kept_;  // a row of high words for each gain limit
  const int width_;
  const int height_;
  int mean_shift_;
  int square_shift_;
  int sample_bias_;
  int mean_bias_;
  int64_t signal_count_ = 0;
};

void vif_logarithms(const double* numbers, size_t count, int32_t* out) {
  const D32 d;
  const DF64 f;
  for (size_t i = 0; i < count; i += kLanes32) {
    // Every second number, as the logarithm of two vectors puts their results.
    hn::Vec<DF64> half[2];
    alignas(64) double lanes[2][kLanes32 / 2];
    for (size_t k = 0; k < kLanes32; ++k) lanes[k % 2][k / 2] = numbers[i + k];
    for (int h = 0; h < 2; ++h) half[h] = hn::Load(f, lanes[h]);
    hn::StoreU(logarithm(high_words(half[0], half[1])), d, out + i);
  }
}

template <class T, int kScale>
void run_scale(const vif::ScalePictures& pictures, const VifRequest& request, bool moments, VifSums& sums,
               uint8_t* scratch) {
  ScalePass<T, kScale>(pictures, request, moments, sums, scratch).run();
}

void vif_sums(const PlaneView& reference, const PlaneView& distorted, const VifRequest& request, VifScratch& scratch,
              VifSums sums[kVifScales]) {
  if (reference.width < vif::kLeastVectorSize || reference.height < vif::kLeastVectorSize)
    return plain::vif_sums(reference, distorted, request, sums);
  // The pictures of scales 1 to 3, reference and distorted, behind the buffers of a pass.
  struct Size {
    int width, height;
    size_t pitch;
    size_t samples() const { return pitch * static_cast<size_t>(height); }
  };
  Size size[kVifScales];
  size[0] = {reference.width, reference.height, 0};
  size_t bytes = ScalePass<uint16_t, 0>::scratch_bytes(request);
  const size_t pictures_at = bytes;
  for (int s = 1; s < kVifScales; ++s) {
    size[s] = {size[s - 1].width / 2, size[s - 1].height / 2, 0};
    size[s].pitch = static_cast<size_t>(size[s].width + kLanes16);
    bytes += 2 * size[s].samples() * sizeof(uint16_t);
  }
  uint8_t* const memory = scratch.reserve(bytes);
  auto* next = reinterpret_cast<uint16_t*>(memory + pictures_at);
  PlaneView picture[2] = {reference, distorted};
  for (int s = 0; s < kVifScales; ++s) {
    sums[s] = {std::vector<int64_t>(request.gain_limits.size()), 0, 0, 0};
    vif::ScalePictures pictures{{picture[0], picture[1]}, {nullptr, nullptr}, 0};
    if (s < kVifScales - 1) {
      const Size& n = size[s + 1];
      pictures.next_pitch = n.pitch;
      for (int p = 0; p < 2; ++p) {
        pictures.next[p] = next;
        picture[p] = {reinterpret_cast<const uint8_t*>(next),
                      static_cast<int64_t>(n.pitch * sizeof(uint16_t)),
                      n.width,
                      n.height,
                      2,
                      1,
                      0,
                      16};
        next += n.samples();
      }
    }
    if (s == 0 && reference.bytes == 1) run_scale<uint8_t, 0>(pictures, request, request.scale0, sums[s], memory);
    if (s == 0 && reference.bytes == 2) run_scale<uint16_t, 0>(pictures, request, request.scale0, sums[s], memory);
    if (s == 1) run_scale<uint16_t, 1>(pictures, request, true, sums[s], memory);
    if (s == 2) run_scale<uint16_t, 2>(pictures, request, true, sums[s], memory);
    if (s == 3) run_scale<uint16_t, 3>(pictures, request, true, sums[s], memory);
  }
}
#endif

}  // namespace qc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qc {
namespace {
HWY_EXPORT(vif_sums);
HWY_EXPORT(vif_logarithms);
}  // namespace

void vif_sums(const PlaneView& reference, const PlaneView& distorted, const VifRequest& request, VifScratch& scratch,
              VifSums sums[kVifScales]) {
  HWY_DYNAMIC_DISPATCH(vif_sums)(reference, distorted, request, scratch, sums);
}

void vif_logarithms(const double* numbers, size_t count, int32_t* out) {
  HWY_DYNAMIC_DISPATCH(vif_logarithms)(numbers, count, out);
}

}  // namespace qc
#endif
