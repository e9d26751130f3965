#include "psnr/ansnr.h"

#include <cmath>

#include "core/simd.h"
#include "hwy/cache_control.h"
#include "psnr/ansnr_filter.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "psnr/ansnr.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#ifndef QC_PSNR_ANSNR_PLAIN
#define QC_PSNR_ANSNR_PLAIN
namespace qc::plain {

// Filters straight from the specification.
class AnsnrPicture {
 public:
  explicit AnsnrPicture(const PlaneView& plane) : plane_(plane), scale_(std::ldexp(1.0F, 8 - plane.depth)) {}

  float filtered3(int x, int y) const {
    static constexpr float kFilter3[3][3] = {
        {0.0625F, 0.125F, 0.0625F}, {0.125F, 0.25F, 0.125F}, {0.0625F, 0.125F, 0.0625F}};
    float sum = 0;
    for (int v = 0; v < 3; ++v) {
      float row_sum = 0;
      for (int u = 0; u < 3; ++u) row_sum += kFilter3[v][u] * sample(x - 1 + u, y - 1 + v);
      sum += row_sum;
    }
    return sum;
  }

  float filtered5(int x, int y) const {
    float sum = 0;
    for (int v = 0; v < 5; ++v) {
      const ansnr::Weights5& filter = ansnr::kFilter5[v < 3 ? v : 4 - v];
      float row_sum = 0;
      for (int u = 0; u < 5; ++u) row_sum += filter.w[u] * sample(x - 2 + u, y - 2 + v);
      sum += row_sum;
    }
    return sum;
  }

 private:
  float sample(int x, int y) const {
    return ansnr::sample(plane_.at(ansnr::mirror(x, plane_.width), ansnr::mirror(y, plane_.height)), scale_);
  }

  PlaneView plane_;
  float scale_;
};

inline void ansnr_rows(const PlaneView& reference, const PlaneView& distorted, AnsnrScratch& scratch) {
  const AnsnrPicture r(reference);
  const AnsnrPicture d(distorted);
  for (int y = 0; y < reference.height; ++y) {
    float signal = 0;
    float noise = 0;
    for (int x = 0; x < reference.width; ++x) {
      const float filtered = r.filtered3(x, y);
      const float error = filtered - d.filtered5(x, y);
      signal += filtered * filtered;
      noise += error * error;
    }
    scratch.signal[static_cast<size_t>(y)] = signal;
    scratch.noise[static_cast<size_t>(y)] = noise;
  }
}

}  // namespace qc::plain

namespace qc::ansnr {

constexpr int kStrip = 256;  // columns that are worked on at a time, so that all buffers stay in the first-level cache
constexpr int kStripPitch = kStrip + 64;
constexpr int kPrefetch = 8;  // rows ahead
constexpr int kGroup = 8;     // rows whose squares are summed side by side

// Where things are in AnsnrScratch::strip, in rows of kStripPitch floats.
constexpr int kInputRow = 0;
constexpr int kRow3 = 1;             // 4 rows of 3-tap sums, by row number modulo 4
constexpr int kRow5A = kRow3 + 4;    // 8 rows of 5-tap sums with the outer filter rows, modulo 8
constexpr int kRow5B = kRow5A + 8;   // 4 rows with the rows next to the centre
constexpr int kRow5C = kRow5B + 4;   // 4 rows with the centre row
constexpr int kSignal = kRow5C + 4;  // squares of kGroup rows
constexpr int kNoise = kSignal + kGroup;
constexpr int kStripRows = kNoise + kGroup;

}  // namespace qc::ansnr
#endif

HWY_BEFORE_NAMESPACE();
namespace qc::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if QC_PLAIN_TARGET
void ansnr_rows(const PlaneView& reference, const PlaneView& distorted, AnsnrScratch& scratch) {
  plain::ansnr_rows(reference, distorted, scratch);
}
#else

using DF = hn::ScalableTag<float>;
using VF = hn::Vec<DF>;

