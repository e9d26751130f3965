// The feature vif: visual information fidelity of luma at four scales, in fixed point.
#include "vif/vif.h"

#include <algorithm>

#include "core/error.h"
#include "vif/vif_record.h"
#include "vif/vif_sums.h"
#include "vif/vif_tables.h"

namespace qc {
namespace {

constexpr OptionDef kOptions[] = {vif::kDebugOption, vif::kGainLimitOption, vif::kSkipScale0Option};

constexpr OutputDef kOutputs[] = {QC_VIF_OUTPUTS("integer_")};

// The sums of a frame for all instances together.
struct FrameSums {
  uint64_t frame = 0;
  VifRequest request;
  VifSums sums[kVifScales];
  VifScratch scratch;
};

class VifKernel final : public CpuKernel {
 public:
  VifKernel(FrameCache& cache, double gain_limit, bool scale0) : cache_(cache), frame_(cache.get<FrameSums>()) {
    frame_.request.scale0 |= scale0;
    auto& limits = frame_.request.gain_limits;
    limit_ = static_cast<size_t>(std::find(limits.begin(), limits.end(), gain_limit) - limits.begin());
    if (limit_ == limits.size()) limits.push_back(gain_limit);
  }

  void run(const Window& window, void* record) override {
    if (frame_.frame != cache_.frame()) {
      vif_sums(window.current->reference.plane[0], window.current->distorted.plane[0], frame_.request, frame_.scratch,
               frame_.sums);
      frame_.frame = cache_.frame();
    }
    for (int s = 0; s < kVifScales; ++s) {
      const VifSums& sums = frame_.sums[s];
      static_cast<VifRecord*>(record)->scale[s] = {sums.log_numerator[limit_], sums.log_denominator,
                                                   sums.flat_numerator, sums.flat_count};
    }
  }

 private:
  FrameCache& cache_;
  FrameSums& frame_;
  size_t limit_;
};

class Vif final : public Feature {
 public:
  explicit Vif(const FeatureConfig& config)
      : gain_limit_(config.options.get_double("vif_enhn_gain_limit")),
        first_scale_(config.options.get_bool("vif_skip_scale0") ? 1 : 0) {
    if (config.geometry.width < 8 || config.geometry.height < 8)
      fail_invalid("vif needs pictures of at least 8x8 samples, not " + std::to_string(config.geometry.width) + "x" +
                   std::to_string(config.geometry.height));
  }

  size_t record_size() const override { return sizeof(VifRecord); }
  std::unique_ptr<CpuKernel> make_cpu_kernel(FrameCache& cache) const override {
    return std::make_unique<VifKernel>(cache, gain_limit_, first_scale_ == 0);
  }

  // Scores of scales are float32, as libvmaf's.
  void collect(int64_t frame, const void* record, ScoreSink& sink) override {
    vif::ScaleScore scores[vif::kScales];
    for (int s = first_scale_; s < kVifScales; ++s) {
      const VifScaleSums& sums = static_cast<const VifRecord*>(record)->scale[s];
      const auto num = static_cast<float>(double(sums.log_numerator) / 2048.0 +
                                          (double(sums.flat_count) - double(sums.flat_numerator) / 16384.0 / 65025.0));
      const auto den = static_cast<float>(double(sums.log_denominator) / 2048.0 + double(sums.flat_count));
      scores[s] = {double(num / den), double(num), double(den)};
    }
    vif::put_scores(frame, scores, first_scale_, sink);
  }

 private:
  double gain_limit_;
  int first_scale_;
};

std::unique_ptr<Feature> create(const FeatureConfig& config) { return std::make_unique<Vif>(config); }

}  // namespace

const FeatureDef kVif = {
    "vif",
    "visual information fidelity of luma at four scales",
    "H. R. Sheikh and A. C. Bovik, Image information and visual quality, IEEE TIP 2006; libvmaf's integer_vif",
    kOptions,
    kOutputs,
    0,
    false,
    create,
};

}  // namespace qc
