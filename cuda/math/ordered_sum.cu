#include "cuda/device/prelude.h"
//
#include "cuda/device/prefix_sums.h"
#include "cuda/math/ordered_sum.h"

namespace qc::cuda {
namespace {

using namespace qc::device;

using Map = RunMap<double>;
constexpr int kWarp = 32;
// Of zero and subnormals, so that no map is ever applied in it.
constexpr PackedBinade kNoBinade = PackedBinade::of({-1023, false});
constexpr int kWarps = kOrderedThreads / kWarp;
constexpr int kTermsPerLane = kChunkTerms / kWarp;

QC_DEVICE int64_t chunk_end(const OrderedSumArgs& args, int64_t begin) {
  return begin + kChunkTerms < args.count ? begin + kChunkTerms : args.count;
}

// Maps of consecutive pieces in the lanes of a warp, composed in order; valid in lane 0.
QC_DEVICE Map compose_warp(Map map) {
  const int lane = static_cast<int>(thread_x() % kWarp);
  for (int distance = 1; distance < kWarp; distance *= 2) {
    const Map next = shuffle(map, lane + distance < kWarp ? lane + distance : lane);
    if (lane % (2 * distance) == 0) map = compose(map, next);
  }
  return map;
}

}  // namespace

QC_KERNEL(qc_ordered_chunk_sums, OrderedSumArgs, kOrderedThreads) {
  const int lane = static_cast<int>(thread_x() % kWarp);
  const int64_t chunk = int64_t{block_x()} * kWarps + thread_x() / kWarp;
  const int64_t begin = chunk * kChunkTerms;
  double sum = 0;
  if (chunk < args.chunks)
    for (int64_t i = begin + lane; i < chunk_end(args, begin); i += kWarp) sum += args.terms[i];
  for (int mask = kWarp / 2; mask > 0; mask /= 2) sum += shuffle_xor(sum, mask);
  if (lane == 0 && chunk < args.chunks) args.chunk_sum[chunk] = sum;
}

QC_KERNEL(qc_ordered_guesses, OrderedSumArgs, kGuessThreads) {
  prefix_sums<kGuessThreads>(args.chunk_sum, args.chunks, [&](int chunk, double sum) {
    args.chunk_binade[chunk] = PackedBinade::of(binade_of(sum));
  });
}

QC_KERNEL(qc_ordered_maps, OrderedSumArgs, kOrderedThreads) {
  QC_BLOCK_SHARED Map maps[kChunksPerGroup];
  const int lane = static_cast<int>(thread_x() % kWarp);
  const int warp = static_cast<int>(thread_x() / kWarp);
  const int first = static_cast<int>(block_x()) * kChunksPerGroup;
  for (int c = warp; c < kChunksPerGroup; c += kWarps) {
    const int chunk = first + c;
    Map map = Map::identity();
    if (chunk < args.chunks) {
      const Binade binade = args.chunk_binade[chunk].binade();
      const int64_t begin = int64_t{chunk} * kChunkTerms;
      const int64_t lane_begin = begin + lane * kTermsPerLane;
      const int64_t end = chunk_end(args, begin);
      const int64_t lane_end = lane_begin + kTermsPerLane < end ? lane_begin + kTermsPerLane : end;
      for (int64_t i = lane_begin; i < lane_end; ++i) extend(map, args.terms[i], binade);
    }
    map = compose_warp(map);
    if (lane == 0) {
      maps[c] = map;
      if (chunk < args.chunks) args.chunk_map[chunk] = map;
    }
  }
  sync_block();
  if (thread_x() != 0) return;
  PackedBinade binade = args.chunk_binade[first];
  Map map = maps[0];
  for (int c = 1; c < kChunksPerGroup && first + c < args.chunks; ++c) {
    if (!(args.chunk_binade[first + c] == binade)) binade = kNoBinade;
    map = compose(map, maps[c]);
  }
  args.group_binade[block_x()] = binade;
  args.group_map[block_x()] = map;
}

// All threads fetch what thread 0 then walks over: groups, the chunks of a group whose map does not apply, the terms of
// such a chunk.
QC_KERNEL(qc_ordered_walk, OrderedSumArgs, kOrderedThreads) {
  QC_BLOCK_SHARED PackedBinade binade[kOrderedThreads];
  QC_BLOCK_SHARED Map map[kOrderedThreads];
  QC_BLOCK_SHARED double term[kChunkTerms];
  QC_BLOCK_SHARED double shared_sum;
  QC_BLOCK_SHARED int shared_position;
  const int thread = static_cast<int>(thread_x());
  static_assert(kChunkTerms == kOrderedThreads && kChunksPerGroup <= kOrderedThreads);

  // Applies maps of [begin, end), at most kOrderedThreads of them, until one does not apply; gives its index, or end.
  const auto walk = [&](const PackedBinade* binades, const Map* maps, int begin, int end, int position) {
    if (begin + thread < end) {
      binade[thread] = binades[begin + thread];
      map[thread] = maps[begin + thread];
    }
    sync_block();
    if (thread == 0) {
      double sum = shared_sum;
      while (position < end && advance(sum, map[position - begin], binade[position - begin].binade())) ++position;
      shared_sum = sum;
      shared_position = position;
    }
    sync_block();
    return shared_position;
  };

  if (thread == 0) shared_sum = 0;
  sync_block();
  for (int group = 0; group < args.groups;) {
    const int tile_end = group + kOrderedThreads < args.groups ? group + kOrderedThreads : args.groups;
    group = walk(args.group_binade, args.group_map, group, tile_end, group);
    if (group == tile_end) continue;
    const int first = group * kChunksPerGroup;
    const int last = first + kChunksPerGroup < args.chunks ? first + kChunksPerGroup : args.chunks;
    for (int chunk = first; chunk < last;) {
      chunk = walk(args.chunk_binade, args.chunk_map, first, last, chunk);
      if (chunk == last) break;
      const int64_t begin = int64_t{chunk} * kChunkTerms;
      const int count = static_cast<int>(chunk_end(args, begin) - begin);
      if (thread < count) term[thread] = args.terms[begin + thread];
      sync_block();
      if (thread == 0) {
        double sum = shared_sum;
        for (int i = 0; i < count; ++i) sum += term[i];
        shared_sum = sum;
      }
      sync_block();
      ++chunk;
    }
    ++group;
  }
  if (thread == 0) *args.result = shared_sum;
}

}  // namespace qc::cuda
