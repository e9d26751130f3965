#include "motion/float_difference.h"

#include <algorithm>
#include <cstddef>
#include <utility>

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
  size_t pitch;
  size_t halving_pitch;
  float* plane[2];
};

inline void reserve(std::vector<float>& buffer, size_t size) {
  if (buffer.size() < size) buffer.resize(size);
}

inline void allocate(BlurredPlanes& planes, int height, FloatMotionScratch& scratch) {
  for (int i = 0; i < 2; ++i) {
    reserve(scratch.blurred[i], planes.pitch * static_cast<size_t>(height));
    planes.plane[i] = scratch.blurred[i].data();
  }
}

namespace plain {

inline void blur(const PlaneView& view, const float_motion::Filter& filter, std::vector<float>& vertical, float* out,
                 size_t pitch) {
  using motion::mirror;
  const int w = view.width;
  const int h = view.height;
  const int radius = filter.size / 2;
  const float scale = centred_scale(view.depth);
  reserve(vertical, static_cast<size_t>(w));
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
  for (std::vector<float>& row : scratch.rows) reserve(row, static_cast<size_t>(width));
  for (int t = 0; t < float_motion::halved(h); ++t) {
    for (int i = 0; i < 2; ++i) halve_row(planes.plane[i], planes.halving_pitch, w, h, t, scratch.rows[i].data());
    sum += sum_of_differences(scratch.rows[0].data(), scratch.rows[1].data(), width, 1, 0);
  }
  return sum;
}

inline FloatDifference float_difference(const PlaneView& older, const PlaneView& newer,
                                        const float_motion::Filter& filter, bool halve, BlurredPlanes& planes,
                                        FloatMotionScratch& scratch) {
  allocate(planes, newer.height, scratch);
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

#if QC_PLAIN_TARGET
FloatDifference difference(const PlaneView& older, const PlaneView& newer, const float_motion::Filter& filter,
                           bool halve, BlurredPlanes& planes, FloatMotionScratch& scratch) {
  return plain::float_difference(older, newer, filter, halve, planes, scratch);
}
#else

// Samples before and behind a row that vectors may touch.
constexpr size_t kMargin = 16;
// Rows of magnitudes that are summed side by side.
constexpr int kTermRows = 16;

constexpr size_t row_pitch(int width) { return (static_cast<size_t>(width) + 15) / 16 * 16 + 2 * kMargin; }

// Adds the sums of `rows` rows of magnitudes to `sum`, row by row.
float add_rows(const std::vector<float>& terms, int width, int rows, std::vector<float>& sums, float sum) {
  sum_rows_in_order(terms.data(), row_pitch(width), rows, width, sums.data());
  for (int r = 0; r < rows; ++r) sum += sums[static_cast<size_t>(r)];
  return sum;
}

// The filter's sum of in(0), in(1) … A sum that is 0 may have the other sign than the plain code's, which begins with
// 0; magnitudes of differences don't show it.
template <class In, size_t... k>
HWY_INLINE auto weighted(std::index_sequence<0, k...>, const float_motion::Filter& filter, In in) {
  const hn::CappedTag<float, 16> d;
  auto sum = hn::Mul(hn::Set(d, filter.tap[0]), hn::LoadU(d, in(0)));
  ((sum = hn::Add(sum, hn::Mul(hn::Set(d, filter.tap[k]), hn::LoadU(d, in(k))))), ...);
  return sum;
}

// One row of a picture after both passes of the filter, a vector at a time.
template <int kTaps>
class BlurredRow {
 public:
  static constexpr int kRadius = kTaps / 2;

  BlurredRow(const PlaneView& plane, const float_motion::Filter& filter, std::vector<float>& rows,
             std::vector<float>& vertical)
      : plane_(plane), filter_(filter), pitch_(row_pitch(plane.width)) {
    reserve(rows, kTaps * pitch_);
    reserve(vertical, pitch_);
    rows_ = rows.data();
    vertical_ = vertical.data() + kMargin;
  }

  // Makes at() give row y. Rows have to come in order.
  void go_to(int y) {
    using motion::mirror;
    const int w = plane_.width;
    const int h = plane_.height;
    for (; read_ <= std::min(y + kRadius, h - 1); ++read_) read_centred_row(plane_, read_, slot(read_));
    if constexpr (kTaps == 1) {
      vertical_ = slot(y);
      return;
    }
    const float* rows[kTaps];
    for (int k = 0; k < kTaps; ++k) rows[k] = slot(mirror(y - kRadius + k, h));
    const hn::CappedTag<float, 16> d;
    const int lanes = static_cast<int>(hn::Lanes(d));
    const float_motion::Filter filter = filter_;  // which no store can change
    float* const out = vertical_;
    for (int x = 0; x < w; x += lanes) {
      const auto in = [&](size_t k) HWY_ATTR { return rows[k] + x; };
      hn::StoreU(weighted(std::make_index_sequence<kTaps>(), filter, in), d, out + x);
    }
    for (int i = 1; i <= kRadius; ++i) {
      vertical_[-i] = vertical_[i];
      vertical_[w - 1 + i] = vertical_[w - 1 - i];
    }
  }

  // The row after the vertical pass.
  const float* vertical() const { return vertical_; }

 private:
  float* slot(int y) { return rows_ + static_cast<size_t>(y % kTaps) * pitch_; }

  const PlaneView& plane_;
  const float_motion::Filter& filter_;
  size_t pitch_;
  float* rows_;
  float* vertical_;
  int read_ = 0;
};

// A vector of the horizontal pass.
template <int kTaps, class D>
HWY_INLINE hn::Vec<D> blurred_at(D d, const float* vertical, const float_motion::Filter& filter) {
  if constexpr (kTaps == 1) {
    return hn::LoadU(d, vertical);
  } else {
    const auto in = [&](size_t k) HWY_ATTR { return vertical - kTaps / 2 + k; };
    return weighted(std::make_index_sequence<kTaps>(), filter, in);
  }
}

template <int kTaps>
float full_sum(const PlaneView& older, const PlaneView& newer, const float_motion::Filter& taps, bool keep,
               const BlurredPlanes& planes, FloatMotionScratch& scratch) {
  const int w = newer.width;
  const int h = newer.height;
  const size_t pitch = row_pitch(w);
  reserve(scratch.terms, kTermRows * pitch);
  const float_motion::Filter filter = taps;  // which no store can change
  BlurredRow<kTaps> a(older, taps, scratch.rows[0], scratch.vertical[0]);
  BlurredRow<kTaps> b(newer, taps, scratch.rows[1], scratch.vertical[1]);
  const hn::CappedTag<float, 16> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  float sum = 0;
  for (int y = 0; y < h; ++y) {
    a.go_to(y);
    b.go_to(y);
    const float* from_a = a.vertical();
    const float* from_b = b.vertical();
    float* terms = scratch.terms.data() + static_cast<size_t>(y % kTermRows) * pitch;
    if (keep) {
      float* const rows[2] = {planes.plane[0] + static_cast<size_t>(y) * planes.pitch,
                              planes.plane[1] + static_cast<size_t>(y) * planes.pitch};
      HWY_ALIGN float last[2][hn::MaxLanes(d)];
      for (int x = 0; x < w; x += lanes) {
        const auto va = blurred_at<kTaps>(d, from_a + x, filter);
        const auto vb = blurred_at<kTaps>(d, from_b + x, filter);
        hn::StoreU(hn::Abs(hn::Sub(va, vb)), d, terms + x);
        if (x + lanes <= w) {
          hn::StoreU(va, d, rows[0] + x);
          hn::StoreU(vb, d, rows[1] + x);
        } else {
          hn::Store(va, d, last[0]);
          hn::Store(vb, d, last[1]);
          for (int i = 0; i < 2; ++i) std::copy_n(last[i], w - x, rows[i] + x);
        }
      }
      for (float* row : rows) std::fill(row + w, row + planes.pitch, 0.0F);
    } else {
      for (int x = 0; x < w; x += lanes) {
        const auto va = blurred_at<kTaps>(d, from_a + x, filter);
        const auto vb = blurred_at<kTaps>(d, from_b + x, filter);
        hn::StoreU(hn::Abs(hn::Sub(va, vb)), d, terms + x);
      }
    }
    if (y % kTermRows == kTermRows - 1 || y == h - 1)
      sum = add_rows(scratch.terms, w, y % kTermRows + 1, scratch.sums, sum);
  }
  return sum;
}

// Row t of a plane of w x h samples, w even, halved: the columns' weights are 1/2.
void halve_even_row(const float* plane, size_t pitch, int w, int h, int t, float* out) {
  const hn::CappedTag<float, 16> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto vertical = float_motion::half_position(t, h);
  const float* first = plane + static_cast<size_t>(vertical.first) * pitch;
  const float* second = plane + static_cast<size_t>(vertical.second) * pitch;
  const auto upper = hn::Set(d, (1.0F - vertical.fraction) * 0.5F);
  const auto lower = hn::Set(d, vertical.fraction * 0.5F);
  int x = 0;
  for (; x + lanes <= w / 2; x += lanes) {
    hn::Vec<decltype(d)> a;
    hn::Vec<decltype(d)> b;
    hn::LoadInterleaved2(d, first + 2 * x, a, b);
    auto sum = hn::Add(hn::Mul(upper, a), hn::Mul(upper, b));
    hn::LoadInterleaved2(d, second + 2 * x, a, b);
    sum = hn::Add(hn::Add(sum, hn::Mul(lower, a)), hn::Mul(lower, b));
    hn::StoreU(sum, d, out + x);
  }
  for (; x < w / 2; ++x)
    out[x] = float_motion::bilinear(first[2 * x], first[2 * x + 1], second[2 * x], second[2 * x + 1], 0.5F,
                                    vertical.fraction);
}

float half_sum(const BlurredPlanes& planes, int w, int h, FloatMotionScratch& scratch) {
  const int width = float_motion::halved(w);
  const int height = float_motion::halved(h);
  const size_t pitch = row_pitch(width);
  reserve(scratch.terms, kTermRows * pitch);
  for (std::vector<float>& row : scratch.rows) reserve(row, pitch);
  const hn::CappedTag<float, 16> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  float sum = 0;
  for (int t = 0; t < height; ++t) {
    for (int i = 0; i < 2; ++i)
      (w % 2 ? plain::halve_row : halve_even_row)(planes.plane[i], planes.halving_pitch, w, h, t,
                                                  scratch.rows[i].data());
    float* terms = scratch.terms.data() + static_cast<size_t>(t % kTermRows) * pitch;
    for (int x = 0; x < width; x += lanes)
      hn::StoreU(hn::Abs(hn::Sub(hn::LoadU(d, scratch.rows[0].data() + x), hn::LoadU(d, scratch.rows[1].data() + x))),
                 d, terms + x);
    if (t % kTermRows == kTermRows - 1 || t == height - 1)
      sum = add_rows(scratch.terms, width, t % kTermRows + 1, scratch.sums, sum);
  }
  return sum;
}

FloatDifference difference(const PlaneView& older, const PlaneView& newer, const float_motion::Filter& filter,
                           bool halve, BlurredPlanes& planes, FloatMotionScratch& scratch) {
  if (halve) allocate(planes, newer.height, scratch);
  reserve(scratch.sums, kTermRows);
  const auto sum = filter.size == 1 ? full_sum<1> : filter.size == 3 ? full_sum<3> : full_sum<5>;
  const float full = sum(older, newer, filter, halve, planes, scratch);
  return {full, halve ? half_sum(planes, newer.width, newer.height, scratch) : 0.0F};
}
#endif

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
  return HWY_DYNAMIC_DISPATCH(difference)(older, newer, filter, halve, planes, scratch);
}

}  // namespace qc
#endif
