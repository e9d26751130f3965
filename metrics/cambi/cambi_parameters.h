// What the options of the feature cambi and the size of the pictures come to.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cambi/cambi_arithmetic.h"
#include "cambi/cambi_record.h"
#include "core/format.h"
#include "core/options.h"

namespace qc::cambi {

struct Scale {
  int width;
  int height;
  size_t pooled;  // how many of the largest contrast values count
  size_t pixels() const { return static_cast<size_t>(width) * static_cast<size_t>(height); }
};

// How one of the two pictures is processed.
struct PictureParameters {
  int width;  // processing size
  int height;
  std::vector<int> columns;  // source column of each column; empty: not resampled
  std::vector<int> rows;
  int window;          // odd
  int mask_threshold;  // of the equal neighbours among 7x7
  Scale scales[kCambiScales];
};

struct Parameters {
  PictureParameters distorted;
  PictureParameters reference;
  bool full_reference;
  bool smoothed;    // the anti-dither filter is on
  bool half_size;   // the high-resolution speed-up halves the first scale, too
  int differences;  // levels up and down that are looked at
  double max_val;
  // Smallest difference that is visible and not too dark at a level; above `differences`: none is. What holds for a
  // difference holds for greater ones.
  int first_difference[kLevels];
  // Levels at which some difference counts. Empty if last_level < first_level.
  int first_level;
  int last_level;
  std::vector<float> reciprocals;  // 1 / i with nine significant decimal digits; [0] is 0
};

// Throws if the size of the pictures and the options don't go together.
Parameters parameters_of(const OptionSet& options, const Geometry& geometry);

// Largest level at which a difference of `difference` levels is visible; `eotf` is bt1886 or pq.
int visibility_threshold(const std::string& eotf, double tvi_threshold, int difference);

// Levels below this one are too dark; 0: none is.
int dark_threshold(const std::string& eotf, double luminance);

// 1 / i for i = 0 … largest.
std::vector<float> decimal_reciprocals(int largest);

// Positions in a row (or column) of `source` samples that nearest-neighbour resampling to `target` samples reads.
std::vector<int> resampling_positions(int source, int target);

}  // namespace qc::cambi
