// The feature float_ssim: structural similarity of luma in an 11x11 Gaussian window.
#include "ssim/box_decimation.h"
#include "ssim/float_row.h"
#include "ssim/ssim.h"
#include "ssim/ssim_arithmetic.h"
#include "ssim/ssim_decibel.h"
#include "ssim/ssim_record.h"
#include "ssim/windowed_ssim.h"

namespace qc {
namespace {

constexpr OptionDef kOptions[] = {
    bool_option("enable_lcs", nullptr, false, "also write the luminance, contrast and structure terms"),
    bool_option("enable_db", nullptr, false, "write -10 log10(1 - SSIM)"),
    bool_option("clip_db", nullptr, false, "cap the decibels at the value of half a sample step's squared error"),
    int_option("scale", nullptr, 0, 0, 10, "decimation factor; 0: the shorter side divided by 256, rounded; 1: none"),
};

enum Output { kScore, kL, kC, kS };

constexpr OutputDef kOutputs[] = {
    {"float_ssim", "float_ssim", false, nullptr, Phase::FirstFrame, "SSIM of luma"},
    {"float_ssim_l", "float_ssim_l", false, "enable_lcs", Phase::FirstFrame, "its luminance term"},
    {"float_ssim_c", "float_ssim_c", false, "enable_lcs", Phase::FirstFrame, "its contrast term"},
    {"float_ssim_s", "float_ssim_s", false, "enable_lcs", Phase::FirstFrame, "its structure term"},
};

class FloatSsimKernel final : public CpuKernel {
 public:
  FloatSsimKernel(int scale, SsimTerms terms) : scale_(scale), terms_(terms) {}

  void run(const Window& window, void* record) override {
    const PlaneView& reference = window.current->reference.plane[0];
    const PlaneView& distorted = window.current->distorted.plane[0];
    if (scale_ == 1) {
      ssim_.start(reference.width, reference.height, terms_);
      for (int row = 0; row < reference.height; ++row) {
        read_float_row(reference, row, sample_scale(reference), ssim_.x_row());
        read_float_row(distorted, row, sample_scale(distorted), ssim_.y_row());
        ssim_.row_written();
      }
    } else {
      const int width = ssim::decimated_size(reference.width, scale_);
      const int height = ssim::decimated_size(reference.height, scale_);
      ssim_.start(width, height, terms_);
      if (width >= ssim::kWindowTaps && height >= ssim::kWindowTaps) {
        x_.start(reference, scale_);
        y_.start(distorted, scale_);
        for (int row = 0; row < height; ++row) {
          x_.row(row, ssim_.x_row());
          y_.row(row, ssim_.y_row());
          ssim_.row_written();
        }
      }
    }
    static_cast<FloatSsimRecord*>(record)->means = ssim_.means();
  }

 private:
  int scale_;
  SsimTerms terms_;
  BoxDecimation x_;
  BoxDecimation y_;
  WindowedSsim ssim_;
};

class FloatSsim final : public Feature {
 public:
  explicit FloatSsim(const FeatureConfig& config)
      : lcs_(config.options.get_bool("enable_lcs")),
        decibel_(config.options.get_bool("enable_db")),
        cap_(ssim_decibel_cap(config.geometry, config.options.get_bool("clip_db"))),
        scale_(config.options.get_int("scale")) {
    if (scale_ == 0) scale_ = ssim::automatic_scale(config.geometry.width, config.geometry.height);
  }

  size_t record_size() const override { return sizeof(FloatSsimRecord); }
  std::unique_ptr<CpuKernel> make_cpu_kernel(FrameCache&) const override {
    return std::make_unique<FloatSsimKernel>(scale_, lcs_ ? SsimTerms::All : SsimTerms::Product);
  }

  void collect(int64_t frame, const void* record, ScoreSink& sink) override {
    const SsimMeans& means = static_cast<const FloatSsimRecord*>(record)->means;
    const double ssim = means.ssim;
    sink.put(frame, kScore, decibel_ ? ssim_decibel(ssim, cap_) : ssim);
    if (!lcs_) return;
    sink.put(frame, kL, means.l);
    sink.put(frame, kC, means.c);
    sink.put(frame, kS, means.s);
  }

 private:
  bool lcs_;
  bool decibel_;
  double cap_;
  int scale_;
};

std::unique_ptr<Feature> create(const FeatureConfig& config) { return std::make_unique<FloatSsim>(config); }

}  // namespace

const FeatureDef kFloatSsim = {
    "float_ssim",
    "structural similarity of luma",
    "Wang et al. 2004 (10.1109/TIP.2003.819861); libvmaf's float_ssim",
    kOptions,
    kOutputs,
    0,
    false,
    create,
};

}  // namespace qc
