#include "cuda/device/prelude.h"
//
#include "cuda/ssimulacra2/ssimulacra2_kernels.h"

namespace qc::cuda {
namespace {

using namespace qc::device;
using namespace qc::ssimulacra2;

using Map = GrowingRunMap<double>;
constexpr int kWarp = 32;
constexpr int kWarps = kErrorThreads / kWarp;
constexpr int kPerLane = kErrorChunk / kWarp;
// Of zero and subnormals, so that no map is ever applied in it.
QC_DEVICE PackedBinade no_binade() { return PackedBinade::of({-1023, false}); }
// Of a run of zeros, which leaves any sum as it is.
QC_DEVICE PackedBinade any_binade() { return {1 << 30}; }

// One channel of a scale, and a part of it.
struct Part {
  Ssimulacra2Scale scale;
  int s;
  int channel;
  int index;
};

template <class Count>
QC_DEVICE Part find_part(const Ssimulacra2Args& args, const Count& count) {
  int index = static_cast<int>(block_x());
  QC_UNROLL
  for (int s = 0; s < kScales; ++s) {
    const int parts = s < args.scales ? count(args.scale[s]) : 0;
    if (index < kChannels * parts) return {args.scale[s], s, index / parts, index % parts};
    index -= kChannels * parts;
  }
  return {};
}

// The errors of one channel in raster order.
struct Errors {
  const double* ssim;
  const double* change;
  bool has_ssim;
  bool has_change;
  int64_t count;

