// The feature ssimulacra2: perceived difference of colour pictures, from SSIM and edge errors in six scales.
#include "ssimulacra2/ssimulacra2.h"

#include <cmath>

#include "core/error.h"
#include "ssimulacra2/ssimulacra2_kernel.h"
#include "ssimulacra2/ssimulacra2_parameters.h"
#include "ssimulacra2/ssimulacra2_record.h"

namespace qc {
namespace {

using namespace ssimulacra2;

constexpr OptionDef kOptions[] = {
    int_option("yuv_matrix", nullptr, -1, -1, 3,
               "matrix and range of YUV pictures, instead of their tags: 0 BT.709 limited, 1 BT.601 limited, 2 BT.709 "
               "full, 3 BT.601 full; -1: by the tags"),
};

constexpr OutputDef kOutputs[] = {
    {"ssimulacra2", "ssimulacra2", false, nullptr, Phase::FirstFrame,
     "quality: 100 for equal pictures, lower and lower, also below 0, the more they differ"},
};

class Ssimulacra2Kernel final : public CpuKernel {
 public:
  explicit Ssimulacra2Kernel(const Parameters& parameters) : kernel_(parameters) {}
  void run(const Window& window, void* record) override {
    kernel_.sums(*window.current, *static_cast<Ssimulacra2Record*>(record));
  }

 private:
  Kernel kernel_;
};

class Ssimulacra2 final : public Feature {
 public:
  explicit Ssimulacra2(const FeatureConfig& config)
      : parameters_(make_parameters(config.geometry, config.reference, config.distorted,
                                    config.options.get_int("yuv_matrix"))) {}

  size_t record_size() const override { return sizeof(Ssimulacra2Record); }
  std::string note() const override { return parameters_.note; }
  std::unique_ptr<CpuKernel> make_cpu_kernel(FrameCache&) const override {
    return std::make_unique<Ssimulacra2Kernel>(parameters_);
  }

  void collect(int64_t frame, const void* record, ScoreSink& sink) override {
    sink.put(frame, 0, score(*static_cast<const Ssimulacra2Record*>(record)));
  }

 private:
  double score(const Ssimulacra2Record& record) const {
    double z = 0;
    for (int c = 0; c < kChannels; ++c) {
      for (int s = 0; s < parameters_.scales; ++s) {
        const Size& size = parameters_.scale[s];
        const double share = 1.0 / static_cast<double>(int64_t{size.width} * size.height);
        const double(&sum)[kSums] = record.sum[s][c];
        const Weights& weight = parameters_.weights[s][c];
        for (int i = 0; i < kErrors; ++i)
          if (weight.mean[i] != 0) z += weight.mean[i] * std::abs(share * sum[2 * i]);
        for (int i = 0; i < kErrors; ++i)
          if (weight.fourth[i] != 0) z += weight.fourth[i] * std::abs(std::sqrt(std::sqrt(share * sum[2 * i + 1])));
      }
    }
    z = z * 0.9562382616834844;
    z = (2.326765642916932 * z - (0.020884521182843837 * z) * z) + ((6.248496625763138e-05 * z) * z) * z;
    return z > 0 ? 100 - 10 * std::pow(z, 0.6276336467831387) : 100;
  }

  Parameters parameters_;
};

std::unique_ptr<Feature> create(const FeatureConfig& config) { return std::make_unique<Ssimulacra2>(config); }

}  // namespace

const FeatureDef kSsimulacra2 = {
    "ssimulacra2",
    "perceived difference of colour pictures (SSIMULACRA 2)",
    "SSIMULACRA 2.1 (github.com/cloudinary/ssimulacra2); libvmaf's fork by Lusoris",
    kOptions,
    kOutputs,
    0,
    false,
    create,
    true,
};

}  // namespace qc
