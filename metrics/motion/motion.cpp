// The features motion and motion_v2: how much the reference moves, from the blurred difference of its pictures.
#include "motion/motion.h"

#include "core/error.h"
#include "motion/blurred_difference.h"
#include "motion/motion_record.h"

namespace qc {
namespace {

constexpr OptionDef kForceZero = bool_option("motion_force_zero", "force_0", false, "make every score 0");
constexpr OptionDef kBlendFactor =
    double_option("motion_blend_factor", "mbf", 1.0, 0.0, 1.0,
                  "motion3: weight of the score itself in the blend with its capped value");
constexpr OptionDef kBlendOffset =
    double_option("motion_blend_offset", "mbo", 40.0, 0.0, 1000.0, "motion3: cap of the other part of the blend");
constexpr OptionDef kFpsWeight =
    double_option("motion_fps_weight", "mfw", 1.0, 0.0, 5.0, "factor of the scores, to even out frame rates");
constexpr OptionDef kMaxVal =
    double_option("motion_max_val", "mmxv", 10000.0, 0.0, 10000.0, "upper limit of the scores");
constexpr OptionDef kFiveFrameWindow =
    bool_option("motion_five_frame_window", "mffw", false, "compare pictures that are two frames apart");
constexpr OptionDef kMovingAverage =
    bool_option("motion_moving_average", "mma", false, "motion3: average of the score and its predecessor");

constexpr OptionDef kMotionOptions[] = {
    kForceZero, kBlendFactor,     kBlendOffset,   kFpsWeight,
    kMaxVal,    kFiveFrameWindow, kMovingAverage, bool_option("debug", nullptr, false, "also write motion"),
};

constexpr OptionDef kMotionV2Options[] = {
    kForceZero, kBlendFactor, kBlendOffset, kFpsWeight, kMaxVal, kFiveFrameWindow, kMovingAverage,
};

constexpr const char* kSadHelp = "mean magnitude of the blurred difference to the previous picture, in 8-bit steps";
constexpr const char* kMotion2Help = "the smaller of the scores of a frame and its successor";
constexpr const char* kMotion3Help = "motion2 blended, limited and, on request, averaged";

constexpr OutputDef kMotionOutputs[] = {
    {"VMAF_integer_feature_motion_sad_score", "VMAF_integer_feature_motion_sad_score", true, nullptr, Phase::FirstFrame,
     kSadHelp},
    {"VMAF_integer_feature_motion_score", "integer_motion", true, "debug", Phase::FirstFrame, kSadHelp},
    {"VMAF_integer_feature_motion2_score", "integer_motion2", true, nullptr, Phase::Flush, kMotion2Help},
    {"VMAF_integer_feature_motion3_score", "integer_motion3", true, nullptr, Phase::Flush, kMotion3Help},
};

constexpr OutputDef kMotionV2Outputs[] = {
    {"VMAF_integer_feature_motion_v2_sad_score", "VMAF_integer_feature_motion_v2_sad_score", true, nullptr,
     Phase::FirstFrame, kSadHelp},
    {"VMAF_integer_feature_motion2_v2_score", "VMAF_integer_feature_motion2_v2_score", true, nullptr, Phase::Flush,
     kMotion2Help},
    {"VMAF_integer_feature_motion3_v2_score", "VMAF_integer_feature_motion3_v2_score", true, nullptr, Phase::Flush,
     kMotion3Help},
};

// The sums of a frame, shared by all instances of both features, one for each distance in time.
struct FrameDifferences {
  uint64_t frame[2] = {0, 0};
  uint64_t sum[2] = {0, 0};
  MotionScratch scratch;
};

class MotionKernel final : public CpuKernel {
 public:
  MotionKernel(FrameCache& cache, int distance, bool force_zero)
      : cache_(cache), differences_(cache.get<FrameDifferences>()), distance_(distance), force_zero_(force_zero) {}

  void run(const Window& window, void* record) override {
    const PairView* older = window.previous[distance_ - 1];
    if (force_zero_ || !older) return;
    const int i = distance_ - 1;
    if (differences_.frame[i] != cache_.frame()) {
      differences_.sum[i] =
          blurred_difference(older->reference.plane[0], window.current->reference.plane[0], differences_.scratch);
      differences_.frame[i] = cache_.frame();
    }
    static_cast<MotionRecord*>(record)->blurred_difference = differences_.sum[i];
  }

