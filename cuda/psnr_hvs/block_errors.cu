#include "cuda/device/prelude.h"
//
#include "cuda/device/prefix_sums.h"
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

// The samples of a group are at most a row of blocks; later the same memory holds the coefficients.
constexpr int kTileColumns = kGroupBlocks * kBlockStep + 1;
constexpr int kTileSamples = kBlock * kTileColumns;
static_assert(2 * kTileSamples <= 2 * kGroupTerms);

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
  const int left = first * kBlockStep;
  const int blocks = args.out.blocks_across - first < kGroupBlocks ? args.out.blocks_across - first : kGroupBlocks;
  const PairView& pair = args.frame->current;

  // Each picture's warp reads its rows.
  const PlaneView& plane = (picture ? pair.distorted : pair.reference).plane[args.plane];
  const int columns = blocks * kBlockStep + 1;
  for (int y = 0; y < kBlock; ++y)
    for (int x = lane; x < columns; x += kWarp)
      shared[picture * kTileSamples + y * kTileColumns + x] =
          static_cast<int32_t>(plane.at(left + x, row * kBlockStep + y));
  sync_block();

  Int block[kBlockTerms];
  const int32_t* corner = shared + picture * kTileSamples + (lane < blocks ? lane : 0) * kBlockStep;
  QC_UNROLL
  for (int i = 0; i < kBlockTerms; ++i) block[i] = corner[i / kBlock * kTileColumns + i % kBlock];
  sync_block();
  shared_threshold[picture][lane] = masking_threshold<kWide>(block, args.weights.mask);
  QC_UNROLL
  for (int i = 0; i < kBlockTerms; ++i) shared[picture * kGroupTerms + i * kGroupBlocks + lane] = block[i];
  sync_block();

  // The two threads of a block share its terms.
  const float threshold = greater_of(shared_threshold[1][lane], shared_threshold[0][lane]);
  float* terms = args.out.terms + int64_t{group} * kGroupTerms;
  double sum = 0;
  for (int i = picture * (kBlockTerms / 2); i < (picture + 1) * (kBlockTerms / 2); ++i) {
    const int at = i * kGroupBlocks + lane;
    const float term =
        lane < blocks ? error_term(shared[at], shared[kGroupTerms + at], threshold, args.weights, i) : 0.0F;
    terms[at] = term;
    sum += static_cast<double>(term);
  }
  sum = block_sum<kBlockErrorThreads>(sum);
  if (thread == 0) args.out.group_sum[group] = sum;
}

// Adds terms that are not negative to the map of a run, in one binade.
class MapMaker {
 public:
  QC_DEVICE MapMaker(int exponent, bool usable) : usable_(usable), scale_(1.0F), more_scale_(1.0F) {
    // 2^(23 - exponent) in two steps, for it may be beyond float32.
    const int shift = usable ? 23 - exponent : 0;
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
  bool usable_;
  float scale_;
  float more_scale_;
};

// Maps of consecutive runs in the lanes of a warp: each becomes the map from the first run to its own.
QC_DEVICE Map scan_warp(Map map) {
  const int lane = static_cast<int>(thread_x() % kWarp);
  for (int distance = 1; distance < kWarp; distance *= 2) {
    const Map before = shuffle_up(map, distance);
    if (lane >= distance) map = compose(before, map);
  }
  return map;
}

// True if maps can be applied to the sum: it is a normal number, and positive.
QC_DEVICE bool in_binade(float sum) { return contains(binade_of(sum), sum); }

// Applies as many of the lanes' maps to the sum as hold for it; returns how many.
QC_DEVICE int apply_maps(const Map& own, float& sum) {
  const Map map = scan_warp(own);
  const FloatParts<float> parts(sum);
  const int k = in_binade(sum) ? parts.significand() : 0;
  // Outside a binade only runs of zeros hold.
  const bool holds = in_binade(sum) ? map.valid_at(k) : map.increment[0] == 0 && map.increment[1] == 0;
  int count = holds ? 1 : 0;
  for (int mask = kWarp / 2; mask > 0; mask /= 2) count += shuffle_xor(count, mask);
  const Map last = shuffle(map, count > 0 ? count - 1 : 0);
  if (count > 0) sum = __builtin_bit_cast(float, parts.bits + static_cast<uint32_t>(last.increment[k & 1]));
  return count;
}

// Adds the terms of a group, in shared memory, to the sum.
QC_DEVICE float add_group(const float* terms, float sum) {
  const int lane = static_cast<int>(thread_x() % kWarp);
  for (int block = 0; block < kGroupBlocks;) {
    Map map = Map::identity();
    if (lane >= block) {
      const bool usable = in_binade(sum);
      MapMaker maker(FloatParts<float>(sum).exponent(), usable);
      bool zeros = true;
      for (int i = 0; i < kBlockTerms; ++i) {
        const float term = terms[i * kGroupBlocks + lane];
        zeros = zeros && term == 0;
        maker.add(term);
      }
      if (!zeros) map = maker.map();
    }
    block = apply_maps(map, sum);
    if (block == kGroupBlocks) break;
    for (int i = 0; i < kBlockTerms; ++i) sum += terms[i * kGroupBlocks + block];
    ++block;
  }
  return sum;
}

}  // namespace

