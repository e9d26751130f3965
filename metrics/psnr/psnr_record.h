// What a frame's kernels leave for the feature psnr, on host and device alike.
#pragma once

#include <cstdint>

namespace qc {

struct PsnrRecord {
  uint64_t squared_error[3];  // Y, Cb, Cr
};

}  // namespace qc
