// The feature float_adm: detail loss and additive impairment in the wavelet domain, in float32 (float_adm.md).
#pragma once

#include "adm/float_adm_parameters.h"
#include "core/feature.h"

namespace qc {

extern const FeatureDef kFloatAdm;

// The kernels' settings of an instance.
FloatAdmParameters float_adm_parameters(const FeatureConfig& config);
// Throws if the option `division` names a table that cannot be had.
FloatAdmTables float_adm_tables(const FeatureConfig& config);

}  // namespace qc
