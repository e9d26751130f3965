// The features speed_chroma and speed_temporal: differences of the pictures' local entropies, of chroma and of the
// changes from one picture to the next.
#include "speed/speed.h"

#include <limits>

#include "core/error.h"
#include "speed/speed_parameters.h"
#include "speed/speed_record.h"
#include "speed/speed_score.h"

namespace qc {
namespace {

constexpr OptionDef kKernelScale =
    double_option("speed_kernelscale", "ks", 1.0, 0.1, 4.0, "factor of the widths of both Gaussian filters");
constexpr OptionDef kPrescale =
    double_option("speed_prescale", "ps", 1.0, 0.1, 4.0, "factor by which the plane is resized first");
constexpr OptionDef kPrescaleMethod = string_option("speed_prescale_method", "psm", "nearest",
                                                    "how it is resized: nearest, bilinear, bicubic or lanczos4");
constexpr OptionDef kSigmaNn =
    double_option("speed_sigma_nn", "snn", 0.29, 0.1, 2.0, "variance of the neural noise that is added");
constexpr OptionDef kNnFloor =
    double_option("speed_nn_floor", "nnf", 0.0, 0.0, 1.0,
                  "blocks of which neither picture exceeds the noise by more than this share do not count");

constexpr OptionDef kChromaOptions[] = {
    kKernelScale,
    kPrescale,
    kPrescaleMethod,
    kSigmaNn,
    kNnFloor,
    double_option("speed_max_val", "mxv", 1000.0, 0.0, 1000.0, "upper limit of the scores"),
    int_option(
        "speed_weight_var_mode", "wvm", 0, 0, 6,
        "variance that weights the entropies: 0 own, 1 the reference's, 2 the distorted picture's, 3 their mean; 4, "
        "5, 6 the reference's for the reference and a mean for the distorted picture"),
};

constexpr OptionDef kTemporalOptions[] = {
    kKernelScale,
    kPrescale,
    kPrescaleMethod,
    kSigmaNn,
    kNnFloor,
    double_option("speed_max_val", "mxv", 1000.0, 0.0, 1000.0, "appears in names; has no effect, as in libvmaf"),
    bool_option("speed_use_ref_diff", "urd", false,
                "take the distorted picture's change from the previous distorted picture to the reference"),
};

enum ChromaOutput { kU, kV, kUv };

constexpr OutputDef kChromaOutputs[] = {
    {"Speed_chroma_feature_speed_chroma_u_score", "speed_chroma_u", true, nullptr, Phase::FirstFrame, "of Cb"},
    {"Speed_chroma_feature_speed_chroma_v_score", "speed_chroma_v", true, nullptr, Phase::FirstFrame, "of Cr"},
    {"Speed_chroma_feature_speed_chroma_uv_score", "speed_chroma_uv", true, nullptr, Phase::FirstFrame,
     "mean of both, or the one that is defined"},
};

constexpr OutputDef kTemporalOutputs[] = {
    {"Speed_temporal_feature_speed_temporal_score", "speed_temporal", true, nullptr, Phase::FirstFrame,
     "of the change of luma from the previous picture; 0 for the first"},
};

// A NaN's bits are those of the processor that made it.
double widened(float score) { return score == score ? double(score) : std::numeric_limits<double>::quiet_NaN(); }

class ChromaKernel final : public CpuKernel {
 public:
  explicit ChromaKernel(const speed::Parameters& parameters) : parameters_(parameters) {}

  void run(const Window& window, void* record) override {
    auto* scores = static_cast<SpeedRecord*>(record)->plane;
    const PairView& pair = *window.current;
    for (int p = 0; p < 2; ++p)
      scores[p] = speed::speed_score(parameters_, {&pair.reference.plane[p + 1], nullptr},
                                     {&pair.distorted.plane[p + 1], nullptr}, scratch_);
  }

 private:
  const speed::Parameters& parameters_;
  speed::Scratch scratch_;
};

class SpeedChroma final : public Feature {
 public:
  explicit SpeedChroma(const FeatureConfig& config)
      : parameters_(speed::chroma_parameters(config.options, config.geometry)),
        max_val_(config.options.get_double("speed_max_val")) {}

  size_t record_size() const override { return sizeof(SpeedRecord); }
  std::unique_ptr<CpuKernel> make_cpu_kernel(FrameCache&) const override {
    return std::make_unique<ChromaKernel>(parameters_);
  }

  void collect(int64_t frame, const void* record, ScoreSink& sink) override {
    const SpeedScore& u = static_cast<const SpeedRecord*>(record)->plane[0];
    const SpeedScore& v = static_cast<const SpeedRecord*>(record)->plane[1];
    float both = static_cast<float>(double(u.value + v.value) / 2.0);
    if (u.singular != v.singular) both = u.singular ? v.value : u.value;
    sink.put(frame, kU, limited(u.value));
    sink.put(frame, kV, limited(v.value));
    sink.put(frame, kUv, limited(both));
  }

 private:
  // A NaN becomes the limit.
  double limited(float score) const { return double(score) < max_val_ ? double(score) : max_val_; }

  speed::Parameters parameters_;
  double max_val_;
};

class TemporalKernel final : public CpuKernel {
 public:
  TemporalKernel(const speed::Parameters& parameters, bool towards_reference)
      : parameters_(parameters), towards_reference_(towards_reference) {}

  void run(const Window& window, void* record) override {
    if (!window.previous[0]) return;
    const PairView& now = *window.current;
    const PairView& before = *window.previous[0];
    const PictureView& target = towards_reference_ ? now.reference : now.distorted;
    static_cast<SpeedRecord*>(record)->plane[0] =
        speed::speed_score(parameters_, {&now.reference.plane[0], &before.reference.plane[0]},
                           {&target.plane[0], &before.distorted.plane[0]}, scratch_);
  }

 private:
  const speed::Parameters& parameters_;
  bool towards_reference_;
  speed::Scratch scratch_;
};

class SpeedTemporal final : public Feature {
 public:
  explicit SpeedTemporal(const FeatureConfig& config)
      : parameters_(speed::temporal_parameters(config.options, config.geometry)),
        towards_reference_(config.options.get_bool("speed_use_ref_diff")) {}

  size_t record_size() const override { return sizeof(SpeedRecord); }
  std::unique_ptr<CpuKernel> make_cpu_kernel(FrameCache&) const override {
    return std::make_unique<TemporalKernel>(parameters_, towards_reference_);
  }

  void collect(int64_t frame, const void* record, ScoreSink& sink) override {
    sink.put(frame, 0, widened(static_cast<const SpeedRecord*>(record)->plane[0].value));
  }

 private:
  speed::Parameters parameters_;
  bool towards_reference_;
};

constexpr const char* kSource =
    "Bampis et al., SpEED-QA: Spatial Efficient Entropic Differencing for Image and Video Quality, IEEE Signal "
    "Processing Letters 2017; libvmaf's speed";

}  // namespace

const FeatureDef kSpeedChroma = {
    "speed_chroma",
    "entropic differences of chroma",
    kSource,
    kChromaOptions,
    kChromaOutputs,
    0,
    false,
    [](const FeatureConfig& config) -> std::unique_ptr<Feature> { return std::make_unique<SpeedChroma>(config); },
};

const FeatureDef kSpeedTemporal = {
    "speed_temporal",
    "entropic differences of the changes of luma in time",
    kSource,
    kTemporalOptions,
    kTemporalOutputs,
    1,
    false,
    [](const FeatureConfig& config) -> std::unique_ptr<Feature> { return std::make_unique<SpeedTemporal>(config); },
};

}  // namespace qc
