// The device half of the feature in metrics/ciede.
#pragma once

#include "cuda/kernels.h"

namespace qc::cuda {

std::unique_ptr<FeatureKernels> make_ciede_kernels(const FeatureConfig& config, Device& device);

}  // namespace qc::cuda
