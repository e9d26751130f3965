// The pictures of a frame reduced to the record of the feature adm.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

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

// For that many instances of the feature on pictures of the parameters' size.
AdmScratchPtr make_adm_scratch(const AdmParameters& parameters, size_t instances);

// Luma of both pictures, of the parameters' size and depth. Fills the record of each instance; they share the wavelet.
void adm_sums(std::span<const AdmParameters> instances, const PlaneView& reference, const PlaneView& distorted,
              AdmScratch& scratch, std::span<AdmRecord> records);

}  // namespace qc
