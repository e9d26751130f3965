#include "adm/adm_pass.h"

#include <algorithm>

namespace qc {

size_t AdmPass::join(const AdmParameters& parameters) {
  const auto found = std::find(instances_.begin(), instances_.end(), parameters);
  const auto i = static_cast<size_t>(found - instances_.begin());
  if (found == instances_.end()) {
    instances_.push_back(parameters);
    records_.emplace_back();
    scratch_.reset();
  }
  return i;
}

const AdmRecord& AdmPass::of(size_t i, const PairView& pair, uint64_t frame) {
  if (frame != frame_) {
    frame_ = frame;
    if (!scratch_) scratch_ = make_adm_scratch(instances_[0], instances_.size());
    adm_sums(instances_, pair.reference.plane[0], pair.distorted.plane[0], *scratch_, records_);
  }
  return records_[i];
}

}  // namespace qc
