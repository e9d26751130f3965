// What the features vif and float_vif have in common: options, outputs, and how scores come from those of scales.
#pragma once

#include <cstdint>

#include "core/feature.h"

namespace qc::vif {

constexpr OptionDef kDebugOption = bool_option(
    "debug", nullptr, false, "also write the ratio of the sums over scales, and numerators and denominators");
constexpr OptionDef kGainLimitOption =
    double_option("vif_enhn_gain_limit", "egl", 100.0, 1.0, 100.0,
                  "upper limit of the local gain; 1 gives no credit for enhancement");
constexpr OptionDef kSkipScale0Option = bool_option("vif_skip_scale0", "ssclz", false, "leave scale 0 out");

constexpr const char* kScaleHelp = "information kept at this scale, a fraction";
constexpr const char* kAllScalesHelp = "information kept at all scales, a fraction";
constexpr const char* kNumHelp = "information kept, numerator";
constexpr const char* kDenHelp = "information of the reference, denominator";

#define QC_VIF_SCORE(prefix, scale)                                                                                \
  {                                                                                                                \
    "VMAF_" prefix "feature_vif_scale" scale "_score", prefix "vif_scale" scale, true, nullptr, Phase::FirstFrame, \
        vif::kScaleHelp                                                                                            \
  }
#define QC_VIF_DEBUG(name, help) \
  { name, name, true, "debug", Phase::FirstFrame, help }
#define QC_VIF_SUMS(prefix, suffix) \
  QC_VIF_DEBUG(prefix "vif_num" suffix, vif::kNumHelp), QC_VIF_DEBUG(prefix "vif_den" suffix, vif::kDenHelp)
// The outputs in the order of put_scores(). `prefix` is "integer_" or "".
#define QC_VIF_OUTPUTS(prefix)                                                                                  \
  QC_VIF_SCORE(prefix, "0"), QC_VIF_SCORE(prefix, "1"), QC_VIF_SCORE(prefix, "2"), QC_VIF_SCORE(prefix, "3"),   \
      QC_VIF_DEBUG(prefix "vif", vif::kAllScalesHelp), QC_VIF_SUMS(prefix, ""), QC_VIF_SUMS(prefix, "_scale0"), \
      QC_VIF_SUMS(prefix, "_scale1"), QC_VIF_SUMS(prefix, "_scale2"), QC_VIF_SUMS(prefix, "_scale3")

constexpr int kScales = 4;

// Of one scale. A scale that is left out has these values.
struct ScaleScore {
  double score = 0;
  double num = 0;
  double den = -1;
};

inline void put_scores(int64_t frame, const ScaleScore (&scales)[kScales], int first_scale, ScoreSink& sink) {
  constexpr int kAllScales = kScales;
  double all_num = 0;
  double all_den = 0;
  for (int s = 0; s < kScales; ++s) {
    if (s >= first_scale) {
      all_num += scales[s].num;
      all_den += scales[s].den;
    }
    sink.put(frame, s, scales[s].score);
    sink.put(frame, kAllScales + 3 + 2 * s, scales[s].num);
    sink.put(frame, kAllScales + 4 + 2 * s, scales[s].den);
  }
  sink.put(frame, kAllScales, all_den == 0.0 ? 1.0 : all_num / all_den);
  sink.put(frame, kAllScales + 1, all_num);
  sink.put(frame, kAllScales + 2, all_den);
}

}  // namespace qc::vif
