// What a frame's kernels read about it: the one thing that changes from launch to launch of a captured graph.
#pragma once

#include "math/plane_view.h"

namespace qc::cuda {

// The most earlier pairs that a feature can ask for (FeatureDef::history).
constexpr int kMaxHistory = 2;

struct FrameParameters {
  PairView current;
  PairView previous[kMaxHistory];  // [0]: one frame earlier; valid for i < previous_count
  int previous_count;
};

}  // namespace qc::cuda
