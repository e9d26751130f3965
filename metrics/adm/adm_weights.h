// Contrast sensitivity weights of the wavelet bands.
#pragma once

#include <cstdint>

namespace qc {

// adm_csf_mode.
enum class AdmCsf {
  Watson97,    // Watson, Yang, Solomon, Villasenor, "Visibility of wavelet quantization noise", 1997
  Barten,      // Barten, "Contrast sensitivity of the human eye and its effects on image quality", 1999
  Blended,     // libvmaf's table of a blend of both
  BlendedMae,  // the same, fitted by mean absolute error
};

// One weight for the bands H and V, one for D; scales 0 (finest) to 3.
struct AdmWeights {
  float hv[4];
  float d[4];
  // The same in fixed point: 16 bits at scale 0 (21 and 23 fractional bits), 32 bits above (32 fractional bits).
  // Weights that don't fit (Barten's) keep their low bits, as in libvmaf.
  uint32_t fixed_hv[4];
  uint32_t fixed_d[4];
};

// `view_distance` in display heights, `display_height` in lines; the two scales are factors of Barten's weights. Throws
// if the table of a blended mode has no row for the viewing conditions.
AdmWeights adm_weights(AdmCsf mode, double view_distance, int display_height, double hv_scale, double d_scale);

// adm_csf_mode of float_adm; the modes above 2 are Watson97.
enum class FloatAdmCsf { Watson97, Barten, Native };

struct FloatAdmWeights {
  float hv[4];
  float d[4];
};

// Native: the curve of Li et al. 2011. Arguments as above.
FloatAdmWeights float_adm_weights(FloatAdmCsf mode, double view_distance, int display_height, double hv_scale,
                                  double d_scale);

}  // namespace qc
