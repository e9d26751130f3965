// The feature float_ansnr: signal-to-noise ratio of filtered luma.
#include <cmath>

#include "core/error.h"
#include "psnr/ansnr.h"
#include "psnr/float_ansnr_record.h"
#include "psnr/float_scale.h"
#include "psnr/psnr.h"

namespace qc {
namespace {

constexpr OutputDef kOutputs[] = {
    {"float_ansnr", "float_ansnr", false, nullptr, Phase::FirstFrame, "signal-to-noise ratio of filtered luma, dB"},
    {"float_anpsnr", "float_anpsnr", false, nullptr, Phase::FirstFrame,
     "peak signal-to-noise ratio of filtered luma, dB"},
};

constexpr double kMinNoise = 1e-10;

class FloatAnsnrKernel final : public CpuKernel {
 public:
  void run(const Window& window, void* record) override {
    ansnr_rows(window.current->reference.plane[0], window.current->distorted.plane[0], scratch_);
    auto& sums = *static_cast<FloatAnsnrRecord*>(record);
    for (size_t y = 0; y < scratch_.signal.size(); ++y) {
      sums.signal += scratch_.signal[y];
      sums.noise += scratch_.noise[y];
    }
  }

 private:
  AnsnrScratch scratch_;
};

class FloatAnsnr final : public Feature {
 public:
  explicit FloatAnsnr(const FeatureConfig& config) : geometry_(config.geometry) {
    if (geometry_.width < 3 || geometry_.height < 3)
      fail_unsupported("float_ansnr needs pictures of at least 3x3 samples, not " + std::to_string(geometry_.width) +
                       "x" + std::to_string(geometry_.height));
  }

  size_t record_size() const override { return sizeof(FloatAnsnrRecord); }
  std::unique_ptr<CpuKernel> make_cpu_kernel(FrameCache&) const override {
    return std::make_unique<FloatAnsnrKernel>();
  }

  void collect(int64_t frame, const void* record, ScoreSink& sink) override {
    const auto& [signal, noise] = *static_cast<const FloatAnsnrRecord*>(record);
    const double cap = psnr_cap(geometry_.depth);
    const double peak = float_peak(geometry_.depth);
    const float ratio = signal / noise;
    const double total = noise > kMinNoise ? double(noise) : kMinNoise;
    const double anpsnr = 10.0 * std::log10(peak * peak * double(geometry_.width) * double(geometry_.height) / total);
    sink.put(frame, 0, noise == 0 ? cap : 10.0 * std::log10(double(ratio)));
    sink.put(frame, 1, anpsnr < cap ? anpsnr : cap);
  }

 private:
  Geometry geometry_;
};

std::unique_ptr<Feature> create(const FeatureConfig& config) { return std::make_unique<FloatAnsnr>(config); }

}  // namespace

const FeatureDef kFloatAnsnr = {
    "float_ansnr", "signal-to-noise ratio of filtered luma", "libvmaf's float_ansnr", {}, kOutputs, 0, false, create,
};

}  // namespace qc
