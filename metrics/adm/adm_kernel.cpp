#include "adm/adm_kernel.h"

#include "adm/adm_plain.h"

namespace qc {

class AdmScratch {};
void AdmScratchDeleter::operator()(AdmScratch* scratch) const { delete scratch; }
AdmScratchPtr make_adm_scratch(const AdmParameters&) { return AdmScratchPtr(new AdmScratch); }
void adm_sums(const AdmParameters& parameters, const PlaneView& reference, const PlaneView& distorted, AdmScratch&,
              AdmRecord& record) {
  plain::adm_sums(parameters, reference, distorted, record);
}

}  // namespace qc
