// The feature float_adm straight from its specification: the oracle of the vector code.
#pragma once

#include <vector>

#include "adm/float_adm_parameters.h"
#include "adm/float_adm_record.h"
#include "math/plane_view.h"

namespace qc::plain {

// One level of the wavelet, planes in raster order.
struct FloatAdmBands {
  int width;
  int height;
  std::vector<float> approximation;
  std::vector<float> detail[3];  // H, V, D
};

// Of a picture, and of a level's approximation.
FloatAdmBands float_adm_bands(const PlaneView& picture);
FloatAdmBands float_adm_bands(const FloatAdmBands& finer);

void float_adm_sums(const FloatAdmParameters& parameters, const FloatAdmTables& tables, const PlaneView& reference,
                    const PlaneView& distorted, FloatAdmRecord& record);

}  // namespace qc::plain
