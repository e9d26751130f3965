// The kernels' machine code, one image for each .cu file: symbols that cuda/build-kernels makes.
#pragma once

#include "cuda/driver/objects.h"

extern "C" const unsigned char qc_image_squared_error[];

namespace qc::cuda {

inline const Image kSquaredErrorImage{qc_image_squared_error};

}  // namespace qc::cuda
