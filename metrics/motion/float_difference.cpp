#include "motion/float_difference.h"

#include <algorithm>
#include <cstddef>

#include "core/simd.h"
#include "math/centred_row.h"
#include "math/ordered_rows.h"
#include "motion/motion_arithmetic.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "motion/float_difference.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#ifndef QC_MOTION_FLOAT_DIFFERENCE_PLAIN
#define QC_MOTION_FLOAT_DIFFERENCE_PLAIN
namespace qc {

// Planes that are to be halved, as libvmaf lays them out and as it then reads them: rows are `pitch` samples apart, the
// samples behind their ends are 0, and halving takes rows that are `halving_pitch` apart.
struct BlurredPlanes {
  float* plane[2];
  size_t pitch;
  size_t halving_pitch;
};

namespace plain {

inline void blur(const PlaneView& view, const float_motion::Filter& filter, std::vector<float>& vertical, float* out,
                 size_t pitch) {
  using motion::mirror;
  const int w = view.width;
  const int h = view.height;
  const int radius = filter.size / 2;
  const float scale = centred_scale(view.depth);
  vertical.resize(static_cast<size_t>(w));
  for (int y = 0; y < h; ++y) {
    float* row = out + static_cast<size_t>(y) * pitch;
    for (int x = 0; x < w; ++x) {
      float sum = 0;
      for (int k = 0; k < filter.size; ++k)
        sum += filter.tap[k] * centred(view.at(x, mirror(y - radius + k, h)), scale);
      vertical[static_cast<size_t>(x)] = sum;
    }
    for (int x = 0; x < w; ++x) {
      float sum = 0;
      for (int k = 0; k < filter.size; ++k)
        sum += filter.tap[k] * vertical[static_cast<size_t>(mirror(x - radius + k, w))];
      row[x] = sum;
    }
    std::fill(row + w, row + pitch, 0.0F);
  }
}

inline float sum_of_differences(const float* a, const float* b, int w, int h, size_t pitch) {
  float sum = 0;
  for (int y = 0; y < h; ++y) {
    float row = 0;
    for (int x = 0; x < w; ++x) {
      const size_t at = static_cast<size_t>(y) * pitch + static_cast<size_t>(x);
      row += float_motion::magnitude(a[at] - b[at]);
    }
    sum += row;
  }
  return sum;
}

// Row t of a halved plane of w x h samples.
inline void halve_row(const float* plane, size_t pitch, int w, int h, int t, float* out) {
  const auto vertical = float_motion::half_position(t, h);
  const float* first = plane + static_cast<size_t>(vertical.first) * pitch;
  const float* second = plane + static_cast<size_t>(vertical.second) * pitch;
  for (int x = 0; x < float_motion::halved(w); ++x) {
    const auto p = float_motion::half_position(x, w);
    out[x] = float_motion::bilinear(first[p.first], first[p.second], second[p.first], second[p.second], p.fraction,
                                    vertical.fraction);
  }
}

inline float half_sum_of_differences(const BlurredPlanes& planes, int w, int h, FloatMotionScratch& scratch) {
  const int width = float_motion::halved(w);
  float sum = 0;
  for (std::vector<float>& row : scratch.rows) row.resize(static_cast<size_t>(width));
  for (int t = 0; t < float_motion::halved(h); ++t) {
    for (int i = 0; i < 2; ++i)
      halve_row(planes.plane[i], planes.halving_pitch, w, h, t, scratch.rows[i].data());
    sum += sum_of_differences(scratch.rows[0].data(), scratch.rows[1].data(), width, 1, 0);
  }
  return sum;
}

inline FloatDifference float_difference(const PlaneView& older, const PlaneView& newer,
                                        const float_motion::Filter& filter, bool halve, const BlurredPlanes& planes,
                                        FloatMotionScratch& scratch) {
  blur(older, filter, scratch.vertical[0], planes.plane[0], planes.pitch);
  blur(newer, filter, scratch.vertical[0], planes.plane[1], planes.pitch);
  const float full = sum_of_differences(planes.plane[0], planes.plane[1], newer.width, newer.height, planes.pitch);
  return {full, halve ? half_sum_of_differences(planes, newer.width, newer.height, scratch) : 0.0F};
}

}  // namespace plain
}  // namespace qc
#endif

HWY_BEFORE_NAMESPACE();
namespace qc::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

FloatDifference difference(const PlaneView& older, const PlaneView& newer, const float_motion::Filter& filter,
                           bool halve, const BlurredPlanes& planes, FloatMotionScratch& scratch) {
  return plain::float_difference(older, newer, filter, halve, planes, scratch);
}

}  // namespace qc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qc {
namespace {
HWY_EXPORT(difference);
}  // namespace

FloatDifference float_difference(const PlaneView& older, const PlaneView& newer, const float_motion::Filter& filter,
                                 bool halve, int luma_width, FloatMotionScratch& scratch) {
  const bool chroma = newer.width < luma_width;
  BlurredPlanes planes{};
  planes.pitch = static_cast<size_t>(float_motion::padded(luma_width));
  planes.halving_pitch = chroma ? static_cast<size_t>(float_motion::padded(newer.width)) : planes.pitch;
  for (int i = 0; i < 2; ++i) {
    scratch.blurred[i].resize(planes.pitch * static_cast<size_t>(newer.height));
    planes.plane[i] = scratch.blurred[i].data();
  }
  return HWY_DYNAMIC_DISPATCH(difference)(older, newer, filter, halve, planes, scratch);
}

}  // namespace qc
#endif
