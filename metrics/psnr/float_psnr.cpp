// The feature float_psnr: PSNR of luma as libvmaf computes it from float32 samples.
#include <cmath>

#include "psnr/float_psnr_record.h"
#include "psnr/float_scale.h"
#include "psnr/luma_sums.h"
#include "psnr/psnr.h"

namespace qc {
namespace {

constexpr OutputDef kOutputs[] = {
    {"float_psnr", "float_psnr", false, nullptr, Phase::FirstFrame, "PSNR of luma, dB"},
};

constexpr double kMinMse = 1e-10;

class FloatPsnrKernel final : public CpuKernel {
 public:
  FloatPsnrKernel(FrameCache& cache, int depth) : cache_(cache), rounded_(depth > 12) {
    cache.get<LumaSums>().want(rounded_ ? LumaSums::kRoundedSquaredError : LumaSums::kSquaredError);
  }
  void run(const Window& window, void* record) override {
    const LumaSums::Values& sums = cache_.get<LumaSums>().of(*window.current, cache_.frame());
    static_cast<FloatPsnrRecord*>(record)->squared_error =
        rounded_ ? sums.rounded_squared_error : RasterTotal{sums.squared_error, 0};
  }

 private:
  FrameCache& cache_;
  bool rounded_;
};

class FloatPsnr final : public Feature {
 public:
  explicit FloatPsnr(const FeatureConfig& config)
      : depth_(config.geometry.depth), pixels_(double(config.geometry.width) * config.geometry.height) {}

  size_t record_size() const override { return sizeof(FloatPsnrRecord); }
  std::unique_ptr<CpuKernel> make_cpu_kernel(FrameCache& cache) const override {
    return std::make_unique<FloatPsnrKernel>(cache, depth_);
  }

  void collect(int64_t frame, const void* record, ScoreSink& sink) override {
    const double scale = float_scale(depth_);
    const double mse = static_cast<const FloatPsnrRecord*>(record)->squared_error.value() * (scale * scale) / pixels_;
    const double peak = float_peak(depth_);
    const double psnr = 10.0 * std::log10(peak * peak / (mse > kMinMse ? mse : kMinMse));
    const double cap = psnr_cap(depth_);
    sink.put(frame, 0, psnr < cap ? psnr : cap);
  }

 private:
  int depth_;
  double pixels_;
};

std::unique_ptr<Feature> create(const FeatureConfig& config) { return std::make_unique<FloatPsnr>(config); }

}  // namespace

const FeatureDef kFloatPsnr = {
    "float_psnr",
    "peak signal-to-noise ratio of luma in floating point",
    "ITU-T J.340; libvmaf's float_psnr",
    {},
    kOutputs,
    0,
    false,
    create,
};

}  // namespace qc
