// The feature float_motion: how much the reference moves, from the difference of its low-pass filtered pictures.
#include <array>

#include "core/error.h"
#include "motion/float_difference.h"
#include "motion/motion.h"
#include "psnr/float_scale.h"

namespace qc {
namespace {

constexpr OptionDef kOptions[] = {
    bool_option("debug", nullptr, true, "also write motion"),
    bool_option("motion_force_zero", "force_0", false, "make every score 0"),
    double_option("motion_fps_weight", "mfw", 1.0, 0.0, 5.0, "factor of the scores, to even out frame rates"),
    double_option("motion_blend_factor", "mbf", 1.0, 0.0, 1.0,
                  "motion3: weight of the score itself in the blend with its capped value"),
    double_option("motion_blend_offset", "mbo", 40.0, 0.0, 1000.0, "motion3: cap of the other part of the blend"),
    bool_option("motion_add_scale1", "mdc", false, "add the difference of the pictures at half their size"),
    int_option("motion_filter_size", "mfs", 5, 0, 9, "taps of the low-pass filter: 1 (none), 3, or 5 for all else"),
    bool_option("motion_add_uv", "mau", false, "add the differences of the chroma planes"),
    double_option("motion_max_val", "mmxv", 10000.0, 0.0, 10000.0, "upper limit of the scores"),
};

enum Output { kMotion2Score, kMotion3Score, kMotionScore };

constexpr OutputDef kOutputs[] = {
    {"VMAF_feature_motion2_score", "motion2", true, nullptr, Phase::FirstFrame,
     "the smaller of the scores of a frame and its successor"},
    {"VMAF_feature_motion3_score", "motion3", true, nullptr, Phase::LaterFrame, "motion2 blended and limited"},
    {"VMAF_feature_motion_score", "motion", true, "debug", Phase::FirstFrame,
     "mean magnitude of the difference to the previous picture, both filtered, in 8-bit steps"},
};

// Widest halved plane that libvmaf has tables for.
constexpr int kWidestHalf = 7680;

constexpr int kFilterSizes[] = {1, 3, 5};

size_t filter_index(const float_motion::Filter& filter) { return static_cast<size_t>(filter.size / 2); }

// The sums of a frame for all instances together.
struct FrameFloatDifferences {
  struct Sums {
    uint64_t frame = 0;
    bool halve = false;  // some instance wants `half`
    FloatDifference value{};
  };
  std::array<std::array<Sums, 3>, std::size(kFilterSizes)> sums;  // by filter, by plane
  FloatMotionScratch scratch;
};

class FloatMotionKernel final : public CpuKernel {
 public:
  FloatMotionKernel(FrameCache& cache, const float_motion::Filter& filter, int planes, bool halve, bool force_zero)
      : cache_(cache),
        differences_(cache.get<FrameFloatDifferences>()),
        filter_(filter),
        planes_(planes),
        halve_(halve),
        force_zero_(force_zero) {
    for (int p = 0; p < planes; ++p) sums(p).halve |= halve;
  }

  void run(const Window& window, void* record) override {
    const PairView* older = window.previous[0];
    if (force_zero_ || !older) return;
    const PictureView& newer = window.current->reference;
    for (int p = 0; p < planes_; ++p) {
      FrameFloatDifferences::Sums& s = sums(p);
      if (s.frame != cache_.frame()) {
        s.value = float_difference(older->reference.plane[p], newer.plane[p], filter_, s.halve, newer.plane[0].width,
                                   differences_.scratch);
        s.frame = cache_.frame();
      }
      static_cast<FloatMotionRecord*>(record)->plane[p] = {s.value.full, halve_ ? s.value.half : 0.0F};
    }
  }

 private:
  FrameFloatDifferences::Sums& sums(int p) { return differences_.sums[filter_index(filter_)][static_cast<size_t>(p)]; }

