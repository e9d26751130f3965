// The feature ciede: mean colour difference by CIEDE2000.
#include "ciede/ciede.h"

#include <cmath>

#include "ciede/ciede_record.h"
#include "ciede/color_differences.h"
#include "core/error.h"

namespace qc {
namespace {

constexpr OutputDef kOutputs[] = {
    {"ciede2000", "ciede2000", false, nullptr, Phase::FirstFrame, "45 - 20 log10(mean CIEDE2000 colour difference)"},
};

class CiedeKernel final : public CpuKernel {
 public:
  explicit CiedeKernel(QCChroma chroma) : chroma_(chroma) {}
  void run(const Window& window, void* record) override {
    static_cast<CiedeRecord*>(record)->sum = sum_color_differences(*window.current, chroma_, scratch_);
  }

 private:
  QCChroma chroma_;
  ColorDifferenceScratch scratch_;
};

class Ciede final : public Feature {
 public:
  explicit Ciede(const FeatureConfig& config) : geometry_(config.geometry) {
    if (geometry_.chroma == QC_CHROMA_400)
      fail_unsupported("ciede needs chroma: it is defined for 4:2:0, 4:2:2 and 4:4:4, not for 4:0:0");
    if (geometry_.chroma != QC_CHROMA_444 && (geometry_.width < 2 || geometry_.height < 2))
      fail_invalid("ciede needs pictures of at least 2x2 samples when chroma is subsampled, not " +
                   std::to_string(geometry_.width) + "x" + std::to_string(geometry_.height));
  }

  size_t record_size() const override { return sizeof(CiedeRecord); }
  std::unique_ptr<CpuKernel> make_cpu_kernel(FrameCache&) const override {
    return std::make_unique<CiedeKernel>(geometry_.chroma);
  }

  void collect(int64_t frame, const void* record, ScoreSink& sink) override {
    const double pixels =
        static_cast<double>(static_cast<uint32_t>(geometry_.width) * static_cast<uint32_t>(geometry_.height));
    sink.put(frame, 0, 45 - 20 * std::log10(static_cast<const CiedeRecord*>(record)->sum / pixels));
  }

 private:
  Geometry geometry_;
};

std::unique_ptr<Feature> create(const FeatureConfig& config) { return std::make_unique<Ciede>(config); }

}  // namespace

const FeatureDef kCiede = {
    "ciede",
    "mean colour difference by CIEDE2000",
    "Sharma, Wu, Dalal 2005 (10.1002/col.20070); libvmaf's ciede",
    {},
    kOutputs,
    0,
    false,
    create,
};

}  // namespace qc
