// PSNR and its relatives: definitions (psnr.md).
#pragma once

#include "core/feature.h"

namespace qc {

extern const FeatureDef kPsnr;

}  // namespace qc