 private:
  FrameCache& cache_;
  FrameDifferences& differences_;
  int distance_;
  bool force_zero_;
};

double smaller(double a, double b) { return a < b ? a : b; }

// Positions of the outputs; motion_v2 has no plain motion.
struct OutputIndex {
  int sad;
  int motion;
  int motion2;
  int motion3;
};

class Motion final : public Feature {
 public:
  Motion(const FeatureConfig& config, const OutputIndex& output)
      : output_(output),
        force_zero_(config.options.get_bool("motion_force_zero")),
        factor_(config.options.get_double("motion_blend_factor")),
        offset_(config.options.get_double("motion_blend_offset")),
        fps_weight_(config.options.get_double("motion_fps_weight")),
        max_val_(config.options.get_double("motion_max_val")),
        distance_(config.options.get_bool("motion_five_frame_window") ? 2 : 1),
        moving_average_(config.options.get_bool("motion_moving_average")),
        pixels_(double(static_cast<uint32_t>(config.geometry.width) * static_cast<uint32_t>(config.geometry.height))) {
    if (config.geometry.width < 3 || config.geometry.height < 3)
      fail_invalid("motion needs pictures of at least 3x3 samples, not " + std::to_string(config.geometry.width) + "x" +
                   std::to_string(config.geometry.height));
  }

  size_t record_size() const override { return sizeof(MotionRecord); }
  std::unique_ptr<CpuKernel> make_cpu_kernel(FrameCache& cache) const override {
    return std::make_unique<MotionKernel>(cache, distance_, force_zero_);
  }

  // motion2 of a frame needs the score of the next one, motion3 of the first frames the first score.
  void collect(int64_t frame, const void* record, ScoreSink& sink) override {
    const double sum = double(static_cast<const MotionRecord*>(record)->blurred_difference);
    const double score = smaller(sum / 256.0 / pixels_ * fps_weight_, max_val_);
    sink.put(frame, output_.sad, score);
    if (output_.motion >= 0) sink.put(frame, output_.motion, score);
    if (frame < distance_) {
      sink.put(frame, output_.motion2, 0.0);
    } else if (frame == distance_) {
      previous_ = smaller(blend(score), max_val_);
      for (int64_t i = 0; i < distance_; ++i) sink.put(i, output_.motion3, previous_);
    } else {
      const int64_t i = frame - 1;
      // The scores of frames i + 1 and i + 1 - distance, if that one is of a picture compared.
      const double other = score_[distance_ - 1];
      put_motion2(i, frame - distance_ >= distance_ ? smaller(other, score) : score, sink);
    }
    score_[1] = score_[0];
    score_[0] = score;
    frames_ = frame + 1;
  }

  void flush(ScoreSink& sink) override {
    if (frames_ <= distance_) {
      for (int64_t i = 0; i < frames_; ++i) sink.put(i, output_.motion3, 0.0);
    } else {
      put_motion2(frames_ - 1, score_[0], sink);
    }
  }

 private:
  double blend(double score) const { return score * factor_ + (1.0 - factor_) * smaller(offset_, score); }

  void put_motion2(int64_t frame, double motion2, ScoreSink& sink) {
    sink.put(frame, output_.motion2, motion2);
    const double blended = smaller(blend(motion2), max_val_);
    sink.put(frame, output_.motion3, moving_average_ ? (blended + previous_) / 2.0 : blended);
    previous_ = blended;
  }

  OutputIndex output_;
  bool force_zero_;
  double factor_;
  double offset_;
  double fps_weight_;
  double max_val_;
  int distance_;
  bool moving_average_;
  double pixels_;
  int64_t frames_ = 0;
  double score_[2] = {};  // of the two latest frames, latest first
  double previous_ = 0;   // the latest motion3 before averaging
};

std::unique_ptr<Feature> create_motion(const FeatureConfig& config) {
  return std::make_unique<Motion>(config, OutputIndex{0, 1, 2, 3});
}

std::unique_ptr<Feature> create_motion_v2(const FeatureConfig& config) {
  if (config.options.get_bool("motion_five_frame_window"))
    fail_unsupported("motion_v2 has no motion_five_frame_window; motion has");
  return std::make_unique<Motion>(config, OutputIndex{0, -1, 1, 2});
}

}  // namespace

const FeatureDef kMotion = {
    "motion",
    "motion of the reference picture",
    "libvmaf's integer_motion",
    kMotionOptions,
    kMotionOutputs,
    2,
    true,
    create_motion,
};

const FeatureDef kMotionV2 = {
    "motion_v2",
    "motion of the reference picture, as in a fork of libvmaf",
    "integer_motion_v2 of lusoris' fork of libvmaf",
    kMotionV2Options,
    kMotionV2Outputs,
    1,
    true,
    create_motion_v2,
};

}  // namespace qc
