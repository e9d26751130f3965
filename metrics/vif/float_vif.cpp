// The feature float_vif: visual information fidelity of luma at four scales, in floating point.
#include <algorithm>
#include <memory>
#include <vector>

#include "core/error.h"
#include "psnr/float_scale.h"
#include "vif/float_vif_sums.h"
#include "vif/vif.h"
#include "vif/vif_tables.h"

namespace qc {
namespace {

constexpr OptionDef kOptions[] = {
    vif::kDebugOption,
    vif::kGainLimitOption,
    double_option("vif_kernelscale", "ks", 1.0, 0.1, 4.0, "factor of the filters' sizes, one of a list"),
    double_option("vif_prescale", "ps", 1.0, 0.1, 4.0, "factor of the pictures' sides before all else"),
    double_option("vif_scale1_min_val", "s1miv", 0.0, 0.0, 1.0, "lower limit of the score of scale 1"),
    double_option("vif_scale2_min_val", "s2miv", 0.0, 0.0, 1.0, "lower limit of the score of scale 2"),
    double_option("vif_scale3_min_val", "s3miv", 0.0, 0.0, 1.0, "lower limit of the score of scale 3"),
    string_option("vif_prescale_method", "pm", "nearest", "nearest, bilinear, bicubic or lanczos4"),
    double_option("vif_sigma_nsq", "snsq", 2.0, 0.0, 5.0, "variance of the neural noise"),
    vif::kSkipScale0Option,
};

constexpr OutputDef kOutputs[] = {QC_VIF_OUTPUTS("")};

// Sums of a frame, one entry for instances that want the same ones.
struct FrameFloatVif {
  struct Entry {
    float_vif::Options options;
    uint64_t frame = 0;
    FloatVifRecord record{};
  };
  std::vector<std::unique_ptr<Entry>> entries;
  FloatVifScratch scratch;

  Entry& entry(const float_vif::Options& options) {
    for (const auto& e : entries)
      if (e->options == options) return *e;
    entries.push_back(std::make_unique<Entry>(Entry{options}));
    return *entries.back();
  }
};

class FloatVifKernel final : public CpuKernel {
 public:
  FloatVifKernel(FrameCache& cache, const float_vif::Options& options, const float_vif::Parameters& parameters)
      : cache_(cache),
        scratch_(cache.get<FrameFloatVif>().scratch),
        entry_(cache.get<FrameFloatVif>().entry(options)),
        parameters_(parameters) {}

  void run(const Window& window, void* record) override {
    if (entry_.frame != cache_.frame()) {
      float_vif_sums(window.current->reference.plane[0], window.current->distorted.plane[0], parameters_, scratch_,
                     entry_.record.scale);
      entry_.frame = cache_.frame();
    }
    *static_cast<FloatVifRecord*>(record) = entry_.record;
  }

 private:
  FrameCache& cache_;
  FloatVifScratch& scratch_;
  FrameFloatVif::Entry& entry_;
  const float_vif::Parameters& parameters_;
};

class FloatVif final : public Feature {
 public:
  explicit FloatVif(const FeatureConfig& config)
      : options_(float_vif::options_of(config.options)),
        parameters_(float_vif::make_parameters(options_, config.geometry.width, config.geometry.height)),
        least_{0, config.options.get_double("vif_scale1_min_val"), config.options.get_double("vif_scale2_min_val"),
               config.options.get_double("vif_scale3_min_val")} {}

  size_t record_size() const override { return sizeof(FloatVifRecord); }
  std::unique_ptr<CpuKernel> make_cpu_kernel(FrameCache& cache) const override {
    return std::make_unique<FloatVifKernel>(cache, options_, parameters_);
  }

  void collect(int64_t frame, const void* record, ScoreSink& sink) override {
    vif::ScaleScore scores[vif::kScales];
    for (int s = parameters_.first_scale; s < kFloatVifScales; ++s) {
      const FloatVifSums& sums = static_cast<const FloatVifRecord*>(record)->scale[s];
      const double num = double(sums.numerator);
      const double den = double(sums.denominator);
      double score = num / den;
      // A NaN becomes the limit.
      if (s > 0) score = score > least_[s] ? score : least_[s];
      scores[s] = {score, num, den};
    }
    vif::put_scores(frame, scores, parameters_.first_scale, sink);
  }

 private:
  float_vif::Options options_;
  float_vif::Parameters parameters_;
  double least_[kFloatVifScales];
};

std::unique_ptr<Feature> create(const FeatureConfig& config) { return std::make_unique<FloatVif>(config); }

}  // namespace

const FeatureDef kFloatVif = {
    "float_vif",
    "visual information fidelity of luma at four scales, in floating point",
    "H. R. Sheikh and A. C. Bovik, Image information and visual quality, IEEE TIP 2006; libvmaf's float_vif",
    kOptions,
    kOutputs,
    0,
    false,
    create,
};

}  // namespace qc
