// What adm and float_adm make of a frame's norms alike.
#pragma once

#include <cstdint>

#include "core/feature.h"

namespace qc {

// The outputs of both features, in order.
enum AdmOutput {
  kAdm2,
  kAim,
  kAdm3,
  kAdmScale0,
  kAdmDebug = kAdmScale0 + 4,
  kAdmNum,
  kAdmDen,
  kAdmNumScale0,  // then the denominator of scale 0, the numerator of scale 1, …
};

// Norms of one scale, over the bands. The defaults are those of a scale that is left out.
struct AdmNorms {
  float restored = 0;
  float reference = 1e-10F;
  float additive = 0;
};

struct AdmRatios {
  double adm2;
  double aim;
};

// Puts adm2, the scales' ratios and the sums of a frame. aim leaves `skip_aim_scale` out (-1: none); adm2 is 1 and aim
// 0 where the reference has next to no detail. `area`: samples of the picture.
AdmRatios put_adm_ratios(ScoreSink& sink, int64_t frame, const AdmNorms (&norms)[4], int skip_aim_scale, int64_t area);

}  // namespace qc
