// The sums of the feature adm, plane by plane, straight from the definition: the oracle of the vector code.
#pragma once

#include <cstdint>
#include <vector>

#include "adm/adm_parameters.h"
#include "adm/adm_record.h"
#include "math/plane_view.h"

namespace qc::plain {

// Wavelet bands of one scale of one picture, in rows of the band's width.
struct AdmBands {
  int width = 0;
  int height = 0;
  std::vector<int32_t> approximation;
  std::vector<int32_t> detail[3];  // H, V, D
};

// Transform of a picture (scale 0) or of a finer scale's approximation (1 to 3).
AdmBands adm_bands(const PlaneView& picture);
AdmBands adm_bands(const AdmBands& finer, int scale);

void adm_sums(const AdmParameters& parameters, const PlaneView& reference, const PlaneView& distorted,
              AdmRecord& record);

}  // namespace qc::plain
