// The sums of floating-point visual information fidelity over the pixels of a pair of luma planes.
#pragma once

#include <vector>

#include "math/plane_view.h"
#include "vif/float_vif_parameters.h"
#include "vif/float_vif_record.h"

namespace qc {

// Memory of a worker, kept from frame to frame.
struct FloatVifScratch {
  std::vector<float> picture[kFloatVifScales][2];  // reference and distorted; of the first scale a few rows may suffice
  std::vector<float> filtered;                     // rows after the vertical pass
  std::vector<float> terms;                        // rows of numerators, then of denominators
};

// The planes have the same size, that of `parameters`, and the same depth of 8 to 16 bits. Sums of scales that are not
// wanted stay as they are.
void float_vif_sums(const PlaneView& reference, const PlaneView& distorted, const float_vif::Parameters& parameters,
                    FloatVifScratch& scratch, FloatVifSums sums[kFloatVifScales]);

}  // namespace qc
