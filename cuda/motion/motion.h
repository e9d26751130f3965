// The device half of the features in metrics/motion.
#pragma once

#include "cuda/kernels.h"

namespace qc::cuda {

// For both motion and motion_v2.
std::unique_ptr<FeatureKernels> make_motion_kernels(const FeatureConfig& config, Device& device);

}  // namespace qc::cuda
