// The kernels' machine code, one image for each .cu file: symbols that the rule in cuda/local.mk makes.
#pragma once

#include "cuda/driver/objects.h"

extern "C" {
extern const unsigned char qc_image_adm_sums[];
extern const unsigned char qc_image_ansnr[];
extern const unsigned char qc_image_block_errors[];
extern const unsigned char qc_image_blurred_difference[];
extern const unsigned char qc_image_color_differences[];
extern const unsigned char qc_image_cambi_contrasts[];
extern const unsigned char qc_image_cambi_levels[];
extern const unsigned char qc_image_cambi_pooling[];
extern const unsigned char qc_image_decimation[];
extern const unsigned char qc_image_float_adm_sums[];
extern const unsigned char qc_image_hoare_find[];
extern const unsigned char qc_image_float_difference[];
extern const unsigned char qc_image_float_vif_sums[];
extern const unsigned char qc_image_luma_sums[];
extern const unsigned char qc_image_moment_ssim[];
extern const unsigned char qc_image_ordered_rows[];
extern const unsigned char qc_image_ordered_sum[];
extern const unsigned char qc_image_speed_score[];
extern const unsigned char qc_image_squared_error[];
extern const unsigned char qc_image_ssimulacra2_blur[];
extern const unsigned char qc_image_ssimulacra2_pictures[];
extern const unsigned char qc_image_ssimulacra2_sums[];
extern const unsigned char qc_image_vif_sums[];
extern const unsigned char qc_image_windowed_ssim[];
}

namespace qc::cuda {

inline const Image kAdmSumsImage{qc_image_adm_sums};
inline const Image kAnsnrImage{qc_image_ansnr};
inline const Image kBlockErrorsImage{qc_image_block_errors};
inline const Image kBlurredDifferenceImage{qc_image_blurred_difference};
inline const Image kColorDifferencesImage{qc_image_color_differences};
inline const Image kCambiContrastsImage{qc_image_cambi_contrasts};
inline const Image kCambiLevelsImage{qc_image_cambi_levels};
inline const Image kCambiPoolingImage{qc_image_cambi_pooling};
inline const Image kDecimationImage{qc_image_decimation};
inline const Image kFloatAdmSumsImage{qc_image_float_adm_sums};
inline const Image kHoareFindImage{qc_image_hoare_find};
inline const Image kFloatDifferenceImage{qc_image_float_difference};
inline const Image kFloatVifSumsImage{qc_image_float_vif_sums};
inline const Image kLumaSumsImage{qc_image_luma_sums};
inline const Image kMomentSsimImage{qc_image_moment_ssim};
inline const Image kOrderedRowsImage{qc_image_ordered_rows};
inline const Image kOrderedSumImage{qc_image_ordered_sum};
inline const Image kSpeedScoreImage{qc_image_speed_score};
inline const Image kSquaredErrorImage{qc_image_squared_error};
inline const Image kSsimulacra2BlurImage{qc_image_ssimulacra2_blur};
inline const Image kSsimulacra2PicturesImage{qc_image_ssimulacra2_pictures};
inline const Image kSsimulacra2SumsImage{qc_image_ssimulacra2_sums};
inline const Image kVifSumsImage{qc_image_vif_sums};
inline const Image kWindowedSsimImage{qc_image_windowed_ssim};

}  // namespace qc::cuda
