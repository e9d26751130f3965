// The CPU path of ssimulacra2.
#pragma once

#include "ssimulacra2/ssimulacra2_parameters.h"

namespace qc::ssimulacra2 {

// One worker's; owns the scratch.
class Kernel {
 public:
  // Fills the record of a pair.
  void sums(const PairView& pair, const Parameters& parameters, Ssimulacra2Record& record);
};

}  // namespace qc::ssimulacra2
