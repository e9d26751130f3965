// SSIM in decibels, as the options enable_db and clip_db of float_ssim and float_ms_ssim write it.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "core/feature.h"

namespace qc {

// The largest value that is written: without `clip` infinity, else that of half a squared sample step in the whole
// picture.
inline double ssim_decibel_cap(const Geometry& geometry, bool clip) {
  if (!clip) return std::numeric_limits<double>::infinity();
  const auto peak = static_cast<uint32_t>(geometry.max_value());
  const uint32_t pixels = static_cast<uint32_t>(geometry.width) * static_cast<uint32_t>(geometry.height);
  return std::ceil(10.0 * std::log10(double(peak * peak) / (0.5 / double(pixels))));
}

// NaN, which an SSIM above 1 gives, becomes the cap.
inline double ssim_decibel(double ssim, double cap) {
  const double value = -10.0 * std::log10(1 - ssim);
  return value < cap ? value : cap;
}

}  // namespace qc
