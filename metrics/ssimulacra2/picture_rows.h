// Rows of pictures on their way from samples to XYB, with vector code. All rows may be written up to kRowPadding values
// behind their end.
#pragma once

#include <cstddef>

#include "ssimulacra2/ssimulacra2_arithmetic.h"

namespace qc::ssimulacra2 {

constexpr int kRowPadding = 32;

// True if the vector code of the present target gives the dialect's bits: the plain target has none, and the dialect
// for RGB needs fused multiply-adds.
bool has_vectors(bool rgb);

// Nearest samples of a chroma row of `part` values for `whole` luma samples.
void expand_chroma(const float* in, int part, int whole, float* out);

// y, u, v: samples times Colour::step. r, g, b: linear light with the input's own primaries. pairs: each entry of the
// table of the transfer function, and how much the next one is above it; 0 after the last.
void yuv_row(const float* y, const float* u, const float* v, int width, const Colour& colour, const float* pairs,
             float* r, float* g, float* b);

// A row of the next scale, from two rows (which may be the same).
void halve_row(const float* above, const float* below, int width, float* out);

// Out go tiles of kTileColumns columns, `tile` floats apart, the channels `channel` floats apart.
void xyb_row(bool rgb, const float* r, const float* g, const float* b, int width, float* out, size_t tile,
             size_t channel);

}  // namespace qc::ssimulacra2
