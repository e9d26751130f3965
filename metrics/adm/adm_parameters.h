// What the kernels of the feature adm need to know, on host and device alike.
#pragma once

#include <cstdint>

namespace qc {

// Geometry and fixed-point settings of one scale.
struct AdmScale {
  int width;  // of a band, samples
  int height;
  // The scored region: columns left … right-1, rows top … bottom-1.
  int left;
  int right;
  int top;
  int bottom;
  uint32_t weight_hv;  // contrast sensitivity, see AdmWeights
  uint32_t weight_d;
  // Right shifts of the cube sums: of a sample's reference cube and of the sum of a row of them, of a sample's masked
  // cube in H and V and in D, and of the sum of a row of those.
  int reference_shift;
  int reference_row_shift;
  int cube_shift_hv;
  int cube_shift_d;
  int cube_row_shift;
  bool operator==(const AdmScale&) const = default;
};

struct AdmParameters {
  int width;  // of the pictures
  int height;
  int depth;
  double gain_limit;  // adm_enhn_gain_limit
  bool skip_aim;      // no additive sums: they stay 0
  bool skip_scale0;   // no sums of scale 0: they stay 0
  AdmScale scale[4];
  bool operator==(const AdmParameters&) const = default;
};

// Columns or rows on each side of a band of this size that are not scored: a tenth.
int adm_margin(int size);

// Requires sizes of at least 17x17.
AdmParameters adm_parameters(int width, int height, int depth, const uint32_t weight_hv[4], const uint32_t weight_d[4]);

}  // namespace qc
