#include "ssimulacra2/ssimulacra2_kernel.h"

#include "ssimulacra2/ssimulacra2_plain.h"

namespace qc::ssimulacra2 {

void Kernel::sums(const PairView& pair, const Parameters& parameters, Ssimulacra2Record& record) {
  plain::sums(pair, parameters, record);
}

}  // namespace qc::ssimulacra2
