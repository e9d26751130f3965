// The device half of the feature adm.
#pragma once

#include "cuda/kernels.h"

namespace qc::cuda {

std::unique_ptr<FeatureKernels> make_adm_kernels(const FeatureConfig& config, Device& device);

}  // namespace qc::cuda
