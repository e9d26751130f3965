#include "cuda/device/prelude.h"
//
#include "cuda/cambi/cambi_contrasts.h"
#include "cuda/cambi/find_plane.h"

namespace qc::cuda {
namespace {

using namespace qc::device;

// A block keeps, for each column and level, how many pixels of the rows of the window have it. Counts of a window are
// sums over columns: a warp takes them for 64 neighbouring pixels at once, from the first one's by what enters and
// leaves as the window moves right.
//
// Only levels that occur near the block's pixels get counts. If there are more of them than slots, the block goes
// down its strip again for the next range of levels.

constexpr int kWarp = 32;
constexpr int kColumnWords = kCambiColumns / 4;
constexpr int kPresenceWords = (kCambiMaxIndices + 31) / 32;
constexpr uint8_t kAbsent = 0xff;
constexpr uint16_t kNone = 0xffff;
constexpr uint32_t kNonePair = 0xffffffff;

struct Shared {
  uint32_t counts[kCambiSlots][kColumnWords];  // a byte a column
  uint32_t present[kPresenceWords];            // a bit a level
  uint16_t rank[kPresenceWords + 1];           // present levels before each word
  uint8_t slot[kCambiMaxIndices];
  uint32_t active;
  int end;  // first level that got no slot
};

// What all threads of a block agree on.
struct Strip {
  const uint16_t* indices;  // of the row 0, at the first column that counts
  int64_t pitch;
  int height;
  int pad;
  int core;  // columns whose contrast values the block makes
  int top;   // rows likewise
  int bottom;
};

// The indices of a thread's two columns.
QC_DEVICE uint32_t pair_at(const Strip& strip, int y) {
  return *reinterpret_cast<const uint32_t*>(strip.indices + y * strip.pitch + 2 * static_cast<int>(thread_x()));
}

QC_DEVICE void count(Shared& shared, uint32_t entering, uint32_t leaving) {
  auto* counts = reinterpret_cast<uint8_t*>(shared.counts);
  QC_UNROLL
  for (int i = 0; i < 2; ++i) {
    const uint32_t in = entering >> (16 * i) & 0xffffU;
    const uint32_t out = leaving >> (16 * i) & 0xffffU;
    if (in == out) continue;
    const int column = 2 * static_cast<int>(thread_x()) + i;
    if (in != kNone)
      if (const int slot = shared.slot[in]; slot != kAbsent) ++counts[slot * kCambiColumns + column];
    if (out != kNone)
      if (const int slot = shared.slot[out]; slot != kAbsent) --counts[slot * kCambiColumns + column];
  }
}

struct PairCounts {
  int first;
  int second;
};

// Counts of a level, whose slot all lanes pass, in the windows of pixels `column` and column + 1 of the core; `column`
// is twice the lane further right in each lane.
QC_DEVICE PairCounts window_counts(const Shared& shared, int slot, int column, int pad) {
  if (slot == kAbsent) return {0, 0};
  const uint32_t* row = shared.counts[slot];
  const auto lane = static_cast<int>(thread_x() % kWarp);
  // Two neighbouring columns, the first one even.
  const auto pair = [row](int c) { return row[c / 4] >> (8 * (c & 2)) & 0xffffU; };
  const auto both = [](uint32_t p) { return static_cast<int>((p & 0xffU) + (p >> 8)); };
  const int right = column + 2 * pad < kCambiColumns - 2 ? column + 2 * pad : kCambiColumns - 2;
  const uint32_t leaving = pair(column);
  const uint32_t entering = pair(right);
  const int change = both(entering) - both(leaving);
  // Sum over the first lane's first 2 pad columns, in all lanes together.
  int share = lane < pad ? both(leaving) : 0;
  for (int i = lane + kWarp; i < pad; i += kWarp) share += both(pair(column + 2 * (i - lane)));
  uint32_t running = (static_cast<uint32_t>(change) << 16) + static_cast<uint32_t>(share);
  QC_UNROLL
  for (int distance = 1; distance < kWarp; distance *= 2) {
    const uint32_t before = shuffle_up(running, distance);
    if (lane >= distance) running += before;
  }
  const int start = static_cast<int>(shuffle(running, kWarp - 1) & 0xffffU);
  // Of 2 pad columns from the own one on.
  const int own = start + (static_cast<int>(running) >> 16) - change;
  const auto in = static_cast<int>(entering & 0xffU);
  return {own + in, own + both(entering) - static_cast<int>(leaving & 0xffU)};
}

QC_DEVICE int larger(int a, int b) { return a < b ? b : a; }

// Pixels of two neighbouring columns.
struct PairValues {
  float first = 0;
  float second = 0;
};

QC_DEVICE void take_larger(float& largest, int weight, int own, int other, const float* reciprocals) {
  const float value = cambi::contrast(weight, own, other, reciprocals[own + other]);
  largest = largest < value ? value : largest;
}

}  // namespace

QC_KERNEL_RESIDENT(qc_cambi_contrasts, CambiContrastArgs, kCambiContrastThreads, 6) {
  QC_BLOCK_SHARED Shared shared;
  const CambiPlane plane = find_plane(args.planes, [](const CambiPlane& p, int) { return p.first_block; });
  const auto thread = static_cast<int>(thread_x());
  const int block = static_cast<int>(block_x()) - plane.first_block;
  const int pad = plane.pad;
  const int differences = args.differences;
  Strip strip;
  strip.pad = pad;
  strip.core = kCambiColumns - 2 * pad;
  strip.height = plane.height;
  strip.pitch = plane.pitch;
  const int left = block % plane.strips * strip.core;
  strip.indices = plane.indices + left;
  strip.top = block / plane.strips * plane.band;
  strip.bottom = strip.top + plane.band < plane.height ? strip.top + plane.band : plane.height;
  const auto counts_at = [&](uint32_t index) { return index - static_cast<uint32_t>(differences); };
  const auto range = static_cast<uint32_t>(args.indices - 2 * differences);

  // Which levels there are, and whether any pixel of the core can have contrast.
  for (int i = thread; i < kPresenceWords; i += kCambiContrastThreads) shared.present[i] = 0;
  if (thread == 0) shared.active = 0;
  sync_block();
  {
    const int first = strip.top > pad ? strip.top - pad : 0;
    const int last = strip.bottom + pad < plane.height ? strip.bottom + pad : plane.height;
    const bool in_core = 2 * thread + 1 >= pad && 2 * thread < pad + strip.core;
    // Bits of a word gather here first.
    uint32_t word = 0;
    uint32_t bits = 0;
    bool active = false;
    for (int y = first; y < last; ++y) {
      const uint32_t pair = pair_at(strip, y);
      QC_UNROLL
      for (int i = 0; i < 2; ++i) {
        const uint32_t index = pair >> (16 * i) & 0xffffU;
        if (index == kNone) continue;
        active = active || (in_core && y >= strip.top && y < strip.bottom && counts_at(index) < range);
        if (index / 32 != word) {
          if (bits) atomic_or(&shared.present[word], bits);
          word = index / 32;
          bits = 0;
        }
        bits |= 1U << (index % 32);
      }
    }
    if (bits) atomic_or(&shared.present[word], bits);
    if (active) atomic_or(&shared.active, 1);
  }
  sync_block();
  const int warp = thread / kWarp;
  const int lane = thread % kWarp;
  const int column = 2 * kWarp * warp + 2 * lane;
  const int x = left + column;
  const bool first_inside = column < strip.core && x < plane.width;
  const bool second_inside = column + 1 < strip.core && x + 1 < plane.width;
  if (!shared.active) {
    for (int y = strip.top; y < strip.bottom; ++y) {
      uint32_t* out = plane.contrasts + int64_t{y} * plane.width + x;
      if (first_inside) out[0] = 0;
      if (second_inside) out[1] = 0;
    }
    return;
  }
  if (thread <= kPresenceWords) {
    int before = 0;
    for (int i = 0; i < thread; ++i) before += count_ones(shared.present[i]);
    shared.rank[thread] = static_cast<uint16_t>(before);
  }
  sync_block();
  const auto is_present = [&](int index) { return (shared.present[index / 32] >> (index % 32) & 1U) != 0; };
  const auto rank_of = [&](int index) {
    return shared.rank[index / 32] + count_ones(shared.present[index / 32] & ((1U << (index % 32)) - 1));
  };

  // Levels from `begin` on are the pixels' own ones in this descent.
  for (int begin = 0;;) {
    const int first_neighbour = begin > differences ? begin - differences : 0;
    const int first_rank = rank_of(first_neighbour);
    if (thread == 0) shared.end = args.indices;
    sync_block();
    for (int index = thread; index < args.indices; index += kCambiContrastThreads) {
      const int slot = rank_of(index) - first_rank;
      const bool present = is_present(index);
      shared.slot[index] = present && slot >= 0 && slot < kCambiSlots ? static_cast<uint8_t>(slot) : kAbsent;
      if (present && slot == kCambiSlots) shared.end = index;
    }
    const int left_over = shared.rank[kPresenceWords] - first_rank;
    const int slots = left_over < kCambiSlots ? left_over : kCambiSlots;
    for (int i = thread; i < slots * kColumnWords; i += kCambiContrastThreads)
      shared.counts[i / kColumnWords][i % kColumnWords] = 0;
    sync_block();
    const bool last_descent = shared.end == args.indices;
    const int end = last_descent ? args.indices : shared.end - differences;
    for (int y = strip.top > pad ? strip.top - pad : 0; y <= strip.top + pad && y < plane.height; ++y)
      count(shared, pair_at(strip, y), kNonePair);

    for (int y = strip.top; y < strip.bottom; ++y) {
      const uint32_t entering = y + pad + 1 < plane.height ? pair_at(strip, y + pad + 1) : kNonePair;
      const uint32_t leaving = y >= pad ? pair_at(strip, y - pad) : kNonePair;
      const uint16_t* own = strip.indices + y * strip.pitch + pad + column;
      const uint32_t first_index = first_inside ? own[0] : kNone;
      const uint32_t second_index = second_inside ? own[1] : kNone;
      const auto in_descent = [&](uint32_t index) {
        return counts_at(index) < range && static_cast<int>(index) >= begin && static_cast<int>(index) < end;
      };
      const bool first_counts = in_descent(first_index);
      const bool second_counts = in_descent(second_index);
      bool first_open = first_counts;
      bool second_open = second_counts;
      PairValues values;
      sync_block();
      while (const uint32_t open = ballot(first_open || second_open)) {
        const auto index = static_cast<int>(shuffle(first_open ? first_index : second_index, trailing_zeros(open)));
        const bool first_is = first_open && static_cast<int>(first_index) == index;
        const bool second_is = second_open && static_cast<int>(second_index) == index;
        const PairCounts mine = window_counts(shared, shared.slot[index], column, pad);
        for (int d = args.first_difference[index]; d <= differences; ++d) {
          const PairCounts above = window_counts(shared, shared.slot[index + d], column, pad);
          const PairCounts below = window_counts(shared, shared.slot[index - d], column, pad);
          const int weight = cambi::contrast_weight(d);
          if (first_is)
            take_larger(values.first, weight, mine.first, larger(above.first, below.first), args.reciprocals);
          if (second_is)
            take_larger(values.second, weight, mine.second, larger(above.second, below.second), args.reciprocals);
        }
        first_open = first_open && !first_is;
        second_open = second_open && !second_is;
      }
      uint32_t* out = plane.contrasts + int64_t{y} * plane.width + x;
      if (first_inside && (first_counts || begin == 0)) out[0] = __builtin_bit_cast(uint32_t, values.first);
      if (second_inside && (second_counts || begin == 0)) out[1] = __builtin_bit_cast(uint32_t, values.second);
      sync_block();
      if (y + 1 < strip.bottom) count(shared, entering, leaving);
    }
    if (last_descent) break;
    begin = end;
    sync_block();
  }
}

}  // namespace qc::cuda
