// The feature adm: detail loss measure (adm2), additive impairment measure (aim), both combined (adm3).
#include "adm/adm.h"

#include <cmath>
#include <string>

#include "adm/adm_pass.h"
#include "adm/adm_record.h"
#include "adm/adm_scores.h"
#include "adm/adm_weights.h"
#include "core/error.h"

namespace qc {
namespace {

constexpr OptionDef kOptions[] = {
    bool_option("debug", nullptr, false, "also write the sums that the scores are made of"),
    double_option("adm_csf_scale", "scf", 1.0, 0.0, 50.0, "factor of the H and V weights of adm_csf_mode 1"),
    double_option("adm_csf_diag_scale", "scfd", 1.0, 0.0, 50.0, "factor of the D weight of adm_csf_mode 1"),
    double_option("adm_dlm_weight", "dlmw", 0.5, 0.0, 1.0, "weight of adm2 in adm3; the rest is that of 1 - aim"),
    double_option("adm_enhn_gain_limit", "egl", 100.0, 1.0, 100.0,
                  "how much stronger than the reference's a detail may count (1: no credit for enhancement)"),
    double_option("adm_norm_view_dist", "nvd", 3.0, 0.75, 24.0, "viewing distance in display heights"),
    int_option("adm_ref_display_height", "rdh", 1080, 1, 4320, "display height in lines"),
    int_option(
        "adm_csf_mode", "csf", 0, 0, 3,
        "contrast sensitivity: 0 Watson 1997, 1 Barten (overflows, for comparison only), 2 blended table, 3 blended "
        "table by mean absolute error"),
    double_option("adm_noise_weight", "nw", 0.03125, 0.0, 1500.0, "noise floor of a scored sample"),
    bool_option("adm_skip_aim", nullptr, false, "leave the additive part out: aim is 0"),
    bool_option("adm_skip_scale0", "ssz", false, "leave the finest scale out"),
    double_option("adm_min_val", "min", 0.0, 0.0, 1.0, "least value of adm3"),
};

constexpr OutputDef kOutputs[] = {
    {"VMAF_integer_feature_adm2_score", "integer_adm2", true, nullptr, Phase::FirstFrame,
     "detail that was kept, 1: all"},
    {"VMAF_integer_feature_aim_score", "integer_aim", true, nullptr, Phase::FirstFrame, "additive impairment, 0: none"},
    {"VMAF_integer_feature_adm3_score", "integer_adm3", true, nullptr, Phase::FirstFrame, "adm2 and 1 - aim combined"},
    {"integer_adm_scale0", "integer_adm_scale0", true, nullptr, Phase::FirstFrame, "adm2 of the finest scale"},
    {"integer_adm_scale1", "integer_adm_scale1", true, nullptr, Phase::FirstFrame, "adm2 of scale 1"},
    {"integer_adm_scale2", "integer_adm_scale2", true, nullptr, Phase::FirstFrame, "adm2 of scale 2"},
    {"integer_adm_scale3", "integer_adm_scale3", true, nullptr, Phase::FirstFrame, "adm2 of the coarsest scale"},
    {"integer_adm", "integer_adm", true, "debug", Phase::FirstFrame, "adm2 again"},
    {"integer_adm_num", "integer_adm_num", true, "debug", Phase::FirstFrame, "numerator of adm2"},
    {"integer_adm_den", "integer_adm_den", true, "debug", Phase::FirstFrame, "denominator of adm2 and aim"},
    {"integer_adm_num_scale0", "integer_adm_num_scale0", true, "debug", Phase::FirstFrame, "numerator of scale 0"},
    {"integer_adm_den_scale0", "integer_adm_den_scale0", true, "debug", Phase::FirstFrame, "denominator of scale 0"},
    {"integer_adm_num_scale1", "integer_adm_num_scale1", true, "debug", Phase::FirstFrame, "numerator of scale 1"},
    {"integer_adm_den_scale1", "integer_adm_den_scale1", true, "debug", Phase::FirstFrame, "denominator of scale 1"},
    {"integer_adm_num_scale2", "integer_adm_num_scale2", true, "debug", Phase::FirstFrame, "numerator of scale 2"},
    {"integer_adm_den_scale2", "integer_adm_den_scale2", true, "debug", Phase::FirstFrame, "denominator of scale 2"},
    {"integer_adm_num_scale3", "integer_adm_num_scale3", true, "debug", Phase::FirstFrame, "numerator of scale 3"},
    {"integer_adm_den_scale3", "integer_adm_den_scale3", true, "debug", Phase::FirstFrame, "denominator of scale 3"},
};

constexpr float kThird = 0x1.555556p-2f;

// Fractional bits of the sums.
constexpr int kReferenceBits[4] = {18, 32, 27, 23};
constexpr int kCubeBits[4] = {52, 45, 39, 36};
constexpr int kCubeBitsFinestD = 57;

AdmCsf weights_mode(const FeatureConfig& config) { return static_cast<AdmCsf>(config.options.get_int("adm_csf_mode")); }

AdmWeights weights(const FeatureConfig& config) {
  const double view_distance = config.options.get_double("adm_norm_view_dist");
  const int display_height = config.options.get_int("adm_ref_display_height");
  if (view_distance * display_height < 3240.0)
    fail_invalid("adm_norm_view_dist * adm_ref_display_height is " + std::to_string(view_distance * display_height) +
                 "; adm is defined from 3240 on (3 * 1080)");
  return adm_weights(weights_mode(config), view_distance, display_height, config.options.get_double("adm_csf_scale"),
                     config.options.get_double("adm_csf_diag_scale"));
}

class AdmCpuKernel final : public CpuKernel {
 public:
  AdmCpuKernel(FrameCache& cache, const AdmParameters& parameters)
      : cache_(cache), instance_(cache.get<AdmPass>().join(parameters)) {}
  void run(const Window& window, void* record) override {
    *static_cast<AdmRecord*>(record) = cache_.get<AdmPass>().of(instance_, *window.current, cache_.frame());
  }

