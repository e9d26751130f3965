// The feature cambi: visible banding, from counts of neighbouring levels in windows of flat areas.
#include "cambi/cambi.h"

#include "cambi/cambi_record.h"
#include "cambi/contrast_sums.h"
#include "cambi/heatmap.h"

namespace qc {
namespace {

constexpr OptionDef kOptions[] = {
    double_option("cambi_max_val", "cmxv", 1000.0, 0.0, 1000.0, "upper limit of the scores"),
    int_option("enc_width", "encw", 0, 180, 7680, "width of the encode, before it was scaled up; 0: as it comes"),
    int_option("enc_height", "ench", 0, 150, 7680, "height of the encode; 0: as it comes"),
    int_option("enc_bitdepth", "encbd", 0, 6, 16,
               "bit depth of the encode; below 10 dither is smoothed; 0: as it comes"),
    int_option("src_width", "srcw", 0, 320, 7680,
               "full_ref: width of the source, before it was scaled; 0: as it comes"),
    int_option("src_height", "srch", 0, 200, 4320, "full_ref: height of the source; 0: as it comes"),
    int_option("window_size", "ws", 65, 15, 127, "side of the window at 3840x2160; it shrinks with the picture"),
    double_option("topk", "topk", 0.6, 0.0001, 1.0, "share of the pixels, those of most contrast, that counts"),
    double_option("cambi_topk", "ctpk", 0.6, 0.0001, 1.0, "the same; counts if topk has its default"),
    double_option("tvi_threshold", "tvit", 0.019, 0.0001, 1.0, "smallest visible step in luminance, as a share of it"),
    double_option("cambi_vis_lum_threshold", "vlt", 0.0, 0.0, 300.0, "cd/m² below which banding does not count"),
    int_option("max_log_contrast", "mlc", 2, 0, 5, "largest step between bands: 2 to this power of 10-bit levels"),
    string_option("heatmaps_path", nullptr, "", "folder for maps of the contrast of the distorted picture"),
    bool_option("full_ref", nullptr, false, "also score the reference"),
    string_option("eotf", "eotf", "bt1886", "transfer function of the display: bt1886 or pq"),
    string_option("cambi_eotf", "ceot", "bt1886", "the same; counts unless it is bt1886"),
    int_option(
        "cambi_high_res_speedup", "hrs", 0, 0, 2160,
        "1080, 1440 or 2160: from pictures of 1920x1080, 2560x1440 or 3840x2160 on, use every second column and row"),
};

enum Output { kScore, kSource, kFullReference };

constexpr OutputDef kOutputs[] = {
    {"Cambi_feature_cambi_score", "cambi", true, nullptr, Phase::FirstFrame, "banding of the distorted picture"},
    {"cambi_source", "cambi_source", false, "full_ref", Phase::FirstFrame, "banding of the reference"},
    {"cambi_full_reference", "cambi_full_reference", false, "full_ref", Phase::FirstFrame,
     "banding of the distorted picture above that of the reference"},
};

double smaller(double a, double b) { return a < b ? a : b; }

class CambiKernel final : public CpuKernel {
 public:
  CambiKernel(const cambi::Parameters& parameters, const cambi::HeatmapFiles* heatmaps)
      : parameters_(parameters), heatmaps_(heatmaps) {}

  void run(const Window& window, void* record) override {
    auto& sums = static_cast<CambiRecord*>(record)->top_sum;
    cambi::ContrastObserver observe;
    if (heatmaps_)
      observe = [&](int scale, const float* contrasts) { heatmaps_->write(window.frame, scale, contrasts); };
    cambi::contrast_sums(window.current->distorted.plane[0], parameters_.distorted, parameters_, scratch_, observe,
                         sums[0]);
    if (parameters_.full_reference)
      cambi::contrast_sums(window.current->reference.plane[0], parameters_.reference, parameters_, scratch_, {},
                           sums[1]);
  }

 private:
  const cambi::Parameters& parameters_;
  const cambi::HeatmapFiles* heatmaps_;
  cambi::Scratch scratch_;
};

class Cambi final : public Feature {
 public:
  explicit Cambi(const FeatureConfig& config) : parameters_(cambi::parameters_of(config.options, config.geometry)) {
    if (const std::string& folder = config.options.get_string("heatmaps_path"); !folder.empty())
      heatmaps_ = std::make_unique<cambi::HeatmapFiles>(folder, parameters_);
  }

  size_t record_size() const override { return sizeof(CambiRecord); }
  std::unique_ptr<CpuKernel> make_cpu_kernel(FrameCache&) const override {
    return std::make_unique<CambiKernel>(parameters_, heatmaps_.get());
  }

  void collect(int64_t frame, const void* record, ScoreSink& sink) override {
    const auto& sums = static_cast<const CambiRecord*>(record)->top_sum;
    const double distorted = score(sums[0], parameters_.distorted);
    sink.put(frame, kScore, smaller(distorted, parameters_.max_val));
    if (!parameters_.full_reference) return;
    const double source = score(sums[1], parameters_.reference);
    sink.put(frame, kSource, smaller(source, parameters_.max_val));
    const double difference = distorted - source;
    sink.put(frame, kFullReference, smaller(0 > difference ? 0 : difference, parameters_.max_val));
  }

 private:
  static double score(const double (&sums)[kCambiScales], const cambi::PictureParameters& picture) {
    double score = 0;
    for (int s = 0; s < kCambiScales; ++s)
      score += sums[s] / double(picture.scales[s].pooled) * double(1 << (kCambiScales - 1 - s));
    return score / double(picture.window * picture.window);
  }

  cambi::Parameters parameters_;
  std::unique_ptr<cambi::HeatmapFiles> heatmaps_;
};

std::unique_ptr<Feature> create(const FeatureConfig& config) { return std::make_unique<Cambi>(config); }

}  // namespace

const FeatureDef kCambi = {
    "cambi",
    "banding (contrast-aware multiscale banding index)",
    "Tandon et al., CAMBI: Contrast-aware Multiscale Banding Index, PCS 2021; libvmaf's cambi",
    kOptions,
    kOutputs,
    0,
    false,
    create,
};

}  // namespace qc
