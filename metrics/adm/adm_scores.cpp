#include "adm/adm_scores.h"

namespace qc {

AdmRatios put_adm_ratios(ScoreSink& sink, int64_t frame, const AdmNorms (&norms)[4], int skip_aim_scale, int64_t area) {
  double num = 0;
  double den = 0;
  double aim_num = 0;
  double aim_den = 0;
  for (int s = 0; s < 4; ++s) {
    const AdmNorms& n = norms[s];
    num += n.restored;
    den += n.reference;
    if (s != skip_aim_scale) {
      aim_num += n.additive;
      aim_den += n.reference;
    }
    sink.put(frame, kAdmScale0 + s, static_cast<double>(n.restored) / static_cast<double>(n.reference));
    sink.put(frame, kAdmNumScale0 + 2 * s, n.restored);
    sink.put(frame, kAdmNumScale0 + 2 * s + 1, n.reference);
  }
  // What is nothing in a picture of 1920x1080 samples.
  const double least = 1e-10 * static_cast<double>(area) / (1920.0 * 1080.0);
  if (num < least) num = 0;
  if (den < least) den = 0;
  const AdmRatios ratios = {den == 0 ? 1.0 : num / den, den == 0 ? 0.0 : aim_num / aim_den};
  sink.put(frame, kAdm2, ratios.adm2);
  sink.put(frame, kAdmDebug, ratios.adm2);
  sink.put(frame, kAdmNum, num);
  sink.put(frame, kAdmDen, den);
  return ratios;
}

}  // namespace qc
