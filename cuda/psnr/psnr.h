// The device half of the features in metrics/psnr.
#pragma once

#include "cuda/kernels.h"

namespace qc::cuda {

std::unique_ptr<FeatureKernels> make_psnr_kernels(const FeatureConfig& config, Device& device);
std::unique_ptr<FeatureKernels> make_float_psnr_kernels(const FeatureConfig& config, Device& device);
std::unique_ptr<FeatureKernels> make_float_moment_kernels(const FeatureConfig& config, Device& device);
std::unique_ptr<FeatureKernels> make_float_ansnr_kernels(const FeatureConfig& config, Device& device);

}  // namespace qc::cuda
