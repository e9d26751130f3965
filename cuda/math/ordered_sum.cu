#include "cuda/device/prelude.h"
//
#include "cuda/device/prefix_sums.h"
#include "cuda/math/map_walk.h"
#include "cuda/math/ordered_sum.h"

namespace qc::cuda {
namespace {

using namespace qc::device;

using Map = RunMap<double>;
constexpr int kWarp = 32;
constexpr int kWarps = kOrderedThreads / kWarp;
constexpr int kTermsPerLane = kChunkTerms / kWarp;
static_assert(kChunksPerGroup == kWarp);

// Of zero and subnormals. In it, the map of a run is the identity only if the run is of zeros.
QC_DEVICE PackedBinade no_binade() { return PackedBinade::of({-1023, false}); }

// The map of a run, and the binade that it is for.
struct BinadeMap {
  PackedBinade binade;
  Map map;

  QC_DEVICE static BinadeMap of_zeros() { return {no_binade(), Map::identity()}; }
  // One of `count`; behind them there are zeros.
  QC_DEVICE static BinadeMap fetch(const PackedBinade* binades, const Map* maps, int i, int count) {
    return i < count ? BinadeMap{binades[i], maps[i]} : of_zeros();
  }
  QC_DEVICE bool only_zeros() const { return binade == no_binade() && map.changes_nothing(); }
  QC_DEVICE Map map_of(double sum) const { return only_zeros() || contains(binade.binade(), sum) ? map : Map::never(); }
};

// The map of the run that the lanes' runs make together, in the last lane.
QC_DEVICE BinadeMap join_lanes(const BinadeMap& own) {
  const uint32_t others = ballot(!own.only_zeros());
  const PackedBinade binade = shuffle(own.binade, others != 0 ? trailing_zeros(others) : 0);
  return {binade, scan_warp(own.only_zeros() || own.binade == binade ? own.map : Map::never())};
}

QC_DEVICE double warp_sum(double v) {
  for (int mask = kWarp / 2; mask > 0; mask /= 2) v += shuffle_xor(v, mask);
  return v;
}

QC_DEVICE double magnitude(double v) { return v < 0 ? -v : v; }

QC_DEVICE double power_of_two(int exponent) {
  return __builtin_bit_cast(double, static_cast<uint64_t>(exponent + 1023) << 52);
}

// Terms behind the last one are zeros, which change no sum that began with 0.
QC_DEVICE double term_at(const OrderedSumArgs& args, int64_t i) { return i < args.count ? args.terms[i] : 0.0; }

// The map of a chunk, in the last lane. Where no term is a tie in the binade's units and their magnitudes are together
// less than half of it, each term adds a whole number of units whatever the sum is (math/ordered_sum_simd.cpp has the
// proof), and bounds of the way are good enough. Elsewhere the maps of the terms are composed.
QC_DEVICE Map chunk_map(const OrderedSumArgs& args, int chunk, const Binade& binade) {
  const int lane = static_cast<int>(thread_x() % kWarp);
  const int64_t begin = int64_t{chunk} * kChunkTerms;
  if (binade.exponent >= -900 && binade.exponent <= 900) {
    const double bottom = power_of_two(binade.exponent);
    const double magic = 1.5 * bottom;
    const double half_unit = bottom * 0x1p-53;
    double terms[kTermsPerLane];
    QC_UNROLL
    for (int j = 0; j < kTermsPerLane; ++j) terms[j] = term_at(args, begin + j * kWarp + lane);
    double all = 0;
    double sizes = 0;
    bool order_matters = false;
    QC_UNROLL
    for (int j = 0; j < kTermsPerLane; ++j) {
      const double rounded = (terms[j] + magic) - magic;
      order_matters = order_matters || !(magnitude(terms[j] - rounded) < half_unit);
      all += rounded;
      sizes += magnitude(rounded);
    }
    all = warp_sum(all);
    sizes = warp_sum(order_matters ? bottom : sizes);
    if (sizes < 0.5 * bottom) {
      const double units = power_of_two(52 - binade.exponent);
      const auto up = static_cast<int64_t>(0.5 * (sizes + all) * units);
      const auto down = static_cast<int64_t>(0.5 * (sizes - all) * units);
      // All that is added, away from zero and back.
      const int64_t away = binade.negative ? down : up;
      const int64_t back = binade.negative ? up : down;
      return {{away - back, away - back}, {-back - 1, -back - 1}, {away, away}};
    }
  }
  Map map = Map::identity();
  for (int j = 0; j < kTermsPerLane; ++j) extend(map, term_at(args, begin + lane * kTermsPerLane + j), binade);
  return scan_warp(map);
}

// Adds a chunk to the sum, term by term.
QC_DEVICE void add_chunk(const OrderedSumArgs& args, int chunk, double& sum) {
  const int64_t begin = int64_t{chunk} * kChunkTerms + thread_x() % kWarp;
  double terms[kTermsPerLane];
  QC_UNROLL
  for (int j = 0; j < kTermsPerLane; ++j) terms[j] = term_at(args, begin + j * kWarp);
  QC_UNROLL
  for (int j = 0; j < kTermsPerLane; ++j) add_lanes(terms[j], sum);
}

}  // namespace

QC_KERNEL(qc_ordered_chunk_sums, OrderedSumArgs, kOrderedThreads) {
  QC_BLOCK_SHARED double sums[kChunksPerGroup];
  const int lane = static_cast<int>(thread_x() % kWarp);
  const int warp = static_cast<int>(thread_x() / kWarp);
  const int first = static_cast<int>(block_x()) * kChunksPerGroup;
  QC_UNROLL
  for (int i = 0; i < kChunksPerGroup / kWarps; ++i) {
    const int c = i * kWarps + warp;
    const int64_t begin = int64_t{first + c} * kChunkTerms + lane;
    double sum = 0;
    QC_UNROLL
    for (int j = 0; j < kTermsPerLane; ++j) sum += term_at(args, begin + j * kWarp);
    sum = warp_sum(sum);
    if (lane == 0) sums[c] = sum;
  }
  sync_block();
  if (warp != 0) return;
  const double sum = sums[lane];
  if (first + lane < args.chunks) args.chunk_sum[first + lane] = sum;
  const double total = warp_sum(sum);
  if (lane == 0) args.group_sum[block_x()] = total;
}

QC_KERNEL(qc_ordered_guesses, OrderedSumArgs, kGuessThreads) {
  prefix_sums<kGuessThreads>(args.group_sum, args.groups, [&](int group, double sum) { args.sum_before[group] = sum; });
}

QC_KERNEL(qc_ordered_maps, OrderedSumArgs, kOrderedThreads) {
  QC_BLOCK_SHARED BinadeMap chunks[kChunksPerGroup];
  const int lane = static_cast<int>(thread_x() % kWarp);
  const int warp = static_cast<int>(thread_x() / kWarp);
  const int group = static_cast<int>(block_x());
  const int first = group * kChunksPerGroup;
  if (warp == 0) {
    const int chunk = first + lane;
    const double to = scan_warp_sum(chunk < args.chunks ? args.chunk_sum[chunk] : 0.0);
    const double from = shuffle_up(to, 1);
    const double before = args.sum_before[group] + (lane > 0 ? from : 0.0);
    chunks[lane] = BinadeMap::of_zeros();
    if (chunk < args.chunks) {
      chunks[lane].binade = PackedBinade::of(binade_of(before));
      args.chunk_binade[chunk] = chunks[lane].binade;
    }
  }
  sync_block();
  for (int c = warp; c < kChunksPerGroup && first + c < args.chunks; c += kWarps) {
    const Map map = chunk_map(args, first + c, chunks[c].binade.binade());
    if (lane != kWarp - 1) continue;
    args.chunk_map[first + c] = map;
    chunks[c].map = map;
  }
  sync_block();
  if (warp != 0) return;
  const BinadeMap all = join_lanes(chunks[lane]);
  if (lane != kWarp - 1) return;
  args.group_binade[group] = all.binade;
  args.group_map[group] = all.map;
}

// The walk has maps of runs of 32 groups, one made by each warp, while the first warp applies those before them.
QC_KERNEL(qc_ordered_walk, OrderedSumArgs, kWalkThreads) {
  constexpr int kJoined = kWalkThreads / kWarp;
  constexpr int kTileGroups = kJoined * kWarp;
  static_assert(kJoined <= kWarp);
  QC_BLOCK_SHARED BinadeMap joined[2][kJoined];
  const int lane = static_cast<int>(thread_x() % kWarp);
  const int warp = static_cast<int>(thread_x() / kWarp);
  const auto group_at = [&](int i) { return BinadeMap::fetch(args.group_binade, args.group_map, i, args.groups); };
  const auto join = [&](int tile, BinadeMap* to) {
    const BinadeMap all = join_lanes(group_at(tile + warp * kWarp + lane));
    if (lane == kWarp - 1) to[warp] = all;
  };
  const auto add_group = [&](int group, double& sum) {
    const int first = group * kChunksPerGroup;
    const BinadeMap own = BinadeMap::fetch(args.chunk_binade, args.chunk_map, first + lane, args.chunks);
    walk_runs(
        sum, [&](double s) { return own.map_of(s); }, [&](int c, double& s) { add_chunk(args, first + c, s); });
  };
  join(0, joined[0]);
  sync_block();
  double sum = 0;
  int current = 0;
  for (int tile = 0; tile < args.groups; tile += kTileGroups) {
    if (warp == 0) {
      const BinadeMap run = lane < kJoined ? joined[current][lane] : BinadeMap::of_zeros();
      walk_runs(
          sum, [&](double s) { return run.map_of(s); },
          [&](int i, double& s) {
            const int first = tile + i * kWarp;
            const BinadeMap own = group_at(first + lane);
            walk_runs(
                s, [&](double t) { return own.map_of(t); }, [&](int g, double& t) { add_group(first + g, t); });
          });
    }
    if (tile + kTileGroups < args.groups) join(tile + kTileGroups, joined[1 - current]);
    sync_block();
    current = 1 - current;
  }
  if (thread_x() == 0) *args.result = sum;
}

}  // namespace qc::cuda
