// The kernel of cambi's contrast values.
#pragma once

#include "cuda/cambi/cambi_planes.h"

namespace qc::cuda {

// A block goes down a strip of the plane with counts for as many columns as it has threads. More are for windows of
// which kCambiColumns would leave few columns in the middle.
constexpr int kCambiColumns = 160;
constexpr int kCambiWideColumns = 224;
constexpr int kCambiWidePad = 40;

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
// Grid: the blocks of all planes. Where a window's pad exceeds kCambiWidePad the wide one.
constexpr KernelName<CambiContrastArgs> kCambiContrasts{"qc_cambi_contrasts"};
constexpr KernelName<CambiContrastArgs> kCambiWideContrasts{"qc_cambi_wide_contrasts"};

}  // namespace qc::cuda
