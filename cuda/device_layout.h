// Divides a block of device memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace qc::cuda {

class Layout {
 public:
  static constexpr size_t kAlign = 256;

  // With a null base only the size is found out; the pointers that take() gives are then of no use.
  explicit Layout(std::byte* base) : base_(reinterpret_cast<uintptr_t>(base)) {}

  template <class T>
  T* take(size_t count) {
    const uintptr_t address = base_ + bytes_;
    bytes_ += (count * sizeof(T) + kAlign - 1) / kAlign * kAlign;
    return reinterpret_cast<T*>(address);
  }
  size_t bytes() const { return bytes_; }

 private:
  uintptr_t base_;
  size_t bytes_ = 0;
};

}  // namespace qc::cuda
