// The contrast values of a picture at five scales, pooled.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "cambi/cambi_parameters.h"
#include "math/plane_view.h"

namespace qc::cambi {

// Memory of a worker. It is kept from frame to frame.
struct Scratch {
  std::vector<uint16_t> image;
  std::vector<uint16_t> filtered;  // the vector code's next image
  std::vector<uint8_t> mask;
  std::vector<uint8_t> next_mask;
  std::vector<float> contrasts;
  std::vector<uint32_t> selection;
  // Of the vector code alone:
  std::vector<uint8_t> equal_rows;
  std::vector<uint16_t> filter_rows;
  std::vector<uint16_t> level_rows;
  std::vector<uint16_t> counts;
  std::vector<uint16_t> ramp;
};

// Sees the contrast values of a scale in raster order.
using ContrastObserver = std::function<void(int scale, const float* contrasts)>;

// Sum of the largest contrast values of each scale of `plane`, which is luma of the size and depth of the stream.
// `observe` may be empty. Throws if a sample exceeds its depth.
void contrast_sums(const PlaneView& plane, const PictureParameters& picture, const Parameters& parameters,
                   Scratch& scratch, const ContrastObserver& observe, double sums[kCambiScales]);

}  // namespace qc::cambi
