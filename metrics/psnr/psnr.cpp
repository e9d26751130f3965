// The feature psnr: peak signal-to-noise ratio of each plane.
#include "psnr/psnr.h"

#include <cmath>
#include <limits>

#include "core/error.h"
#include "psnr/luma_sums.h"
#include "psnr/psnr_record.h"
#include "psnr/squared_error.h"

namespace qc {
namespace {

constexpr OptionDef kOptions[] = {
    bool_option("enable_chroma", nullptr, true, "also compute Cb and Cr"),
    bool_option("enable_mse", nullptr, false, "also write the mean squared error"),
    bool_option("enable_apsnr", nullptr, false, "also write the PSNR of the whole stream's squared error"),
    bool_option("reduced_hbd_peak", nullptr, false, "peak of 255 * 2^(depth - 8) instead of 2^depth - 1"),
    double_option("min_sse", nullptr, 0.0, 0.0, std::numeric_limits<double>::max(),
                  "if not 0: cap the PSNR at the value for this sum of squared errors"),
};

// PSNR and MSE of each plane in turn.
constexpr OutputDef kOutputs[] = {
    {"psnr_y", "psnr_y", false, nullptr, Phase::FirstFrame, "PSNR of luma, dB"},
    {"mse_y", "mse_y", false, "enable_mse", Phase::FirstFrame, "mean squared error of luma"},
    {"psnr_cb", "psnr_cb", false, "enable_chroma", Phase::FirstFrame, "PSNR of Cb, dB"},
    {"mse_cb", "mse_cb", false, "enable_mse", Phase::FirstFrame, "mean squared error of Cb"},
    {"psnr_cr", "psnr_cr", false, "enable_chroma", Phase::FirstFrame, "PSNR of Cr, dB"},
    {"mse_cr", "mse_cr", false, "enable_mse", Phase::FirstFrame, "mean squared error of Cr"},
};

constexpr double kMinMse = 1e-16;

class PsnrKernel final : public CpuKernel {
 public:
  PsnrKernel(FrameCache& cache, int planes) : cache_(cache), planes_(planes) {
    cache.get<LumaSums>().want(LumaSums::kSquaredError);
  }
  void run(const Window& window, void* record) override {
    auto& sums = *static_cast<PsnrRecord*>(record);
    const PairView& pair = *window.current;
    sums.squared_error[0] = cache_.get<LumaSums>().of(pair, cache_.frame()).squared_error;
    for (int p = 1; p < planes_; ++p)
      sums.squared_error[p] = squared_error(pair.reference.plane[p], pair.distorted.plane[p]);
  }

 private:
  FrameCache& cache_;
  int planes_;
};

class Psnr final : public Feature {
 public:
  explicit Psnr(const FeatureConfig& config)
      : apsnr_(config.options.get_bool("enable_apsnr")),
        planes_(config.options.get_bool("enable_chroma") ? config.geometry.planes() : 1) {
    const Geometry& g = config.geometry;
    const uint32_t peak =
        config.options.get_bool("reduced_hbd_peak") ? 255U << (g.depth - 8) : static_cast<uint32_t>(g.max_value());
    peak_squared_ = peak * peak;
    const double min_sse = config.options.get_double("min_sse");
    for (int p = 0; p < 3; ++p) {
      pixels_[p] = static_cast<uint32_t>(g.plane_width(p)) * static_cast<uint32_t>(g.plane_height(p));
      cap_[p] = min_sse == 0 ? 6.0 * g.depth + 12
                             : std::ceil(10.0 * std::log10(double(peak_squared_) / (min_sse / double(pixels_[p]))));
    }
    // libvmaf's 8-bit path knows no reduced peak.
    signal_ = g.depth == 8 ? 65025.0 : double(peak_squared_);
  }

  size_t record_size() const override { return sizeof(PsnrRecord); }
  bool produces(int output) const override { return output / 2 < planes_; }
  std::unique_ptr<CpuKernel> make_cpu_kernel(FrameCache& cache) const override {
    return std::make_unique<PsnrKernel>(cache, planes_);
  }

  void collect(int64_t frame, const void* record, ScoreSink& sink) override {
    const auto& sums = *static_cast<const PsnrRecord*>(record);
    for (int p = 0; p < planes_; ++p) {
      const double mse = double(sums.squared_error[p]) / double(pixels_[p]);
      const double psnr = 10.0 * std::log10(signal_ / (mse > kMinMse ? mse : kMinMse));
      sink.put(frame, 2 * p, psnr < cap_[p] ? psnr : cap_[p]);
      sink.put(frame, 2 * p + 1, mse);
      stream_error_[p] += sums.squared_error[p];
      stream_pixels_[p] += pixels_[p];
    }
  }

  void flush(ScoreSink& sink) override {
    if (!apsnr_) return;
    constexpr const char* kNames[3] = {"apsnr_y", "apsnr_cb", "apsnr_cr"};
    for (int p = 0; p < 3; ++p) {
      const double apsnr = 10 * (std::log10(double(peak_squared_)) + std::log10(double(stream_pixels_[p])) -
                                 std::log10(double(stream_error_[p])));
      const double cap = std::ceil(10 * std::log10(double(peak_squared_ * stream_pixels_[p] * 2)));
      sink.aggregate(kNames[p], apsnr < cap ? apsnr : cap);
    }
  }

 private:
  bool apsnr_;
  int planes_;
  uint32_t peak_squared_ = 0;
  double signal_ = 0;
  double cap_[3] = {};
  uint32_t pixels_[3] = {};
  uint64_t stream_error_[3] = {};
  uint64_t stream_pixels_[3] = {};
};

std::unique_ptr<Feature> create(const FeatureConfig& config) { return std::make_unique<Psnr>(config); }

}  // namespace

const FeatureDef kPsnr = {
    "psnr",
    "peak signal-to-noise ratio of luma and chroma",
    "ITU-T J.340; libvmaf's integer_psnr",
    kOptions,
    kOutputs,
    0,
    true,
    create,
};

}  // namespace qc
