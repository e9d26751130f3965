// The sum of a plane of float64 terms in their order, bit for bit, by maps over chunks (math/ordered_sum.h).
#pragma once

#include "cuda/device/kernel_name.h"
#include "math/ordered_sum.h"

namespace qc::cuda {

constexpr int kChunkTerms = 256;
constexpr int kChunksPerGroup = 32;
constexpr int kOrderedThreads = 256;
constexpr int kGuessThreads = 1024;
constexpr int kWalkThreads = 512;

// A Binade in memory, without bytes that nobody sets.
struct PackedBinade {
  int32_t bits;

  static QC_HD constexpr PackedBinade of(const Binade& b) { return {b.exponent * 2 + (b.negative ? 1 : 0)}; }
  QC_HD constexpr Binade binade() const { return {bits >> 1, (bits & 1) != 0}; }
  QC_HD constexpr bool operator==(const PackedBinade& other) const { return bits == other.bits; }
};

struct OrderedSumArgs {
  const double* terms;
  int64_t count;
  int chunks;  // of kChunkTerms terms, the last one of fewer
  int groups;  // of kChunksPerGroup chunks
  double* chunk_sum;
  double* group_sum;
  double* sum_before;          // of each group, as far as any order of addition tells
  PackedBinade* chunk_binade;  // of the sum before each chunk, likewise
  RunMap<double>* chunk_map;
  PackedBinade* group_binade;  // the first chunk's; the map is of no use if another chunk has another one
  RunMap<double>* group_map;
  double* result;
};

// In this order. One block a group; one block; one block a group; one block.
constexpr KernelName<OrderedSumArgs> kOrderedChunkSums{"qc_ordered_chunk_sums"};
constexpr KernelName<OrderedSumArgs> kOrderedGuesses{"qc_ordered_guesses"};
constexpr KernelName<OrderedSumArgs> kOrderedMaps{"qc_ordered_maps"};
constexpr KernelName<OrderedSumArgs> kOrderedWalk{"qc_ordered_walk"};

}  // namespace qc::cuda
