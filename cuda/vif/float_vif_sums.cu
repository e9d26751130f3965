#include "cuda/device/prelude.h"
//
#include "cuda/vif/float_vif_sums.h"
#include "math/centred_row.h"

namespace qc::cuda {
namespace {

using namespace qc::device;
using float_vif::mirror;

// Luma of a picture, centred.
template <class T>
struct LumaSamples {
  const uint8_t* data;
  int64_t stride;
  int step;
  int shift;
  float scale;
  QC_DEVICE float at(int x, int y) const {
    return centred(static_cast<uint32_t>(reinterpret_cast<const T*>(data + y * stride)[x * step]) >> shift, scale);
  }
};

struct PlaneSamples {
  const float* data;
  int pitch;
  QC_DEVICE float at(int x, int y) const { return data[int64_t{y} * pitch + x]; }
};

// Not an index, which would put a kernel's arguments on the stack.
QC_DEVICE float* plane_of(const FloatVifPictures& pictures, int picture) {
  return picture == 0 ? pictures.plane[0] : pictures.plane[1];
}

// Sources of samples: luma of one or two bytes, or planes.
template <class T>
struct Luma {
  static QC_DEVICE LumaSamples<T> samples(const FrameParameters* frame, const FloatVifPictures&, int picture,
                                          float scale) {
    const PlaneView& plane = picture == 0 ? frame->current.reference.plane[0] : frame->current.distorted.plane[0];
    return {plane.data, plane.stride, plane.step, plane.shift, scale};
  }
};
struct Planes {
  static QC_DEVICE PlaneSamples samples(const FrameParameters*, const FloatVifPictures& pictures, int picture, float) {
    return {plane_of(pictures, picture), pictures.pitch};
  }
};

enum Quantity { kMeanR, kMeanD, kSquareR, kSquareD, kProduct, kQuantities };

QC_DEVICE void quantities(float r, float d, float* q) {
  q[kMeanR] = r;
  q[kMeanD] = d;
  q[kSquareR] = r * r;
  q[kSquareD] = d * d;
  q[kProduct] = r * d;
}

QC_DEVICE float_vif::Terms terms_of(const float* q, const float_vif::Channel& channel) {
  return float_vif::terms({q[kMeanR], q[kMeanD], q[kSquareR], q[kSquareD], q[kProduct]}, channel);
}

// Four neighbouring columns at a time are read in the horizontal pass: columns whose numbers are equal modulo 4 lie
// together, eight banks apart from the next.
constexpr int kGroupPitch = kFloatVifThreads / 4 + 8;
QC_DEVICE int position(int column) { return column % 4 * kGroupPitch + column / 4; }

struct alignas(16) FourFloats {
  float value[4];
};

template <class Source, int kTaps>
QC_DEVICE void scale_terms(const FloatVifScaleArgs& args) {
  constexpr int kRadius = kTaps / 2;
  constexpr int kColumns = float_vif_columns(kTaps);
  QC_BLOCK_SHARED float filtered[kQuantities][kFloatVifRows][4 * kGroupPitch];
  const int width = args.pictures.width;
  const int height = args.pictures.height;
  const int thread = static_cast<int>(thread_x());
  const int left = static_cast<int>(block_x()) * kColumns;
  const int top = static_cast<int>(block_y()) * kFloatVifRows;
  const int column = left + thread - kRadius;
  // Columns past the mirrored edge belong to no output.
  if (column < width + kRadius) {
    const auto r = Source::samples(args.frame, args.pictures, 0, args.sample_scale);
    const auto d = Source::samples(args.frame, args.pictures, 1, args.sample_scale);
    const int x = mirror(column, width);
    float sum[kFloatVifRows][kQuantities] = {};
    QC_UNROLL
    for (int i = 0; i < kFloatVifRows + kTaps - 1; ++i) {
      const int y = top + i - kRadius;
      // Likewise rows.
      if (y >= height + kRadius) break;
      const int row = mirror(y, height);
      float in[kQuantities];
      quantities(r.at(x, row), d.at(x, row), in);
      QC_UNROLL
      for (int o = 0; o < kFloatVifRows; ++o) {
        const int k = i - o;
        if (k < 0 || k >= kTaps) continue;
        QC_UNROLL
        for (int q = 0; q < kQuantities; ++q) sum[o][q] += args.filter.tap[k] * in[q];
      }
    }
    const int at = position(thread);
    QC_UNROLL
    for (int o = 0; o < kFloatVifRows; ++o) {
      QC_UNROLL
      for (int q = 0; q < kQuantities; ++q) filtered[q][o][at] = sum[o][q];
    }
  }
  sync_block();
  for (int item = thread; item < kFloatVifRows * kColumns / 4; item += kFloatVifThreads) {
    const int row = item / (kColumns / 4);
    const int group = item % (kColumns / 4);
    if (top + row >= height || left + 4 * group >= width) continue;
    float sum[4][kQuantities] = {};
    QC_UNROLL
    for (int j = 0; j < kTaps + 3; ++j) {
      const int at = j % 4 * kGroupPitch + group + j / 4;
      float in[kQuantities];
      QC_UNROLL
      for (int q = 0; q < kQuantities; ++q) in[q] = filtered[q][row][at];
      QC_UNROLL
      for (int i = 0; i < 4; ++i) {
        const int k = j - i;
        if (k < 0 || k >= kTaps) continue;
        QC_UNROLL
        for (int q = 0; q < kQuantities; ++q) sum[i][q] += args.filter.tap[k] * in[q];
      }
    }
    FourFloats numerators;
    FourFloats denominators;
    QC_UNROLL
    for (int i = 0; i < 4; ++i) {
      // Rows of terms have room for whole groups; columns past the end are not summed.
      const bool inside = left + 4 * group + i < width;
      const float_vif::Terms terms = inside ? terms_of(sum[i], args.channel) : float_vif::Terms{0, 0};
      numerators.value[i] = terms.numerator;
      denominators.value[i] = terms.denominator;
    }
    const int64_t at = int64_t{top + row} * args.terms.pitch + left + 4 * group;
    *reinterpret_cast<FourFloats*>(args.terms.numerators + at) = numerators;
    *reinterpret_cast<FourFloats*>(args.terms.denominators + at) = denominators;
  }
}

template <class Source>
QC_DEVICE void vertical(const FloatVifScaleArgs& args) {
  const int x = static_cast<int>(block_x() * kFloatVifThreads + thread_x());
  const int y = static_cast<int>(block_y());
  const int height = args.pictures.height;
  if (x >= args.pictures.width) return;
  const auto r = Source::samples(args.frame, args.pictures, 0, args.sample_scale);
  const auto d = Source::samples(args.frame, args.pictures, 1, args.sample_scale);
  const int radius = args.filter.radius();
  float sum[kQuantities] = {};
  for (int k = 0; k < args.filter.taps; ++k) {
    const int row = mirror(y - radius + k, height);
    float in[kQuantities];
    quantities(r.at(x, row), d.at(x, row), in);
    QC_UNROLL
    for (int q = 0; q < kQuantities; ++q) sum[q] += args.filter.tap[k] * in[q];
  }
  QC_UNROLL
  for (int q = 0; q < kQuantities; ++q) args.filtered[(int64_t{q} * height + y) * args.pictures.pitch + x] = sum[q];
}

template <class Source>
QC_DEVICE void next_scale(const FloatVifNextArgs& args) {
  QC_BLOCK_SHARED float filtered[kFloatVifRows][kFloatVifThreads];
  const int width = args.from.width;
  const int height = args.from.height;
  const int taps = args.filter.taps;
  const int radius = args.filter.radius();
  const int columns = float_vif_next_columns(taps);
  const int thread = static_cast<int>(thread_x());
  const int left = static_cast<int>(block_x()) * columns;
  const int top = static_cast<int>(block_y()) * kFloatVifRows;
  const int rows = args.to.height - top < kFloatVifRows ? args.to.height - top : kFloatVifRows;
  const int column = 2 * left + thread - radius;
  const auto picture = static_cast<int>(block_z());
  if (column < width + radius) {
    const auto samples = Source::samples(args.frame, args.from, picture, args.sample_scale);
    const int x = mirror(column, width);
    for (int o = 0; o < rows; ++o) {
      float sum = 0;
      for (int k = 0; k < taps; ++k)
        sum += args.filter.tap[k] * samples.at(x, mirror(2 * (top + o) - radius + k, height));
      filtered[o][thread] = sum;
    }
  }
  sync_block();
  for (int item = thread; item < rows * columns; item += kFloatVifThreads) {
    const int row = item / columns;
    const int x = item % columns;
    if (left + x >= args.to.width) continue;
    float sum = 0;
    for (int k = 0; k < taps; ++k) sum += args.filter.tap[k] * filtered[row][2 * x + k];
    plane_of(args.to, picture)[int64_t{top + row} * args.to.pitch + left + x] = sum;
  }
}

template <class T>
QC_DEVICE void resample(const FloatVifResampleArgs& args) {
  const int x = static_cast<int>(block_x() * kFloatVifThreads + thread_x());
  const int y = static_cast<int>(block_y());
  const auto picture = static_cast<int>(block_z());
  if (x >= args.to.width) return;
  const auto samples = Luma<T>::samples(args.frame, args.to, picture, args.sample_scale);
  float sum = 0;
  float weights = 0;
  for (int j = 0; j < args.row_taps; ++j) {
    const int row = y * args.row_taps + j;
    for (int i = 0; i < args.column_taps; ++i) {
      const int column = x * args.column_taps + i;
      const float weight = args.column_weight[column] * args.row_weight[row];
      weights += weight;
      sum += samples.at(args.column_index[column], args.row_index[row]) * weight;
    }
  }
  plane_of(args.to, picture)[int64_t{y} * args.to.pitch + x] = args.normalised ? sum / weights : sum;
}

}  // namespace

QC_KERNEL_RESIDENT(qc_float_vif_luma_8, FloatVifScaleArgs, kFloatVifThreads, 4) {
  scale_terms<Luma<uint8_t>, 17>(args);
}
QC_KERNEL_RESIDENT(qc_float_vif_luma_16, FloatVifScaleArgs, kFloatVifThreads, 4) {
  scale_terms<Luma<uint16_t>, 17>(args);
}
QC_KERNEL(qc_float_vif_17, FloatVifScaleArgs, kFloatVifThreads) { scale_terms<Planes, 17>(args); }
QC_KERNEL(qc_float_vif_9, FloatVifScaleArgs, kFloatVifThreads) { scale_terms<Planes, 9>(args); }
QC_KERNEL(qc_float_vif_5, FloatVifScaleArgs, kFloatVifThreads) { scale_terms<Planes, 5>(args); }
QC_KERNEL(qc_float_vif_3, FloatVifScaleArgs, kFloatVifThreads) { scale_terms<Planes, 3>(args); }

QC_KERNEL(qc_float_vif_vertical_8, FloatVifScaleArgs, kFloatVifThreads) { vertical<Luma<uint8_t>>(args); }
QC_KERNEL(qc_float_vif_vertical_16, FloatVifScaleArgs, kFloatVifThreads) { vertical<Luma<uint16_t>>(args); }
QC_KERNEL(qc_float_vif_vertical, FloatVifScaleArgs, kFloatVifThreads) { vertical<Planes>(args); }

QC_KERNEL(qc_float_vif_horizontal, FloatVifScaleArgs, kFloatVifThreads) {
  const int x = static_cast<int>(block_x() * kFloatVifThreads + thread_x());
  const int y = static_cast<int>(block_y());
  const int width = args.pictures.width;
  if (x >= width) return;
  const int radius = args.filter.radius();
  float sum[kQuantities] = {};
  for (int k = 0; k < args.filter.taps; ++k) {
    const int column = mirror(x - radius + k, width);
    QC_UNROLL
    for (int q = 0; q < kQuantities; ++q)
      sum[q] +=
          args.filter.tap[k] * args.filtered[(int64_t{q} * args.pictures.height + y) * args.pictures.pitch + column];
  }
  const float_vif::Terms terms = terms_of(sum, args.channel);
  args.terms.numerators[int64_t{y} * args.terms.pitch + x] = terms.numerator;
  args.terms.denominators[int64_t{y} * args.terms.pitch + x] = terms.denominator;
}

QC_KERNEL(qc_float_vif_next_8, FloatVifNextArgs, kFloatVifThreads) { next_scale<Luma<uint8_t>>(args); }
QC_KERNEL(qc_float_vif_next_16, FloatVifNextArgs, kFloatVifThreads) { next_scale<Luma<uint16_t>>(args); }
QC_KERNEL(qc_float_vif_next, FloatVifNextArgs, kFloatVifThreads) { next_scale<Planes>(args); }

QC_KERNEL(qc_float_vif_resample_8, FloatVifResampleArgs, kFloatVifThreads) { resample<uint8_t>(args); }
QC_KERNEL(qc_float_vif_resample_16, FloatVifResampleArgs, kFloatVifThreads) { resample<uint16_t>(args); }

}  // namespace qc::cuda
