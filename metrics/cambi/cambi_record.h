// What a frame's kernels leave for the feature cambi, on host and device alike.
#pragma once

namespace qc {

constexpr int kCambiScales = 5;

struct CambiRecord {
  // Sum of the largest contrast values of a scale: [0] distorted, [1] reference (with full_ref only).
  double top_sum[2][kCambiScales];
};

}  // namespace qc
