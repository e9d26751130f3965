// The feature float_moment: first and second moment of both lumas.
#include "psnr/float_moment_record.h"
#include "psnr/float_scale.h"
#include "psnr/luma_sums.h"
#include "psnr/psnr.h"

namespace qc {
namespace {

constexpr OutputDef kOutputs[] = {
    {"float_moment_ref1st", "float_moment_ref1st", false, nullptr, Phase::FirstFrame, "mean of the reference's luma"},
    {"float_moment_dis1st", "float_moment_dis1st", false, nullptr, Phase::FirstFrame, "mean of the distorted luma"},
    {"float_moment_ref2nd", "float_moment_ref2nd", false, nullptr, Phase::FirstFrame,
     "mean square of the reference's luma"},
    {"float_moment_dis2nd", "float_moment_dis2nd", false, nullptr, Phase::FirstFrame,
     "mean square of the distorted luma"},
};

class FloatMomentKernel final : public CpuKernel {
 public:
  explicit FloatMomentKernel(FrameCache& cache) : cache_(cache) { cache.get<LumaSums>().want(LumaSums::kMoments); }
  void run(const Window& window, void* record) override {
    const LumaSums::Values& sums = cache_.get<LumaSums>().of(*window.current, cache_.frame());
    auto& moments = *static_cast<FloatMomentRecord*>(record);
    for (int i = 0; i < 2; ++i) {
      moments.sum[i] = sums.sum[i];
      moments.square_sum[i] = sums.square_sum[i];
    }
  }

 private:
  FrameCache& cache_;
};

class FloatMoment final : public Feature {
 public:
  explicit FloatMoment(const FeatureConfig& config)
      : depth_(config.geometry.depth), pixels_(double(config.geometry.width) * config.geometry.height) {}

  size_t record_size() const override { return sizeof(FloatMomentRecord); }
  std::unique_ptr<CpuKernel> make_cpu_kernel(FrameCache& cache) const override {
    return std::make_unique<FloatMomentKernel>(cache);
  }

  void collect(int64_t frame, const void* record, ScoreSink& sink) override {
    const auto& moments = *static_cast<const FloatMomentRecord*>(record);
    const double scale = float_scale(depth_);
    for (int i = 0; i < 2; ++i) {
      sink.put(frame, i, double(moments.sum[i]) * scale / pixels_);
      sink.put(frame, 2 + i, moments.square_sum[i].value() * (scale * scale) / pixels_);
    }
  }

 private:
  int depth_;
  double pixels_;
};

std::unique_ptr<Feature> create(const FeatureConfig& config) { return std::make_unique<FloatMoment>(config); }

}  // namespace

const FeatureDef kFloatMoment = {
    "float_moment",
    "mean and mean square of the luma of both pictures",
    "libvmaf's float_moment",
    {},
    kOutputs,
    0,
    false,
    create,
};

}  // namespace qc