// Columns first … first + count - 1 of a row as float samples; columns outside of the picture are mirrored.
template <class T>
void load_samples(const T* row, int width, int shift, float scale, int first, int count, float* out) {
  const DF df;
  const hn::Rebind<int32_t, DF> di;
  const hn::Rebind<T, DF> dt;
  const int lanes = static_cast<int>(hn::Lanes(df));
  const VF scales = hn::Set(df, scale);
  const VF offset = hn::Set(df, -128.0F);
  int i = 0;
  for (; first + i < 0; ++i)
    out[i] = ansnr::sample(static_cast<unsigned>(row[ansnr::mirror(first + i, width)]) >> shift, scale);
  for (; i + lanes <= count && first + i + lanes <= width; i += lanes) {
    const auto samples = hn::ShiftRightSame(hn::PromoteTo(di, hn::LoadU(dt, row + first + i)), shift);
    hn::StoreU(hn::Add(hn::Mul(hn::ConvertTo(df, samples), scales), offset), df, out + i);
  }
  for (; i < count; ++i)
    out[i] = ansnr::sample(static_cast<unsigned>(row[ansnr::mirror(first + i, width)]) >> shift, scale);
}

// 3-tap sums of a row; in[0] is the column left of the first.
void filter_row3(const float* HWY_RESTRICT in, int width, float* HWY_RESTRICT out) {
  const DF df;
  for (int x = 0; x < width; x += static_cast<int>(hn::Lanes(df))) {
    const VF centre = hn::LoadU(df, in + x + 1);
    const VF sides = hn::Add(hn::LoadU(df, in + x), hn::LoadU(df, in + x + 2));
    hn::Store(hn::Add(sides, hn::Add(centre, centre)), df, out + x);
  }
}

// 5-tap sums of a row with the three different rows of weights; in[0] is two columns left of the first.
void filter_row5(const float* HWY_RESTRICT in, int width, float* HWY_RESTRICT a, float* HWY_RESTRICT b,
                 float* HWY_RESTRICT c) {
  const DF df;
  const VF w2 = hn::Set(df, ansnr::kW2);
  const VF w7 = hn::Set(df, ansnr::kW7);
  const VF w12 = hn::Set(df, ansnr::kW12);
  const VF w31 = hn::Set(df, ansnr::kW31);
  const VF w52 = hn::Set(df, ansnr::kW52);
  const VF w127 = hn::Set(df, ansnr::kW127);
  const auto sum = [](VF w0, VF w1, VF w_centre, VF i0, VF i1, VF i2, VF i3, VF i4) HWY_ATTR {
    VF s = hn::Add(hn::Mul(w0, i0), hn::Mul(w1, i1));
    s = hn::Add(s, hn::Mul(w_centre, i2));
    s = hn::Add(s, hn::Mul(w1, i3));
    return hn::Add(s, hn::Mul(w0, i4));
  };
  for (int x = 0; x < width; x += static_cast<int>(hn::Lanes(df))) {
    const VF i0 = hn::LoadU(df, in + x);
    const VF i1 = hn::LoadU(df, in + x + 1);
    const VF i2 = hn::LoadU(df, in + x + 2);
    const VF i3 = hn::LoadU(df, in + x + 3);
    const VF i4 = hn::LoadU(df, in + x + 4);
    hn::Store(sum(w2, w7, w12, i0, i1, i2, i3, i4), df, a + x);
    hn::Store(sum(w7, w31, w52, i0, i1, i2, i3, i4), df, b + x);
    hn::Store(sum(w12, w52, w127, i0, i1, i2, i3, i4), df, c + x);
  }
}

// Adds columns 0 … width - 1 of `rows` rows of squares, kStripPitch apart, to a sum for each row, from left to right.
void add_columns(const float* squares, int rows, int first, int width, float* sums) {
  for (int i = 0; i < rows; ++i)
    for (int x = first; x < width; ++x) sums[i] += squares[i * ansnr::kStripPitch + x];
}

using DRows = hn::CappedTag<float, ansnr::kGroup>;
using VRows = hn::Vec<DRows>;

// Four columns of as many rows as VRows has lanes, one column a vector.
struct Columns {
  VRows v[4];
};

