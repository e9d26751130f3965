// One pass over the luma of a pair for all features that need sums of its samples.
#pragma once

#include "core/feature.h"
#include "psnr/raster_total.h"

namespace qc {

// Lives in the FrameCache. Kernels say at construction what they want, so that nobody pays for what no feature asked
// for.
class LumaSums {
 public:
  enum Sum : unsigned {
    kSquaredError = 1,         // exact
    kRoundedSquaredError = 2,  // squares rounded to float32
    kMoments = 4,
  };
  struct Values {
    uint64_t squared_error;
    RasterTotal rounded_squared_error;
    uint64_t sum[2];            // reference, distorted
    RasterTotal square_sum[2];  // of squares rounded to float32
  };

  void want(unsigned sums) { wanted_ |= sums; }
  // Sums of `pair`, computed at the first call of a frame. `frame` is FrameCache::frame().
  const Values& of(const PairView& pair, uint64_t frame);

 private:
  unsigned wanted_ = 0;
  uint64_t frame_ = 0;
  Values values_{};
};

}  // namespace qc
