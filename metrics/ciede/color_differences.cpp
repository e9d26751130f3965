#include "ciede/color_differences.h"

#include <algorithm>
#include <cmath>

#include "ciede/chroma_position.h"
#include "ciede/light_tables.h"
#include "ciede/pixel_parameters.h"
#include "core/row_reader.h"
#include "core/simd.h"
#include "math/ordered_sum_simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ciede/color_differences.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#ifndef QC_CIEDE_COLOR_DIFFERENCES_PLAIN
#define QC_CIEDE_COLOR_DIFFERENCES_PLAIN
namespace qc::plain {

template <class T>
void copy_samples(const T* source, int count, uint16_t* out) {
  for (int x = 0; x < count; ++x) out[x] = source[x];
}

template <class T>
void repeat_samples(const T* source, int count, uint16_t* out) {
  for (int x = 0; x < count; ++x) out[2 * x] = out[2 * x + 1] = source[x];
}

inline bool equal_at(const PixelRows& rows, int x) {
  return rows.sample[0][0][x] == rows.sample[1][0][x] && rows.sample[0][1][x] == rows.sample[1][1][x] &&
         rows.sample[0][2][x] == rows.sample[1][2][x];
}

}  // namespace qc::plain
#endif

HWY_BEFORE_NAMESPACE();
namespace qc::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if QC_PLAIN_TARGET
namespace {

template <class T>
void copy_samples(const T* source, int count, uint16_t* out) {
  plain::copy_samples(source, count, out);
}
template <class T>
void repeat_samples(const T* source, int count, uint16_t* out) {
  plain::repeat_samples(source, count, out);
}

}  // namespace

void color_differences(const PixelRows& rows, int count, int depth, double* differences) {
  plain::color_differences(rows, count, depth, differences);
}
#else

