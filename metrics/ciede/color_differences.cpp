#include "ciede/color_differences.h"

#include <algorithm>
#include <cmath>

#include "ciede/chroma_position.h"
#include "ciede/pixel_parameters.h"
#include "core/row_reader.h"
#include "core/simd.h"
#include "math/ordered_sum_simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ciede/color_differences.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace qc::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if QC_PLAIN_TARGET
void color_differences(const PixelRows& rows, int count, int depth, double* differences) {
  plain::color_differences(rows, count, depth, differences);
}
#else

namespace {

using ciede::PowerTables;
using ciede::SampleScale;

using DF = hn::ScalableTag<float>;
using DI = hn::ScalableTag<int32_t>;
using DD = hn::ScalableTag<double>;
using DL = hn::ScalableTag<int64_t>;
using HalfF = hn::Half<DF>;
using HalfI = hn::Half<DI>;
using Vector = hn::Vec<DD>;

// As many numbers as a vector of float32 has. Two vectors side by side also keep the processor busy, since the
// operations of a pixel depend on each other.
struct Double {
  Vector first;
  Vector second;
};
struct Mask {
  hn::Mask<DD> first;
  hn::Mask<DD> second;
};
using Single = hn::Vec<DF>;
using Int = hn::Vec<DI>;

HWY_INLINE Double operator+(const Double& a, const Double& b) { return {a.first + b.first, a.second + b.second}; }
HWY_INLINE Double operator-(const Double& a, const Double& b) { return {a.first - b.first, a.second - b.second}; }
HWY_INLINE Double operator*(const Double& a, const Double& b) { return {a.first * b.first, a.second * b.second}; }
HWY_INLINE Double operator/(const Double& a, const Double& b) { return {a.first / b.first, a.second / b.second}; }

HWY_INLINE Double number(double v) {
  const Vector all = hn::Set(DD(), v);
  return {all, all};
}
HWY_INLINE Single single(float v) { return hn::Set(DF(), v); }
HWY_INLINE Int integer(int32_t v) { return hn::Set(DI(), v); }
HWY_INLINE Double widen(Single v) {
  return {hn::PromoteTo(DD(), hn::LowerHalf(HalfF(), v)), hn::PromoteTo(DD(), hn::UpperHalf(HalfF(), v))};
}
HWY_INLINE Double widen(Int v) {
  return {hn::PromoteTo(DD(), hn::LowerHalf(HalfI(), v)), hn::PromoteTo(DD(), hn::UpperHalf(HalfI(), v))};
}
HWY_INLINE Single narrow(const Double& v) {
  return hn::Combine(DF(), hn::DemoteTo(HalfF(), v.second), hn::DemoteTo(HalfF(), v.first));
}
HWY_INLINE Double square_root(const Double& v) { return {hn::Sqrt(v.first), hn::Sqrt(v.second)}; }

#if HWY_NATIVE_FMA
HWY_INLINE Vector fused_vector(Vector a, Vector b, Vector c) { return hn::MulAdd(a, b, c); }
HWY_INLINE Vector residue_vector(Vector c, Vector a, Vector b) { return hn::NegMulAdd(a, b, c); }
#else
HWY_INLINE Vector fused_vector(Vector a, Vector b, Vector c) {
  constexpr size_t kLanes = hn::MaxLanes(DD());
  HWY_ALIGN double x[kLanes];
  HWY_ALIGN double y[kLanes];
  HWY_ALIGN double z[kLanes];
  hn::Store(a, DD(), x);
  hn::Store(b, DD(), y);
  hn::Store(c, DD(), z);
  for (size_t i = 0; i < kLanes; ++i) x[i] = std::fma(x[i], y[i], z[i]);
  return hn::Load(DD(), x);
}
HWY_INLINE Vector residue_vector(Vector c, Vector a, Vector b) { return fused_vector(hn::Neg(a), b, c); }
#endif
HWY_INLINE Double fused(const Double& a, const Double& b, const Double& c) {
  return {fused_vector(a.first, b.first, c.first), fused_vector(a.second, b.second, c.second)};
}
HWY_INLINE Double residue(const Double& c, const Double& a, const Double& b) {
  return {residue_vector(c.first, a.first, b.first), residue_vector(c.second, a.second, b.second)};
}

HWY_INLINE Int bits(Single v) { return hn::BitCast(DI(), v); }
HWY_INLINE Single from_bits(Int v) { return hn::BitCast(DF(), v); }
HWY_INLINE Single to_single(Int v) { return hn::ConvertTo(DF(), v); }
// Of numbers that fit, without Highway's treatment of those that don't.
HWY_INLINE Int truncate(Single v) {
#if HWY_TARGET == HWY_AVX3
  return Int{_mm512_cvttps_epi32(v.raw)};
#elif HWY_TARGET == HWY_AVX2
  return Int{_mm256_cvttps_epi32(v.raw)};
#elif HWY_TARGET == HWY_SSE4
  return Int{_mm_cvttps_epi32(v.raw)};
#else
  return hn::ConvertTo(DI(), v);
#endif
}
HWY_INLINE Int whole(const Double& v) {
  return hn::Combine(DI(), hn::DemoteTo(HalfI(), v.second), hn::DemoteTo(HalfI(), v.first));
}
HWY_INLINE Int plus(Int a, Int b) { return a + b; }
HWY_INLINE Int and_bits(Int a, Int b) { return hn::And(a, b); }
template <int kShift>
HWY_INLINE Int shift_right(Int v) {
  return hn::ShiftRight<kShift>(v);
}
HWY_INLINE Double power_of_two(Int exponent) {
  const Int biased = exponent + integer(1023);
  return {hn::BitCast(DD(), hn::ShiftLeft<52>(hn::PromoteTo(DL(), hn::LowerHalf(HalfI(), biased)))),
          hn::BitCast(DD(), hn::ShiftLeft<52>(hn::PromoteTo(DL(), hn::UpperHalf(HalfI(), biased))))};
}
HWY_INLINE Double look_up(const double* table, Int index) {
  return {hn::GatherIndex(DD(), table, hn::PromoteTo(DL(), hn::LowerHalf(HalfI(), index))),
          hn::GatherIndex(DD(), table, hn::PromoteTo(DL(), hn::UpperHalf(HalfI(), index)))};
}

HWY_INLINE Mask greater(const Double& a, const Double& b) { return {a.first > b.first, a.second > b.second}; }
HWY_INLINE Mask equal(const Double& a, const Double& b) { return {a.first == b.first, a.second == b.second}; }
HWY_INLINE Mask both(const Mask& a, const Mask& b) { return {hn::And(a.first, b.first), hn::And(a.second, b.second)}; }
HWY_INLINE Mask either(const Mask& a, const Mask& b) { return {hn::Or(a.first, b.first), hn::Or(a.second, b.second)}; }
HWY_INLINE Double select(const Mask& m, const Double& yes, const Double& no) {
  return {hn::IfThenElse(m.first, yes.first, no.first), hn::IfThenElse(m.second, yes.second, no.second)};
}
HWY_INLINE Double absolute(const Double& v) { return {hn::Abs(v.first), hn::Abs(v.second)}; }

#define QC_LANES HWY_INLINE
#include "ciede/functions-inl.h"
#include "ciede/pixel-inl.h"
#undef QC_LANES

}  // namespace

