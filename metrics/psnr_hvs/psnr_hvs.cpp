// The feature psnr_hvs: PSNR of block transform coefficients, weighted and masked as the eye does.
#include "psnr_hvs/psnr_hvs.h"

#include <cmath>

#include "core/error.h"
#include "psnr_hvs/block_errors.h"
#include "psnr_hvs/psnr_hvs_record.h"

namespace qc {
namespace {

enum Output { kPlanes = 3, kCombined = 3 };

constexpr OutputDef kOutputs[] = {
    {"psnr_hvs_y", "psnr_hvs_y", false, nullptr, Phase::FirstFrame, "PSNR-HVS-M of luma, dB"},
    {"psnr_hvs_cb", "psnr_hvs_cb", false, nullptr, Phase::FirstFrame, "PSNR-HVS-M of Cb, dB"},
    {"psnr_hvs_cr", "psnr_hvs_cr", false, nullptr, Phase::FirstFrame, "PSNR-HVS-M of Cr, dB"},
    {"psnr_hvs", "psnr_hvs", false, nullptr, Phase::FirstFrame, "of 0.8 luma, 0.1 Cb and 0.1 Cr, dB"},
};

class PsnrHvsKernel final : public CpuKernel {
 public:
  void run(const Window& window, void* record) override {
    const PairView& pair = *window.current;
    for (int p = 0; p < kPlanes; ++p)
      static_cast<PsnrHvsRecord*>(record)->error[p] =
          block_errors(pair.reference.plane[p], pair.distorted.plane[p], hvs::kWeights[p], scratch_);
  }

 private:
  BlockErrorScratch scratch_;
};

class PsnrHvs final : public Feature {
 public:
  explicit PsnrHvs(const FeatureConfig& config) : geometry_(config.geometry) {
    if (geometry_.chroma == QC_CHROMA_400)
      fail_unsupported("psnr_hvs needs chroma: it is defined for 4:2:0, 4:2:2 and 4:4:4, not for 4:0:0");
  }

  size_t record_size() const override { return sizeof(PsnrHvsRecord); }
  std::unique_ptr<CpuKernel> make_cpu_kernel(FrameCache&) const override { return std::make_unique<PsnrHvsKernel>(); }

  void collect(int64_t frame, const void* record, ScoreSink& sink) override {
    const int64_t peak = geometry_.max_value();
    double error[kPlanes];
    for (int p = 0; p < kPlanes; ++p) {
      const int64_t count = int64_t{hvs::kBlockTerms} * hvs::blocks_along(geometry_.plane_width(p)) *
                            hvs::blocks_along(geometry_.plane_height(p));
      // Planes without a block have 0 / 0.
      const float mean = static_cast<const PsnrHvsRecord*>(record)->error[p] / static_cast<float>(count);
      error[p] = static_cast<double>(mean / static_cast<float>(peak * peak));
      sink.put(frame, p, decibel(error[p]));
    }
    sink.put(frame, kCombined, decibel(error[0] * 0.8 + 0.1 * (error[1] + error[2])));
  }

 private:
  static double decibel(double error) { return 10 * (-1 * std::log10(error)); }

  Geometry geometry_;
};

std::unique_ptr<Feature> create(const FeatureConfig& config) { return std::make_unique<PsnrHvs>(config); }

}  // namespace

const FeatureDef kPsnrHvs = {
    "psnr_hvs",
    "PSNR of what the eye sees of block transform coefficients",
    "Ponomarenko et al. 2007, On between-coefficient contrast masking of DCT basis functions; libvmaf's psnr_hvs",
    {},
    kOutputs,
    0,
    false,
    create,
};

}  // namespace qc