namespace {

using ciede::PowerTables;
using ciede::SampleScale;

#include "ciede/vector_lanes-inl.h"
#define QC_LANES HWY_INLINE
#include "ciede/functions-inl.h"
#include "ciede/pixel-inl.h"
#undef QC_LANES

// Pixels of a row that go through the steps of the calculation together. Each step is a loop of its own: the operations
// of a pixel wait for each other, and the fewer they are, the more pixels a processor has in work at a time. Square
// roots and divisions, for which there is one slow unit, are spread over the steps.
constexpr int kTile = 128;

struct Tile {
  // By picture.
  HWY_ALIGN float l[2][kTile];
  HWY_ALIGN float a[2][kTile];
  HWY_ALIGN float b[2][kTile];
  HWY_ALIGN float chroma[2][kTile];
  HWY_ALIGN float hue[2][kTile];
  // Of both.
  HWY_ALIGN float mean_chroma[kTile];
  HWY_ALIGN float mean_hue[kTile];
  HWY_ALIGN float hue_step[kTile];
  HWY_ALIGN float lightness_term[kTile];
  HWY_ALIGN float chroma_term[kTile];
  HWY_ALIGN float hue_term[kTile];
  HWY_ALIGN float rotation_chroma[kTile];
};

// Colours on their way from samples to Lab.
struct Light {
  HWY_ALIGN double red[kTile];  // later X
  HWY_ALIGN double green[kTile];
  HWY_ALIGN double blue[kTile];
  HWY_ALIGN float root[3][kTile];
};

HWY_INLINE void look_up_light(const uint16_t* const* samples, int count, const LightTables& tables, Light& light) {
  for (int x = 0; x < count; ++x) {
    const size_t luma = samples[0][x];
    light.red[x] = tables.red[samples[2][x]][luma];
    light.blue[x] = tables.blue[samples[1][x]][luma];
  }
  for (int x = count; x % kPixels != 0; ++x) light.red[x] = light.blue[x] = 0;
}

// From red or blue at each pixel, in place.
HWY_INLINE void to_linear_light(int count, double* color, float* root) {
  for (int x = 0; x < count; x += kPixels) store(inverse_fifth_root(narrow(light_base(load(color + x)))), root + x);
  for (int x = 0; x < count; x += kPixels) store(linear_light(load(color + x), load(root + x)), color + x);
}

// Lab and chroma of a picture. `tables` of 8-bit samples, or else null.
HWY_INLINE void to_lab(const uint16_t* const* samples, int count, const SampleScale& scale, const LightTables* tables,
                       int picture, Tile& t) {
  Light light;
  if (tables) {
    look_up_light(samples, count, *tables, light);
  } else {
    for (int x = 0; x < count; x += kPixels) {
      store(red(load(samples[0] + x), load(samples[2] + x), scale), light.red + x);
      store(blue(load(samples[0] + x), load(samples[1] + x), scale), light.blue + x);
    }
    to_linear_light(count, light.red, light.root[0]);
    to_linear_light(count, light.blue, light.root[0]);
  }
  for (int x = 0; x < count; x += kPixels) {
    const Double v = green(load(samples[0] + x), load(samples[1] + x), load(samples[2] + x), scale);
    store(v, light.green + x);
    store(inverse_fifth_root(narrow(light_base(v))), light.root[0] + x);
  }
  for (int x = 0; x < count; x += kPixels) {
    const Double g = linear_light(load(light.green + x), load(light.root[0] + x));
    const Xyz c = xyz(load(light.red + x), g, load(light.blue + x));
    store(c.x, light.red + x);
    store(c.y, light.green + x);
    store(c.z, light.blue + x);
  }
  const auto xyz_at = [&](int x) HWY_ATTR {
    return Xyz{load(light.red + x), load(light.green + x), load(light.blue + x)};
  };
  for (int x = 0; x < count; x += kPixels) {
    const Roots roots = inverse_cube_roots(xyz_at(x));
    store(roots.x, light.root[0] + x);
    store(roots.y, light.root[1] + x);
    store(roots.z, light.root[2] + x);
  }
  for (int x = 0; x < count; x += kPixels) {
    const Lab color = lab(xyz_at(x), {load(light.root[0] + x), load(light.root[1] + x), load(light.root[2] + x)});
    store(color.l, t.l[picture] + x);
    store(color.a, t.a[picture] + x);
    store(color.b, t.b[picture] + x);
    store(length(color.a, color.b), t.chroma[picture] + x);
  }
}

HWY_INLINE void tile_differences(Tile& t, int count, double* differences) {
  for (int x = 0; x < count; x += kPixels) {
    const Double g = stretch(load(t.chroma[0] + x), load(t.chroma[1] + x));
    for (int i = 0; i < 2; ++i) store(stretched(load(t.a[i] + x), g), t.a[i] + x);
  }
  for (int i = 0; i < 2; ++i) {
    for (int x = 0; x < count; x += kPixels) {
      const Single a = load(t.a[i] + x);
      const Single b = load(t.b[i] + x);
      store(hue(a, b), t.hue[i] + x);
      store(length(a, b), t.chroma[i] + x);
    }
  }
  for (int x = 0; x < count; x += kPixels) {
    const Single c1 = load(t.chroma[0] + x);
    const Single c2 = load(t.chroma[1] + x);
    const HuePair hues = hue_pair(c1, c2, load(t.hue[0] + x), load(t.hue[1] + x));
    store(hues.step, t.hue_step + x);
    store(hues.mean, t.mean_hue + x);
    store(mean(c1, c2), t.mean_chroma + x);
    store(chroma_term(c1, c2), t.chroma_term + x);
  }
  for (int x = 0; x < count; x += kPixels) {
    store(hue_term(load(t.hue_step + x), load(t.mean_hue + x), load(t.mean_chroma + x)), t.hue_term + x);
    store(lightness_term(load(t.l[0] + x), load(t.l[1] + x)), t.lightness_term + x);
  }
  for (int x = 0; x < count; x += kPixels)
    store(rotation_chroma(load(t.mean_chroma + x), ciede::kPowerTables), t.rotation_chroma + x);
  for (int x = 0; x < count; x += kPixels) {
    const Single r = rotation(load(t.mean_hue + x), load(t.rotation_chroma + x));
    store(widen(total_difference(load(t.lightness_term + x), load(t.chroma_term + x), load(t.hue_term + x), r)),
          differences + x);
  }
}

template <class T>
void copy_samples(const T* source, int count, uint16_t* out) {
  const hn::ScalableTag<uint16_t> d;
  const hn::Rebind<T, decltype(d)> from;
  const int lanes = static_cast<int>(hn::Lanes(d));
  int x = 0;
  for (; x + lanes <= count; x += lanes) {
    if constexpr (sizeof(T) == 1)
      hn::StoreU(hn::PromoteTo(d, hn::LoadU(from, source + x)), d, out + x);
    else
      hn::StoreU(hn::LoadU(d, source + x), d, out + x);
  }
  plain::copy_samples(source + x, count - x, out + x);
}

template <class T>
void repeat_samples(const T* source, int count, uint16_t* out) {
  const hn::ScalableTag<uint32_t> d;
  const hn::Rebind<T, decltype(d)> from;
  const hn::Repartition<uint16_t, decltype(d)> samples;
  const int lanes = static_cast<int>(hn::Lanes(d));
  int x = 0;
  for (; x + lanes <= count; x += lanes) {
    const auto v = hn::PromoteTo(d, hn::LoadU(from, source + x));
    hn::StoreU(hn::BitCast(samples, hn::Or(v, hn::ShiftLeft<16>(v))), samples, out + 2 * x);
  }
  plain::repeat_samples(source + x, count - x, out + 2 * x);
}

// How many pixels have equal samples in both pictures.
HWY_INLINE int count_equal(const PixelRows& rows, int first, int count) {
  const hn::ScalableTag<uint16_t> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto differing = [&](int p, int x) HWY_ATTR {
    return hn::Xor(hn::LoadU(d, rows.sample[0][p] + x), hn::LoadU(d, rows.sample[1][p] + x));
  };
  size_t equal = 0;
  int x = 0;
  for (; x + lanes <= count; x += lanes) {
    const auto any = hn::Or(hn::Or(differing(0, first + x), differing(1, first + x)), differing(2, first + x));
    equal += hn::CountTrue(d, any == hn::Zero(d));
  }
  for (; x < count; ++x) equal += plain::equal_at(rows, first + x);
  return static_cast<int>(equal);
}

// Samples of the pixels that differ.
struct Differing {
  uint16_t sample[2][3][kTile + kRowPadding];
  uint16_t position[kTile];
};
HWY_INLINE int collect_differing(const PixelRows& rows, int first, int count, Differing& out) {
  int n = 0;
  for (int x = 0; x < count; ++x) {
    for (int i = 0; i < 2; ++i)
      for (int p = 0; p < 3; ++p) out.sample[i][p][n] = rows.sample[i][p][first + x];
    out.position[n] = static_cast<uint16_t>(x);
    n += !plain::equal_at(rows, first + x);
  }
  return n;
}

}  // namespace

