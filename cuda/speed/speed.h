// The device half of the features in metrics/speed.
#pragma once

#include "cuda/kernels.h"

namespace qc::cuda {

std::unique_ptr<FeatureKernels> make_speed_chroma_kernels(const FeatureConfig& config, Device& device);
std::unique_ptr<FeatureKernels> make_speed_temporal_kernels(const FeatureConfig& config, Device& device);

}  // namespace qc::cuda
