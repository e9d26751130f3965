// The contrast values of a picture at five scales, pooled.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "cambi/cambi_parameters.h"
#include "math/plane_view.h"

namespace qc::cambi {

// Planes of a worker. They keep their memory from frame to frame.
struct Scratch {
  std::vector<uint16_t> image;
  std::vector<uint16_t> filtered;
  std::vector<uint8_t> mask;
  std::vector<float> contrasts;
  std::vector<uint32_t> selection;
};

// Sees the contrast values of a scale in raster order.
using ContrastObserver = std::function<void(int scale, const float* contrasts)>;

// Sum of the largest contrast values of each scale of `plane`, which is luma of the size and depth of the stream.
// `observe` may be empty. Throws if a sample exceeds its depth.
void contrast_sums(const PlaneView& plane, const PictureParameters& picture, const Parameters& parameters,
                   Scratch& scratch, const ContrastObserver& observe, double sums[kCambiScales]);

}  // namespace qc::cambi
