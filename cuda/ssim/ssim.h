// The device half of the features in metrics/ssim.
#pragma once

#include "cuda/kernels.h"

namespace qc::cuda {

std::unique_ptr<FeatureKernels> make_ssim_kernels(const FeatureConfig& config, Device& device);
std::unique_ptr<FeatureKernels> make_float_ssim_kernels(const FeatureConfig& config, Device& device);
std::unique_ptr<FeatureKernels> make_float_ms_ssim_kernels(const FeatureConfig& config, Device& device);

// For tests: widens the bound of the means' certainty by this factor, so that sums in order are needed more often. 1 is
// the start; with a very great one they are always needed.
void set_ssim_margin_factor(double factor);
// For tests: sums as pairs of float32 on every device, not only where float64 is slow.
void set_ssim_float_pairs(bool always);

}  // namespace qc::cuda
