// What a frame's kernels leave for the feature adm, on host and device alike.
#pragma once

#include <cstdint>

namespace qc {

// The exact integer sums of one scale, over the scored region. Bands: 0 = H (vertical detail), 1 = V (horizontal
// detail), 2 = D (both). Each row's sum is rounded and shifted before the rows are added.
struct AdmScaleSums {
  uint64_t reference[3];  // cubes of the reference's detail
  int64_t restored[3];    // cubes of the restored detail above the threshold that the additive part sets
  int64_t additive[3];    // cubes of the additive part above the threshold that the restored detail sets
};

struct AdmRecord {
  AdmScaleSums scale[4];
};

}  // namespace qc
