#include "cuda/device/prelude.h"
//
#include "cuda/ssim/decimation.h"
#include "ssim/ssim_arithmetic.h"

namespace qc::cuda {
namespace {

using namespace qc::device;

QC_DEVICE const PlaneView& luma(const FrameParameters* frame, unsigned picture) {
  return picture == 0 ? frame->current.reference.plane[0] : frame->current.distorted.plane[0];
}

}  // namespace

QC_KERNEL(qc_box_decimation, BoxDecimationArgs, kBoxThreads) {
  const PlaneView plane = luma(args.frame, block_z());
  const int x = static_cast<int>(block_x() * kBoxThreads + thread_x());
  const int y = static_cast<int>(block_y());
  if (x >= args.width) return;
  const float tap = ssim::box_tap(args.factor);
  const int left = x * args.factor - args.factor / 2;
  const int top = y * args.factor - args.factor / 2;
  double sum = 0;
  for (int v = 0; v < args.factor; ++v) {
    const int row = ssim::reflect(top + v, plane.height);
    for (int u = 0; u < args.factor; ++u) {
      const float sample = static_cast<float>(plane.at(ssim::reflect(left + u, plane.width), row)) * args.scale;
      sum = ssim::accumulate(sum, sample, tap);
    }
  }
  args.out[block_z()][int64_t{y} * args.width + x] = static_cast<float>(sum);
}

QC_KERNEL(qc_low_pass_decimation, LowPassDecimationArgs, kLowPassThreads) {
  constexpr int kTaps = ssim::kLowPassTaps;
  constexpr int kInRows = 2 * kLowPassRows + kTaps - 2;
  constexpr int kInColumns = 2 * kLowPassColumns + kTaps - 2;
  // Even and odd columns apart, so that neighbouring threads read neighbouring words.
  QC_BLOCK_SHARED float tile[kInRows][2][(kInColumns + 1) / 2];
  const int thread = static_cast<int>(thread_x());
  const int left = 2 * static_cast<int>(block_x()) * kLowPassColumns - kTaps / 2;
  const int top = 2 * static_cast<int>(block_y()) * kLowPassRows - kTaps / 2;
  const float* in = args.in[block_z()];
  for (int i = thread; i < kInRows * kInColumns; i += kLowPassThreads) {
    const int column = i % kInColumns;
    const int row = i / kInColumns;
    // Positions past the reflected edge belong to no output.
    if (left + column > args.in_width + kTaps / 2 || top + row > args.in_height + kTaps / 2) continue;
    const int x = ssim::reflect(left + column, args.in_width);
    const int y = ssim::reflect(top + row, args.in_height);
    tile[row][column % 2][column / 2] =
        in ? in[int64_t{y} * args.in_width + x]
           : static_cast<float>(luma(args.frame, block_z()).at(x, y)) * args.scale;
  }
  sync_block();
  const int column = thread % kLowPassColumns;
  const int row = thread / kLowPassColumns;
  const int x = static_cast<int>(block_x()) * kLowPassColumns + column;
  const int y = static_cast<int>(block_y()) * kLowPassRows + row;
  const int width = ssim::decimated_size(args.in_width, 2);
  if (x >= width || y >= ssim::decimated_size(args.in_height, 2)) return;
  double sum = 0;
  for (int v = 0; v < kTaps; ++v)
    for (int u = 0; u < kTaps; ++u)
      sum = ssim::accumulate(sum, tile[2 * row + v][u % 2][column + u / 2], ssim::low_pass_tap(v, u));
  args.out[block_z()][int64_t{y} * width + x] = static_cast<float>(sum);
}

}  // namespace qc::cuda
