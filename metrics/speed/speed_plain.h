// SpEED straight from the specification: the oracle of the vector code and of the kernels.
#pragma once

#include "speed/speed_parameters.h"
#include "speed/speed_record.h"

namespace qc {

namespace speed {

// A plane, or how an older plane differs from it. Both have the size that the parameters were made for, and one depth.
struct Source {
  const PlaneView* plane;
  const PlaneView* older;  // null: the plane itself
};

}  // namespace speed

namespace plain {

SpeedScore speed_score(const speed::Parameters& parameters, const speed::Source& reference,
                       const speed::Source& distorted);

}  // namespace plain
}  // namespace qc
