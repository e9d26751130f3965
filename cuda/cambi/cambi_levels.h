// The kernels that make planes of levels for cambi: luma to levels and the mask of flat areas, then the filter of
// modes, scale by scale.
#pragma once

#include "cambi/cambi_arithmetic.h"
#include "cuda/device/frame.h"
#include "cuda/device/kernel_name.h"

namespace qc::cuda {

// In images: the mask's bit beside a level of 11 bits.
constexpr uint16_t kCambiMask = 0x8000;

// In planes of indices: a pixel that no count needs.
constexpr uint16_t kCambiNone = 0xffff;

// Rows of images and of planes of indices begin at multiples of this many samples.
constexpr int kCambiAlign = 4;

// A warp makes so many levels a row, four a lane: those of the first lane and of the last two lack neighbours.
constexpr int kCambiLevelsColumns = 4 * 29;
constexpr int kCambiLevelsRows = 16;
constexpr int kCambiLevelsThreads = 128;
constexpr int kCambiLevelsBlockRows = kCambiLevelsRows * (kCambiLevelsThreads / 32);

struct CambiLevelsArgs {
  const FrameParameters* frame;
  int reference;       // 1: the reference's luma, 0: the distorted picture's
  const int* columns;  // source column of each column, null: not resampled
  const int* rows;
  int width;  // processing size
  int height;
  int smoothed;   // 1: with the anti-dither filter
  int threshold;  // of the equal neighbours among 7x7 of a pixel on the mask
  int step;       // 2: only even columns of even rows are kept
  uint16_t* image;
  int pitch;  // of the image
};
// For samples of one and of two bytes. Grid: kCambiLevelsColumns across, kCambiLevelsBlockRows down.
constexpr KernelName<CambiLevelsArgs> kCambiLevels8{"qc_cambi_levels_8"};
constexpr KernelName<CambiLevelsArgs> kCambiLevels16{"qc_cambi_levels_16"};

constexpr int kCambiRangeThreads = 256;

struct CambiRangeArgs {
  const FrameParameters* frame;
  int reference;
  uint32_t* exceeded;  // set to 1 if a sample exceeds its depth
};
constexpr KernelName<CambiRangeArgs> kCambiRange{"qc_cambi_range"};

// A warp filters this many rows of four columns a lane.
constexpr int kCambiFilterColumns = 128;
constexpr int kCambiFilterRows = 4;
constexpr int kCambiFilterThreads = 128;
constexpr int kCambiFilterBlockRows = kCambiFilterRows * (kCambiFilterThreads / 32);

struct CambiFilterArgs {
  const uint16_t* image;
  int width;
  int height;
  int pitch;       // of the image and of the indices
  uint16_t* next;  // even columns of even rows, null: not wanted
  int next_pitch;
  // Level less `base` where that is below `count` and the mask is on, else kCambiNone.
  uint16_t* indices;
  int base;
  int count;
};
// Grid: kCambiFilterColumns across, kCambiFilterBlockRows down.
constexpr KernelName<CambiFilterArgs> kCambiFilter{"qc_cambi_filter"};

}  // namespace qc::cuda
