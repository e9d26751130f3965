#include "speed/speed_parameters.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/error.h"
#include "speed/speed_log2.h"

namespace qc::speed {
namespace {

constexpr float kKernelScales[] = {1.0F,           1.0F / 2.0F,  3.0F / 2.0F, 2.0F,         2.0F / 3.0F,  2.4F,
                                   360.0F / 97.0F, 4.0F / 3.0F,  3.5F / 3.0F, 3.75F / 3.0F, 4.25F / 3.0F, 5.0F / 3.0F,
                                   3.0F,           1.0F / 2.25F, 1.4746F,     1.54F,        1.6F,         1.06667F,
                                   0.711111F,      0.740740F,    1.111111F};

std::string size_text(int width, int height) { return std::to_string(width) + "x" + std::to_string(height); }

std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

bool is_defined(float kernelscale) {
  return std::any_of(std::begin(kKernelScales), std::end(kKernelScales),
                     [&](float v) { return double(std::abs(kernelscale - v)) < 0.001; });
}

int filter_taps(int n, float kernelscale) {
  const int taps = static_cast<int>(std::ceil(static_cast<float>(n) * kernelscale));
  return std::max(taps | 1, 3);
}

Filter gaussian(int taps, float sigma) {
  Filter filter;
  const double width = double(sigma);
  const auto den = static_cast<float>(1.0 / (width * std::sqrt(2.0 * std::numbers::pi)));
  float sum = 0.0F;
  for (int i = 0; i < taps; ++i) {
    const double x = i - taps / 2;
    const auto num = static_cast<float>(std::exp(-0.5 * x / width * x / width));
    filter.tap.push_back(num / den);
    sum += filter.tap.back();
  }
  for (float& tap : filter.tap) tap /= sum;
  return filter;
}

// Where output sample i lies among the input's samples.
float position(int i, float ratio) { return static_cast<float>((double(i) + 0.5) * double(ratio) - 0.5); }

Resampling with_taps(int taps, int target) {
  const auto n = static_cast<size_t>(taps) * static_cast<size_t>(target);
  return {std::vector<int>(n), std::vector<float>(n)};
}

Resampling nearest(int source, int target, float ratio) {
  Resampling r = with_taps(1, target);
  for (int i = 0; i < target; ++i) {
    r.index[i] = std::min(static_cast<int>(static_cast<float>(i) * ratio), source - 1);
    r.weight[i] = 1.0F;
  }
  return r;
}

Resampling bilinear(int source, int target, float ratio) {
  Resampling r = with_taps(2, target);
  for (int i = 0; i < target; ++i) {
    const float x = position(i, ratio);
    // The distance from the mirrored sample, as libvmaf takes it: beyond the edge it extrapolates.
    const int first = mirror(static_cast<int>(std::floor(x)), source);
    const float distance = x - static_cast<float>(first);
    r.index[i] = first;
    r.weight[i] = 1.0F - distance;
    r.index[target + i] = mirror(static_cast<int>(std::ceil(x)), source);
    r.weight[target + i] = distance;
  }
  return r;
}

float bicubic_weight(float t) {
  constexpr float a = -0.75F;
  if (t < 1.0F) return ((a + 2.0F) * t - (a + 3.0F)) * t * t + 1.0F;
  if (t < 2.0F) return (((t - 5.0F) * t + 8.0F) * t - 4.0F) * a;
  return 0.0F;
}

float lanczos_weight(float t) {
  if (t == 0.0F) return 1.0F;
  if (!(t > -4.0F && t < 4.0F)) return 0.0F;
  constexpr double pi = std::numbers::pi;
  const double x = double(t);
  return static_cast<float>(4.0 * std::sin(pi * x) * std::sin(pi * x / 4.0) / (pi * pi * x * x));
}

// Samples first … last around the one below the position.
template <class Weight>
Resampling weighted(int source, int target, float ratio, int first, int last, Weight weight) {
  Resampling r = with_taps(last - first + 1, target);
  for (int i = 0; i < target; ++i) {
    const float x = position(i, ratio);
    const float whole = std::floor(x);
    for (int k = first; k <= last; ++k) {
      const int at = (k - first) * target + i;
      r.index[at] = mirror(static_cast<int>(whole) + k, source);
      r.weight[at] = weight(static_cast<float>(k) - (x - whole));
    }
  }
  return r;
}

Resampling resampling(const std::string& method, int source, int target) {
  const float ratio = static_cast<float>(source) / static_cast<float>(target);
  if (method == "nearest") return nearest(source, target, ratio);
  if (method == "bilinear") return bilinear(source, target, ratio);
  if (method == "bicubic")
    return weighted(source, target, ratio, -1, 2, [](float t) { return bicubic_weight(magnitude(t)); });
  return weighted(source, target, ratio, -4, 4, lanczos_weight);
}

Sizes sizes_of(int width, int height, double prescale) {
  Sizes s{};
  s.source_width = width;
  s.source_height = height;
  s.scaled_width = static_cast<int>(width * prescale + 0.5);
  s.scaled_height = static_cast<int>(height * prescale + 0.5);
  s.reduced_width = s.scaled_width / kReduction;
  s.reduced_height = s.scaled_height / kReduction;
  s.blocks_x = s.reduced_width / kSide;
  s.blocks_y = s.reduced_height / kSide;
  s.positions_x = kSide * s.blocks_x - (kSide - 1);
  s.positions_y = kSide * s.blocks_y - (kSide - 1);
  return s;
}

// `what` and `plane` name feature and planes in messages.
Parameters parameters_of(const OptionSet& options, int width, int height, const std::string& what, const char* plane,
                         Weighting weighting) {
  const double prescale = options.get_double("speed_prescale");
  const std::string& method = options.get_string("speed_prescale_method");
  const auto kernelscale = static_cast<float>(options.get_double("speed_kernelscale"));
  if (method != "nearest" && method != "bilinear" && method != "bicubic" && method != "lanczos4")
    fail_invalid(what + ": there is no speed_prescale_method '" + method +
                 "'; there are nearest, bilinear, bicubic and lanczos4");
  if (!is_defined(kernelscale)) {
    std::string values;
    for (float v : kKernelScales) values += (values.empty() ? "" : ", ") + number_text(double(v));
    fail_invalid(what + ": speed_kernelscale=" + number_text(double(kernelscale)) + " is not defined; defined are " +
                 values);
  }

  Parameters p{};
  p.sizes = sizes_of(width, height, prescale);
  const bool prescaled = !(std::abs(prescale - 1.0) < 1.0e-3);
  if (p.sizes.scaled_width < kLeastSize || p.sizes.scaled_height < kLeastSize)
    fail_invalid(what + ": " + plane + " of at least " + size_text(kLeastSize, kLeastSize) +
                 " samples are needed, not " + size_text(p.sizes.scaled_width, p.sizes.scaled_height) +
                 (prescaled ? " (after the prescaling of " + size_text(width, height) + ")" : ""));
  if (!prescaled && (p.sizes.scaled_width > width || p.sizes.scaled_height > height))
    fail_invalid(what + ": speed_prescale=" + number_text(prescale) +
                 " enlarges too little to resample, but asks for more than the plane has; use 1");
  p.antialias = antialias_filter(kernelscale);
  p.local_mean = local_mean_filter(kernelscale);
  if (prescaled && (p.sizes.scaled_width != width || p.sizes.scaled_height != height)) {
    p.columns = resampling(method, width, p.sizes.scaled_width);
    p.rows = resampling(method, height, p.sizes.scaled_height);
    p.taps = static_cast<int>(p.rows.index.size()) / p.sizes.scaled_height;
    p.normalised = method == "lanczos4";
  }
  p.noise = static_cast<float>(options.get_double("speed_sigma_nn"));
  const float floor = (1.0F + static_cast<float>(options.get_double("speed_nn_floor"))) * p.noise;
  p.least_entropy = static_cast<float>(double(kOffsets) * (log2(double(floor), log2_table()) + kGaussianEntropy));
  p.weighting = weighting;
  return p;
}

}  // namespace

Filter antialias_filter(float kernelscale) {
  const int taps = filter_taps(9, kernelscale);
  return gaussian(taps, static_cast<float>(2.0 * taps / 5.0));
}

Filter local_mean_filter(float kernelscale) {
  const int taps = filter_taps(2, kernelscale);
  return gaussian(taps, static_cast<float>(taps) / 5.0F);
}

Parameters chroma_parameters(const OptionSet& options, const Geometry& g) {
  if (g.planes() == 1) fail_invalid("speed_chroma needs chroma, which gray pictures do not have");
  return parameters_of(options, g.plane_width(1), g.plane_height(1), "speed_chroma", "chroma planes",
                       static_cast<Weighting>(options.get_int("speed_weight_var_mode")));
}

Parameters temporal_parameters(const OptionSet& options, const Geometry& g) {
  return parameters_of(options, g.width, g.height, "speed_temporal", "pictures", Weighting::Own);
}

}  // namespace qc::speed
