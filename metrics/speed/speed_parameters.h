// What the options of the SpEED features and the size of a plane come to.
#pragma once

#include <vector>

#include "core/format.h"
#include "core/options.h"
#include "speed/speed_arithmetic.h"

namespace qc::speed {

// Sizes of a plane on its way to the blocks, in samples of each stage.
struct Sizes {
  int source_width;
  int source_height;
  int scaled_width;  // after the prescaling
  int scaled_height;
  int reduced_width;  // one sample of 16x16
  int reduced_height;
  int blocks_x;  // of 5x5 samples of the reduced picture
  int blocks_y;
  int positions_x;  // of a window of 5x5 that slides over the blocks
  int positions_y;

  int blocks() const { return blocks_x * blocks_y; }
  int positions() const { return positions_x * positions_y; }
};

// A symmetric filter, normalised.
struct Filter {
  std::vector<float> tap;  // an odd number
  int taps() const { return static_cast<int>(tap.size()); }
  int radius() const { return taps() / 2; }
};

// What the samples of a line are made of in the prescaling: `taps` samples each, with weights. Those of tap k lie
// together, from k * the number of the line's samples on.
struct Resampling {
  std::vector<int> index;
  std::vector<float> weight;
};

struct Parameters {
  Sizes sizes;
  Filter antialias;
  Filter local_mean;
  // A prescaled sample is the sum of columns.weight * rows.weight * sample over `taps` x `taps` samples, rows outside.
  int taps;         // 0: not prescaled
  bool normalised;  // the sum is divided by that of the weights
  Resampling columns;
  Resampling rows;
  float noise;          // sigma of the neural noise
  float least_entropy;  // blocks of which both pictures have less don't count
  Weighting weighting;
};

// Of the chroma planes, and of luma. Throw if the plane is absent or too small, or if an option has a value that is not
// defined.
Parameters chroma_parameters(const OptionSet& options, const Geometry& geometry);
Parameters temporal_parameters(const OptionSet& options, const Geometry& geometry);

// The Gaussian filters (speed.md §4.2).
Filter antialias_filter(float kernelscale);
Filter local_mean_filter(float kernelscale);

}  // namespace qc::speed
