// Scratch rows of the CPU kernels.
#pragma once

#include <algorithm>
#include <cstddef>

#include "hwy/aligned_allocator.h"

namespace qc::ssim {

// Samples behind the end of a scratch row that vector code may read.
constexpr int kRowPadding = 16;

// Samples from one scratch row of `width` to the next: a multiple of the cache line that leaves room for the padding.
constexpr size_t row_pitch(int width) { return (static_cast<size_t>(width) + 2 * kRowPadding - 1) / 16 * 16; }

// Elements aligned to a vector. Keeps its memory when asked for no more than it has; new memory is zero.
template <class T>
class AlignedBuffer {
 public:
  void resize(size_t count) {
    if (count <= size_) return;
    data_ = hwy::AllocateAligned<T>(count);
    std::fill_n(data_.get(), count, T{});
    size_ = count;
  }
  T* data() { return data_.get(); }

 private:
  hwy::AlignedFreeUniquePtr<T[]> data_;
  size_t size_ = 0;
};

}  // namespace qc::ssim
