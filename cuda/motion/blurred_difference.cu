#include "cuda/device/prelude.h"
//
#include "cuda/motion/blurred_difference.h"
#include "motion/motion_arithmetic.h"

namespace qc::cuda {
namespace {

using namespace qc::device;

template <class T>
QC_DEVICE int32_t sample(const PlaneView& plane, int x, int y) {
  return static_cast<int32_t>(reinterpret_cast<const T*>(plane.data + y * plane.stride)[x * plane.step]) >> plane.shift;
}

template <class T>
QC_DEVICE void blurred_difference(const BlurredDifferenceArgs& args) {
  using motion::mirror;
  // Differences after the vertical pass.
  QC_BLOCK_SHARED int32_t blurred[kMotionRows][kMotionThreads];
  if (args.frame->previous_count < args.distance) return;
  const PlaneView older = args.frame->previous[args.distance - 1].reference.plane[0];
  const PlaneView newer = args.frame->current.reference.plane[0];
  const int thread = static_cast<int>(thread_x());
  const int top = static_cast<int>(block_y()) * kMotionRows;
  const int column = static_cast<int>(block_x()) * kMotionColumns + thread - 2;
  const int rows = newer.height - top < kMotionRows ? newer.height - top : kMotionRows;
  if (column < newer.width + 2) {
    const int x = mirror(column, newer.width);
    const auto difference = [&](int y) {
      const int row = mirror(y, newer.height);
      return sample<T>(older, x, row) - sample<T>(newer, x, row);
    };
    int32_t d[5];
    for (int k = 0; k < 4; ++k) d[k + 1] = difference(top + k - 2);
    for (int i = 0; i < kMotionRows; ++i) {
      if (i >= rows) break;
      for (int k = 0; k < 4; ++k) d[k] = d[k + 1];
      d[4] = difference(top + i + 2);
      blurred[i][thread] = motion::blur_vertically(d[0] + d[4], d[1] + d[3], d[2], newer.depth);
    }
  }
  sync_block();
  uint64_t sum = 0;
  if (thread >= 2 && thread < 2 + kMotionColumns && column < newer.width) {
    for (int i = 0; i < rows; ++i) {
      const int32_t* v = &blurred[i][thread];
      const int32_t h = motion::blur_horizontally(v[-2] + v[2], v[-1] + v[1], v[0]);
      sum += static_cast<uint32_t>(h < 0 ? -h : h);
    }
  }
  sum = block_sum<kMotionThreads>(sum);
  if (thread == 0) atomic_add(&args.record->blurred_difference, sum);
}

}  // namespace

QC_KERNEL(qc_blurred_difference_8, BlurredDifferenceArgs, kMotionThreads) { blurred_difference<uint8_t>(args); }
QC_KERNEL(qc_blurred_difference_16, BlurredDifferenceArgs, kMotionThreads) { blurred_difference<uint16_t>(args); }

}  // namespace qc::cuda
