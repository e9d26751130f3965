// Rows of a plane as plain arrays of samples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "math/plane_view.h"

namespace qc {

// Copies `width` samples that are `step` (1 or 2) apart and `shift` bits above the least significant one. Samples of a
// byte have no shift.
void unpack_row(const uint8_t* source, int step, int shift, int width, uint8_t* out);
void unpack_row(const uint16_t* source, int step, int shift, int width, uint16_t* out);

// Hands out rows of a plane as contiguous, low-aligned samples of type T (uint8_t or uint16_t). Planar low-aligned
// planes are read in place; interleaved or msb-aligned ones a row at a time through a buffer that stays in the
// first-level cache.
template <class T>
class RowReader {
 public:
  explicit RowReader(const PlaneView& plane) : plane_(plane) {
    if (plane.step != 1 || plane.shift != 0) buffer_.resize(static_cast<size_t>(plane.width));
  }
  // Row y, valid until the next call.
  const T* row(int y) {
    const T* source = reinterpret_cast<const T*>(plane_.data + y * plane_.stride);
    if (buffer_.empty()) return source;
    unpack_row(source, plane_.step, plane_.shift, plane_.width, buffer_.data());
    return buffer_.data();
  }

 private:
  PlaneView plane_;
  std::vector<T> buffer_;
};

}  // namespace qc
