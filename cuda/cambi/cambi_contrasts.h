// The kernel of cambi's contrast values.
#pragma once

#include "cuda/cambi/cambi_planes.h"

namespace qc::cuda {

// A block goes down a strip of the plane with counts for this many columns, two a thread.
constexpr int kCambiColumns = 256;
constexpr int kCambiContrastThreads = kCambiColumns / 2;

// Levels that a block counts at a time.
constexpr int kCambiSlots = 128;

constexpr int kCambiMaxIndices = cambi::kLevels + 2 * cambi::kMaxDifferences;

struct CambiContrastArgs {
  CambiPlanes planes;
  const uint8_t* first_difference;  // by index, greater than `differences`: none counts
  const float* reciprocals;         // the table of cambi_parameters.h
  int indices;                      // levels that are told apart
  int differences;
};
// Grid: the blocks of all planes.
constexpr KernelName<CambiContrastArgs> kCambiContrasts{"qc_cambi_contrasts"};

}  // namespace qc::cuda
