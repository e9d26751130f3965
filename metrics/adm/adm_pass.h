// One pass over the lumas of a pair for all instances of the feature adm.
#pragma once

#include <vector>

#include "adm/adm_kernel.h"
#include "core/feature.h"

namespace qc {

// Lives in the FrameCache. Kernels join at construction; instances with equal parameters are one.
class AdmPass {
 public:
  // Its index among the instances.
  size_t join(const AdmParameters& parameters);
  // The record of instance i, computed with all the others' at the first call of a frame. `frame` is
  // FrameCache::frame().
  const AdmRecord& of(size_t i, const PairView& pair, uint64_t frame);

 private:
  std::vector<AdmParameters> instances_;
  std::vector<AdmRecord> records_;
  AdmScratchPtr scratch_;
  uint64_t frame_ = 0;
};

}  // namespace qc
