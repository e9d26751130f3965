// The kernels that find the largest contrast values of each plane and add them up, as integers: any order will do as
// long as the sum in float64 is exact, and where it isn't, that is reported.
#pragma once

#include "cuda/cambi/cambi_planes.h"

namespace qc::cuda {

constexpr int kCambiPoolThreads = 1024;
// Values that a block goes through, below 2^16.
constexpr int kCambiChunk = 16 * kCambiPoolThreads;
constexpr int kCambiChoiceThreads = 1024;

struct CambiPoolArgs {
  CambiPlanes planes;
};
// In this order. Grids: the chunks of all planes; the planes; the chunks; the planes.
constexpr KernelName<CambiPoolArgs> kCambiClassCounts{"qc_cambi_class_counts"};
constexpr KernelName<CambiPoolArgs> kCambiChoice{"qc_cambi_choice"};
constexpr KernelName<CambiPoolArgs> kCambiSums{"qc_cambi_sums"};
constexpr KernelName<CambiPoolArgs> kCambiTotal{"qc_cambi_total"};

}  // namespace qc::cuda
