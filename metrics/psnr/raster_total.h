// A total that the reference accumulates in float64, sample after sample in raster order.
#pragma once

#include <cstdint>

#include "math/plane_view.h"

namespace qc {

// The terms are non-negative integers. As long as their sum is at most 2^53 no partial sum is rounded and the order
// does not matter (psnr.md A.1); beyond, the sum is what its order makes it.
struct RasterTotal {
  static constexpr uint64_t kExactLimit = uint64_t{1} << 53;

  uint64_t integer;  // the exact sum of all terms
  double ordered;    // the float64 sum in raster order; set only where needs_order()

  QC_HD bool needs_order() const { return integer > kExactLimit; }
  QC_HD double value() const { return needs_order() ? ordered : static_cast<double>(integer); }
};

}  // namespace qc
