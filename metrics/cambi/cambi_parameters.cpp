#include "cambi/cambi_parameters.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/error.h"

namespace qc::cambi {
namespace {

// 10-bit limited range, whatever the range of the input.
constexpr int kFoot = 64;
constexpr int kHead = 940;

// Display luminance of 10-bit levels, cd/m².
class Luminance {
 public:
  explicit Luminance(const std::string& eotf) : pq_(eotf == "pq") {
    if (!pq_ && eotf != "bt1886") fail_invalid("cambi: there is no EOTF '" + eotf + "'; there are bt1886 and pq");
    const double white = std::pow(kWhite, 1.0 / kGamma);
    const double black = std::pow(kBlack, 1.0 / kGamma);
    gain_ = std::pow(white - black, kGamma);
    lift_ = black / (white - black);
  }

  double operator()(int level) const {
    const double v = double(std::clamp(level, kFoot, kHead) - kFoot) / (kHead - kFoot);
    if (!pq_) return gain_ * std::pow(std::max(v + lift_, 0.0), kGamma);
    const double p = std::pow(v, 1.0 / 78.84375);
    return 10000.0 * std::pow(std::max(p - 0.8359375, 0.0) / (18.8515625 - 18.6875 * p), 1.0 / 0.1593017578125);
  }

 private:
  static constexpr double kWhite = 300.0;
  static constexpr double kBlack = 0.01;
  static constexpr double kGamma = 2.4;
  bool pq_;
  double gain_;
  double lift_;
};

std::string size_text(int width, int height) { return std::to_string(width) + "x" + std::to_string(height); }

int window_of(int window_size, int width, int height, bool half_size) {
  int u = window_size * (width + height) / 375 / 16;
  if (half_size) u = (u + 1) / 2;
  return u | 1;
}

int mask_threshold(int width, int height) {
  const int blocks = (width / 64) * (height / 64);
  int log2 = 0;
  while ((1 << log2) < blocks) ++log2;
  return (49 + 3 * (log2 - 11) - 1) / 2;
}

PictureParameters picture_parameters(const Geometry& g, int width, int height, int window, bool half_size,
                                     double topk) {
  PictureParameters p{};
  p.width = width;
  p.height = height;
  if (width != g.width || height != g.height) {
    p.columns = resampling_positions(g.width, width);
    p.rows = resampling_positions(g.height, height);
  }
  p.window = window;
  p.mask_threshold = mask_threshold(width, height);
  for (int s = 0; s < kCambiScales; ++s) {
    if (s > 0 || half_size) {
      width = (width + 1) / 2;
      height = (height + 1) / 2;
    }
    Scale& scale = p.scales[s];
    scale = {width, height, 0};
    const size_t n = scale.pixels();
    scale.pooled = std::clamp<size_t>(static_cast<size_t>(topk * double(n)), 1, n);
  }
  return p;
}

}  // namespace

int visibility_threshold(const std::string& eotf, double tvi_threshold, int difference) {
  const Luminance luminance(eotf);
  enum class State { Low, Hit, High };
  auto visible = [&](int level) {
    const double own = luminance(level);
    return luminance(level + difference) - own > tvi_threshold * own;
  };
  auto state = [&](int level) {
    if (!visible(level)) return State::High;
    return visible(level + 1) ? State::Low : State::Hit;
  };
  // For PQ visibility is not monotone, so the steps of this search are part of the definition.
  int low = kFoot;
  if (const State s = state(low); s != State::Low) return s == State::High ? 0 : kFoot;
  int high = kHead - difference - 1;
  if (const State s = state(high); s != State::High) return s == State::Low ? 1023 : high;
  for (;;) {
    const int middle = low + (high - low) / 2;
    switch (state(middle)) {
      case State::Hit:
        return middle;
      case State::High:
        high = middle;
        break;
      case State::Low:
        low = middle;
        break;
    }
  }
}

int dark_threshold(const std::string& eotf, double luminance) {
  const Luminance of(eotf);
  int level = kFoot;
  while (level < kHead && of(level) < luminance) ++level;
  return level == kFoot ? 0 : level;
}

std::vector<float> decimal_reciprocals(int largest) {
  std::vector<float> table(static_cast<size_t>(largest) + 1, 0.0F);
  for (size_t i = 1; i < table.size(); ++i) {
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, 1.0 / double(i), std::chars_format::general, 9).ptr;
    std::from_chars(text, end, table[i]);
  }
  return table;
}

