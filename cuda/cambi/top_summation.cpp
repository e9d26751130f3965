#include "cuda/cambi/top_summation.h"

#include <algorithm>

#include "cuda/device_layout.h"
#include "cuda/images.h"

namespace qc::cuda {
namespace {

// Partitions between two looks at what is left. Even, so that the range comes back in the same place.
constexpr int kPartitions = 16;

// Values that are worth a block.
constexpr uint32_t kBlockValues = 1024;

Grid grid_for(uint32_t count) { return {std::clamp<uint32_t>(count / kBlockValues, 1, kMostFindBlocks)}; }

}  // namespace

TopSummation::TopSummation(Device& device)
    : count_(device.module(kHoareFindImage), kFindCount),
      list_(device.module(kHoareFindImage), kFindList),
      exchange_(device.module(kHoareFindImage), kFindExchange),
      terms_(device.module(kHoareFindImage), kFindTerms),
      summation_(device) {}

TopSummation::Buffers TopSummation::lay_out(std::byte* base, uint32_t count, size_t& bytes) {
  Layout layout(base);
  Buffers b{};
  b.terms = layout.take<double>(count);
  b.from_left = reinterpret_cast<uint32_t*>(b.terms);
  b.from_right = b.from_left + count;
  b.block_left = layout.take<uint32_t>(kMostFindBlocks);
  b.block_right = layout.take<uint32_t>(kMostFindBlocks);
  b.range = layout.take<FindRange>(2);
  b.sum = layout.take<std::byte>(OrderedSummation::scratch_bytes(count));
  bytes = layout.bytes();
  return b;
}

void TopSummation::partition(abi::Stream stream, uint32_t* values, uint32_t count, uint32_t target,
                             const Buffers& b) const {
  const Grid grid = grid_for(count);
  FindRange range{0, count - 1};
  const auto range_address = reinterpret_cast<DevicePtr>(b.range);
  driver().cuMemcpyHtoDAsync(range_address, &range, sizeof(range), stream);
  do {
    for (int i = 0; i < kPartitions; ++i) {
      const FindArgs args{values, target, b.range, i % 2, b.from_left, b.from_right, b.block_left, b.block_right};
      count_.launch(stream, grid, kFindThreads, args);
      list_.launch(stream, grid, kFindThreads, args);
      exchange_.launch(stream, grid, kFindThreads, args);
    }
    driver().cuMemcpyDtoHAsync(&range, range_address, sizeof(range), stream);
    driver().cuStreamSynchronize(stream);
  } while (range.left < range.right);
}

void TopSummation::enqueue(abi::Stream stream, uint32_t* values, uint32_t count, uint32_t pooled, double* result) {
  size_t bytes = 0;
  lay_out(nullptr, count, bytes);
  if (bytes > bytes_) {
    memory_ = DeviceBuffer();
    bytes_ = 0;
    memory_ = DeviceBuffer::allocate(bytes);
    bytes_ = bytes;
  }
  const Buffers b = lay_out(pointer<std::byte>(memory_.get()), count, bytes);
  if (pooled < count) partition(stream, values, count, pooled, b);
  terms_.launch(stream, grid_for(pooled), kFindThreads, {values, pooled, b.terms});
  summation_.enqueue(stream, b.terms, pooled, b.sum, result);
}

}  // namespace qc::cuda
