#include "vif/float_vif_sums.h"

#include "core/simd.h"
#include "vif/float_vif_plain.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "vif/float_vif_sums.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace qc::HWY_NAMESPACE {

void sums_of_scales(const PlaneView& reference, const PlaneView& distorted, const float_vif::Parameters& parameters,
                    FloatVifScratch&, FloatVifSums* sums) {
  plain::float_vif_sums(reference, distorted, parameters, sums);
}

}  // namespace qc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qc {
namespace {
HWY_EXPORT(sums_of_scales);
}  // namespace

void float_vif_sums(const PlaneView& reference, const PlaneView& distorted, const float_vif::Parameters& parameters,
                    FloatVifScratch& scratch, FloatVifSums sums[kFloatVifScales]) {
  HWY_DYNAMIC_DISPATCH(sums_of_scales)(reference, distorted, parameters, scratch, sums);
}

}  // namespace qc
#endif
