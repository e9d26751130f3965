// The device half of float_vif.
#pragma once

#include "cuda/kernels.h"

namespace qc::cuda {

std::unique_ptr<FeatureKernels> make_float_vif_kernels(const FeatureConfig& config, Device& device);

}  // namespace qc::cuda
