#include "adm/adm_scratch.h"

#include <algorithm>

namespace qc {
namespace {

AdmActive active_region(const AdmScale& scale) {
  return {std::max(scale.left - 1, 0), std::min(scale.right + 1, scale.width), std::max(scale.top - 1, 0),
          std::min(scale.bottom + 1, scale.height)};
}

}  // namespace

template <class Sample, class Sum>
void AdmScratch::allocate(AdmSplitRows<Sample, Sum>& split_rows, int width) {
  for (AdmSignalRows<Sample, Sum>* rows : {&split_rows.restored, &split_rows.additive}) {
    for (auto& bands : rows->samples)
      for (Sample*& samples : bands) samples = row<Sample>(width);
    for (Sum*& sums : rows->to_neighbours) sums = row<Sum>(width);
    for (Sum*& sums : rows->itself_more) sums = row<Sum>(width);
    rows->cut[0] = rows->cut[1] = false;
  }
}

AdmScratch::AdmScratch(const AdmParameters& parameters, size_t instances) : split(instances) {
  finest.active = active_region(parameters.scale[0]);
  const int finest_width = parameters.scale[0].width;
  for (int p = 0; p < 2; ++p) {
    finest.low[p] = row<int16_t>(parameters.width);
    finest.high[p] = row<int16_t>(parameters.width);
    for (int16_t*& detail : finest.detail[p]) detail = row<int16_t>(finest_width);
    for (uint8_t*& samples : narrow[p]) samples = parameters.width < kNarrow ? row<uint8_t>(2 * kNarrow) : nullptr;
  }
  for (Split& own : split) allocate(own.finest, finest_width);
  finest.column_sums = row<int32_t>(finest_width);
  for (int i = 0; i < 3; ++i) {
    Coarse& level = coarse[i];
    const int width = parameters.scale[i + 1].width;
    level.active = active_region(parameters.scale[i + 1]);
    level.input_width = parameters.scale[i].width;
    level.input_height = parameters.scale[i].height;
    level.next_row = 0;
    for (int r = 0; r < 4; ++r) {
      for (int p = 0; p < 2; ++p) {
        level.even[r][p] = row<int32_t>(width + 1);
        level.odd[r][p] = row<int32_t>(width + 1);
      }
    }
    for (int p = 0; p < 2; ++p) {
      for (int parity = 0; parity < 2; ++parity) {
        level.low[p][parity] = row<int32_t>(width + 1);
        level.high[p][parity] = row<int32_t>(width + 1);
      }
      for (int32_t*& detail : level.detail[p]) detail = row<int32_t>(width);
    }
    for (Split& own : split) allocate(own.coarse[i], width);
    level.column_sums = row<int32_t>(width);
  }
}

void AdmScratchDeleter::operator()(AdmScratch* scratch) const { delete scratch; }

AdmScratchPtr make_adm_scratch(const AdmParameters& parameters, size_t instances) {
  return AdmScratchPtr(new AdmScratch(parameters, instances));
}

}  // namespace qc
