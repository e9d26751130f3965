// The device half of the feature in metrics/ssimulacra2.
#pragma once

#include "cuda/kernels.h"

namespace qc::cuda {

std::unique_ptr<FeatureKernels> make_ssimulacra2_kernels(const FeatureConfig& config, Device& device);

}  // namespace qc::cuda
