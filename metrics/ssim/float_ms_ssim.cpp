// The feature float_ms_ssim: multi-scale structural similarity of luma.
#include <cmath>
#include <string>

#include "core/error.h"
#include "ssim/float_row.h"
#include "ssim/low_pass_decimation.h"
#include "ssim/ssim.h"
#include "ssim/ssim_arithmetic.h"
#include "ssim/ssim_decibel.h"
#include "ssim/ssim_record.h"
#include "ssim/windowed_ssim.h"

namespace qc {
namespace {

using ssim::kScales;

constexpr OptionDef kOptions[] = {
    bool_option("enable_lcs", nullptr, false, "also write the luminance, contrast and structure terms of each scale"),
    bool_option("enable_db", nullptr, false, "write -10 log10(1 - MS-SSIM)"),
    bool_option("clip_db", nullptr, false, "cap the decibels at the value of half a sample step's squared error"),
};

constexpr OutputDef term_output(const char* name, const char* help) {
  return {name, name, false, "enable_lcs", Phase::FirstFrame, help};
}

// The score, then l, c and s of the five scales.
constexpr OutputDef kOutputs[] = {
    {"float_ms_ssim", "float_ms_ssim", false, nullptr, Phase::FirstFrame, "multi-scale SSIM of luma"},
    term_output("float_ms_ssim_l_scale0", "luminance term of scale 0, the full size"),
    term_output("float_ms_ssim_l_scale1", "luminance term of scale 1"),
    term_output("float_ms_ssim_l_scale2", "luminance term of scale 2"),
    term_output("float_ms_ssim_l_scale3", "luminance term of scale 3"),
    term_output("float_ms_ssim_l_scale4", "luminance term of scale 4, a sixteenth of the width and height"),
    term_output("float_ms_ssim_c_scale0", "contrast term of scale 0"),
    term_output("float_ms_ssim_c_scale1", "contrast term of scale 1"),
    term_output("float_ms_ssim_c_scale2", "contrast term of scale 2"),
    term_output("float_ms_ssim_c_scale3", "contrast term of scale 3"),
    term_output("float_ms_ssim_c_scale4", "contrast term of scale 4"),
    term_output("float_ms_ssim_s_scale0", "structure term of scale 0"),
    term_output("float_ms_ssim_s_scale1", "structure term of scale 1"),
    term_output("float_ms_ssim_s_scale2", "structure term of scale 2"),
    term_output("float_ms_ssim_s_scale3", "structure term of scale 3"),
    term_output("float_ms_ssim_s_scale4", "structure term of scale 4"),
};

// Every scale's window must fit.
constexpr int kMinSize = ssim::kWindowTaps << (kScales - 1);

// Exponents of the scales. Only the last scale's luminance counts.
constexpr float kLuminanceExponent[kScales] = {0.0f, 0.0f, 0.0f, 0.0f, 0.1333f};
constexpr float kContrastExponent[kScales] = {0.0448f, 0.2856f, 0.3001f, 0.2363f, 0.1333f};

// All scales at once: a row goes to its scale's windows and to the decimation that makes the rows of the next scale.
class FloatMsSsimKernel final : public CpuKernel {
 public:
  explicit FloatMsSsimKernel(bool lcs) : lcs_(lcs) {}

  void run(const Window& window, void* record) override {
    const PlaneView& reference = window.current->reference.plane[0];
    const PlaneView& distorted = window.current->distorted.plane[0];
    int width = reference.width;
    int height = reference.height;
    for (int i = 0; i < kScales; ++i) {
      const bool luminance = lcs_ || kLuminanceExponent[i] != 0;
      ssim_[i].start(width, height, luminance ? SsimTerms::All : SsimTerms::ContrastStructure);
      if (i == kScales - 1) break;
      low_pass_x_[i].start(width, height, i == 0);
      low_pass_y_[i].start(width, height, i == 0);
      width = ssim::decimated_size(width, 2);
      height = ssim::decimated_size(height, 2);
    }
    for (int row = 0; row < reference.height; ++row) {
      read_float_row(reference, row, sample_scale(reference), ssim_[0].x_row());
      read_float_row(distorted, row, sample_scale(distorted), ssim_[0].y_row());
      row_written(0);
    }
    for (int i = 0; i < kScales; ++i) static_cast<FloatMsSsimRecord*>(record)->scale[i] = ssim_[i].means();
  }

 private:
  void row_written(int scale) {
    if (scale < kScales - 1) {
      low_pass_x_[scale].push_row(ssim_[scale].x_row());
      low_pass_y_[scale].push_row(ssim_[scale].y_row());
    }
    ssim_[scale].row_written();
    if (scale == kScales - 1) return;
    while (low_pass_x_[scale].ready()) {
      low_pass_x_[scale].next_row(ssim_[scale + 1].x_row());
      low_pass_y_[scale].next_row(ssim_[scale + 1].y_row());
      row_written(scale + 1);
    }
  }

  bool lcs_;
  WindowedSsim ssim_[kScales];
  LowPassDecimation low_pass_x_[kScales - 1];
  LowPassDecimation low_pass_y_[kScales - 1];
};

class FloatMsSsim final : public Feature {
 public:
  explicit FloatMsSsim(const FeatureConfig& config)
      : lcs_(config.options.get_bool("enable_lcs")),
        decibel_(config.options.get_bool("enable_db")),
        cap_(ssim_decibel_cap(config.geometry, config.options.get_bool("clip_db"))) {
    const Geometry& g = config.geometry;
    if (g.width < kMinSize || g.height < kMinSize)
      fail_unsupported("float_ms_ssim needs pictures of at least " + std::to_string(kMinSize) + "x" +
                       std::to_string(kMinSize) + " for its five scales, these are " + std::to_string(g.width) + "x" +
                       std::to_string(g.height));
  }

  size_t record_size() const override { return sizeof(FloatMsSsimRecord); }
  std::unique_ptr<CpuKernel> make_cpu_kernel(FrameCache&) const override {
    return std::make_unique<FloatMsSsimKernel>(lcs_);
  }

  void collect(int64_t frame, const void* record, ScoreSink& sink) override {
    const auto& scales = static_cast<const FloatMsSsimRecord*>(record)->scale;
    double score = 1.0;
    for (int i = 0; i < kScales; ++i) {
      // Widened float32 exponents. A negative mean gives NaN, as in libvmaf.
      const double l = std::pow(double(scales[i].l), double(kLuminanceExponent[i]));
      const double c = std::pow(double(scales[i].c), double(kContrastExponent[i]));
      const double s = std::pow(double(scales[i].s), double(kContrastExponent[i]));
      score = score * (l * c * s);
    }
    sink.put(frame, 0, decibel_ ? ssim_decibel(score, cap_) : score);
    if (!lcs_) return;
    for (int i = 0; i < kScales; ++i) {
      sink.put(frame, 1 + i, scales[i].l);
      sink.put(frame, 1 + kScales + i, scales[i].c);
      sink.put(frame, 1 + 2 * kScales + i, scales[i].s);
    }
  }

 private:
  bool lcs_;
  bool decibel_;
  double cap_;
};

std::unique_ptr<Feature> create(const FeatureConfig& config) { return std::make_unique<FloatMsSsim>(config); }

}  // namespace

const FeatureDef kFloatMsSsim = {
    "float_ms_ssim",
    "multi-scale structural similarity of luma",
    "Wang et al. 2003 (10.1109/ACSSC.2003.1292216); libvmaf's float_ms_ssim",
    kOptions,
    kOutputs,
    0,
    false,
    create,
};

}  // namespace qc
