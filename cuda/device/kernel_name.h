// Ties a kernel's name to the type of its argument, for the kernel's file and for the host code that launches it.
#pragma once

#include <type_traits>

namespace qc::cuda {

template <class Args>
struct KernelName {
  static_assert(std::is_trivially_copyable_v<Args>);
  const char* name;
};

}  // namespace qc::cuda