QC_KERNEL(qc_block_errors, BlockErrorsArgs, kBlockErrorThreads) { block_errors<false>(args); }
QC_KERNEL(qc_wide_block_errors, BlockErrorsArgs, kBlockErrorThreads) { block_errors<true>(args); }

QC_KERNEL(qc_error_guesses, ErrorSumArgs, kErrorGuessThreads) {
  const ErrorPlane& plane = args.plane[block_x()];
  prefix_sums<kErrorGuessThreads>(plane.group_sum, plane.groups, [&](int group, double sum) {
    plane.exponent[group] = binade_of(static_cast<float>(sum)).exponent - kBinadesBelow;
  });
}

QC_KERNEL(qc_error_maps, ErrorSumArgs, kErrorMapThreads) {
  const ErrorPlane& plane = args.plane[block_y()];
  const int lane = static_cast<int>(thread_x() % kWarp);
  const int group = static_cast<int>(block_x() * (kErrorMapThreads / kWarp) + thread_x() / kWarp);
  // The same for the whole warp.
  if (group >= plane.groups || plane.group_sum[group] == 0) return;
  const int lowest = plane.exponent[group];
  const auto maker = [&](int i) { return MapMaker(lowest + i, lowest + i > -127 && lowest + i < 128); };
  MapMaker makers[kBinades] = {maker(0), maker(1), maker(2), maker(3)};
  static_assert(kBinades == 4);
  const float* terms = plane.terms + int64_t{group} * kGroupTerms + lane;
  for (int i = 0; i < kBlockTerms; ++i) {
    const float term = terms[i * kGroupBlocks];
    QC_UNROLL
    for (int b = 0; b < kBinades; ++b) makers[b].add(term);
  }
  QC_UNROLL
  for (int b = 0; b < kBinades; ++b) {
    const Map map = scan_warp(makers[b].map());
    if (lane == kWarp - 1) plane.map[group * kBinades + b] = map;
  }
}

QC_KERNEL(qc_error_walk, ErrorSumArgs, kErrorWalkThreads) {
  QC_BLOCK_SHARED float terms[kGroupTerms];
  const ErrorPlane& plane = args.plane[block_x()];
  const int lane = static_cast<int>(thread_x());
  float sum = 0;
  for (int group = 0; group < plane.groups;) {
    Map map = Map::identity();
    const int own = group + lane;
    if (own < plane.groups && plane.group_sum[own] != 0) {
      const int binade = FloatParts<float>(sum).exponent() - plane.exponent[own];
      map = in_binade(sum) && binade >= 0 && binade < kBinades ? plane.map[own * kBinades + binade]
                                                               : Map{{Map::kLimit, Map::kLimit}};
    }
    const int applied = apply_maps(map, sum);
    group += applied;
    if (applied == kWarp || group >= plane.groups) continue;
    for (int i = lane; i < kGroupTerms; i += kWarp) terms[i] = plane.terms[int64_t{group} * kGroupTerms + i];
    sync_warp();
    sum = add_group(terms, sum);
    sync_warp();
    ++group;
  }
  if (lane == 0) args.record->error[block_x()] = sum;
}

}  // namespace qc::cuda
