// The feature float_adm: detail loss measure (adm2), additive impairment measure (aim), both combined (adm3).
#include "adm/float_adm.h"

#include <algorithm>
#include <memory>
#include <string>

#include "adm/adm_parameters.h"
#include "adm/adm_scores.h"
#include "adm/adm_weights.h"
#include "adm/float_adm_record.h"
#include "adm/float_adm_sums.h"
#include "adm/reciprocal_table.h"
#include "core/error.h"
#include "psnr/float_scale.h"

namespace qc {
namespace {

constexpr OptionDef kOptions[] = {
    bool_option("debug", nullptr, false, "also write the sums that the scores are made of"),
    double_option("adm_enhn_gain_limit", "egl", 100.0, 1.0, 100.0,
                  "how much stronger than the reference's a detail may count (1: no credit for enhancement)"),
    double_option("adm_norm_view_dist", "nvd", 3.0, 0.75, 24.0, "viewing distance in display heights"),
    double_option("adm_noise_weight", "nw", 0.03125, 0.0, 1500.0, "noise floor of a scored sample"),
    double_option("adm_csf_scale", "scf", 1.0, 0.0, 50.0, "factor of the H and V weights of adm_csf_mode 1"),
    double_option("adm_csf_diag_scale", "scfd", 1.0, 0.0, 50.0, "factor of the D weight of adm_csf_mode 1"),
    int_option("adm_ref_display_height", "rdf", 1080, 1, 4320, "display height in lines"),
    int_option("adm_csf_mode", "csf", 0, 0, 9,
               "contrast sensitivity: 1 Barten, 2 the curve of Li et al.; any other value: Watson 1997"),
    int_option("adm_bypass_cm", "bcm", 0, 0, 1, "1: no contrast masking"),
    bool_option("adm_adm3_apply_hm", "aah", false, "adm3 is the harmonic mean of adm2 and aim"),
    double_option("adm_p_norm", "apn", 3.0, 1.0, 20.0, "exponent of the sums"),
    double_option("adm_dlm_weight", "dlmw", 0.5, 0.0, 1.0, "weight of adm2 in adm3; the rest is that of 1 - aim"),
    double_option("adm_min_val", "min", 0.0, 0.0, 1.0, "least value of adm3"),
    double_option("adm_f1s0", "f1s0", -1.0, -1.0, 10.0, "weight of H and V at scale 0, unless negative"),
    double_option("adm_f1s1", "f1s1", -1.0, -1.0, 10.0, "weight of H and V at scale 1, unless negative"),
    double_option("adm_f1s2", "f1s2", -1.0, -1.0, 10.0, "weight of H and V at scale 2, unless negative"),
    double_option("adm_f1s3", "f1s3", -1.0, -1.0, 10.0, "weight of H and V at scale 3, unless negative"),
    double_option("adm_f2s0", "f2s0", -1.0, -1.0, 10.0, "weight of D at scale 0, unless negative"),
    double_option("adm_f2s1", "f2s1", -1.0, -1.0, 10.0, "weight of D at scale 1, unless negative"),
    double_option("adm_f2s2", "f2s2", -1.0, -1.0, 10.0, "weight of D at scale 2, unless negative"),
    double_option("adm_f2s3", "f2s3", -1.0, -1.0, 10.0, "weight of D at scale 3, unless negative"),
    int_option("adm_skip_aim_scale", "sasc", -1, 0, 3, "leave this scale out of aim; by default none is left out"),
    bool_option("adm_skip_scale0", "ssz", false, "leave the finest scale out"),
    string_option("division", nullptr, "ieee",
                  "quotients: ieee, the same everywhere; host, by this x86 processor's estimated reciprocals as in "
                  "libvmaf; table, the same by the estimates in division_table"),
    string_option("division_table", nullptr, "", "file of 4096 estimates, for division=table"),
};

constexpr OutputDef kOutputs[] = {
    {"VMAF_feature_adm2_score", "adm2", true, nullptr, Phase::FirstFrame, "detail that was kept, 1: all"},
    {"VMAF_feature_aim_score", "aim", true, nullptr, Phase::FirstFrame, "additive impairment, 0: none"},
    {"VMAF_feature_adm3_score", "adm3", true, nullptr, Phase::FirstFrame, "adm2 and 1 - aim combined"},
    {"VMAF_feature_adm_scale0_score", "adm_scale0", true, nullptr, Phase::FirstFrame, "adm2 of the finest scale"},
    {"VMAF_feature_adm_scale1_score", "adm_scale1", true, nullptr, Phase::FirstFrame, "adm2 of scale 1"},
    {"VMAF_feature_adm_scale2_score", "adm_scale2", true, nullptr, Phase::FirstFrame, "adm2 of scale 2"},
    {"VMAF_feature_adm_scale3_score", "adm_scale3", true, nullptr, Phase::FirstFrame, "adm2 of the coarsest scale"},
    // libvmaf doesn't list this one among its names, so it never gets a suffix.
    {"adm", "adm", false, "debug", Phase::FirstFrame, "adm2 again"},
    {"adm_num", "adm_num", true, "debug", Phase::FirstFrame, "numerator of adm2"},
    {"adm_den", "adm_den", true, "debug", Phase::FirstFrame, "denominator of adm2 and aim"},
    {"adm_num_scale0", "adm_num_scale0", true, "debug", Phase::FirstFrame, "numerator of scale 0"},
    {"adm_den_scale0", "adm_den_scale0", true, "debug", Phase::FirstFrame, "denominator of scale 0"},
    {"adm_num_scale1", "adm_num_scale1", true, "debug", Phase::FirstFrame, "numerator of scale 1"},
    {"adm_den_scale1", "adm_den_scale1", true, "debug", Phase::FirstFrame, "denominator of scale 1"},
    {"adm_num_scale2", "adm_num_scale2", true, "debug", Phase::FirstFrame, "numerator of scale 2"},
    {"adm_den_scale2", "adm_den_scale2", true, "debug", Phase::FirstFrame, "denominator of scale 2"},
    {"adm_num_scale3", "adm_num_scale3", true, "debug", Phase::FirstFrame, "numerator of scale 3"},
    {"adm_den_scale3", "adm_den_scale3", true, "debug", Phase::FirstFrame, "denominator of scale 3"},
};

FloatAdmWeights weights(const OptionSet& options) {
  const int mode = options.get_int("adm_csf_mode");
  FloatAdmWeights w =
      float_adm_weights(mode == 1   ? FloatAdmCsf::Barten
                        : mode == 2 ? FloatAdmCsf::Native
                                    : FloatAdmCsf::Watson97,
                        options.get_double("adm_norm_view_dist"), options.get_int("adm_ref_display_height"),
                        options.get_double("adm_csf_scale"), options.get_double("adm_csf_diag_scale"));
  for (int s = 0; s < 4; ++s) {
    const double hv = options.get_double("adm_f1s" + std::to_string(s));
    const double d = options.get_double("adm_f2s" + std::to_string(s));
    if (hv >= 0) w.hv[s] = static_cast<float>(hv);
    if (d >= 0) w.d[s] = static_cast<float>(d);
  }
  return w;
}

class FloatAdmCpuKernel final : public CpuKernel {
 public:
  FloatAdmCpuKernel(const FloatAdmParameters& parameters, std::shared_ptr<const FloatAdmTables> tables)
      : parameters_(parameters), tables_(std::move(tables)), scratch_(make_float_adm_scratch(parameters)) {}
  void run(const Window& window, void* record) override {
    float_adm_sums(parameters_, *tables_, window.current->reference.plane[0], window.current->distorted.plane[0],
                   *scratch_, *static_cast<FloatAdmRecord*>(record));
  }

