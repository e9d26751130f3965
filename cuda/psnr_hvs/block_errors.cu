#include "cuda/device/prelude.h"
//
#include "cuda/device/prefix_sums.h"
#include "cuda/math/map_walk.h"
#include "cuda/psnr_hvs/block_errors.h"
#include "psnr_hvs/scalar_lanes.h"

namespace qc::cuda {
namespace {

using namespace qc::device;
using namespace qc::hvs;

QC_DEVICE Float square_root(Float v) { return sqrt_rn(v); }

#define QC_LANES QC_DEVICE
#include "psnr_hvs/block-inl.h"
#undef QC_LANES

using Map = GrowingRunMap<float>;
constexpr int kWarp = 32;
static_assert(kGroupBlocks == kWarp);

// The samples of the block whose first one is at column x of row y, all fetched at once.
template <class Sample>
QC_DEVICE void fetch_block(const PlaneView& plane, int x, int y, Int* block) {
  const uint8_t* corner = plane.data + y * plane.stride + x * plane.step * static_cast<int>(sizeof(Sample));
  QC_UNROLL
  for (int i = 0; i < kBlockTerms; ++i)
    block[i] = reinterpret_cast<const Sample*>(corner + i / kBlock * plane.stride)[i % kBlock * plane.step];
  if constexpr (sizeof(Sample) > 1) {
    QC_UNROLL
    for (int i = 0; i < kBlockTerms; ++i) block[i] >>= plane.shift;
  }
}

template <bool kWide>
QC_DEVICE void block_errors(const BlockErrorsArgs& args) {
  QC_BLOCK_SHARED int32_t shared[2 * kGroupTerms];
  QC_BLOCK_SHARED float shared_threshold[2][kGroupBlocks];
  const int thread = static_cast<int>(thread_x());
  const int lane = thread % kWarp;
  const int picture = thread / kWarp;
  const int group = static_cast<int>(block_x());
  const int row = group / args.out.groups_across;
  const int first = (group - row * args.out.groups_across) * kGroupBlocks;
  const int blocks = args.out.blocks_across - first < kGroupBlocks ? args.out.blocks_across - first : kGroupBlocks;
  const PairView& pair = args.frame->current;

  // A thread has a block of its picture.
  const PlaneView& plane = (picture ? pair.distorted : pair.reference).plane[args.plane];
  const int left = (first + (lane < blocks ? lane : 0)) * kBlockStep;
  Int block[kBlockTerms];
  if (plane.bytes == 1) {
    fetch_block<uint8_t>(plane, left, row * kBlockStep, block);
  } else {
    fetch_block<uint16_t>(plane, left, row * kBlockStep, block);
  }
  shared_threshold[picture][lane] = masking_threshold<kWide>(block, args.weights.mask);
  QC_UNROLL
  for (int i = 0; i < kBlockTerms; ++i) shared[picture * kGroupTerms + i * kGroupBlocks + lane] = block[i];
  sync_block();

  // The two threads of a block share its terms.
  const float threshold = greater_of(shared_threshold[1][lane], shared_threshold[0][lane]);
  float* terms = args.out.terms + int64_t{group} * kGroupTerms;
  float some = 0;
  constexpr int kStep = 8;
  for (int i = picture * (kBlockTerms / 2); i < (picture + 1) * (kBlockTerms / 2); i += kStep) {
    QC_UNROLL
    for (int j = 0; j < kStep; ++j) {
      const int at = (i + j) * kGroupBlocks + lane;
      const float term =
          lane < blocks ? error_term(shared[at], shared[kGroupTerms + at], threshold, args.weights, i + j) : 0.0F;
      terms[at] = term;
      some += term;
    }
  }
  const double sum = block_sum<kBlockErrorThreads>(static_cast<double>(some));
  if (thread == 0) args.out.group_sum[group] = sum;
}

// Adds terms that are not negative to the map of a run, in one binade.
class MapMaker {
 public:
  // `exponent`: of a binade of normal numbers.
  QC_DEVICE explicit MapMaker(int exponent) {
    // 2^(23 - exponent) in two steps, for it may be beyond float32.
    const int shift = 23 - exponent;
    const int half = shift / 2;
    scale_ = __builtin_bit_cast(float, static_cast<uint32_t>(half + 127) << 23);
    more_scale_ = __builtin_bit_cast(float, static_cast<uint32_t>(shift - half + 127) << 23);
  }
  QC_DEVICE void add(float term) {
    // Units of the accumulator's last place; exact, but for what is far below half a unit.
    const float units = term * scale_ * more_scale_;
    // From 2^23 units on, the accumulator leaves the binade.
    if (!(units < 0x1p+23F)) {
      usable_ = false;
      return;
    }
    const float sum = units + 0x1p+23F;
    const int nearest = __builtin_bit_cast(int32_t, sum) - __builtin_bit_cast(int32_t, 0x1p+23F);
    const float rest = units - (sum - 0x1p+23F);
    if (rest == 0.5F || rest == -0.5F) {
      const int below = rest < 0 ? nearest - 1 : nearest;
      increment_[0] += below + ((below + increment_[0]) & 1);
      increment_[1] += below + ((below + increment_[1] + 1) & 1);
    } else {
      increment_[0] += nearest;
      increment_[1] += nearest;
    }
  }
  QC_DEVICE Map map() const {
    const auto limited = [&](int v) { return usable_ && v < Map::kLimit ? v : Map::kLimit; };
    return {{limited(increment_[0]), limited(increment_[1])}};
  }

