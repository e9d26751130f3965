#include "cuda/device/prelude.h"
//
#include "cuda/device/prefix_sums.h"
#include "cuda/math/map_walk.h"
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
  uint32_t sums;
};

// Which part the block has, where a channel of a scale has count(scale, sums) of them; the larger scales come first.
template <class Count>
QC_DEVICE Part find_part(const Ssimulacra2Args& args, const Count& count) {
  int index = static_cast<int>(block_x());
  QC_UNROLL
  for (int s = 0; s < kScales; ++s) {
    QC_UNROLL
    for (int channel = 0; channel < kChannels; ++channel) {
      const uint32_t sums = args.scale[s].sums[channel];
      const int parts = s >= args.from && s < args.to ? count(args.scale[s], sums) : 0;
      if (index >= 0 && index < parts) return {args.scale[s], s, channel, index, sums};
      index -= parts;
    }
  }
  return {};
}

// The part of the block that has one sum, and which.
struct SumPart {
  Part part;
  int which;
};

QC_DEVICE SumPart find_sum(const Ssimulacra2Args& args) {
  const Part part = find_part(args, [](const Ssimulacra2Scale&, uint32_t sums) { return count_ones(sums); });
  uint32_t rest = part.sums;
  for (int i = 0; i < part.index; ++i) rest &= rest - 1;
  return {part, trailing_zeros(rest)};
}

// The errors of one channel.
struct Errors {
  const double* ssim;
  const double* change;
  bool has_ssim;
  bool has_change;
  int width;
  int row_chunks;

  QC_DEVICE explicit Errors(const Part& part)
      : has_ssim((part.sums & (1U << kSsim | 1U << kSsim4)) != 0),
        has_change((part.sums & ~(1U << kSsim | 1U << kSsim4)) != 0),
        width(part.scale.width),
        row_chunks(part.scale.row_chunks) {
    const int64_t pixels = int64_t{part.scale.width} * part.scale.height;
    ssim = part.scale.errors + part.channel * 2 * pixels;
    change = ssim + pixels;
  }
};

// A chunk of them.
struct ErrorChunk {
  const double* ssim;
  const double* change;
  int count;

  // Past the end, and where they are not wanted: zeros, which change no sum.
  QC_DEVICE double ssim_at(int i) const { return ssim != nullptr && i < count ? ssim[i] : 0.0; }
  QC_DEVICE double change_at(int i) const { return change != nullptr && i < count ? change[i] : 0.0; }
};

QC_DEVICE ErrorChunk chunk_of(const Errors& errors, int chunk) {
  const int row = chunk / errors.row_chunks;
  const int column = (chunk - row * errors.row_chunks) * kErrorChunk;
  const int64_t begin = int64_t{row} * errors.width + column;
  return {errors.has_ssim ? errors.ssim + begin : nullptr, errors.has_change ? errors.change + begin : nullptr,
          errors.width - column < kErrorChunk ? errors.width - column : kErrorChunk};
}

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

// How a term is rounded to units of the last place of sums in a binade, to the even number of them if it is a tie.
struct Rounding {
  double bottom;
  double magic;
  double half_unit;

  QC_DEVICE explicit Rounding(int exponent)
      : bottom(power_of_two(exponent)), magic(1.5 * bottom), half_unit(bottom * 0x1p-53) {}
  QC_DEVICE double rounded(double t) const { return (t + magic) - magic; }
  QC_DEVICE bool is_tie(double rest) const { return rest == half_unit || rest == -half_unit; }
};

// What the ties among a chunk's terms add to it beyond the even numbers of units, from which they are one unit away, by
// the parity of the sum before the chunk. After a tie the sum is even, whatever it was; so only the first one depends
// on what was before the chunk.
QC_DEVICE Map tie_steps(int which, const double (&ssim)[kPerLane], const double (&change)[kPerLane],
                        const Rounding& rounding, double units_of) {
  bool first = true;
  uint32_t parity = 0;  // of the units since the last tie
  int64_t step[2] = {0, 0};
  QC_UNROLL
  for (int j = 0; j < kPerLane; ++j) {
    const double t = term_of(which, ssim[j], change[j]);
    const double rounded = rounding.rounded(t);
    const double rest = t - rounded;
    const uint32_t odd = ballot((static_cast<int64_t>(rounded * units_of) & 1) != 0);
    const uint32_t up = ballot(rest > 0.0);
    uint32_t ahead = 0xffffffffU;  // lanes that are not counted yet
    for (uint32_t ties = ballot(rounding.is_tie(rest)); ties != 0; ties &= ties - 1) {
      const uint32_t tie = ties & (0U - ties);
      parity ^= static_cast<uint32_t>(count_ones(odd & ahead & (tie - 1))) & 1U;
      const int by = (up & tie) != 0 ? 1 : -1;
      if (first || parity != 0) {
        step[0] += parity != 0 ? by : 0;
        step[1] += !first || parity == 0 ? by : 0;
      }
      first = false;
      parity = 0;
      ahead = ~(tie | (tie - 1));
    }
    parity ^= static_cast<uint32_t>(count_ones(odd & ahead)) & 1U;
  }
  return {{step[0], step[1]}};
}

