// The stages of the feature cambi in plain C++, straight from the specification: the scalar target and the oracle of
// the vector code. Planes are in raster order without padding.
#pragma once

#include "cambi/contrast_sums.h"

namespace qc::plain {

// Luma as 10-bit levels of the processing size.
void prepare(const PlaneView& plane, const cambi::PictureParameters& picture, bool smoothed,
             std::vector<uint16_t>& image);

// 1 where enough pixels of the 7x7 around are equal to their right and lower neighbours.
void flat_areas(const std::vector<uint16_t>& image, int width, int height, int threshold, std::vector<uint8_t>& mask);

// Even columns of even rows of a plane of width x height.
void decimate(std::vector<uint16_t>& plane, int width, int height);
void decimate(std::vector<uint8_t>& plane, int width, int height);

// Mode of three, along rows, then along columns.
void filter_modes(const std::vector<uint16_t>& image, int width, int height, std::vector<uint16_t>& filtered);

// The contrast value of every pixel.
void contrasts(const std::vector<uint16_t>& image, const std::vector<uint8_t>& mask, int width, int height, int window,
               const cambi::Parameters& parameters, std::vector<float>& contrasts);

void contrast_sums(const PlaneView& plane, const cambi::PictureParameters& picture, const cambi::Parameters& parameters,
                   cambi::Scratch& scratch, const cambi::ContrastObserver& observe, double sums[kCambiScales]);

}  // namespace qc::plain
