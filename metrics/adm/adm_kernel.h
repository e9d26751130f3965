// The pictures of a frame reduced to the record of the feature adm.
#pragma once

#include <memory>

#include "adm/adm_parameters.h"
#include "adm/adm_record.h"
#include "math/plane_view.h"

namespace qc {

// Scratch memory of one worker.
class AdmScratch;
struct AdmScratchDeleter {
  void operator()(AdmScratch* scratch) const;
};
using AdmScratchPtr = std::unique_ptr<AdmScratch, AdmScratchDeleter>;

AdmScratchPtr make_adm_scratch(const AdmParameters& parameters);

// Luma of both pictures, of the parameters' size and depth. Fills all of `record`.
void adm_sums(const AdmParameters& parameters, const PlaneView& reference, const PlaneView& distorted,
              AdmScratch& scratch, AdmRecord& record);

}  // namespace qc
