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

// Memory for a row. A thread keeps what it has had, so that frames don't allocate.
class RowBuffer {
 public:
  explicit RowBuffer(size_t bytes);
  ~RowBuffer();
  RowBuffer(const RowBuffer&) = delete;
  RowBuffer& operator=(const RowBuffer&) = delete;
  // nullptr if no bytes were asked for.
  void* data() { return bytes_.empty() ? nullptr : bytes_.data(); }

 private:
  std::vector<uint8_t> bytes_;
};

// Hands out rows of a plane as contiguous, low-aligned samples of type T (uint8_t or uint16_t). Planar low-aligned
// planes are read in place; interleaved or msb-aligned ones a row at a time through a buffer that stays in the
// first-level cache.
template <class T>
class RowReader {
 public:
  explicit RowReader(const PlaneView& plane)
      : plane_(plane),
        buffer_(plane.step != 1 || plane.shift != 0 ? static_cast<size_t>(plane.width) * sizeof(T) : 0),
        row_(static_cast<T*>(buffer_.data())) {}
  // Row y, valid until the next call.
  const T* row(int y) {
    const T* source = reinterpret_cast<const T*>(plane_.data + y * plane_.stride);
    if (!row_) return source;
    unpack_row(source, plane_.step, plane_.shift, plane_.width, row_);
    return row_;
  }

 private:
  PlaneView plane_;
  RowBuffer buffer_;
  T* row_;
};

}  // namespace qc
