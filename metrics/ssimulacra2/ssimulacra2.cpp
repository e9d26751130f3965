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

// Rows: scales 0 to 5 of X, then of Y, then of B. Columns: mean errors of SSIM, artifacts and lost detail, then the
// fourth roots of their mean fourth powers.
constexpr double kWeights[kChannels * kScales][kSums] = {
    {0.0, 0.0007376606707406586, 0.0, 0.0, 0.0007793481682867309, 0.0},
    {0.0, 0.0004371155730107379, 0.0, 1.1041726426657346, 0.00066284834129271, 0.00015231632783718752},
    {0.0, 0.0016406437456599754, 0.0, 1.8422455520539298, 11.441172603757666, 0.0},
    {0.0007989109436015163, 0.000176816438078653, 0.0, 1.8787594979546387, 10.94906990605142, 0.0},
    {0.0007289346991508072, 0.9677937080626833, 0.0, 0.00014003424285435884, 0.9981766977854967,
     0.00031949755934435053},
    {0.0004550992113792063, 0.0, 0.0, 0.0013648766163243398, 0.0, 0.0},
    {0.0, 0.0, 0.0, 7.466890328078848, 0.0, 17.445833984131262},
    {0.0006235601634041466, 0.0, 0.0, 6.683678146179332, 0.00037724407979611296, 1.027889937768264},
    {225.20515300849274, 0.0, 0.0, 19.213238186143016, 0.0011401524586618361, 0.001237755635509985},
    {176.39317598450694, 0.0, 0.0, 24.43300999870476, 0.28520802612117757, 0.0004485436923833408},
    {0.0, 0.0, 0.0, 34.77906344483772, 44.835625328877896, 0.0},
    {0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
    {0.0, 0.0008680556573291698, 0.0, 0.0, 0.0, 0.0},
    {0.0, 0.0005313191874358747, 0.0, 0.00016533814161379112, 0.0, 0.0},
    {0.0, 0.0, 0.0, 0.0004179171803251336, 0.0017290828234722833, 0.0},
    {0.0020827005846636437, 0.0, 0.0, 8.826982764996862, 23.19243343998926, 0.0},
    {95.1080498811086, 0.9863978034400682, 0.9834382792465353, 0.0012286405048278493, 171.2667255897307,
     0.9807858872435379},
    {0.0, 0.0, 0.0, 0.0005130064588990679, 0.0, 0.00010854057858411537},
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
    // The original consumes the weights by the scales that there are, the fork by all six.
    const int stride = parameters_.rgb ? parameters_.scales : kScales;
    double z = 0;
    for (int c = 0; c < kChannels; ++c) {
      for (int s = 0; s < parameters_.scales; ++s) {
        const Size& size = parameters_.scale[s];
        const double share = 1.0 / static_cast<double>(int64_t{size.width} * size.height);
        const double(&sum)[kSums] = record.sum[s][c];
        const double(&weight)[kSums] = kWeights[c * stride + s];
        for (int i = 0; i < kSums / 2; ++i) z += weight[i] * std::abs(share * sum[2 * i]);
        for (int i = 0; i < kSums / 2; ++i)
          z += weight[kSums / 2 + i] * std::abs(std::sqrt(std::sqrt(share * sum[2 * i + 1])));
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