 private:
  // A block's terms, each below 2^23, stay below 2^30.
  int increment_[2] = {0, 0};
  bool usable_ = true;
  float scale_;
  float more_scale_;
};

// The maps of the block whose terms begin at `terms`, kGroupBlocks apart, from the binade `lowest` on.
QC_DEVICE BinadeMaps block_maps(const float* terms, int lowest) {
  // Without ties each term adds a whole number of units, and so does a map.
  const bool in_range = lowest > -100 && lowest < 100;
  const float scale = in_range ? __builtin_bit_cast(float, static_cast<uint32_t>(23 - lowest + 127) << 23) : 0.0F;
  float units[kBinades] = {};
  bool tie[kBinades] = {};
  bool fits[kBinades] = {in_range, in_range, in_range, in_range};
  static_assert(kBinades == 4);
  constexpr int kStep = 16;
  for (int first = 0; first < kBlockTerms; first += kStep) {
    float term[kStep];
    QC_UNROLL
    for (int i = 0; i < kStep; ++i) term[i] = terms[(first + i) * kGroupBlocks];
    QC_UNROLL
    for (int i = 0; i < kStep; ++i) {
      float exact = term[i] * scale;
      QC_UNROLL
      for (int b = 0; b < kBinades; ++b) {
        const float rounded = (exact + 0x1p+23F) - 0x1p+23F;
        const float rest = exact - rounded;
        tie[b] = tie[b] || rest == 0.5F || rest == -0.5F;
        // From 2^23 units on, the accumulator leaves the binade.
        fits[b] = fits[b] && exact < 0x1p+23F;
        // Exact as long as it is of use.
        units[b] += rounded;
        exact *= 0.5F;
      }
    }
  }
  BinadeMaps maps;
  QC_UNROLL
  for (int b = 0; b < kBinades; ++b) {
    maps.map[b] = Map::never();
    if (fits[b] && !tie[b] && units[b] < 0x1p+24F) {
      const int increment = static_cast<int>(units[b]);
      maps.map[b] = {{increment, increment}};
    } else if (in_range ? fits[b] && units[b] < 0x1p+24F : lowest + b > -127 && lowest + b < 128) {
      MapMaker maker(lowest + b);
      for (int i = 0; i < kBlockTerms; ++i) maker.add(terms[i * kGroupBlocks]);
      maps.map[b] = maker.map();
    }
  }
  return maps;
}

// Indexing an argument by a variable would copy it to memory.
QC_DEVICE ErrorPlane plane_of(const ErrorSumArgs& args, unsigned i) { return i == 0 ? args.plane[0] : args.plane[1]; }

// The map of a run of which maps for several binades are known, in the binade that the sum is in.
QC_DEVICE Map map_in(float sum, const BinadeMaps& maps, int exponent) {
  if (exponent == kOnlyZeros) return Map::identity();
  Map map = Map::never();
  if (!contains(binade_of(sum), sum)) return map;
  const int binade = FloatParts<float>(sum).exponent() - exponent;
  QC_UNROLL
  for (int b = 0; b < kBinades; ++b)
    if (b == binade) map = maps.map[b];
  return map;
}

// The maps of a run, for the walk.
struct RunMaps {
  BinadeMaps maps;
  int exponent;

