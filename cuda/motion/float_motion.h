// The device half of float_motion.
#pragma once

#include "cuda/kernels.h"

namespace qc::cuda {

std::unique_ptr<FeatureKernels> make_float_motion_kernels(const FeatureConfig& config, Device& device);

}  // namespace qc::cuda
