// Launches the kernels of an ordered sum.
#pragma once

#include "cuda/kernels.h"
#include "cuda/math/ordered_sum.h"

namespace qc::cuda {

class OrderedSummation {
 public:
  explicit OrderedSummation(Device& device);
  // Device memory needed beside `count` terms.
  static size_t scratch_bytes(int64_t count);
  // *result = the sum of terms[0 … count), count >= 1, added one by one from the first to the last. `scratch`: 256-byte
  // aligned.
  void enqueue(abi::Stream stream, const double* terms, int64_t count, std::byte* scratch, double* result) const;

 private:
  Kernel<OrderedSumArgs> chunk_sums_;
  Kernel<OrderedSumArgs> guesses_;
  Kernel<OrderedSumArgs> maps_;
  Kernel<OrderedSumArgs> walk_;
};

}  // namespace qc::cuda
