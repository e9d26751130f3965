// The feature adm: detail loss and additive impairment in the wavelet domain, fixed point (adm.md).
#pragma once

#include "adm/adm_parameters.h"
#include "core/feature.h"

namespace qc {

extern const FeatureDef kAdm;

// The kernels' settings of an instance.
AdmParameters adm_parameters(const FeatureConfig& config);

}  // namespace qc