HWY_INLINE Columns load_columns(const float* squares) {
  const DRows d;
  const hn::Repartition<double, DRows> d64;
  VRows row[4];
  for (int i = 0; i < 4; ++i) {
    const float* from = squares + i * ansnr::kStripPitch;
#if HWY_TARGET <= HWY_AVX2
    const hn::Half<DRows> half;
    row[i] = hn::Combine(d, hn::Load(half, from + 4 * ansnr::kStripPitch), hn::Load(half, from));
#else
    row[i] = hn::Load(d, from);
#endif
  }
  const auto a = hn::BitCast(d64, hn::InterleaveLower(d, row[0], row[1]));
  const auto b = hn::BitCast(d64, hn::InterleaveLower(d, row[2], row[3]));
  const auto e = hn::BitCast(d64, hn::InterleaveUpper(d, row[0], row[1]));
  const auto f = hn::BitCast(d64, hn::InterleaveUpper(d, row[2], row[3]));
  return {{hn::BitCast(d, hn::InterleaveLower(d64, a, b)), hn::BitCast(d, hn::InterleaveUpper(d64, a, b)),
           hn::BitCast(d, hn::InterleaveLower(d64, e, f)), hn::BitCast(d, hn::InterleaveUpper(d64, e, f))}};
}

// The same for kGroup rows of signal and noise. A row's sum has to wait for each of its additions, so the sums of
// several rows advance together, one a lane.
void add_group(const float* signal, const float* noise, int width, float* signal_sums, float* noise_sums) {
  const DRows d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const int whole = width & ~3;
  for (int r = 0; r < ansnr::kGroup; r += lanes) {
    VRows s = hn::LoadU(d, signal_sums + r);
    VRows n = hn::LoadU(d, noise_sums + r);
    for (int x = 0; x < whole; x += 4) {
      const Columns sc = load_columns(signal + r * ansnr::kStripPitch + x);
      const Columns nc = load_columns(noise + r * ansnr::kStripPitch + x);
      for (int i = 0; i < 4; ++i) {
        s = hn::Add(s, sc.v[i]);
        n = hn::Add(n, nc.v[i]);
      }
    }
    hn::StoreU(s, d, signal_sums + r);
    hn::StoreU(n, d, noise_sums + r);
  }
  add_columns(signal, ansnr::kGroup, whole, width, signal_sums);
  add_columns(noise, ansnr::kGroup, whole, width, noise_sums);
}

// A strip of columns of both pictures, from top to bottom.
template <class T>
class AnsnrStrip {
 public:
  AnsnrStrip(const PlaneView& reference, const PlaneView& distorted, AnsnrScratch& scratch)
      : reference_(reference),
        distorted_(distorted),
        scratch_(scratch),
        scale_(std::ldexp(1.0F, 8 - reference.depth)) {}

  void run(int first, int width) {
    const int height = reference_.height;
    int done = 0;
    for (int y = 0; y < height; ++y) {
      for (; done < height && done <= y + 2; ++done) filter_rows(first, width, done);
      filter_columns(y, width);
      if (y % ansnr::kGroup == ansnr::kGroup - 1) {
        const size_t group = static_cast<size_t>(y - (ansnr::kGroup - 1));
        add_group(buffer(ansnr::kSignal), buffer(ansnr::kNoise), width, &scratch_.signal[group],
                  &scratch_.noise[group]);
      }
    }
    const int rest = height % ansnr::kGroup;
    const size_t y = static_cast<size_t>(height - rest);
    add_columns(buffer(ansnr::kSignal), rest, 0, width, scratch_.signal.data() + y);
    add_columns(buffer(ansnr::kNoise), rest, 0, width, scratch_.noise.data() + y);
  }

 private:
  float* buffer(int row) { return scratch_.strip.get() + row * ansnr::kStripPitch; }

  void filter_rows(int first, int width, int y) {
    float* in = buffer(ansnr::kInputRow);
    prefetch(reference_, y + ansnr::kPrefetch, first, width);
    prefetch(distorted_, y + ansnr::kPrefetch, first, width);
    load_samples(row_of(reference_, y), reference_.width, reference_.shift, scale_, first - 1, width + 2, in);
    filter_row3(in, width, buffer(ansnr::kRow3 + (y & 3)));
    load_samples(row_of(distorted_, y), distorted_.width, distorted_.shift, scale_, first - 2, width + 4, in);
    filter_row5(in, width, buffer(ansnr::kRow5A + (y & 7)), buffer(ansnr::kRow5B + (y & 3)),
                buffer(ansnr::kRow5C + (y & 3)));
  }

