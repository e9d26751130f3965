// The device half of the feature in metrics/cambi.
#pragma once

#include "cuda/kernels.h"

namespace qc::cuda {

// Throws if maps of the contrast are asked for, which the CPU path alone writes.
std::unique_ptr<FeatureKernels> make_cambi_kernels(const FeatureConfig& config, Device& device);

// For tests: every sum is taken as one whose order matters.
void set_cambi_always_ordered(bool always);

}  // namespace qc::cuda
