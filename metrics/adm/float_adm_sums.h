// The sums of the feature float_adm over a pair of lumas.
#pragma once

#include <memory>

#include "adm/float_adm_parameters.h"
#include "adm/float_adm_record.h"
#include "math/plane_view.h"

namespace qc {

// Rows of intermediates, for pictures of one size.
class FloatAdmScratch;
struct FloatAdmScratchDeleter {
  void operator()(FloatAdmScratch* scratch) const;
};
using FloatAdmScratchPtr = std::unique_ptr<FloatAdmScratch, FloatAdmScratchDeleter>;

FloatAdmScratchPtr make_float_adm_scratch(const FloatAdmParameters& parameters);

void float_adm_sums(const FloatAdmParameters& parameters, const FloatAdmTables& tables, const PlaneView& reference,
                    const PlaneView& distorted, FloatAdmScratch& scratch, FloatAdmRecord& record);

}  // namespace qc