  void filter_columns(int y, int width) {
    const DF df;
    const int height = reference_.height;
    const int row[5] = {ansnr::mirror(y - 2, height), ansnr::mirror(y - 1, height), y, ansnr::mirror(y + 1, height),
                        ansnr::mirror(y + 2, height)};
    const float* r0 = buffer(ansnr::kRow3 + (row[1] & 3));
    const float* r1 = buffer(ansnr::kRow3 + (row[2] & 3));
    const float* r2 = buffer(ansnr::kRow3 + (row[3] & 3));
    const float* d0 = buffer(ansnr::kRow5A + (row[0] & 7));
    const float* d1 = buffer(ansnr::kRow5B + (row[1] & 3));
    const float* d2 = buffer(ansnr::kRow5C + (row[2] & 3));
    const float* d3 = buffer(ansnr::kRow5B + (row[3] & 3));
    const float* d4 = buffer(ansnr::kRow5A + (row[4] & 7));
    float* HWY_RESTRICT signal = buffer(ansnr::kSignal + y % ansnr::kGroup);
    float* HWY_RESTRICT noise = buffer(ansnr::kNoise + y % ansnr::kGroup);
    const VF sixteenth = hn::Set(df, 0.0625F);
    for (int x = 0; x < width; x += static_cast<int>(hn::Lanes(df))) {
      const VF centre = hn::Load(df, r1 + x);
      const VF sides = hn::Add(hn::Load(df, r0 + x), hn::Load(df, r2 + x));
      const VF reference = hn::Mul(hn::Add(sides, hn::Add(centre, centre)), sixteenth);
      VF distorted = hn::Add(hn::Load(df, d0 + x), hn::Load(df, d1 + x));
      distorted = hn::Add(distorted, hn::Load(df, d2 + x));
      distorted = hn::Add(distorted, hn::Load(df, d3 + x));
      distorted = hn::Add(distorted, hn::Load(df, d4 + x));
      const VF error = hn::Sub(reference, distorted);
      hn::Store(hn::Mul(reference, reference), df, signal + x);
      hn::Store(hn::Mul(error, error), df, noise + x);
    }
  }

  // Rows of a strip are too short for the processor to see the pattern.
  void prefetch(const PlaneView& plane, int y, int first, int width) const {
    if (y >= plane.height) return;
    const uint8_t* row = plane.data + y * plane.stride;
    for (size_t i = static_cast<size_t>(first) * sizeof(T); i < static_cast<size_t>(first + width) * sizeof(T); i += 64)
      hwy::Prefetch(row + i);
  }

  static const T* row_of(const PlaneView& plane, int y) {
    return reinterpret_cast<const T*>(plane.data + y * plane.stride);
  }

  const PlaneView& reference_;
  const PlaneView& distorted_;
  AnsnrScratch& scratch_;
  float scale_;
};

template <class T>
void ansnr_rows_of(const PlaneView& reference, const PlaneView& distorted, AnsnrScratch& scratch) {
  AnsnrStrip<T> strip(reference, distorted, scratch);
  for (int x = 0; x < reference.width; x += ansnr::kStrip)
    strip.run(x, reference.width - x < ansnr::kStrip ? reference.width - x : ansnr::kStrip);
}

void ansnr_rows(const PlaneView& reference, const PlaneView& distorted, AnsnrScratch& scratch) {
  if (reference.bytes == 1) return ansnr_rows_of<uint8_t>(reference, distorted, scratch);
  return ansnr_rows_of<uint16_t>(reference, distorted, scratch);
}
#endif

}  // namespace qc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qc {
namespace {
HWY_EXPORT(ansnr_rows);
}  // namespace

void ansnr_rows(const PlaneView& reference, const PlaneView& distorted, AnsnrScratch& scratch) {
  constexpr size_t kFloats = size_t{ansnr::kStripRows} * ansnr::kStripPitch;
  if (!scratch.strip) {
    scratch.strip = hwy::AllocateAligned<float>(kFloats);
    std::fill_n(scratch.strip.get(), kFloats, 0.0F);
  }
  scratch.signal.assign(static_cast<size_t>(reference.height), 0.0F);
  scratch.noise.assign(static_cast<size_t>(reference.height), 0.0F);
  HWY_DYNAMIC_DISPATCH(ansnr_rows)(reference, distorted, scratch);
}

}  // namespace qc
#endif
