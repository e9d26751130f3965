#include "cuda/math/ordered_summation.h"

#include "cuda/device_layout.h"
#include "cuda/images.h"

namespace qc::cuda {
namespace {

using Map = RunMap<double>;

int chunks_of(int64_t count) { return static_cast<int>((count + kChunkTerms - 1) / kChunkTerms); }
int groups_of(int64_t count) { return (chunks_of(count) + kChunksPerGroup - 1) / kChunksPerGroup; }

// Pointers are null with a null base, and then only the size counts.
OrderedSumArgs lay_out(Layout& layout, int64_t count) {
  OrderedSumArgs args{};
  args.count = count;
  args.chunks = chunks_of(count);
  args.groups = groups_of(count);
  const auto chunks = static_cast<size_t>(args.chunks);
  const auto groups = static_cast<size_t>(args.groups);
  args.chunk_sum = layout.take<double>(chunks);
  args.group_sum = layout.take<double>(groups);
  args.sum_before = layout.take<double>(groups);
  args.chunk_binade = layout.take<PackedBinade>(chunks);
  args.chunk_map = layout.take<Map>(chunks);
  args.group_binade = layout.take<PackedBinade>(groups);
  args.group_map = layout.take<Map>(groups);
  return args;
}

}  // namespace

OrderedSummation::OrderedSummation(Device& device)
    : chunk_sums_(device.module(kOrderedSumImage), kOrderedChunkSums),
      guesses_(device.module(kOrderedSumImage), kOrderedGuesses),
      maps_(device.module(kOrderedSumImage), kOrderedMaps),
      walk_(device.module(kOrderedSumImage), kOrderedWalk) {}

size_t OrderedSummation::scratch_bytes(int64_t count) {
  Layout layout(nullptr);
  lay_out(layout, count);
  return layout.bytes();
}

void OrderedSummation::enqueue(abi::Stream stream, const double* terms, int64_t count, std::byte* scratch,
                               double* result) const {
  Layout layout(scratch);
  OrderedSumArgs args = lay_out(layout, count);
  args.terms = terms;
  args.result = result;
  chunk_sums_.launch(stream, {static_cast<unsigned>(args.groups)}, kOrderedThreads, args);
  guesses_.launch(stream, {1}, kGuessThreads, args);
  maps_.launch(stream, {static_cast<unsigned>(args.groups)}, kOrderedThreads, args);
  walk_.launch(stream, {1}, kWalkThreads, args);
}

}  // namespace qc::cuda
