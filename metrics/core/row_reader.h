// Rows of a plane as plain arrays of samples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "math/plane_view.h"

namespace qc {

// Hands out rows of a plane as contiguous, low-aligned samples of type T (uint8_t or uint16_t). Planar low-aligned planes are
// read in place; interleaved or msb-aligned ones a row at a time through a buffer that stays in the first-level cache.
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
    for (int x = 0; x < plane_.width; ++x)
      buffer_[static_cast<size_t>(x)] = static_cast<T>(source[x * plane_.step] >> plane_.shift);
    return buffer_.data();
  }

 private:
  PlaneView plane_;
  std::vector<T> buffer_;
};

}  // namespace qc
