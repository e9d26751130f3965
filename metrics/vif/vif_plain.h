// The sums of vif in plain C++, straight from the specification: the scalar target, the oracle of the vector code, and
// the only path for pictures of less than 16x16 samples.
#pragma once

#include "vif/vif_sums.h"

namespace qc::plain {

void vif_sums(const PlaneView& reference, const PlaneView& distorted, const VifRequest& request,
              VifSums sums[kVifScales]);

}  // namespace qc::plain
