// Sums of float32 terms along rows, each row in its order. Rows are independent of each other, so that many of these
// chains of dependent additions run side by side.
#pragma once

#include <cstddef>

namespace qc {

// For each row r: sums[r] = terms[r * pitch] added to 0, plus terms[r * pitch + 1], … the last of `width`, every
// addition rounded to float32.
void sum_rows_in_order(const float* terms, size_t pitch, int rows, int width, float* sums);

}  // namespace qc
