// The sum of the colour differences of a pair of pictures.
#pragma once

#include <cstdint>

#include "core/format.h"
#include "hwy/aligned_allocator.h"
#include "math/plane_view.h"

namespace qc {

// Buffers that persist from frame to frame.
struct ColorDifferenceScratch {
  hwy::AlignedFreeUniquePtr<uint16_t[]> samples;
  hwy::AlignedFreeUniquePtr<double[]> differences;
  size_t pitch = 0;
};

// Elements that vector code may read and write behind a row.
constexpr size_t kRowPadding = 32;

// Where the samples of a row of pixels lie: three rows of each picture, reference first.
struct PixelRows {
  const uint16_t* sample[2][3];
};

// Sums CIEDE2000 over all pixels in raster order, in float64. Chroma as in chroma_position.h.
double sum_color_differences(const PairView& pair, QCChroma chroma, ColorDifferenceScratch& scratch);

namespace plain {
// The differences of `count` pixels.
void color_differences(const PixelRows& rows, int count, int depth, double* differences);
}  // namespace plain

}  // namespace qc
