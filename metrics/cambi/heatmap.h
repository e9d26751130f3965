// Maps of the contrast values of a stream, one file a scale.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cambi/cambi_parameters.h"

namespace qc::cambi {

// Writes frames of 16-bit little-endian samples, frame f at f times the size of a frame. Frames may be written in any
// order and by several threads at once.
class HeatmapFiles {
 public:
  // Creates the folder, unless it is there, and the files. Throws if that fails.
  HeatmapFiles(const std::string& folder, const Parameters& parameters);
  ~HeatmapFiles();
  HeatmapFiles(const HeatmapFiles&) = delete;
  HeatmapFiles& operator=(const HeatmapFiles&) = delete;

  // Contrast values of one scale in raster order. Throws if they cannot be written.
  void write(int64_t frame, int scale, const float* contrasts) const;

 private:
  std::vector<std::string> paths_;
  std::vector<int> files_;
  size_t pixels_[kCambiScales];
  double factor_;
};

}  // namespace qc::cambi
