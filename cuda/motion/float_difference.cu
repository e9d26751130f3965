#include "cuda/device/prelude.h"
//
#include "cuda/motion/float_difference.h"
#include "math/centred_row.h"
#include "motion/motion_arithmetic.h"

namespace qc::cuda {
namespace {

using namespace qc::device;
using motion::mirror;

template <class T>
QC_DEVICE float sample(const PlaneView& plane, int x, int y, float scale) {
  const T* row = reinterpret_cast<const T*>(plane.data + y * plane.stride);
  return centred(static_cast<uint32_t>(row[x * plane.step]) >> plane.shift, scale);
}

template <int kTaps>
QC_DEVICE float weighted(const float_motion::Filter& filter, const float* in) {
  float sum = 0;
  QC_UNROLL
  for (int k = 0; k < kTaps; ++k) sum += filter.tap[k] * in[k];
  return sum;
}

template <class T, int kTaps>
QC_DEVICE void float_difference(const FloatDifferenceArgs& args) {
  constexpr int kRadius = kTaps / 2;
  QC_BLOCK_SHARED float vertical[2][kFloatMotionRows][kFloatMotionThreads];
  if (args.frame->previous_count < 1) return;
  const PlaneView planes[2] = {args.frame->previous[0].reference.plane[args.plane],
                               args.frame->current.reference.plane[args.plane]};
  const int width = planes[1].width;
  const int height = planes[1].height;
  const int thread = static_cast<int>(thread_x());
  const int top = static_cast<int>(block_y()) * kFloatMotionRows;
  const int column = static_cast<int>(block_x()) * kFloatMotionColumns + thread - 2;
  const int rows = height - top < kFloatMotionRows ? height - top : kFloatMotionRows;
  if (column >= -kRadius && column < width + kRadius) {
    const int x = mirror(column, width);
    QC_UNROLL
    for (int p = 0; p < 2; ++p) {
      const auto at = [&](int y) { return sample<T>(planes[p], x, mirror(y, height), args.sample_scale); };
      float in[kTaps];
      QC_UNROLL
      for (int k = 0; k < kTaps - 1; ++k) in[k + 1] = at(top + k - kRadius);
      for (int i = 0; i < rows; ++i) {
        QC_UNROLL
        for (int k = 0; k < kTaps - 1; ++k) in[k] = in[k + 1];
        in[kTaps - 1] = at(top + i + kRadius);
        // A single tap of weight 1 changes nothing.
        vertical[p][i][thread] = kTaps == 1 ? in[0] : weighted<kTaps>(args.filter, in);
      }
    }
  }
  sync_block();
  if (thread < 2 || thread >= 2 + kFloatMotionColumns) return;
  const bool keep = args.blurred.plane[0] != nullptr;
  if (column < width) {
    for (int i = 0; i < rows; ++i) {
      float blurred[2];
      QC_UNROLL
      for (int p = 0; p < 2; ++p) {
        const float* in = &vertical[p][i][thread - kRadius];
        blurred[p] = kTaps == 1 ? in[0] : weighted<kTaps>(args.filter, in);
      }
      const int64_t row = top + i;
      args.terms[row * args.pitch + column] = float_motion::magnitude(blurred[0] - blurred[1]);
      if (keep) {
        args.blurred.plane[0][row * args.blurred.pitch + column] = blurred[0];
        args.blurred.plane[1][row * args.blurred.pitch + column] = blurred[1];
      }
    }
  }
  // The thread of the last column clears what is behind it.
  if (keep && column == width - 1) {
    for (int i = 0; i < rows; ++i) {
      for (int x = width; x < args.blurred.pitch; ++x) {
        args.blurred.plane[0][int64_t{top + i} * args.blurred.pitch + x] = 0;
        args.blurred.plane[1][int64_t{top + i} * args.blurred.pitch + x] = 0;
      }
    }
  }
}

}  // namespace

QC_KERNEL(qc_float_difference_8_1, FloatDifferenceArgs, kFloatMotionThreads) { float_difference<uint8_t, 1>(args); }
QC_KERNEL(qc_float_difference_8_3, FloatDifferenceArgs, kFloatMotionThreads) { float_difference<uint8_t, 3>(args); }
QC_KERNEL(qc_float_difference_8_5, FloatDifferenceArgs, kFloatMotionThreads) { float_difference<uint8_t, 5>(args); }
QC_KERNEL(qc_float_difference_16_1, FloatDifferenceArgs, kFloatMotionThreads) { float_difference<uint16_t, 1>(args); }
QC_KERNEL(qc_float_difference_16_3, FloatDifferenceArgs, kFloatMotionThreads) { float_difference<uint16_t, 3>(args); }
QC_KERNEL(qc_float_difference_16_5, FloatDifferenceArgs, kFloatMotionThreads) { float_difference<uint16_t, 5>(args); }

QC_KERNEL(qc_half_difference, HalfDifferenceArgs, kFloatMotionThreads) {
  const int x = static_cast<int>(block_x() * kFloatMotionThreads + thread_x());
  const int y = static_cast<int>(block_y());
  if (args.frame->previous_count < 1 || x >= float_motion::halved(args.width)) return;
  const auto column = float_motion::half_position(x, args.width);
  const auto row = float_motion::half_position(y, args.height);
  float half[2];
  QC_UNROLL
  for (int p = 0; p < 2; ++p) {
    const float* first = args.blurred.plane[p] + int64_t{row.first} * args.pitch_read;
    const float* second = args.blurred.plane[p] + int64_t{row.second} * args.pitch_read;
    half[p] = float_motion::bilinear(first[column.first], first[column.second], second[column.first],
                                     second[column.second], column.fraction, row.fraction);
  }
  args.terms[int64_t{y} * args.pitch + x] = float_motion::magnitude(half[0] - half[1]);
}

}  // namespace qc::cuda
