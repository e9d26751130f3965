// The device half of the feature in metrics/vif.
#pragma once

#include "cuda/kernels.h"

namespace qc::cuda {

std::unique_ptr<FeatureKernels> make_vif_kernels(const FeatureConfig& config, Device& device);

}  // namespace qc::cuda
