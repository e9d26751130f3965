// SpEED straight from the specification: the oracle of the vector code and of the kernels.
#pragma once

#include <array>
#include <vector>

#include "speed/speed_parameters.h"
#include "speed/speed_record.h"

namespace qc {

namespace speed {

// A plane, or how an older plane differs from it. Both have the size that the parameters were made for, and one depth.
struct Source {
  const PlaneView* plane;
  const PlaneView* older;  // null: the plane itself
};

// The reduced picture: rows of samples, `pitch` apart.
struct ReducedPicture {
  const float* sample;
  size_t pitch;
  float at(int x, int y) const { return sample[static_cast<size_t>(y) * pitch + static_cast<size_t>(x)]; }
};

using Vector = std::array<float, kOffsets>;
using Matrix = std::array<Vector, kOffsets>;

// What the blocks of a picture have in common, and each block's variance.
struct Statistics {
  bool singular;  // then all variances are 0
  Vector eigenvalue;
  std::vector<float> variance;
};

}  // namespace speed

namespace plain {

float covariance(const speed::Sizes& sizes, const speed::ReducedPicture& picture, int p, float mean_p, int q,
                 float mean_q);
speed::Vector eigenvalues(const speed::Matrix& covariance);
// True if an eigenvalue says so.
bool singular(const speed::Vector& eigenvalues);
float length(const speed::Vector& v);
// Entropy of a block with this variance.
float entropy(const speed::Vector& eigenvalues, float variance, float noise);

// Given both pictures' statistics and entropies of the blocks.
SpeedScore compare(const speed::Parameters& parameters, const speed::Statistics& reference,
                   const speed::Statistics& distorted, const std::vector<float>& entropies_r,
                   const std::vector<float>& entropies_d);
SpeedScore speed_score(const speed::Parameters& parameters, const speed::Source& reference,
                       const speed::Source& distorted);

}  // namespace plain
}  // namespace qc
