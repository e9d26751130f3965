#include "cambi/contrast_sums.h"

#include "cambi/cambi_plain.h"

namespace qc::cambi {

void contrast_sums(const PlaneView& plane, const PictureParameters& picture, const Parameters& parameters,
                   Scratch& scratch, const ContrastObserver& observe, double sums[kCambiScales]) {
  plain::contrast_sums(plane, picture, parameters, scratch, observe, sums);
}

}  // namespace qc::cambi