  QC_DEVICE static RunMaps of_group(const ErrorPlane& plane, int group) {
    RunMaps run{{}, group < plane.groups ? plane.exponent[group] : kOnlyZeros};
    if (run.exponent != kOnlyZeros) run.maps = plane.group_map[group];
    return run;
  }
  QC_DEVICE Map map_of(float sum) const { return map_in(sum, maps, exponent); }
};

// The maps of the run that the lanes' runs make together, in the last lane.
QC_DEVICE RunMaps join_lanes(const RunMaps& own) {
  const uint32_t others = ballot(own.exponent != kOnlyZeros);
  if (others == 0) return {{}, kOnlyZeros};
  RunMaps all{{}, shuffle(own.exponent, trailing_zeros(others))};
  QC_UNROLL
  for (int b = 0; b < kBinades; ++b) {
    Map map = own.exponent == kOnlyZeros ? Map::identity() : Map::never();
    QC_UNROLL
    for (int of_own = 0; of_own < kBinades; ++of_own)
      if (own.exponent + of_own == all.exponent + b) map = own.maps.map[of_own];
    all.maps.map[b] = scan_warp(map);
  }
  return all;
}

// Adds a group to the sum.
QC_DEVICE void add_group(const ErrorPlane& plane, int group, float& sum) {
  const int lane = static_cast<int>(thread_x() % kWarp);
  const RunMaps own{plane.block_map[int64_t{group} * kGroupBlocks + lane], plane.exponent[group]};
  const float* terms = plane.terms + int64_t{group} * kGroupTerms;
  walk_runs(
      sum, [&](float s) { return own.map_of(s); },
      [&](int block, float& s) {
        const float first = terms[lane * kGroupBlocks + block];
        const float second = terms[(kWarp + lane) * kGroupBlocks + block];
        static_assert(kBlockTerms == 2 * kWarp);
        add_lanes(first, s);
        add_lanes(second, s);
      });
}

}  // namespace

QC_KERNEL_RESIDENT(qc_block_errors, BlockErrorsArgs, kBlockErrorThreads, kBlockErrorResidentBlocks) {
  block_errors<false>(args);
}
QC_KERNEL_RESIDENT(qc_wide_block_errors, BlockErrorsArgs, kBlockErrorThreads, kBlockErrorResidentBlocks) {
  block_errors<true>(args);
}

QC_KERNEL(qc_error_guesses, ErrorSumArgs, kErrorGuessThreads) {
  const ErrorPlane plane = plane_of(args, block_x());
  prefix_sums<kErrorGuessThreads>(plane.group_sum, plane.groups, [&](int group, double sum) {
    plane.exponent[group] =
        plane.group_sum[group] == 0 ? kOnlyZeros : binade_of(static_cast<float>(sum)).exponent - kBinadesBelow;
  });
}

QC_KERNEL(qc_error_maps, ErrorSumArgs, kErrorMapThreads) {
  const ErrorPlane plane = plane_of(args, block_y());
  const int lane = static_cast<int>(thread_x() % kWarp);
  const int group = static_cast<int>(block_x() * (kErrorMapThreads / kWarp) + thread_x() / kWarp);
  // The same for the whole warp.
  if (group >= plane.groups || plane.exponent[group] == kOnlyZeros) return;
  const BinadeMaps block = block_maps(plane.terms + int64_t{group} * kGroupTerms + lane, plane.exponent[group]);
  plane.block_map[int64_t{group} * kGroupBlocks + lane] = block;
  BinadeMaps all;
  QC_UNROLL
  for (int b = 0; b < kBinades; ++b) all.map[b] = scan_warp(block.map[b]);
  if (lane == kWarp - 1) plane.group_map[group] = all;
}

// The walk has maps of runs of 32 groups, one made by each warp, while the first warp applies those before them.
QC_KERNEL(qc_error_walk, ErrorSumArgs, kErrorWalkThreads) {
  constexpr int kWarps = kErrorWalkThreads / kWarp;
  constexpr int kTileGroups = kWarps * kWarp;
  static_assert(kWarps <= kWarp);
  QC_BLOCK_SHARED RunMaps joined[2][kWarps];
  const ErrorPlane plane = plane_of(args, block_x());
  const int lane = static_cast<int>(thread_x() % kWarp);
  const int warp = static_cast<int>(thread_x() / kWarp);
  const auto join = [&](int tile, RunMaps* to) {
    const RunMaps all = join_lanes(RunMaps::of_group(plane, tile + warp * kWarp + lane));
    if (lane == kWarp - 1) to[warp] = all;
  };
  join(0, joined[0]);
  sync_block();
  float sum = 0;
  int current = 0;
  for (int tile = 0; tile < plane.groups; tile += kTileGroups) {
    if (warp == 0) {
      const RunMaps run = lane < kWarps ? joined[current][lane] : RunMaps{{}, kOnlyZeros};
      walk_runs(
          sum, [&](float s) { return run.map_of(s); },
          [&](int i, float& s) {
            const int first = tile + i * kWarp;
            const RunMaps own = RunMaps::of_group(plane, first + lane);
            walk_runs(
                s, [&](float t) { return own.map_of(t); }, [&](int g, float& t) { add_group(plane, first + g, t); });
          });
    }
    if (tile + kTileGroups < plane.groups) join(tile + kTileGroups, joined[1 - current]);
    sync_block();
    current = 1 - current;
  }
  if (thread_x() == 0) args.error[block_x()] = sum;
}

}  // namespace qc::cuda
