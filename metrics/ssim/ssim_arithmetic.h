// Arithmetic of the SSIM family, the same on host and device (ssim.md): every operation below is one IEEE operation of
// the width that its types say, none is fused.
//
// Method: Wang, Bovik, Sheikh, Simoncelli, "Image quality assessment: from error visibility to structural similarity",
// IEEE TIP 13(4), 2004; Wang, Simoncelli, Bovik, "Multiscale structural similarity for image quality assessment",
// Asilomar 2003. The constants and the order of operations are libvmaf's.
#pragma once

#include <cstdint>

#include "math/plane_view.h"

namespace qc::ssim {

// ---- float_ssim and float_ms_ssim: windows over float32 planes with samples in 0 … 255.996

// Taps of the Gaussian window (sigma 1.5). It is applied separably at fully covered positions only.
constexpr int kWindowTaps = 11;
QC_HD constexpr float window_tap(int i) {
  const float taps[kWindowTaps] = {0.001028f, 0.007599f, 0.036001f, 0.109361f, 0.213006f, 0.266012f,
                                   0.213006f, 0.109361f, 0.036001f, 0.007599f, 0.001028f};
  return taps[i];
}

// One step of a windowed sum: the product is rounded to float32 before the float64 accumulator takes it.
QC_HD inline double accumulate(double sum, float sample, float tap) { return sum + static_cast<double>(sample * tap); }

// Window means of the reference x, the distorted y, and their products.
struct WindowMeans {
  float x;
  float y;
  float xx;
  float yy;
  float xy;
};

constexpr float kC1 = 0x1.a028f4p+2f;  // (0.01 * 255)^2 in float32
constexpr float kC2 = 0x1.d42e12p+5f;  // (0.03 * 255)^2 in float32
constexpr float kC3 = 0x1.d42e12p+4f;  // kC2 / 2

QC_HD inline float variance(float mean_of_squares, float mean) {
  const float v = mean_of_squares - mean * mean;
  return 0.0f > v ? 0.0f : v;
}
QC_HD inline float covariance(const WindowMeans& m) { return m.xy - m.x * m.y; }

// The luminance term l.
QC_HD inline double luminance(float mean_x, float mean_y) {
  const float denominator = mean_x * mean_x + mean_y * mean_y + kC1;
  return (2.0 * static_cast<double>(mean_x) * static_cast<double>(mean_y) + static_cast<double>(kC1)) /
         static_cast<double>(denominator);
}
// The contrast term c. `deviation` is the float32 square root of variance_x * variance_y.
QC_HD inline double contrast(float variance_x, float variance_y, float deviation) {
  const float denominator = variance_x + variance_y + kC2;
  return (2.0 * static_cast<double>(deviation) + static_cast<double>(kC2)) / static_cast<double>(denominator);
}
// The structure term s.
QC_HD inline float structure(float covariance, float deviation) {
  const float numerator = covariance < 0.0f && deviation <= 0.0f ? 0.0f : covariance;
  return (numerator + kC3) / (deviation + kC3);
}

// A plane's mean of a term as it is output: float32. `width` and `height` count window positions and may be negative: a
// plane that is too small for the window gives 0, -0 or NaN, as libvmaf's does.
QC_HD inline float plane_mean(double sum, int width, int height) {
  return static_cast<float>(sum / static_cast<double>(width * height));
}

// ---- decimation

// Size of a side after decimation by `factor`.
QC_HD inline int decimated_size(int size, int factor) { return size / factor + (size & 1); }

// Index of the sample that stands for index i of a side of n samples: one reflection that repeats the edge sample.
QC_HD inline int reflect(int i, int n) { return i < 0 ? -1 - i : i >= n ? 2 * n - 1 - i : i; }

// The factor that float_ssim chooses by itself: the shorter side divided by 256, rounded, at least 1.
QC_HD inline int automatic_scale(int width, int height) {
  const float quotient = static_cast<float>(width < height ? width : height) / 256.0f;
  const int whole = static_cast<int>(quotient);
  const int scale = whole + (quotient - static_cast<float>(whole) >= 0.5f ? 1 : 0);
  return scale > 1 ? scale : 1;
}

// Every entry of float_ssim's factor x factor decimation kernel.
QC_HD inline float box_tap(int factor) { return 1.0f / static_cast<float>(factor * factor); }

// float_ms_ssim's 9x9 low-pass kernel for decimation by 2. It is symmetric, but not separable: its entries are rounded.
constexpr int kLowPassTaps = 9;
constexpr int kScales = 5;
QC_HD constexpr float low_pass_tap(int v, int u) {
  const float taps[5][5] = {{0.000714f, -0.000450f, -0.002090f, 0.007132f, 0.016114f},
                            {-0.000450f, 0.000283f, 0.001316f, -0.004490f, -0.010146f},
                            {-0.002090f, 0.001316f, 0.006115f, -0.020867f, -0.047149f},
                            {0.007132f, -0.004490f, -0.020867f, 0.071207f, 0.160885f},
                            {0.016114f, -0.010146f, -0.047149f, 0.160885f, 0.363505f}};
  return taps[v < 5 ? v : 8 - v][u < 5 ? u : 8 - u];
}

// ---- ssim: integer moments of raw samples

// Weight of the sample at offset t, -4 … 4, from the centre. Samples outside the picture are dropped.
constexpr int kMomentRadius = 4;
QC_HD constexpr int moment_weight(int t) {
  const int weights[kMomentRadius + 1] = {68, 55, 28, 9, 2};
  return weights[t < 0 ? -t : t];
}
constexpr int kMomentWeightSum = 256;
// Sum of the weights of the samples that a side of n samples has around position i.
QC_HD inline int weight_inside(int i, int n) {
  if (i >= kMomentRadius && i < n - kMomentRadius) return kMomentWeightSum;
  int sum = 0;
  for (int t = -kMomentRadius; t <= kMomentRadius; ++t)
    if (i + t >= 0 && i + t < n) sum += moment_weight(t);
  return sum;
}

// Weighted sums of a window, exact in float64 (below 2^48).
struct Moments {
  double x;
  double y;
  double xx;
  double xy;
  double yy;
};

// The two constants of the terms, before they are scaled by the square of the weight.
struct MomentConstants {
  double c1;
  double c2;
};
// The squared peak passes through a 32-bit integer in the reference: at 16 bits it wraps to -131071.
QC_HD inline MomentConstants moment_constants(int depth) {
  const uint32_t peak = (1U << depth) - 1;
  const double squared = static_cast<double>(static_cast<int32_t>(peak * peak));
  return {squared * 0x1.a36e2eb1c432dp-14, squared * 0x1.d7dbf487fcb92p-11};
}

// SSIM of one window whose weights sum to w, times w.
QC_HD inline double moment_term(const Moments& m, double w, const MomentConstants& constants) {
  const double xx = m.x * m.x;
  const double xy = m.x * m.y;
  const double yy = m.y * m.y;
  const double c1 = constants.c1 * w * w;
  const double c2 = constants.c2 * w * w;
  const double numerator = w * (2 * xy + c1) * (c2 + 2 * (m.xy * w - xy));
  const double denominator = (xx + yy + c1) * (m.xx * w - xx + m.yy * w - yy + c2);
  return numerator / denominator;
}

}  // namespace qc::ssim