  FrameCache& cache_;
  FrameFloatDifferences& differences_;
  float_motion::Filter filter_;
  int planes_;
  bool halve_;
  bool force_zero_;
};

double smaller(double a, double b) { return a < b ? a : b; }

// libvmaf counts samples in an int and divides in float32.
float mean(float sum, int width, int height) { return sum / static_cast<float>(width * height); }

class FloatMotion final : public Feature {
 public:
  explicit FloatMotion(const FeatureConfig& config)
      : geometry_(config.geometry),
        filter_(float_motion::filter(config.options.get_int("motion_filter_size"))),
        planes_(config.options.get_bool("motion_add_uv") ? 3 : 1),
        halve_(config.options.get_bool("motion_add_scale1")),
        force_zero_(config.options.get_bool("motion_force_zero")),
        fps_weight_(config.options.get_double("motion_fps_weight")),
        factor_(config.options.get_double("motion_blend_factor")),
        offset_(config.options.get_double("motion_blend_offset")),
        max_val_(config.options.get_double("motion_max_val")) {
    if (planes_ > geometry_.planes()) fail_invalid("motion_add_uv of float_motion needs pictures with chroma");
    const int least = filter_.size / 2 + 1;
    for (int p = 0; p < planes_; ++p) {
      const int width = geometry_.plane_width(p);
      const int height = geometry_.plane_height(p);
      if (width < least || height < least)
        fail_invalid("float_motion needs planes of at least " + std::to_string(least) + "x" + std::to_string(least) +
                     " samples, not " + std::to_string(width) + "x" + std::to_string(height));
    }
    if (halve_ && float_motion::halved(geometry_.width) > kWidestHalf)
      fail_invalid("motion_add_scale1 of float_motion needs pictures at most " + std::to_string(2 * kWidestHalf) +
                   " samples wide");
  }

  size_t record_size() const override { return sizeof(FloatMotionRecord); }
  Phase phase(int output, Phase defined) const override {
    return output == kMotion3Score && force_zero_ ? Phase::FirstFrame : defined;
  }
  std::unique_ptr<CpuKernel> make_cpu_kernel(FrameCache& cache) const override {
    return std::make_unique<FloatMotionKernel>(cache, filter_, planes_, halve_, force_zero_);
  }

  // motion2 and motion3 of a frame need the score of the next one, motion3 of the first frame the first score.
  void collect(int64_t frame, const void* record, ScoreSink& sink) override {
    if (force_zero_) {
      for (const int output : {kMotion2Score, kMotion3Score, kMotionScore}) sink.put(frame, output, 0.0);
      return;
    }
    frames_ = frame + 1;
    if (frame == 0) {
      sink.put(0, kMotion2Score, 0.0);
      sink.put(0, kMotionScore, 0.0);
      return;
    }
    const double score = score_of(*static_cast<const FloatMotionRecord*>(record));
    sink.put(frame, kMotionScore, smaller(score * fps_weight_, max_val_));
    if (frame == 1) {
      put_motion3(0, score, sink);
    } else {
      const double least = smaller(score_, score);
      put_motion2(frame - 1, least, sink);
      put_motion3(frame - 1, least, sink);
    }
    score_ = score;
  }

  void flush(ScoreSink& sink) override {
    if (force_zero_) return;
    if (frames_ == 1) {
      sink.put(0, kMotion3Score, 0.0);
      return;
    }
    put_motion2(frames_ - 1, score_, sink);
    put_motion3(frames_ - 1, score_, sink);
  }

 private:
  double score_of(const FloatMotionRecord& record) const {
    double score = 0;
    for (int p = 0; p < planes_; ++p) {
      const int width = geometry_.plane_width(p);
      const int height = geometry_.plane_height(p);
      float difference = mean(record.plane[p].full, width, height);
      if (halve_) difference += mean(record.plane[p].half, float_motion::halved(width), float_motion::halved(height));
      score += double(difference);
    }
    return score;
  }

  void put_motion2(int64_t frame, double score, ScoreSink& sink) {
    sink.put(frame, kMotion2Score, smaller(score * fps_weight_, max_val_));
  }
  // The limit comes after the blend.
  void put_motion3(int64_t frame, double score, ScoreSink& sink) {
    const double weighted = score * fps_weight_;
    const double blended = weighted * factor_ + (1.0 - factor_) * smaller(offset_, weighted);
    sink.put(frame, kMotion3Score, smaller(blended, max_val_));
  }

  Geometry geometry_;
  float_motion::Filter filter_;
  int planes_;
  bool halve_;
  bool force_zero_;
  double fps_weight_;
  double factor_;
  double offset_;
  double max_val_;
  int64_t frames_ = 0;
  double score_ = 0;  // of the latest frame, unweighted
};

std::unique_ptr<Feature> create(const FeatureConfig& config) { return std::make_unique<FloatMotion>(config); }

}  // namespace

const FeatureDef kFloatMotion = {
    "float_motion",
    "motion of the reference picture in floating point",
    "libvmaf's float_motion",
    kOptions,
    kOutputs,
    1,
    true,
    create,
};

}  // namespace qc