struct alignas(16) Four {
  float value[4];
};

// What the terms of chunks add up to, nearly.
struct ChunkSums {
  const Four* pieces;

  QC_DEVICE double operator[](int chunk) const {
    static_assert(kChunkPieces == 8);
    const Four a = pieces[2 * int64_t{chunk}];
    const Four b = pieces[2 * int64_t{chunk} + 1];
    const auto sum = [](const Four& f) { return (f.value[0] + f.value[1]) + (f.value[2] + f.value[3]); };
    return static_cast<double>(sum(a)) + static_cast<double>(sum(b));
  }
};

// The map of a chunk, of which each lane has every 32nd pixel. If all of it is less than half of the binade's least
// number, each term that is no tie adds a whole number of units whatever the sum is (math/ordered_sum_simd.cpp has the
// proof). Larger chunks, of which there are few, get no map.
QC_DEVICE Map chunk_map(int which, const double (&ssim)[kPerLane], const double (&change)[kPerLane],
                        const Binade& binade) {
  if (binade.negative || binade.exponent < -900 || binade.exponent > 900) return Map::never();
  const Rounding rounding(binade.exponent);
  double sum = 0.0;
  bool ties = false;
  QC_UNROLL
  for (int j = 0; j < kPerLane; ++j) {
    const double t = term_of(which, ssim[j], change[j]);
    const double rounded = rounding.rounded(t);
    ties = ties || rounding.is_tie(t - rounded);
    sum += rounded;
  }
  sum = warp_sum(sum);
  const bool any_ties = ballot(ties) != 0;
  if (!(sum < 0.5 * rounding.bottom)) return Map::never();
  const double units_of = power_of_two(52 - binade.exponent);
  const auto units = static_cast<int64_t>(sum * units_of);
  Map map = {{units, units}};
  if (any_ties) {
    const Map steps = tie_steps(which, ssim, change, rounding, units_of);
    map.increment[0] += steps.increment[0];
    map.increment[1] += steps.increment[1];
  }
  return map;
}

// Walks over the maps in [position, end) as far as they apply to `sum`, 32 at a time; gives the index of the first that
// does not, or end.
QC_DEVICE int walk_maps(double& sum, const PackedBinade* binades, const Map* maps, int position, int end) {
  const int lane = static_cast<int>(thread_x());
  const auto binade_at = [&](int i) { return i < end ? binades[i] : no_binade(); };
  const auto map_at = [&](int i) { return i < end ? maps[i] : Map::identity(); };
  PackedBinade next_binade = binade_at(position + lane);
  Map next_map = map_at(position + lane);
  while (position < end) {
    const bool fits = next_binade == any_binade() || contains(next_binade.binade(), sum);
    const Map map = position + lane < end && fits ? next_map : Map::never();
    next_binade = binade_at(position + kWarp + lane);
    next_map = map_at(position + kWarp + lane);
    const int steps = apply_maps(map, sum);
    position += steps;
    if (steps < kWarp) break;
  }
  return position;
}

}  // namespace

QC_KERNEL(qc_ssimulacra2_guesses, Ssimulacra2Args, kErrorGuessThreads) {
  const SumPart sum = find_sum(args);
  const Ssimulacra2Scale& scale = sum.part.scale;
  const int64_t base = (sum.part.channel * kSums + sum.which) * int64_t{scale.chunks};
  PackedBinade* chunk_binade = scale.chunk_binade + base;
  const ChunkSums sums = {reinterpret_cast<const Four*>(scale.piece_sum + base * kChunkPieces)};
  prefix_sums<kErrorGuessThreads>(
      sums, scale.chunks, [&](int chunk, double before) { chunk_binade[chunk] = PackedBinade::of(binade_of(before)); });
}

