// The sum of the largest of many values, in the order in which libvmaf adds them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace qc::cambi {

// Sum, in float64, of the `count` largest of `values[0 … n)`, which are not negative. Literally: the values are
// partitioned in place by Hoare's FIND and the first `count` added from left to right. 1 <= count <= n.
double ordered_top_sum(float* values, size_t n, size_t count);

// What a pass over the values has found.
struct ValueTotals {
  size_t positive = 0;  // how many are not 0
  double sum = 0;       // of all, added in any order
};

// The same bits as ordered_top_sum, mostly without its work: as long as all partial sums are exact, their order doesn't
// matter. The values are contrasts: multiples of 2^-24 below 2^17. Partitions `values` in place where it must.
double top_sum(float* values, size_t n, size_t count, const ValueTotals& totals, std::vector<uint32_t>& scratch);

}  // namespace qc::cambi
