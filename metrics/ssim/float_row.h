// Rows of a plane as float32.
#pragma once

#include "math/plane_view.h"

namespace qc {

// out[x] = sample x of row y times `scale`, a power of two, which makes every value exact.
void read_float_row(const PlaneView& plane, int y, float scale, float* out);

// 2^-(depth - 8), which maps the samples of a plane to 0 … 255.996 (psnr.md §0.3).
inline float sample_scale(const PlaneView& plane) { return 1.0f / static_cast<float>(1 << (plane.depth - 8)); }

}  // namespace qc
