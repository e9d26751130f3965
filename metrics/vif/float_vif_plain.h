// float_vif straight from its specification: oracle of the vector code, and its scalar target.
#pragma once

#include "vif/float_vif_sums.h"

namespace qc::plain {

// One sample of a resampled plane (float_vif.md §3).
float resampled(const PlaneView& plane, const float_vif::Resampling& resampling, int x, int y);

// A plane at the size of scale 0.
void read_plane(const PlaneView& plane, const float_vif::Parameters& parameters, std::vector<float>& out);

void float_vif_sums(const PlaneView& reference, const PlaneView& distorted, const float_vif::Parameters& parameters,
                    FloatVifSums sums[kFloatVifScales]);

}  // namespace qc::plain
