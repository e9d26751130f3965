// Random pairs of pictures, for comparing the paths of the library with each other.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "qualitycuda.h"

namespace qc::parity {

using Random = std::mt19937_64;

// Uniform in low … high.
int draw(Random& random, int low, int high);

// A picture in memory of its own, planes as in `format`.
struct Picture {
  QCFormat format;
  std::vector<uint8_t> memory;
  size_t offset[3] = {};
  size_t stride[3] = {};
  int planes = 0;  // in memory
};

struct Plan {
  QCFormat reference;
  QCFormat distorted;
  std::string text;  // for messages
};

// Geometry of a pair: `least` to `most` luma samples a side, any depth in `depths`, any sampling, and any memory layout
// for each.
Plan draw_plan(Random& random, int least, int most, const std::vector<int>& depths);

// A pair of pictures of one of several kinds: noise, gradients, bands, flat, extreme values, equal, nearly
// equal.
void draw_pair(Random& random, const Plan& plan, Picture& reference, Picture& distorted);

}  // namespace qc::parity
