// The list of all features. A new feature adds its header, its CUDA factory and one line.
#include "adm/adm.h"
#include "adm/float_adm.h"
#include "cambi/cambi.h"
#include "ciede/ciede.h"
#include "core/error.h"
#include "core/feature.h"
#include "motion/motion.h"
#include "psnr/psnr.h"
#include "psnr_hvs/psnr_hvs.h"
#include "speed/speed.h"
#include "ssim/ssim.h"
#include "ssimulacra2/ssimulacra2.h"
#include "vif/vif.h"

#if QC_CUDA
#include "cuda/adm/adm.h"
#include "cuda/adm/float_adm.h"
#include "cuda/cambi/cambi.h"
#include "cuda/ciede/ciede.h"
#include "cuda/motion/float_motion.h"
#include "cuda/motion/motion.h"
#include "cuda/psnr/psnr.h"
#include "cuda/psnr_hvs/psnr_hvs.h"
#include "cuda/speed/speed.h"
#include "cuda/ssim/ssim.h"
#include "cuda/ssimulacra2/ssimulacra2.h"
#include "cuda/vif/float_vif.h"
#include "cuda/vif/vif.h"
#define QC_CUDA_PATH(make) cuda::make
#else
#define QC_CUDA_PATH(make) nullptr
#endif

namespace qc {
namespace {

constexpr RegistryEntry kRegistry[] = {
    {&kFloatPsnr, QC_CUDA_PATH(make_float_psnr_kernels)},
    {&kFloatAnsnr, QC_CUDA_PATH(make_float_ansnr_kernels)},
    {&kFloatAdm, QC_CUDA_PATH(make_float_adm_kernels)},
    {&kFloatVif, QC_CUDA_PATH(make_float_vif_kernels)},
    {&kFloatMotion, QC_CUDA_PATH(make_float_motion_kernels)},
    {&kFloatMoment, QC_CUDA_PATH(make_float_moment_kernels)},
    {&kSpeedChroma, QC_CUDA_PATH(make_speed_chroma_kernels)},
    {&kSpeedTemporal, QC_CUDA_PATH(make_speed_temporal_kernels)},
    {&kFloatMsSsim, QC_CUDA_PATH(make_float_ms_ssim_kernels)},
    {&kFloatSsim, QC_CUDA_PATH(make_float_ssim_kernels)},
    {&kCiede, QC_CUDA_PATH(make_ciede_kernels)},
    {&kPsnr, QC_CUDA_PATH(make_psnr_kernels)},
    {&kPsnrHvs, QC_CUDA_PATH(make_psnr_hvs_kernels)},
    {&kAdm, QC_CUDA_PATH(make_adm_kernels)},
    {&kMotion, QC_CUDA_PATH(make_motion_kernels)},
    {&kVif, QC_CUDA_PATH(make_vif_kernels)},
    {&kCambi, QC_CUDA_PATH(make_cambi_kernels)},
    {&kMotionV2, QC_CUDA_PATH(make_motion_kernels)},
    {&kSsim, QC_CUDA_PATH(make_ssim_kernels)},
    {&kSsimulacra2, QC_CUDA_PATH(make_ssimulacra2_kernels)},
};

}  // namespace

std::span<const RegistryEntry> registry() { return kRegistry; }

size_t registry_index(std::string_view name) {
  std::vector<std::string> names;
  for (size_t i = 0; i < registry().size(); ++i) {
    if (name == registry()[i].definition->name) return i;
    names.emplace_back(registry()[i].definition->name);
  }
  std::string message = "there is no feature '" + std::string(name) + "'";
  if (const std::string near = nearest_name(name, names); !near.empty()) {
    message += "; did you mean '" + near + "'?";
  } else {
    message += "; there are:";
    for (const std::string& n : names) message += " " + n;
  }
  fail_invalid(message);
}

}  // namespace qc
