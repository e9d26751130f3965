// The sums of floating-point visual information fidelity over the pixels of a pair of luma planes.
#pragma once

#include <vector>

#include "math/plane_view.h"
#include "vif/float_vif_parameters.h"
#include "vif/float_vif_record.h"

namespace qc {

// Memory of a worker, kept from frame to frame.
struct FloatVifScratch {
  std::vector<float> samples[2][2];  // of the pictures of two neighbouring scales, reference and distorted
  std::vector<float> filtered;
  std::vector<float> terms[2];
};

// The planes have the same size, that of `parameters`, and the same depth of 8 to 16 bits. Sums of scales that are not
// wanted stay as they are.
void float_vif_sums(const PlaneView& reference, const PlaneView& distorted, const float_vif::Parameters& parameters,
                    FloatVifScratch& scratch, FloatVifSums sums[kFloatVifScales]);

}  // namespace qc
