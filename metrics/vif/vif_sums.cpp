#include "vif/vif_sums.h"

#include "vif/vif_plain.h"

namespace qc {

void vif_sums(const PlaneView& reference, const PlaneView& distorted, const VifRequest& request, VifScratch&,
              VifSums sums[kVifScales]) {
  plain::vif_sums(reference, distorted, request, sums);
}

}  // namespace qc
