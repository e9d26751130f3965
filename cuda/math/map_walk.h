// A warp that applies maps of runs to a sum, 32 consecutive runs at a time (math/ordered_sum.h).
#pragma once

#include "cuda/device/prelude.h"
#include "math/ordered_sum.h"

namespace qc::cuda {

// Maps of consecutive runs in the lanes of a warp: each becomes the map from the first run to its own.
template <class Map>
QC_DEVICE Map scan_warp(Map map) {
  const int lane = static_cast<int>(device::thread_x() % 32);
  QC_UNROLL
  for (int distance = 1; distance < 32; distance *= 2) {
    const Map before = device::shuffle_up(map, distance);
    if (lane >= distance) map = compose(before, map);
  }
  return map;
}

// Applies as many of the lanes' maps, which were made for the binade that the sum is in, as hold for it; returns how
// many. To a sum in no binade only maps apply that change nothing.
template <class T, class Map>
QC_DEVICE int apply_maps(const Map& own, T& sum) {
  const Map map = scan_warp(own);
  const FloatParts<T> parts(sum);
  const bool in_binade = contains(binade_of(sum), sum);
  const auto k = parts.significand();
  const bool holds = in_binade ? map.valid_at(k) : map.changes_nothing();
  const int count = device::count_ones(device::ballot(holds));
  const auto increment = device::shuffle((k & 1) != 0 ? map.increment[1] : map.increment[0], count > 0 ? count - 1 : 0);
  using Bits = typename FloatFormat<T>::Bits;
  if (count > 0) sum = __builtin_bit_cast(T, static_cast<Bits>(parts.bits + static_cast<Bits>(increment)));
  return count;
}

// Walks the sum over 32 runs. map_of(sum): the map of the lane's run in the binade that the sum is in, Map::never() if
// there is none. add_run(i, sum) adds the i-th run to the sum without a map. The sum is the same in all lanes.
template <class T, class MapOf, class AddRun>
QC_DEVICE void walk_runs(T& sum, const MapOf& map_of, const AddRun& add_run) {
  const int lane = static_cast<int>(device::thread_x() % 32);
  for (int done = 0; done < 32; ++done) {
    auto map = map_of(sum);
    if (lane < done) map = map.identity();
    done = apply_maps(map, sum);
    if (done < 32) add_run(done, sum);
  }
}

// Adds the lanes' terms to the sum, in the lanes' order.
template <class T>
QC_DEVICE void add_lanes(T term, T& sum) {
  QC_UNROLL
  for (int i = 0; i < 32; ++i) sum += device::shuffle(term, i);
}

}  // namespace qc::cuda
