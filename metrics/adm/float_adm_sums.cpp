#include "adm/float_adm_sums.h"

#include "adm/float_adm_plain.h"

namespace qc {

class FloatAdmScratch {};
void FloatAdmScratchDeleter::operator()(FloatAdmScratch* scratch) const { delete scratch; }
FloatAdmScratchPtr make_float_adm_scratch(const FloatAdmParameters&) { return FloatAdmScratchPtr(new FloatAdmScratch); }
void float_adm_sums(const FloatAdmParameters& parameters, const FloatAdmTables& tables, const PlaneView& reference,
                    const PlaneView& distorted, FloatAdmScratch&, FloatAdmRecord& record) {
  plain::float_adm_sums(parameters, tables, reference, distorted, record);
}

}  // namespace qc