QC_KERNEL_RESIDENT(qc_ssimulacra2_maps, Ssimulacra2Args, kErrorThreads, 3) {
  QC_BLOCK_SHARED Map maps[kSums][kErrorGroup];
  QC_BLOCK_SHARED PackedBinade binades[kSums][kErrorGroup];
  const Part part = find_part(args, [](const Ssimulacra2Scale& s, uint32_t sums) { return sums != 0 ? s.groups : 0; });
  const Errors errors(part);
  const int thread = static_cast<int>(thread_x());
  const int warp = thread / kWarp;
  const int lane = thread % kWarp;
  const int first = part.index * kErrorGroup;
  const int64_t chunks = part.scale.chunks;
  const int64_t plane = int64_t{part.channel} * kSums * chunks + first;
  for (int i = thread; i < kSums * kErrorGroup; i += kErrorThreads) {
    const int which = i / kErrorGroup;
    const int c = i % kErrorGroup;
    const bool there = (part.sums >> which & 1) != 0 && first + c < chunks;
    binades[which][c] = there ? part.scale.chunk_binade[plane + which * chunks + c] : any_binade();
  }
  sync_block();
  for (int c = warp; c < kErrorGroup; c += kWarps) {
    const int chunk = first + c;
    const bool there = chunk < chunks;
    double ssim[kPerLane] = {};
    double change[kPerLane] = {};
    if (there) {
      const ErrorChunk e = chunk_of(errors, chunk);
      QC_UNROLL
      for (int j = 0; j < kPerLane; ++j) {
        ssim[j] = e.ssim_at(j * kWarp + lane);
        change[j] = e.change_at(j * kWarp + lane);
      }
    }
    QC_UNROLL
    for (int which = 0; which < kSums; ++which) {
      if ((part.sums >> which & 1) == 0) continue;
      const int64_t at = plane + which * chunks + c;
      bool zero = true;
      QC_UNROLL
      for (int j = 0; j < kPerLane; ++j) zero = zero && term_of(which, ssim[j], change[j]) == 0.0;
      PackedBinade binade = any_binade();
      Map map = Map::identity();
      if (ballot(!zero) != 0) {
        binade = binades[which][c];
        map = chunk_map(which, ssim, change, binade.binade());
      }
      if (lane == 0) {
        maps[which][c] = map;
        if (there) part.scale.chunk_map[at] = map;
        if (binade == any_binade()) {
          binades[which][c] = binade;
          if (there) part.scale.chunk_binade[at] = binade;
        }
      }
    }
  }
  sync_block();
  // A warp for each sum: the group's map, if all its chunks that add something have one binade.
  static_assert(kSums <= kWarps && kErrorGroup == 2 * kWarp);
  if (warp >= kSums || (part.sums >> warp & 1) == 0) return;
  const PackedBinade of_first = binades[warp][2 * lane];
  const PackedBinade of_second = binades[warp][2 * lane + 1];
  const PackedBinade one = of_first == any_binade() ? of_second : of_first;
  const uint32_t some = ballot(!(one == any_binade()));
  const PackedBinade common = shuffle(one, some != 0 ? trailing_zeros(some) : 0);
  const auto fits = [&](const PackedBinade& b) { return b == any_binade() || b == common; };
  const bool all_fit = ballot(!fits(of_first) || !fits(of_second)) == 0;
  const Map map = compose_warp(compose(maps[warp][2 * lane], maps[warp][2 * lane + 1]));
  if (lane != 0) return;
  const int64_t at = (part.channel * kSums + warp) * int64_t{part.scale.groups} + part.index;
  part.scale.group_binade[at] = all_fit ? common : no_binade();
  part.scale.group_map[at] = map;
}

// One warp walks over groups, the chunks of a group whose map does not apply, the terms of such a chunk.
QC_KERNEL(qc_ssimulacra2_walk, Ssimulacra2Args, kErrorWalkThreads) {
  QC_BLOCK_SHARED double term[kErrorChunk];
  static_assert(kErrorWalkThreads == kWarp);
  const SumPart sum_part = find_sum(args);
  const Part& part = sum_part.part;
  const Errors errors(part);
  const int which = sum_part.which;
  const int chunks = part.scale.chunks;
  const int groups = part.scale.groups;
  const int64_t plane = part.channel * kSums + which;
  const PackedBinade* chunk_binade = part.scale.chunk_binade + plane * chunks;
  const Map* chunk_map = part.scale.chunk_map + plane * chunks;
  const PackedBinade* group_binade = part.scale.group_binade + plane * groups;
  const Map* group_map = part.scale.group_map + plane * groups;
  const int lane = static_cast<int>(thread_x());

  double sum = 0;
  for (int group = 0; group < groups; ++group) {
    group = walk_maps(sum, group_binade, group_map, group, groups);
    if (group == groups) break;
    const int first = group * kErrorGroup;
    const int last = first + kErrorGroup < chunks ? first + kErrorGroup : chunks;
    for (int chunk = first; chunk < last; ++chunk) {
      chunk = walk_maps(sum, chunk_binade, chunk_map, chunk, last);
      if (chunk == last) break;
      const ErrorChunk e = chunk_of(errors, chunk);
      QC_UNROLL
      for (int i = 0; i < kPerLane; ++i)
        term[i * kWarp + lane] = term_of(which, e.ssim_at(i * kWarp + lane), e.change_at(i * kWarp + lane));
      sync_warp();
      QC_UNROLL
      for (int i = 0; i < kErrorChunk; ++i) sum += term[i];
      sync_warp();
    }
  }
  if (lane == 0) args.record->sum[part.s][part.channel][which] = sum;
}

}  // namespace qc::cuda
