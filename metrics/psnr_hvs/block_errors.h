// Errors of the blocks of a pair of planes.
#pragma once

#include <cstdint>
#include <vector>

#include "hwy/aligned_allocator.h"
#include "math/plane_view.h"
#include "psnr_hvs/hvs_weights.h"

namespace qc {

// Buffers that persist from frame to frame.
struct BlockErrorScratch {
  hwy::AlignedFreeUniquePtr<int32_t[]> rows;
  size_t row_samples = 0;
};

// The float32 sum of the squared visible errors of all coefficients, in the order of the blocks in the plane and of
// the coefficients in a block. 0 if the planes, which have the same size, are too small for a block.
float block_errors(const PlaneView& reference, const PlaneView& distorted, const hvs::Weights& weights,
                   BlockErrorScratch& scratch);

namespace plain {
float block_errors(const PlaneView& reference, const PlaneView& distorted, const hvs::Weights& weights);
}

}  // namespace qc