std::vector<int> resampling_positions(int source, int target) {
  std::vector<int> positions(static_cast<size_t>(target));
  const float ratio = float(source) / float(target);
  float position = static_cast<float>(double(ratio / 2) - 0.5);
  for (int& p : positions) {
    p = std::min(static_cast<int>(double(position) + 0.5), source - 1);
    position += ratio;
  }
  return positions;
}

Parameters parameters_of(const OptionSet& options, const Geometry& g) {
  int enc_width = options.get_int("enc_width");
  int enc_height = options.get_int("enc_height");
  int src_width = options.get_int("src_width");
  int src_height = options.get_int("src_height");
  if (enc_width == 0 || enc_height == 0 || enc_height > g.height || enc_width > g.width) {
    enc_width = g.width;
    enc_height = g.height;
  }
  if (src_width == 0 || src_height == 0) {
    src_width = g.width;
    src_height = g.height;
  }
  for (const auto& [width, height] : {std::pair(enc_width, enc_height), std::pair(src_width, src_height)})
    if (width < 216 && height < 216)
      fail_invalid("cambi needs a width or a height of at least 216, not " + size_text(width, height));
  if ((src_width > enc_width && src_height < enc_height) || (src_width < enc_width && src_height > enc_height))
    fail_invalid("cambi: of the source size " + size_text(src_width, src_height) + " and the encode size " +
                 size_text(enc_width, enc_height) + " one must be at least as wide and as high as the other");

  Parameters p{};
  const int speedup = options.get_int("cambi_high_res_speedup");
  const int64_t pixels = int64_t{enc_width} * enc_height;
  p.half_size = (speedup == 1080 && pixels >= 1920 * 1080) || (speedup == 1440 && pixels >= 2560 * 1440) ||
                (speedup == 2160 && pixels >= 3840 * 2160);

  const int window_size = options.get_int("window_size");
  const int enc_window = window_of(window_size, enc_width, enc_height, p.half_size);
  const int src_window = window_of(window_size, src_width, src_height, p.half_size);
  if (const int window = std::max(enc_window, src_window); window > kMaxWindow)
    fail_invalid("cambi: window_size=" + std::to_string(window_size) + " makes a window of " +
                 size_text(window, window) + " pixels; at most " + size_text(kMaxWindow, kMaxWindow) +
                 " are possible: a smaller window_size or cambi_high_res_speedup helps");

  const double topk = options.get_double("topk") != 0.6 ? options.get_double("topk") : options.get_double("cambi_topk");
  p.distorted = picture_parameters(g, enc_width, enc_height, enc_window, p.half_size, topk);
  p.reference = picture_parameters(g, src_width, src_height, src_window, p.half_size, topk);
  p.full_reference = options.get_bool("full_ref");
  const int enc_bitdepth = options.get_int("enc_bitdepth");
  p.smoothed = (enc_bitdepth == 0 ? g.depth : enc_bitdepth) < 10;
  p.max_val = options.get_double("cambi_max_val");

  const std::string& eotf =
      options.get_string("cambi_eotf") != "bt1886" ? options.get_string("cambi_eotf") : options.get_string("eotf");
  p.differences = 1 << options.get_int("max_log_contrast");
  const double tvi_threshold = options.get_double("tvi_threshold");
  int bright[kMaxDifferences + 1] = {};
  for (int d = 1; d <= p.differences; ++d) bright[d] = visibility_threshold(eotf, tvi_threshold, d);
  const int dark = dark_threshold(eotf, options.get_double("cambi_vis_lum_threshold"));
  p.first_level = kLevels;
  p.last_level = -1;
  for (int level = 0; level < kLevels; ++level) {
    int d = 1;
    while (d <= p.differences && (level > bright[d] || level + p.differences + d <= dark)) ++d;
    p.first_difference[level] = d;
    if (d > p.differences) continue;
    p.first_level = std::min(p.first_level, level);
    p.last_level = level;
  }
  const int window = std::max(enc_window, src_window);
  p.reciprocals = decimal_reciprocals(window * window);
  return p;
}

}  // namespace qc::cambi