// Reads and writes up to a multiple of kPixels. `differences` is aligned.
void color_differences(const PixelRows& rows, int count, int depth, double* differences) {
  const SampleScale scale = ciede::sample_scale(depth);
  const LightTables* tables = depth == 8 ? &light_tables() : nullptr;
  Tile tile;
  Differing differing;
  HWY_ALIGN double compact[kTile];
  for (int first = 0; first < count; first += kTile) {
    const int pixels = std::min(kTile, count - first);
    // Equal colours differ by 0. They are left out where that saves more than it costs.
    const int equal = count_equal(rows, first, pixels);
    if (equal == pixels) {
      std::fill_n(differences + first, pixels, 0.0);
      continue;
    }
    const bool few_equal = equal < kTile / 16;
    const int n = few_equal ? pixels : collect_differing(rows, first, pixels, differing);
    for (int i = 0; i < 2; ++i) {
      const uint16_t* samples[3];
      for (int p = 0; p < 3; ++p) samples[p] = few_equal ? rows.sample[i][p] + first : differing.sample[i][p];
      to_lab(samples, n, scale, tables, i, tile);
    }
    if (few_equal) {
      tile_differences(tile, n, differences + first);
    } else {
      tile_differences(tile, n, compact);
      std::fill_n(differences + first, pixels, 0.0);
      for (int k = 0; k < n; ++k) differences[first + differing.position[k]] = compact[k];
    }
  }
}
#endif

void copy_samples8(const uint8_t* source, int count, uint16_t* out) { copy_samples(source, count, out); }
void copy_samples16(const uint16_t* source, int count, uint16_t* out) { copy_samples(source, count, out); }
void repeat_samples8(const uint8_t* source, int count, uint16_t* out) { repeat_samples(source, count, out); }
void repeat_samples16(const uint16_t* source, int count, uint16_t* out) { repeat_samples(source, count, out); }

}  // namespace qc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qc {
namespace {

HWY_EXPORT(color_differences);
HWY_EXPORT(copy_samples8);
HWY_EXPORT(copy_samples16);
HWY_EXPORT(repeat_samples8);
HWY_EXPORT(repeat_samples16);

void copy(const uint8_t* source, int count, uint16_t* out) { HWY_DYNAMIC_DISPATCH(copy_samples8)(source, count, out); }
void copy(const uint16_t* source, int count, uint16_t* out) {
  HWY_DYNAMIC_DISPATCH(copy_samples16)(source, count, out);
}
void repeat(const uint8_t* source, int count, uint16_t* out) {
  HWY_DYNAMIC_DISPATCH(repeat_samples8)(source, count, out);
}
void repeat(const uint16_t* source, int count, uint16_t* out) {
  HWY_DYNAMIC_DISPATCH(repeat_samples16)(source, count, out);
}

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
  const size_t pitch = (static_cast<size_t>(width) + 2 * kRowPadding - 1) / kRowPadding * kRowPadding;
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
    for (size_t i = 0; i < 2; ++i) copy(readers[i][0].row(y), width, samples[i][0]);
    const int row = ciede::chroma_row(y, pair.reference.plane[1].height, subsampled);
    if (row != chroma_row) {
      chroma_row = row;
      for (size_t i = 0; i < 2; ++i) {
        for (int p = 1; p < 3; ++p) {
          uint16_t* out = samples[i][p];
          const bool halved = chroma == QC_CHROMA_420;
          const int columns = pair.reference.plane[1].width;
          if (halved)
            repeat(readers[i][p].row(row), columns, out);
          else
            copy(readers[i][p].row(row), columns, out);
          for (int x = halved ? 2 * columns : columns; x < width; ++x)
            out[x] = static_cast<uint16_t>(ciede::chroma_sample(*pictures[i], p, row, halved ? x / 2 : x));
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
