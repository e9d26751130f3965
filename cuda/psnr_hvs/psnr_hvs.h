// The device half of the feature in metrics/psnr_hvs.
#pragma once

#include "cuda/kernels.h"

namespace qc::cuda {

std::unique_ptr<FeatureKernels> make_psnr_hvs_kernels(const FeatureConfig& config, Device& device);

}  // namespace qc::cuda