// Reads and writes whole vectors of float32 and as many samples and float64.
void color_differences(const PixelRows& rows, int count, int depth, double* differences) {
  constexpr int kLanes = static_cast<int>(hn::MaxLanes(DI()));
  const hn::Rebind<uint16_t, DI> samples16;
  const SampleScale scale = ciede::sample_scale(depth);
  for (int x = 0; x < count; x += kLanes) {
    Int samples[2][3];
    for (int picture = 0; picture < 2; ++picture)
      for (int p = 0; p < 3; ++p)
        samples[picture][p] = hn::PromoteTo(DI(), hn::LoadU(samples16, rows.sample[picture][p] + x));
    const Int unequal = hn::Or(hn::Or(hn::Xor(samples[0][0], samples[1][0]), hn::Xor(samples[0][1], samples[1][1])),
                               hn::Xor(samples[0][2], samples[1][2]));
    Double difference = number(0.0);
    if (!hn::AllTrue(DI(), unequal == hn::Zero(DI()))) {
      Lab colors[2];
      for (int i = 0; i < 2; ++i)
        colors[i] = lab(widen(samples[i][0]), widen(samples[i][1]), widen(samples[i][2]), scale);
      difference = widen(color_difference(colors[0], colors[1], ciede::kPowerTables));
    }
    hn::StoreU(difference.first, DD(), differences + x);
    hn::StoreU(difference.second, DD(), differences + x + kLanes / 2);
  }
}
#endif

}  // namespace qc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qc {
namespace {

HWY_EXPORT(color_differences);

// Elements that vector code may read and write behind a row.
constexpr size_t kPadding = 16;

template <class T>
double sum_rows(const PairView& pair, QCChroma chroma, ColorDifferenceScratch& scratch) {
  const PlaneView& luma = pair.reference.plane[0];
  const int width = luma.width;
  const bool subsampled = chroma != QC_CHROMA_444;
  const PictureView* pictures[2] = {&pair.reference, &pair.distorted};
  RowReader<T> readers[2][3] = {{RowReader<T>(pair.reference.plane[0]), RowReader<T>(pair.reference.plane[1]),
                                 RowReader<T>(pair.reference.plane[2])},
                                {RowReader<T>(pair.distorted.plane[0]), RowReader<T>(pair.distorted.plane[1]),
                                 RowReader<T>(pair.distorted.plane[2])}};
  const size_t pitch = (static_cast<size_t>(width) + 2 * kPadding - 1) / kPadding * kPadding;
  if (scratch.pitch < pitch) {
    scratch.samples = hwy::AllocateAligned<uint16_t>(6 * pitch);
    scratch.differences = hwy::AllocateAligned<double>(pitch);
    std::fill_n(scratch.samples.get(), 6 * pitch, uint16_t{0});
    scratch.pitch = pitch;
  }
  uint16_t* samples[2][3];
  PixelRows rows;
  for (size_t i = 0; i < 2; ++i)
    for (size_t p = 0; p < 3; ++p) rows.sample[i][p] = samples[i][p] = scratch.samples.get() + (3 * i + p) * pitch;

  double sum = 0;
  int chroma_row = -1;
  for (int y = 0; y < luma.height; ++y) {
    for (size_t i = 0; i < 2; ++i) std::copy_n(readers[i][0].row(y), width, samples[i][0]);
    const int row = ciede::chroma_row(y, pair.reference.plane[1].height, subsampled);
    if (row != chroma_row) {
      chroma_row = row;
      for (size_t i = 0; i < 2; ++i) {
        for (int p = 1; p < 3; ++p) {
          const T* source = readers[i][p].row(row);
          uint16_t* out = samples[i][p];
          const int columns = pair.reference.plane[1].width;
          int x = 0;
          if (chroma == QC_CHROMA_420) {
            for (; x < 2 * columns; ++x) out[x] = source[x / 2];
          } else {
            for (; x < columns; ++x) out[x] = source[x];
          }
          for (; x < width; ++x)
            out[x] =
                static_cast<uint16_t>(ciede::chroma_sample(*pictures[i], p, row, chroma == QC_CHROMA_420 ? x / 2 : x));
        }
      }
    }
    HWY_DYNAMIC_DISPATCH(color_differences)(rows, width, luma.depth, scratch.differences.get());
    sum = ordered_sum(sum, scratch.differences.get(), static_cast<size_t>(width));
  }
  return sum;
}

}  // namespace

double sum_color_differences(const PairView& pair, QCChroma chroma, ColorDifferenceScratch& scratch) {
  return pair.reference.plane[0].bytes == 1 ? sum_rows<uint8_t>(pair, chroma, scratch)
                                            : sum_rows<uint16_t>(pair, chroma, scratch);
}

}  // namespace qc
#endif
