// What a frame's kernels leave for the feature float_moment, on host and device alike.
#pragma once

#include <cstdint>

#include "psnr/raster_total.h"

namespace qc {

// Of luma, in units of integer samples; [0]: reference, [1]: distorted.
struct FloatMomentRecord {
  uint64_t sum[2];
  RasterTotal square_sum[2];  // each square rounded to float32, which changes it only above 12 bits
};

}  // namespace qc