 private:
  const FloatAdmParameters& parameters_;
  std::shared_ptr<const FloatAdmTables> tables_;
  FloatAdmScratchPtr scratch_;
};

class FloatAdm final : public Feature {
 public:
  explicit FloatAdm(const FeatureConfig& config)
      : dlm_weight_(config.options.get_double("adm_dlm_weight")),
        noise_weight_(config.options.get_double("adm_noise_weight")),
        min_value_(config.options.get_double("adm_min_val")),
        harmonic_(config.options.get_bool("adm_adm3_apply_hm")),
        skip_aim_scale_(config.options.get_int("adm_skip_aim_scale")),
        root_(static_cast<float>(1.0 / config.options.get_double("adm_p_norm"))),
        parameters_(float_adm_parameters(config)),
        tables_(std::make_shared<FloatAdmTables>(float_adm_tables(config))) {}

  size_t record_size() const override { return sizeof(FloatAdmRecord); }
  std::unique_ptr<CpuKernel> make_cpu_kernel(FrameCache&) const override {
    return std::make_unique<FloatAdmCpuKernel>(parameters_, tables_);
  }

  void collect(int64_t frame, const void* record, ScoreSink& sink) override {
    const auto& sums = *static_cast<const FloatAdmRecord*>(record);
    AdmNorms norms[4];
    for (int s = 0; s < 4; ++s) {
      if (s == 0 && parameters_.skip_scale0) continue;
      norms[s].restored = norm(s, sums.scale[s].restored, noise_weight_);
      norms[s].reference = norm(s, sums.scale[s].reference, noise_weight_);
      norms[s].additive = norm(s, sums.scale[s].additive, 0.0);
    }
    const AdmRatios ratios =
        put_adm_ratios(sink, frame, norms, skip_aim_scale_, int64_t{parameters_.width} * parameters_.height);
    const double adm2 = ratios.adm2;
    // NaN counts as 1, too.
    const double aim = ratios.aim < 1.0 ? ratios.aim : 1.0;
    const double adm3 =
        harmonic_ ? 2.0 * adm2 * aim / (adm2 + aim) : adm2 * dlm_weight_ + (1.0 - aim) * (1.0 - dlm_weight_);
    sink.put(frame, kAim, aim);
    sink.put(frame, kAdm3, adm3 > min_value_ ? adm3 : min_value_);
  }

