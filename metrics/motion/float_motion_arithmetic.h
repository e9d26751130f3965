// Arithmetic of float_motion (float_motion.md §3, §4), for host and device.
#pragma once

#include "math/plane_view.h"

namespace qc::float_motion {

constexpr int kMostTaps = 5;

// The low-pass filter that the option motion_filter_size chooses.
struct Filter {
  int size;  // 1, 3 or 5 taps
  float tap[kMostTaps];
};

constexpr Filter filter(int size) {
  if (size == 1) return {1, {1.0F}};
  if (size == 3) return {3, {0.166378498F, 0.667243004F, 0.166378498F}};
  return {5, {0.054488685F, 0.244201342F, 0.402619947F, 0.244201342F, 0.054488685F}};
}

// Side of a plane after halving.
QC_HD constexpr int halved(int n) { return (n + 1) / 2; }

// libvmaf pads rows to whole vectors of 8 samples.
QC_HD constexpr int padded(int width) { return (width + 7) / 8 * 8; }

// Where sample t of a halved side lies between two samples of the whole one.
struct HalfPosition {
  int first;
  int second;
  float fraction;  // of the way from the one to the other; below -1 or above 1 where `first` was mirrored
};

// `n`: samples of the whole side.
QC_HD constexpr HalfPosition half_position(int t, int n) {
  const float ratio = static_cast<float>(n) / static_cast<float>(halved(n));
  const float position = static_cast<float>((static_cast<double>(t) + 0.5) * static_cast<double>(ratio) - 0.5);
  const int towards_zero = static_cast<int>(position);
  const int floor = towards_zero - (static_cast<float>(towards_zero) > position ? 1 : 0);
  const int ceiling = towards_zero + (static_cast<float>(towards_zero) < position ? 1 : 0);
  const int first = floor < 0 ? -floor : floor > n - 1 ? 2 * (n - 1) - floor : floor;
  const int second = ceiling < 0 ? -ceiling : ceiling > n - 1 ? 2 * (n - 1) - ceiling : ceiling;
  return {first, second, position - static_cast<float>(first)};
}

// a: first row and column, b: first row, second column, c and d: likewise in the second row.
QC_HD constexpr float bilinear(float a, float b, float c, float d, float dx, float dy) {
  const float rest_x = 1.0F - dx;
  const float rest_y = 1.0F - dy;
  return rest_y * rest_x * a + rest_y * dx * b + dy * rest_x * c + dy * dx * d;
}

QC_HD constexpr float magnitude(float x) { return x < 0 ? -x : x; }

}  // namespace qc::float_motion
