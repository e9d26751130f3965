// Approximate sums before each of many values.
#pragma once

#include "cuda/device/prelude.h"

namespace qc::device {

// The sum of the lanes' values from the first lane to each.
QC_DEVICE double scan_warp_sum(double value) {
  const int lane = static_cast<int>(thread_x() % 32);
  QC_UNROLL
  for (int distance = 1; distance < 32; distance *= 2) {
    const double earlier = shuffle_up(value, distance);
    if (lane >= distance) value += earlier;
  }
  return value;
}

// Calls `before(i, sum)` once for each i in [0, count), where `sum` is that of values[0 … i), added in an order of its
// own. All of the block's kThreads threads take part. `values`: an array, or anything else with a double operator[].
template <int kThreads, class Values, class Before>
QC_DEVICE void prefix_sums(const Values& values, int count, const Before& before) {
  constexpr int kWarp = 32;
  QC_BLOCK_SHARED double totals[kThreads / kWarp];
  const int lane = static_cast<int>(thread_x()) % kWarp;
  const int warp = static_cast<int>(thread_x()) / kWarp;
  // Each warp has a stretch of the values.
  const int stretch = (count + kThreads - 1) / kThreads * kWarp;
  const int begin = warp * stretch;
  const int end = begin + stretch < count ? begin + stretch : count;
  double total = 0;
  for (int i = begin + lane; i < end; i += kWarp) total += values[i];
  for (int mask = kWarp / 2; mask > 0; mask /= 2) total += shuffle_xor(total, mask);
  if (lane == 0) totals[warp] = total;
  sync_block();
  double sum = 0;
  for (int w = 0; w < warp; ++w) sum += totals[w];
  for (int first = begin; first < end; first += kWarp) {
    const int i = first + lane;
    const double to = scan_warp_sum(i < end ? values[i] : 0.0);
    const double earlier = shuffle_up(to, 1);
    if (i < end) before(i, lane > 0 ? sum + earlier : sum);
    sum += shuffle(to, kWarp - 1);
  }
}

}  // namespace qc::device
