// The sum of the largest of many values in the order that Hoare's FIND leaves them in, for the frames whose sum depends
// on it.
#pragma once

#include "cuda/cambi/hoare_find.h"
#include "cuda/kernels.h"
#include "cuda/math/ordered_summation.h"

namespace qc::cuda {

class TopSummation {
 public:
  explicit TopSummation(Device& device);
  // *result = the sum of the `pooled` largest of values[0 … count), as ordered_top_sum of cambi/top_sum.h has it.
  // Values are float32 as they are in memory, not negative, and get partitioned. Waits for `stream` now and then, since
  // the number of partitions depends on the values. Device memory is taken at the first call and kept.
  void enqueue(abi::Stream stream, uint32_t* values, uint32_t count, uint32_t pooled, double* result);

 private:
  struct Buffers {
    uint32_t* from_left;
    uint32_t* from_right;
    double* terms;  // in the place of the lists
    uint32_t* block_left;
    uint32_t* block_right;
    FindRange* range;
    std::byte* sum;
  };
  static Buffers lay_out(std::byte* base, uint32_t count, size_t& bytes);
  void partition(abi::Stream stream, uint32_t* values, uint32_t count, uint32_t target, const Buffers& buffers) const;

  Kernel<FindArgs> count_;
  Kernel<FindArgs> list_;
  Kernel<FindArgs> exchange_;
  Kernel<FindTermsArgs> terms_;
  OrderedSummation summation_;
  DeviceBuffer memory_;
  size_t bytes_ = 0;
};

}  // namespace qc::cuda
