// What a frame's kernels leave for speed_chroma and speed_temporal, on host and device alike.
#pragma once

#include <cstdint>

namespace qc {

struct SpeedScore {
  float value;
  uint32_t singular;  // 1: at least one picture had no regular covariance matrix, so that `value` means nothing
};

struct SpeedRecord {
  SpeedScore plane[2];  // Cb and Cr; speed_temporal has one
};

}  // namespace qc