 private:
  float norm(int s, const float sums[3], double noise_weight) const {
    const FloatAdmScale& scale = parameters_.scale[s];
    const int64_t samples = int64_t{scale.right - scale.left} * (scale.bottom - scale.top);
    const float noise = power(static_cast<float>(static_cast<double>(samples) * noise_weight), root_, kPowerTables);
    float bands[3];
    for (int b = 0; b < 3; ++b) bands[b] = power(sums[b], root_, kPowerTables) + noise;
    return (bands[0] + bands[1]) + bands[2];
  }

  double dlm_weight_;
  double noise_weight_;
  double min_value_;
  bool harmonic_;
  int skip_aim_scale_;
  float root_;
  FloatAdmParameters parameters_;
  std::shared_ptr<const FloatAdmTables> tables_;
};

std::unique_ptr<Feature> create(const FeatureConfig& config) { return std::make_unique<FloatAdm>(config); }

}  // namespace

FloatAdmParameters float_adm_parameters(const FeatureConfig& config) {
  const Geometry& g = config.geometry;
  if (g.width < 17 || g.height < 17)
    fail_invalid("float_adm needs pictures of at least 17x17 samples for its four scales, not " +
                 std::to_string(g.width) + "x" + std::to_string(g.height));
  const FloatAdmWeights w = weights(config.options);
  const double exponent = config.options.get_double("adm_p_norm");
  FloatAdmParameters p{};
  p.width = g.width;
  p.height = g.height;
  p.depth = g.depth;
  p.gain_limit = float_adm::gain_limit(config.options.get_double("adm_enhn_gain_limit"));
  p.exponent = {static_cast<float>(exponent), exponent == 3.0};
  p.masking = config.options.get_int("adm_bypass_cm") == 0;
  p.skip_scale0 = config.options.get_bool("adm_skip_scale0");
  p.estimates = config.options.get_string("division") != "ieee";
  int width = g.width;
  int height = g.height;
  for (int s = 0; s < 4; ++s) {
    width = (width + 1) / 2;
    height = (height + 1) / 2;
    const int left = adm_margin(width);
    const int top = adm_margin(height);
    p.scale[s] = {width, height, left, width - left, top, height - top, {w.hv[s], w.hv[s], w.d[s]}};
  }
  return p;
}

FloatAdmTables float_adm_tables(const FeatureConfig& config) {
  FloatAdmTables tables{};
  tables.power = kPowerTables;
  const std::string& division = config.options.get_string("division");
  const std::string& path = config.options.get_string("division_table");
  if (division != "ieee" && division != "host" && division != "table")
    fail_invalid("division of float_adm is ieee, host or table, not '" + division + "'");
  if (division == "table" && path.empty())
    fail_invalid("division=table needs a file of estimated reciprocals: division_table=FILE");
  if (division != "table" && !path.empty()) fail_invalid("division_table is only read with division=table");
  if (division == "host") std::ranges::copy(host_reciprocal_table(), tables.estimates);
  if (division == "table") std::ranges::copy(read_reciprocal_table(path), tables.estimates);
  return tables;
}

const FeatureDef kFloatAdm = {
    "float_adm",
    "detail loss (adm2), additive impairment (aim) and both (adm3), floating point",
    "Li et al. 2011, \"Image quality assessment by separately evaluating detail losses and additive impairments\"; "
    "libvmaf's float_adm",
    kOptions,
    kOutputs,
    0,
    false,
    create,
};

}  // namespace qc