 private:
  FrameCache& cache_;
  size_t instance_;
};

class Adm final : public Feature {
 public:
  explicit Adm(const FeatureConfig& config)
      : dlm_weight_(config.options.get_double("adm_dlm_weight")),
        noise_weight_(config.options.get_double("adm_noise_weight")),
        min_value_(config.options.get_double("adm_min_val")),
        weights_(weights(config)),
        parameters_(adm_parameters(config)) {
    if (weights_mode(config) == AdmCsf::Barten)
      warning_ =
          "adm_csf_mode=1 is meaningless in the feature adm: its weights overflow the fixed-point format; the scores "
          "equal libvmaf's";
  }

  std::string warning() const override { return warning_; }
  size_t record_size() const override { return sizeof(AdmRecord); }
  std::unique_ptr<CpuKernel> make_cpu_kernel(FrameCache& cache) const override {
    return std::make_unique<AdmCpuKernel>(cache, parameters_);
  }

  void collect(int64_t frame, const void* record, ScoreSink& sink) override {
    const auto& sums = *static_cast<const AdmRecord*>(record);
    AdmNorms norms[4];
    for (int s = 0; s < 4; ++s) {
      if (s == 0 && parameters_.skip_scale0) continue;
      norms[s].restored = masked_norm(s, sums.scale[s].restored, noise_weight_);
      norms[s].reference = reference_norm(s, sums.scale[s].reference);
      if (!parameters_.skip_aim) norms[s].additive = masked_norm(s, sums.scale[s].additive, 0.0);
    }
    const auto [adm2, aim] = put_adm_ratios(sink, frame, norms, -1, int64_t{parameters_.width} * parameters_.height);
    const double adm3 = adm2 * dlm_weight_ + (1.0 - aim) * (1.0 - dlm_weight_);
    sink.put(frame, kAim, aim);
    sink.put(frame, kAdm3, adm3 > min_value_ ? adm3 : min_value_);
  }

 private:
  static int64_t scored_samples(const AdmScale& scale) {
    return int64_t{scale.right - scale.left} * (scale.bottom - scale.top);
  }

  static float noise_norm(const AdmScale& scale, double weight) {
    return std::pow(static_cast<float>(static_cast<double>(scored_samples(scale)) * weight), kThird);
  }

  float reference_norm(int s, const uint64_t sums[3]) const {
    const AdmScale& scale = parameters_.scale[s];
    const int bits = kReferenceBits[s] - scale.reference_shift - scale.reference_row_shift;
    float norm[3];
    for (int b = 0; b < 3; ++b) {
      const double weight = b == 2 ? weights_.d[s] : weights_.hv[s];
      const double cubes = std::ldexp(static_cast<double>(sums[b]), -bits) * std::pow(weight, 3.0);
      norm[b] = std::pow(static_cast<float>(cubes), kThird) + noise_norm(scale, noise_weight_);
    }
    return (norm[0] + norm[1]) + norm[2];
  }

  float masked_norm(int s, const int64_t sums[3], double noise_weight) const {
    const AdmScale& scale = parameters_.scale[s];
    float norm[3];
    for (int b = 0; b < 3; ++b) {
      const int bits = (s == 0 && b == 2 ? kCubeBitsFinestD : kCubeBits[s]) -
                       (b == 2 ? scale.cube_shift_d : scale.cube_shift_hv) - scale.cube_row_shift;
      // At scale 0 the sum is rounded to double first.
      const float cubes = s == 0 ? static_cast<float>(std::ldexp(static_cast<double>(sums[b]), -bits))
                                 : std::ldexp(static_cast<float>(sums[b]), -bits);
      norm[b] = std::pow(cubes, kThird) + noise_norm(scale, noise_weight);
    }
    return (norm[0] + norm[1]) + norm[2];
  }

  double dlm_weight_;
  double noise_weight_;
  double min_value_;
  AdmWeights weights_;
  AdmParameters parameters_;
  std::string warning_;
};

std::unique_ptr<Feature> create(const FeatureConfig& config) { return std::make_unique<Adm>(config); }

}  // namespace

AdmParameters adm_parameters(const FeatureConfig& config) {
  const Geometry& g = config.geometry;
  if (g.width < 17 || g.height < 17)
    fail_invalid("adm needs pictures of at least 17x17 samples for its four scales, not " + std::to_string(g.width) +
                 "x" + std::to_string(g.height));
  const AdmWeights w = weights(config);
  AdmParameters p = adm_parameters(g.width, g.height, g.depth, w.fixed_hv, w.fixed_d);
  p.gain_limit = config.options.get_double("adm_enhn_gain_limit");
  p.skip_aim = config.options.get_bool("adm_skip_aim");
  p.skip_scale0 = config.options.get_bool("adm_skip_scale0");
  return p;
}

const FeatureDef kAdm = {
    "adm",
    "detail loss (adm2), additive impairment (aim) and both (adm3), fixed point",
    "Li et al. 2011, \"Image quality assessment by separately evaluating detail losses and additive impairments\"; "
    "libvmaf's "
    "integer_adm",
    kOptions,
    kOutputs,
    0,
    false,
    create,
};

}  // namespace qc
