// The planes of contrast values of a frame: five scales of one or two pictures, which the same launches work on.
#pragma once

#include <cstdint>

#include "cambi/cambi_arithmetic.h"
#include "cambi/cambi_record.h"
#include "cuda/device/kernel_name.h"

namespace qc::cuda {

// Of what a value is in float32, the upper bits are its class and the lower ones its bin there. Class 0 is that of 0:
// other values lie in [0.5, 2^17).
constexpr int kCambiBinBits = 13;
constexpr int kCambiBins = 1 << kCambiBinBits;
constexpr uint32_t kCambiFirstClass = 0x3f000000U >> kCambiBinBits;
constexpr int kCambiClasses = static_cast<int>((0x48000000U >> kCambiBinBits) - kCambiFirstClass) + 1;

// How the largest values of a plane are found and added up. Zeroed before a frame.
struct CambiSelection {
  uint32_t classes[kCambiClasses];  // how many values a class has, but for class 0
  uint32_t bins[kCambiBins];        // how many values each bin of `chosen` has
  uint32_t chosen;                  // class of the least value that is pooled
  uint32_t remaining;               // how many values of that class are pooled
  // Sum of the values of the classes above, in units of 2^-24: upper part (of 2^24) and lower part, which may exceed
  // it.
  uint64_t upper;
  uint64_t lower;
  uint32_t bits;  // lower bits of those values in the same units, united
};

struct CambiPlane {
  const uint16_t* indices;  // rows of `pitch` samples
  uint32_t* contrasts;      // width x height values, raster order, float32 as it is in memory: comparable as integers
  CambiSelection* selection;
  double* sum;        // result
  uint32_t* ordered;  // set to 1 where that result depends on the order of addition, and is not valid
  uint32_t pooled;    // how many of the largest values are added
  int width;
  int height;
  int pitch;
  int pad;          // of the window: half its side, rounded down
  int strips;       // across, of as many columns as a block counts less 2 pad
  int band;         // rows of a block
  int parts;        // blocks that have the levels of a strip's band between them
  int first_block;  // of the kernel of contrasts
  int first_chunk;  // of the kernels that go through the values
};

constexpr int kCambiPlanes = 2 * kCambiScales;

struct CambiPlanes {
  CambiPlane plane[kCambiPlanes];  // those not in use begin at the greatest int
};

}  // namespace qc::cuda
