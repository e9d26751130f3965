// What a frame's kernels leave for the feature float_psnr, on host and device alike.
#pragma once

#include "psnr/raster_total.h"

namespace qc {

struct FloatPsnrRecord {
  // Of luma; each square of integer samples rounded to float32, which changes it only above 12 bits.
  RasterTotal squared_error;
};

}  // namespace qc
