#include "vif/float_vif_parameters.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "core/error.h"

namespace qc::float_vif {
namespace {

constexpr int kBaseTaps[kFloatVifScales] = {17, 9, 5, 3};

constexpr float kKernelScales[] = {1.0F,     1.0F / 2, 3.0F / 2,  2.0F,      2.0F / 3,  24.0F / 10, 360.0F / 97,
                                   4.0F / 3, 3.5F / 3, 3.75F / 3, 4.25F / 3, 5.0F / 3,  3.0F,       1.0F / 2.25F,
                                   1.4746F,  1.54F,    1.6F,      1.06667F,  0.711111F, 0.74074F,   1.111111F};

// Widest resampled picture that libvmaf has tables for, bilinear alone.
constexpr int kWidestBilinear = 7680;

// Source position of sample t, for every method but nearest.
float position(int t, float ratio) { return static_cast<float>((double(t) + 0.5) * double(ratio) - 0.5); }

float bicubic_weight(float argument) {
  const float t = std::abs(argument);
  if (t < 1) return (1.25F * t - 2.25F) * t * t + 1;
  if (t < 2) return (((t - 5) * t + 8) * t - 4) * -0.75F;
  return 0;
}

float lanczos4_weight(float argument) {
  if (argument == 0) return 1;
  if (!(std::abs(argument) < 4)) return 0;
  constexpr double kPi = std::numbers::pi;
  const double z = argument;
  return static_cast<float>(4 * std::sin(kPi * z) * std::sin(kPi * z / 4) / (kPi * kPi * z * z));
}

ResamplingAxis make_axis(const std::string& method, int n, int to) {
  const float ratio = static_cast<float>(n) / static_cast<float>(to);
  ResamplingAxis axis;
  const auto add_taps = [&](int t, int first, int last, float (*weight)(float)) {
    const float p = position(t, ratio);
    const int floor = static_cast<int>(std::floor(p));
    const float fraction = p - static_cast<float>(floor);
    axis.taps = last - first + 1;
    for (int i = first; i <= last; ++i) {
      axis.index.push_back(mirror(floor + i, n));
      axis.weight.push_back(weight(static_cast<float>(i) - fraction));
    }
  };
  for (int t = 0; t < to; ++t) {
    if (method == "nearest") {
      axis.taps = 1;
      axis.index.push_back(static_cast<int>(static_cast<float>(t) * ratio));
      axis.weight.push_back(1);
    } else if (method == "bilinear") {
      // The fraction is taken from the index after mirroring: samples left of the first are extrapolated.
      const float p = position(t, ratio);
      const int first = mirror(static_cast<int>(std::floor(p)), n);
      const float fraction = p - static_cast<float>(first);
      axis.taps = 2;
      axis.index.insert(axis.index.end(), {first, mirror(static_cast<int>(std::ceil(p)), n)});
      axis.weight.insert(axis.weight.end(), {1 - fraction, fraction});
    } else if (method == "bicubic") {
      add_taps(t, -1, 2, bicubic_weight);
    } else {
      add_taps(t, -4, 4, lanczos4_weight);
    }
  }
  return axis;
}

std::string size_text(int width, int height) { return std::to_string(width) + "x" + std::to_string(height); }

}  // namespace

Filter gaussian(int taps) {
  Filter filter{taps, {}};
  const float deviation = static_cast<float>(taps) / 5;
  const double sigma = deviation;
  const float factor = static_cast<float>(1 / (sigma * std::sqrt(2 * std::numbers::pi)));
  float sum = 0;
  for (int i = 0; i < taps; ++i) {
    const double d = static_cast<float>(i - taps / 2);
    filter.tap[i] = static_cast<float>(std::exp(-0.5 * d / sigma * d / sigma)) / factor;
    sum += filter.tap[i];
  }
  for (int i = 0; i < taps; ++i) filter.tap[i] /= sum;
  return filter;
}

int filter_taps(double kernel_scale, int s) {
  const int size = static_cast<int>(std::ceil(static_cast<float>(kBaseTaps[s]) * static_cast<float>(kernel_scale)));
  return std::max(size % 2 ? size : size + 1, 3);
}

bool valid_kernel_scale(double kernel_scale) {
  return std::any_of(std::begin(kKernelScales), std::end(kKernelScales),
                     [&](float known) { return double(std::abs(static_cast<float>(kernel_scale) - known)) < 1e-3; });
}

int least_resampled_side(const std::string& method) {
  if (method == "nearest") return 1;
  if (method == "bilinear") return 2;
  if (method == "bicubic") return 3;
  if (method == "lanczos4") return 6;
  return 0;
}

Resampling make_resampling(const std::string& method, int width, int height, int to_width, int to_height) {
  return {make_axis(method, width, to_width), make_axis(method, height, to_height), method == "lanczos4"};
}

int prescaled_side(int side, double factor) { return static_cast<int>(side * factor + 0.5); }

Options options_of(const OptionSet& options) {
  return {options.get_double("vif_enhn_gain_limit"), options.get_double("vif_kernelscale"),
          options.get_double("vif_prescale"),        options.get_string("vif_prescale_method"),
          options.get_double("vif_sigma_nsq"),       options.get_bool("vif_skip_scale0")};
}

Parameters make_parameters(const Options& options, int width, int height) {
  if (!valid_kernel_scale(options.kernel_scale)) {
    std::string known;
    for (const float scale : kKernelScales) {
      char text[32];
      std::snprintf(text, sizeof text, " %g", double(scale));
      known += text;
    }
    fail_invalid("vif_kernelscale of float_vif is none of its values:" + known);
  }
  const int least = least_resampled_side(options.prescale_method);
  if (least == 0)
    fail_invalid("vif_prescale_method '" + options.prescale_method +
                 "' is none of nearest, bilinear, bicubic, lanczos4");

  Parameters p{};
  p.first_scale = options.skip_scale0 ? 1 : 0;
  p.channel = channel(options.gain_limit, options.noise);
  p.width[0] = prescaled_side(width, options.prescale);
  p.height[0] = prescaled_side(height, options.prescale);
  p.resampled = p.width[0] != width || p.height[0] != height;
  int least_side = 0;
  for (int s = 0; s < kFloatVifScales; ++s) {
    if (s > 0) {
      p.width[s] = p.width[s - 1] / 2;
      p.height[s] = p.height[s - 1] / 2;
    }
    p.filter[s] = gaussian(filter_taps(options.kernel_scale, s));
    if (s >= p.first_scale) least_side = std::max(least_side, (p.filter[s].radius() + 1) << s);
  }
  if (std::min(p.width[0], p.height[0]) < least_side)
    fail_invalid("float_vif needs pictures of at least " + size_text(least_side, least_side) + " samples" +
                 (p.resampled ? " after prescaling" : "") + " with these options, not " +
                 size_text(p.width[0], p.height[0]));
  if (p.resampled) {
    if (std::min(width, height) < least)
      fail_invalid("vif_prescale_method " + options.prescale_method + " needs pictures of at least " +
                   size_text(least, least) + " samples, not " + size_text(width, height));
    if (options.prescale_method == "bilinear" && p.width[0] > kWidestBilinear)
      fail_invalid("vif_prescale_method bilinear gives pictures of at most " + std::to_string(kWidestBilinear) +
                   " samples a row, not " + std::to_string(p.width[0]));
    p.resampling = make_resampling(options.prescale_method, width, height, p.width[0], p.height[0]);
  }
  return p;
}

}  // namespace qc::float_vif
