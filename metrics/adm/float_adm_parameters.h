// What the kernels of the feature float_adm need to know, on host and device alike.
#pragma once

#include "adm/float_adm_arithmetic.h"

namespace qc {

// Geometry and weights of one scale.
struct FloatAdmScale {
  int width;  // of a band, samples
  int height;
  // The scored region: columns left … right-1, rows top … bottom-1.
  int left;
  int right;
  int top;
  int bottom;
  float weight[3];  // contrast sensitivity of the bands H, V, D
};

struct FloatAdmParameters {
  int width;  // of the pictures
  int height;
  int depth;
  float_adm::GainLimit gain_limit;
  float_adm::Exponent exponent;
  bool masking;      // false: the thresholds are 0
  bool skip_scale0;  // no sums of scale 0: they stay 0
  bool estimates;    // division by way of estimated reciprocals
  FloatAdmScale scale[4];
};

// Tables that the kernels look up.
struct FloatAdmTables {
  uint32_t estimates[kReciprocalEntries];
  PowerTables power;
};

}  // namespace qc
