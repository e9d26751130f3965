// The device half of the feature float_adm.
#pragma once

#include "cuda/kernels.h"

namespace qc::cuda {

std::unique_ptr<FeatureKernels> make_float_adm_kernels(const FeatureConfig& config, Device& device);

}  // namespace qc::cuda
