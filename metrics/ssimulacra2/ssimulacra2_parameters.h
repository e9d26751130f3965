// What the colour description of the inputs and the option yuv_matrix mean for ssimulacra2.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/format.h"
#include "ssimulacra2/ssimulacra2_arithmetic.h"
#include "ssimulacra2/ssimulacra2_record.h"

namespace qc::ssimulacra2 {

// One input.
struct Input {
  Colour colour;
  // Linear light: kTransferEntries values from 0 to 1 for YUV, one for each code for RGB.
  std::vector<float> transfer;
};

struct Size {
  int width;
  int height;
};

// What the errors of one channel of one scale weigh: SSIM, artifacts and lost detail, by their means and by the fourth
// roots of the means of their fourth powers. Much weighs nothing, and need not be computed.
constexpr int kErrors = kSums / 2;
struct Weights {
  double mean[kErrors];
  double fourth[kErrors];

  bool wants(int error) const { return mean[error] != 0 || fourth[error] != 0; }
  bool ssim() const { return wants(0); }
  bool edges() const { return wants(1) || wants(2); }
};

struct Parameters {
  bool rgb = false;  // planes are G, B, R
  // Sizes of the planes, chroma rounded up.
  Size plane[3] = {};
  Input input[2];  // reference, distorted
  int scales = 0;  // that are computed
  Size scale[kScales] = {};
  Weights weights[kScales][kChannels] = {};

  std::string note;  // what was assumed, for the user; "" if everything is known
};

// `matrix`: the option yuv_matrix, -1 to 3. Throws if an input's colours have no definition here.
Parameters make_parameters(const Geometry& geometry, const QCFormat& reference, const QCFormat& distorted, int matrix);

}  // namespace qc::ssimulacra2