  QC_DEVICE explicit Errors(const Part& part)
      : has_ssim((part.scale.ssim >> part.channel & 1) != 0),
        has_change((part.scale.edges >> part.channel & 1) != 0),
        count(int64_t{part.scale.width} * part.scale.height) {
    ssim = part.scale.errors + part.channel * 2 * count;
    change = ssim + count;
  }
  // Past the end, and where they are not wanted: zeros, which change no sum.
  QC_DEVICE double ssim_at(int64_t i) const { return has_ssim && i < count ? ssim[i] : 0.0; }
  QC_DEVICE double change_at(int64_t i) const { return has_change && i < count ? change[i] : 0.0; }
};

// What a pixel adds to sum `which`.
QC_DEVICE double term_of(int which, double ssim, double change) {
  double v = ssim;
  if (which / 2 == kArtifact / 2) v = change > 0.0 ? change : 0.0;
  if (which / 2 == kDetail / 2) v = change < 0.0 ? -change : 0.0;
  return which % 2 != 0 ? fourth_power(v) : v;
}

QC_DEVICE double power_of_two(int exponent) {
  return __builtin_bit_cast(double, static_cast<uint64_t>(exponent + 1023) << 52);
}

QC_DEVICE double warp_sum(double v) {
  for (int mask = kWarp / 2; mask > 0; mask /= 2) v += shuffle_xor(v, mask);
  return v;
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

// The map of a chunk, valid in lane 0. Where no term is a tie in the binade's units and their sum is less than half of
// it, each term adds a whole number of units whatever the sum is (math/ordered_sum_simd.cpp has the proof), and the map
// is one number. Elsewhere the maps of the terms are composed.
QC_DEVICE Map chunk_map(const Errors& errors, int64_t begin, int which, const double (&ssim)[kPerLane],
                        const double (&change)[kPerLane], const Binade& binade) {
  if (binade.negative || binade.exponent < -900 || binade.exponent > 900) return {{Map::kLimit, Map::kLimit}};
  const double bottom = power_of_two(binade.exponent);
  const double magic = 1.5 * bottom;
  const double half_unit = bottom * 0x1p-53;
  double sum = 0.0;
  bool order_matters = false;
  QC_UNROLL
  for (int j = 0; j < kPerLane; ++j) {
    const double t = term_of(which, ssim[j], change[j]);
    const double rounded = (t + magic) - magic;
    const double rest = t - rounded;
    order_matters = order_matters || !(rest < half_unit && rest > -half_unit);
    sum += rounded;
  }
  sum = warp_sum(order_matters ? bottom : sum);
  if (sum < 0.5 * bottom) {
    const auto units = static_cast<int64_t>(sum * power_of_two(52 - binade.exponent));
    return {{units, units}};
  }
  const int lane = static_cast<int>(thread_x() % kWarp);
  Map map = Map::identity();
  for (int j = 0; j < kPerLane; ++j) {
    const int64_t i = begin + lane * kPerLane + j;
    extend(map, term_of(which, errors.ssim_at(i), errors.change_at(i)), binade);
  }
  return compose_warp(map);
}

}  // namespace

QC_KERNEL(qc_ssimulacra2_chunk_sums, Ssimulacra2Args, kErrorThreads) {
  const Part part = find_part(args, [](const Ssimulacra2Scale& s) { return (s.chunks + kWarps - 1) / kWarps; });
  const Errors errors(part);
  const int lane = static_cast<int>(thread_x() % kWarp);
  const int chunk = part.index * kWarps + static_cast<int>(thread_x() / kWarp);
  const int64_t begin = int64_t{chunk} * kErrorChunk;
  double sum[kSums] = {};
  QC_UNROLL
  for (int j = 0; j < kPerLane; ++j) {
    const int64_t i = begin + j * kWarp + lane;
    const double ssim = errors.ssim_at(i);
    const double change = errors.change_at(i);
    QC_UNROLL
    for (int which = 0; which < kSums; ++which) sum[which] += term_of(which, ssim, change);
  }
  QC_UNROLL
  for (int which = 0; which < kSums; ++which) {
    const double total = warp_sum(sum[which]);
    if (lane == 0 && chunk < part.scale.chunks)
      part.scale.chunk_sum[(part.channel * kSums + which) * int64_t{part.scale.chunks} + chunk] = total;
  }
}

QC_KERNEL(qc_ssimulacra2_guesses, Ssimulacra2Args, kErrorGuessThreads) {
  QC_BLOCK_SHARED double totals[kErrorGuessThreads];
  const Part part = find_part(args, [](const Ssimulacra2Scale&) { return static_cast<int>(kSums); });
  const int chunks = part.scale.chunks;
  const int64_t base = (part.channel * kSums + part.index) * int64_t{chunks};
  const double* chunk_sum = part.scale.chunk_sum + base;
  PackedBinade* chunk_binade = part.scale.chunk_binade + base;
  const int thread = static_cast<int>(thread_x());
  const int share = (chunks + kErrorGuessThreads - 1) / kErrorGuessThreads;
  const int begin = thread * share;
  const int end = begin + share < chunks ? begin + share : chunks;
  double total = 0;
  for (int k = begin; k < end; ++k) total += chunk_sum[k];
  totals[thread] = total;
  sync_block();
  for (int distance = 1; distance < kErrorGuessThreads; distance *= 2) {
    const double before = thread >= distance ? totals[thread - distance] : 0.0;
    sync_block();
    totals[thread] += before;
    sync_block();
  }
  double sum = thread > 0 ? totals[thread - 1] : 0.0;
  for (int k = begin; k < end; ++k) {
    chunk_binade[k] = chunk_sum[k] == 0.0 ? any_binade() : PackedBinade::of(binade_of(sum));
    sum += chunk_sum[k];
  }
}

QC_KERNEL(qc_ssimulacra2_maps, Ssimulacra2Args, kErrorThreads) {
  QC_BLOCK_SHARED Map maps[kSums][kErrorGroup];
  QC_BLOCK_SHARED PackedBinade binades[kSums][kErrorGroup];
  const Part part = find_part(args, [](const Ssimulacra2Scale& s) { return s.groups; });
  const Errors errors(part);
  const int thread = static_cast<int>(thread_x());
  const int lane = thread % kWarp;
  const int first = part.index * kErrorGroup;
  const int last = first + kErrorGroup < part.scale.chunks ? first + kErrorGroup : part.scale.chunks;
  for (int chunk = first + thread / kWarp; chunk < last; chunk += kWarps) {
    const int64_t begin = int64_t{chunk} * kErrorChunk;
    double ssim[kPerLane];
    double change[kPerLane];
    QC_UNROLL
    for (int j = 0; j < kPerLane; ++j) {
      ssim[j] = errors.ssim_at(begin + j * kWarp + lane);
      change[j] = errors.change_at(begin + j * kWarp + lane);
    }
    QC_UNROLL
    for (int which = 0; which < kSums; ++which) {
      const int64_t at = (part.channel * kSums + which) * int64_t{part.scale.chunks} + chunk;
      const PackedBinade binade = part.scale.chunk_binade[at];
      Map map = Map::identity();
      if (!(binade == any_binade())) map = chunk_map(errors, begin, which, ssim, change, binade.binade());
      if (lane == 0) {
        part.scale.chunk_map[at] = map;
        maps[which][chunk - first] = map;
        binades[which][chunk - first] = binade;
      }
    }
  }
  sync_block();
  if (thread >= kSums) return;
  // The group's map, if all its chunks that add something have one binade.
  PackedBinade binade = any_binade();
  Map map = Map::identity();
  for (int c = 0; c < last - first; ++c) {
    const PackedBinade b = binades[thread][c];
    if (b == any_binade()) continue;
    binade = binade == any_binade() || binade == b ? b : no_binade();
    if (binade == no_binade()) break;
    map = compose(map, maps[thread][c]);
  }
  const int64_t at = (part.channel * kSums + thread) * int64_t{part.scale.groups} + part.index;
  part.scale.group_binade[at] = binade;
  part.scale.group_map[at] = map;
}

// All threads fetch what thread 0 then walks over: groups, the chunks of a group whose map does not apply, the terms of
// such a chunk.
QC_KERNEL(qc_ssimulacra2_walk, Ssimulacra2Args, kErrorThreads) {
  QC_BLOCK_SHARED PackedBinade binade[kErrorThreads];
  QC_BLOCK_SHARED Map map[kErrorThreads];
  QC_BLOCK_SHARED double term[kErrorChunk];
  QC_BLOCK_SHARED double shared_sum;
  QC_BLOCK_SHARED int shared_position;
  static_assert(kErrorChunk == kErrorThreads && kErrorGroup <= kErrorThreads);
  const Part part = find_part(args, [](const Ssimulacra2Scale&) { return static_cast<int>(kSums); });
  const Errors errors(part);
  const int which = part.index;
  const int chunks = part.scale.chunks;
  const int groups = part.scale.groups;
  const int64_t plane = part.channel * kSums + which;
  const int thread = static_cast<int>(thread_x());

  // Applies maps of [begin, end), at most kErrorThreads of them, from `position` on until one does not apply; gives its
  // index, or end.
  const auto walk = [&](const PackedBinade* binades, const Map* maps, int begin, int end, int position) {
    if (begin + thread < end) {
      binade[thread] = binades[begin + thread];
      map[thread] = maps[begin + thread];
    }
    sync_block();
    if (thread == 0) {
      double sum = shared_sum;
      for (; position < end; ++position) {
        const PackedBinade b = binade[position - begin];
        if (!(b == any_binade()) && !advance(sum, map[position - begin], b.binade())) break;
      }
      shared_sum = sum;
      shared_position = position;
    }
    sync_block();
    return shared_position;
  };

  if (thread == 0) shared_sum = 0;
  sync_block();
  for (int group = 0; group < groups;) {
    const int tile_end = group + kErrorThreads < groups ? group + kErrorThreads : groups;
    group =
        walk(part.scale.group_binade + plane * groups, part.scale.group_map + plane * groups, group, tile_end, group);
    if (group == tile_end) continue;
    const int first = group * kErrorGroup;
    const int last = first + kErrorGroup < chunks ? first + kErrorGroup : chunks;
    for (int chunk = first; chunk < last;) {
      chunk = walk(part.scale.chunk_binade + plane * chunks, part.scale.chunk_map + plane * chunks, first, last, chunk);
      if (chunk == last) break;
      const int64_t i = int64_t{chunk} * kErrorChunk + thread;
      term[thread] = term_of(which, errors.ssim_at(i), errors.change_at(i));
      sync_block();
      if (thread == 0) {
        double sum = shared_sum;
        for (const double t : term) sum += t;
        shared_sum = sum;
      }
      sync_block();
      ++chunk;
    }
    ++group;
  }
  if (thread == 0) args.record->sum[part.s][part.channel][which] = shared_sum;
}

}  // namespace qc::cuda
