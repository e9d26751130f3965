// ssimulacra2 as the specification writes it: whole planes, one sample after the other.
#pragma once

#include "ssimulacra2/ssimulacra2_parameters.h"

namespace qc::ssimulacra2::plain {

// Fills the record of a pair.
void sums(const PairView& pair, const Parameters& parameters, Ssimulacra2Record& record);

}  // namespace qc::ssimulacra2::plain
