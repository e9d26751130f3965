// The feature ssim: structural similarity of luma by integer moments in a 9x9 window.
#include "ssim/ssim.h"

#include "core/error.h"
#include "ssim/moment_ssim.h"
#include "ssim/ssim_arithmetic.h"
#include "ssim/ssim_record.h"

namespace qc {
namespace {

constexpr OutputDef kOutputs[] = {
    {"ssim", "ssim", false, nullptr, Phase::FirstFrame, "SSIM of luma by integer moments"},
};

class SsimKernel final : public CpuKernel {
 public:
  void run(const Window& window, void* record) override {
    static_cast<SsimRecord*>(record)->sum =
        moments_.sum(window.current->reference.plane[0], window.current->distorted.plane[0]);
  }

 private:
  MomentSsim moments_;
};

// Sum of weight_inside() over a side.
int64_t side_weight(int size) {
  int64_t sum = 0;
  for (int i = 0; i < size; ++i) sum += ssim::weight_inside(i, size);
  return sum;
}

class Ssim final : public Feature {
 public:
  explicit Ssim(const FeatureConfig& config)
      : weight_(double(side_weight(config.geometry.width) * side_weight(config.geometry.height))) {}

  size_t record_size() const override { return sizeof(SsimRecord); }
  std::unique_ptr<CpuKernel> make_cpu_kernel(FrameCache&) const override { return std::make_unique<SsimKernel>(); }

  void collect(int64_t frame, const void* record, ScoreSink& sink) override {
    sink.put(frame, 0, static_cast<const SsimRecord*>(record)->sum / weight_);
  }

 private:
  double weight_;
};

std::unique_ptr<Feature> create(const FeatureConfig& config) { return std::make_unique<Ssim>(config); }

}  // namespace

const FeatureDef kSsim = {
    "ssim",
    "structural similarity of luma by integer moments",
    "Wang et al. 2004 (10.1109/TIP.2003.819861); integer_ssim of libvmaf's fork by Lusoris",
    {},
    kOutputs,
    0,
    false,
    create,
};

}  // namespace qc
