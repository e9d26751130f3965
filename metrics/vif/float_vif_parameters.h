// What the options of float_vif and the size of the pictures come to: filters, sizes of the scales, and resampling.
#pragma once

#include <string>
#include <vector>

#include "core/options.h"
#include "vif/float_vif_arithmetic.h"
#include "vif/float_vif_record.h"

namespace qc::float_vif {

// With an odd number of taps.
Filter gaussian(int taps);

// Number of taps at scale s for a valid `kernel_scale`.
int filter_taps(double kernel_scale, int s);

// libvmaf knows a list of scales and takes all numbers that are less than 0.001 from one of them.
bool valid_kernel_scale(double kernel_scale);

// One axis of the resampling to another size: sample t of the result is a weighted sum of `taps` samples.
struct ResamplingAxis {
  int taps = 0;
  std::vector<int> index;     // of the taps of each sample, one sample after the other
  std::vector<float> weight;  // likewise
};

struct Resampling {
  ResamplingAxis x;
  ResamplingAxis y;
  bool normalised = false;  // divide by the sum of the weights
};

// Least side that `method` can resample; 0 if there is no such method: nearest, bilinear, bicubic, lanczos4.
int least_resampled_side(const std::string& method);
Resampling make_resampling(const std::string& method, int width, int height, int to_width, int to_height);

// Side of a picture after scaling by vif_prescale.
int prescaled_side(int side, double factor);

struct Options {
  double gain_limit = 100;
  double kernel_scale = 1;
  double prescale = 1;
  std::string prescale_method = "nearest";
  double noise = 2;
  bool skip_scale0 = false;

  bool operator==(const Options&) const = default;
};

Options options_of(const OptionSet& options);

struct Parameters {
  int first_scale = 0;
  int width[kFloatVifScales];
  int height[kFloatVifScales];
  Filter filter[kFloatVifScales];
  Channel channel;
  bool resampled = false;  // the pictures are brought to the size of scale 0 first
  Resampling resampling;
};

// For pictures of this size. Throws if the combination is not defined.
Parameters make_parameters(const Options& options, int width, int height);

}  // namespace qc::float_vif
