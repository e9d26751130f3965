#include "cuda/device/prelude.h"
//
#include "cuda/cambi/hoare_find.h"

namespace qc::cuda {
namespace {

using namespace qc::device;

constexpr int kWarps = kFindThreads / 32;

// A block's part of the range.
struct Share {
  uint32_t begin;
  uint32_t end;
};

QC_DEVICE Share share_of(const FindRange& range) {
  const uint32_t count = range.right - range.left + 1;
  const uint32_t share = (count + grid_x() - 1) / grid_x();
  const uint32_t begin = block_x() * share < count ? block_x() * share : count;
  const uint32_t end = begin + share < count ? begin + share : count;
  return {range.left + begin, range.left + end};
}

// Sum of counts[begin … end), in all threads.
QC_DEVICE uint32_t sum_of(const uint32_t* counts, uint32_t begin, uint32_t end) {
  QC_BLOCK_SHARED uint32_t all;
  uint32_t sum = 0;
  for (uint32_t i = begin + thread_x(); i < end; i += kFindThreads) sum += counts[i];
  sum = block_sum<kFindThreads>(sum);
  if (thread_x() == 0) all = sum;
  sync_block();
  const uint32_t result = all;
  sync_block();
  return result;
}

}  // namespace

QC_KERNEL(qc_find_count, FindArgs, kFindThreads) {
  const FindRange range = args.range[args.turn];
  if (range.left >= range.right) return;
  const uint32_t pivot = args.values[args.target];
  const Share share = share_of(range);
  uint32_t left = 0;
  uint32_t right = 0;
  for (uint32_t i = share.begin + thread_x(); i < share.end; i += kFindThreads) {
    const uint32_t value = args.values[i];
    left += value <= pivot;
    right += value >= pivot;
  }
  left = block_sum<kFindThreads>(left);
  right = block_sum<kFindThreads>(right);
  if (thread_x() != 0) return;
  args.block_left[block_x()] = left;
  args.block_right[block_x()] = right;
}

QC_KERNEL(qc_find_list, FindArgs, kFindThreads) {
  QC_BLOCK_SHARED uint32_t warp_left[kWarps];
  QC_BLOCK_SHARED uint32_t warp_right[kWarps];
  const FindRange range = args.range[args.turn];
  if (range.left >= range.right) return;
  const uint32_t pivot = args.values[args.target];
  const Share share = share_of(range);
  const uint32_t warp = thread_x() / 32;
  const uint32_t before = (1U << (thread_x() % 32)) - 1;
  uint32_t rank_left = sum_of(args.block_left, 0, block_x());
  // Ranks from the right, less one, count down.
  uint32_t rank_right = sum_of(args.block_right, block_x(), grid_x());
  for (uint32_t tile = share.begin; tile < share.end; tile += kFindThreads) {
    const uint32_t i = tile + thread_x();
    const uint32_t value = i < share.end ? args.values[i] : 0;
    const bool is_left = i < share.end && value <= pivot;
    const bool is_right = i < share.end && value >= pivot;
    const uint32_t left = ballot(is_left);
    const uint32_t right = ballot(is_right);
    if (thread_x() % 32 == 0) {
      warp_left[warp] = static_cast<uint32_t>(count_ones(left));
      warp_right[warp] = static_cast<uint32_t>(count_ones(right));
    }
    sync_block();
    uint32_t own_left = rank_left + static_cast<uint32_t>(count_ones(left & before));
    uint32_t own_right = rank_right - static_cast<uint32_t>(count_ones(right & before)) - 1;
    for (uint32_t w = 0; w < kWarps; ++w) {
      rank_left += warp_left[w];
      rank_right -= warp_right[w];
      if (w >= warp) continue;
      own_left += warp_left[w];
      own_right -= warp_right[w];
    }
    if (is_left) args.from_left[own_left] = i;
    if (is_right) args.from_right[own_right] = i;
    sync_block();
  }
}

QC_KERNEL(qc_find_exchange, FindArgs, kFindThreads) {
  const FindRange range = args.range[args.turn];
  if (range.left >= range.right) {
    if (block_x() == 0 && thread_x() == 0) args.range[1 - args.turn] = range;
    return;
  }
  const uint32_t lefts = sum_of(args.block_left, 0, grid_x());
  const uint32_t rights = sum_of(args.block_right, 0, grid_x());
  const uint32_t most = lefts < rights ? lefts : rights;
  for (uint32_t m = block_x() * kFindThreads + thread_x(); m < most; m += grid_x() * kFindThreads) {
    const uint32_t i = args.from_left[m];
    const uint32_t j = args.from_right[m];
    if (i > j) return;
    const uint32_t value = args.values[i];
    args.values[i] = args.values[j];
    args.values[j] = value;
    if (m + 1 < most && args.from_left[m + 1] <= args.from_right[m + 1]) continue;
    // The last exchange: where the two scans stop after it.
    int64_t left = int64_t{i} + 1;
    int64_t right = int64_t{j} - 1;
    if (left <= right) {
      const uint32_t next_left = m + 1 < lefts ? args.from_left[m + 1] : j;
      const uint32_t next_right = m + 1 < rights ? args.from_right[m + 1] : i;
      left = next_left < j ? next_left : j;
      right = next_right > i ? next_right : i;
    }
    const int64_t target = args.target;
    FindRange next = range;
    if (right < target) next.left = static_cast<uint32_t>(left);
    if (target < left) next.right = right < 0 ? 0 : static_cast<uint32_t>(right);
    args.range[1 - args.turn] = next;
  }
}

QC_KERNEL(qc_find_terms, FindTermsArgs, kFindThreads) {
  for (uint32_t i = block_x() * kFindThreads + thread_x(); i < args.count; i += grid_x() * kFindThreads)
    args.terms[i] = static_cast<double>(__builtin_bit_cast(float, args.values[i]));
}

}  // namespace qc::cuda
