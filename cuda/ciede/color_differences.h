// The kernels behind ciede.
#pragma once

#include "ciede/ciede_record.h"
#include "ciede/pixel_parameters.h"
#include "cuda/device/frame.h"
#include "cuda/device/kernel_name.h"

namespace qc::cuda {

// Differences are added up as integers, multiples of 2^-29. The float64 sum in raster order is the same number if it
// rounds nowhere: that is if every difference is a multiple of the integers' unit, and the sum is at most 2^53 times
// the least power of two that is in any of them.
constexpr double kDifferenceUnit = 0x1p-29;

struct DifferenceSums {
  uint64_t sum;
  uint32_t low_bits;  // of all differences or-ed
  uint32_t inexact;   // not 0: some difference is no multiple of the unit, or too large
  uint32_t ordered;   // not 0: the sum has to be taken in order
  uint32_t unused;
};

struct PixelsArgs {
  const FrameParameters* frame;
  bool subsampled;          // 4:2:0 and 4:2:2
  bool columns_subsampled;  // 4:2:0: see ciede/chroma_position.h
  ciede::SampleScale scale;
  ciede::PowerTables tables;
};

struct ColorSumsArgs {
  PixelsArgs pixels;
  double limit;          // of a difference in units, so that no sum overflows
  DifferenceSums* sums;  // added to
};
constexpr int kColorThreads = 128;
// Any number of blocks.
constexpr KernelName<ColorSumsArgs> kColorSums{"qc_color_sums"};

struct ColorResultArgs {
  DifferenceSums* sums;
  CiedeRecord* record;
};
// One block of 32 threads.
constexpr KernelName<ColorResultArgs> kColorResult{"qc_color_result"};

struct ColorTermsArgs {
  PixelsArgs pixels;
  double* terms;  // in raster order
};
// One block a row.
constexpr KernelName<ColorTermsArgs> kColorTerms{"qc_color_terms"};

}  // namespace qc::cuda
