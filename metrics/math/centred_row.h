// Rows of a plane as libvmaf's float features read them: float32, gray at 0.
#pragma once

#include "math/plane_view.h"

namespace qc {

// Sample value times 2^-(depth - 8), less 128: -128 … 127.996, exact for every depth of 8 to 16 bits.
QC_HD constexpr float centred_scale(int depth) { return 1.0F / static_cast<float>(1 << (depth - 8)); }
QC_HD constexpr float centred(uint32_t sample, float scale) { return static_cast<float>(sample) * scale + -128.0F; }

// out[x] = sample x of row y, centred. Nothing behind out[plane.width - 1] is written.
void read_centred_row(const PlaneView& plane, int y, float* out);

}  // namespace qc
