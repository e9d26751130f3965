#include "adm/float_adm_scratch.h"

#include <algorithm>

namespace qc {

float* FloatAdmScratch::row(int width) {
  const size_t count = kBefore + static_cast<size_t>(width) + kAfter;
  memory_.push_back(hwy::AllocateAligned<float>(count));
  std::fill_n(memory_.back().get(), count, 0.0F);
  return memory_.back().get() + kBefore;
}

void FloatAdmScratch::allocate(FloatAdmSignalRows& rows, int width) {
  for (auto& bands : rows.contrast)
    for (float*& samples : bands) samples = row(width);
  for (auto& bands : rows.to_neighbours)
    for (float*& samples : bands) samples = row(width);
}

FloatAdmScratch::FloatAdmScratch(const FloatAdmParameters& parameters) {
  int width = parameters.width;
  int height = parameters.height;
  for (int s = 0; s < 4; ++s) {
    const FloatAdmScale& scale = parameters.scale[s];
    Level& l = level[s];
    l.active_left = std::max(scale.left - 1, 0);
    l.active_right = std::min(scale.right + 1, scale.width);
    l.active_top = std::max(scale.top - 1, 0);
    l.active_bottom = std::min(scale.bottom + 1, scale.height);
    l.input_width = width;
    l.input_height = height;
    l.next_row = 0;
    for (auto& rows : l.input)
      for (float*& samples : rows) samples = row(width);
    for (int p = 0; p < 2; ++p) {
      for (int parity = 0; parity < 2; ++parity) {
        l.low[p][parity] = row(scale.width + 1);
        l.high[p][parity] = row(scale.width + 1);
      }
    }
    for (auto& bands : l.reference)
      for (float*& samples : bands) samples = row(scale.width);
    allocate(l.restored, scale.width);
    allocate(l.additive, scale.width);
    for (float*& samples : l.powers) samples = row(scale.width);
    width = scale.width;
    height = scale.height;
  }
}

void FloatAdmScratchDeleter::operator()(FloatAdmScratch* scratch) const { delete scratch; }

FloatAdmScratchPtr make_float_adm_scratch(const FloatAdmParameters& parameters) {
  return FloatAdmScratchPtr(new FloatAdmScratch(parameters));
}

}  // namespace qc
