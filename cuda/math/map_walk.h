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
  using Integer = typename Map::Integer;
  const int lane = static_cast<int>(device::thread_x() % 32);
  const FloatParts<T> parts(sum);
  const bool in_binade = contains(binade_of(sum), sum);
  const Integer k = parts.significand();
  // From the first run to the lane's own, for an even and for an odd K. Beyond the first map that does not hold, these
  // are of no meaning, but stay in range.
  Integer even = own.increment[0];
  Integer odd = own.increment[1];
  QC_UNROLL
  for (int distance = 1; distance < 32; distance *= 2) {
    const Integer even_before = device::shuffle_up(even, distance);
    const Integer odd_before = device::shuffle_up(odd, distance);
    const Integer after_even = even_before + ((even_before & 1) != 0 ? odd : even);
    const Integer after_odd = odd_before + ((odd_before & 1) != 0 ? even : odd);
    even = lane < distance ? even : after_even;
    odd = lane < distance ? odd : after_odd;
  }
  const Integer to = (k & 1) != 0 ? odd : even;
  const Integer from = device::shuffle_up(to, 1);
  const bool holds = in_binade ? own.valid_at(k + (lane > 0 ? from : 0)) : own.changes_nothing();
  const uint32_t fails = ~device::ballot(holds);
  const int count = fails != 0 ? device::trailing_zeros(fails) : 32;
  const Integer increment = device::shuffle(to, count > 0 ? count - 1 : 0);
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
