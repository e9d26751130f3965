// The kernels of Hoare's FIND: they leave an array as the algorithm does that goes through it step by step, since a sum
// in the order that it leaves has other bits than one in another order.
//
// A partition exchanges, for m = 0, 1, …, the m-th value from the left that is not greater than the pivot with the m-th
// from the right that is not less, until the two meet. So ranks tell which values are exchanged.
#pragma once

#include <cstdint>

#include "cuda/device/kernel_name.h"

namespace qc::cuda {

constexpr int kFindThreads = 256;
constexpr int kMostFindBlocks = 512;

// What is still to be partitioned: left … right, done when left >= right.
struct FindRange {
  uint32_t left;
  uint32_t right;
};

struct FindArgs {
  uint32_t* values;  // not negative float32, as they are in memory
  uint32_t target;   // position of the pivots; descending order
  FindRange* range;  // [turn]: now, [1 - turn]: after this partition
  int turn;
  uint32_t* from_left;   // positions of values not greater than the pivot, from left to right
  uint32_t* from_right;  // of values not less, from right to left
  uint32_t* block_left;  // [blocks of the grid] how many of them each has
  uint32_t* block_right;
};
// A partition, in this order, with the same grid: up to kMostFindBlocks blocks.
constexpr KernelName<FindArgs> kFindCount{"qc_find_count"};
constexpr KernelName<FindArgs> kFindList{"qc_find_list"};
constexpr KernelName<FindArgs> kFindExchange{"qc_find_exchange"};

struct FindTermsArgs {
  const uint32_t* values;
  uint32_t count;
  double* terms;
};
// Values as terms of an ordered sum.
constexpr KernelName<FindTermsArgs> kFindTerms{"qc_find_terms"};

}  // namespace qc::cuda
