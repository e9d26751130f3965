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
  // Linear light: kTransferEntries values for YUV, one for each code for RGB.
  std::vector<float> transfer;
};

struct Size {
  int width;
  int height;
};

struct Parameters {
  bool rgb = false;  // planes are G, B, R
  // Sizes of the planes, chroma rounded up.
  Size plane[3] = {};
  Input input[2];  // reference, distorted
  int scales = 0;  // that are computed
  Size scale[kScales] = {};

  std::string note;  // what was assumed, for the user; "" if everything is known
};

// `matrix`: the option yuv_matrix, -1 to 3. Throws if an input's colours have no definition here.
Parameters make_parameters(const Geometry& geometry, const QCFormat& reference, const QCFormat& distorted, int matrix);

}  // namespace qc::ssimulacra2
