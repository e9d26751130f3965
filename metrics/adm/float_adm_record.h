// What a frame's kernels leave for the feature float_adm, on host and device alike.
#pragma once

namespace qc {

// The float32 sums of one scale over the scored region: each row from left to right, then the rows from top to bottom.
// Bands: 0 = H (vertical detail), 1 = V (horizontal detail), 2 = D (both).
struct FloatAdmScaleSums {
  float reference[3];  // powers of the reference's detail
  float restored[3];   // powers of the restored detail above the threshold that the additive part sets
  float additive[3];   // powers of the additive part above the threshold that the restored detail sets
};

struct FloatAdmRecord {
  FloatAdmScaleSums scale[4];
};

}  // namespace qc
