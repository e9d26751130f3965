#include "cuda/device/prelude.h"
//
#include <cstddef>

#include "cuda/cambi/cambi_contrasts.h"
#include "cuda/cambi/find_plane.h"

namespace qc::cuda {
namespace {

using namespace qc::device;

// A block keeps, for each column and level, how many pixels of the rows of the window have it. For each row of pixels
// it adds up those that are needed from left to right, four levels at once, so that the counts of a window are
// differences of two sums.
//
// Levels that occur near the block's pixels get slots, and so do those that they are compared with. If there are more
// than kCambiSlots, the block goes down its strip again for the next range of levels.

constexpr int kWarp = 32;
constexpr int kSegments = 8;             // of the columns, whose sums begin at 0 each
constexpr int kFours = kCambiSlots / 4;  // of levels
constexpr int kFoursAtOnce = 18;         // that sums are made of; a pixel may need 17
constexpr int kFoursOfWarp = kWarp / kSegments;
static_assert(kFours == kWarp, "a bit for each in a word");
constexpr int kLeastReach = 4;
constexpr int kPresenceWords = (kCambiMaxIndices + cambi::kMaxDifferences + 31) / 32;
constexpr uint32_t kNone = 0xffff;
constexpr uint32_t kAbsent = 0xff;
constexpr int kAtOnce = 8;  // rows that are fetched before they are counted

// 16 bits for each of four levels.
struct alignas(8) Quad {
  uint32_t low;
  uint32_t high;
};

// Of four levels. The size keeps a column in the same memory bank, whatever the level.
template <int kColumns>
struct alignas(128) Sums {
  Quad before[kColumns / 2 + 2];  // at even columns: pixels of the columns before, in the segment
  Quad segment[kSegments + 1];    // pixels of the segments before
};

template <int kColumns>
struct Shared {
  Sums<kColumns> sums[kFoursAtOnce];
  uint32_t counts[kFours][kColumns];  // a byte for each of four levels
  // A bit a level: present, and with a slot.
  uint32_t present[kPresenceWords];
  uint32_t slotted[kPresenceWords];
  uint16_t rank[kPresenceWords + 1];  // levels with a slot before each word
  uint8_t slot[kCambiMaxIndices];
  uint32_t needed[3];  // fours of levels that the pixels of a row need, a bit each
  uint32_t active;
  int end;  // first level that is not the pixels' own in this descent
};

// What a block works on.
struct Strip {
  const uint16_t* indices;  // of the row 0, in the thread's column
  int64_t pitch;
  int height;
  bool inside;  // the thread's column is one of the plane
  int core;     // columns whose contrast values the block makes
  int top;      // rows likewise
  int bottom;
};

// The index of the thread's column; kNone outside the plane.
QC_DEVICE uint32_t index_at(const Strip& strip, int y) {
  return strip.inside && y >= 0 && y < strip.height ? strip.indices[y * strip.pitch] : kNone;
}

template <int kColumns>
QC_DEVICE void count(Shared<kColumns>& shared, uint32_t index, uint32_t change) {
  if (index == kNone) return;
  const uint32_t slot = shared.slot[index];
  if (slot == kAbsent) return;
  auto* four = reinterpret_cast<uint8_t*>(&shared.counts[slot / 4][thread_x()]);
  four[slot % 4] = static_cast<uint8_t>(four[slot % 4] + change);
}

// Calls take(index, y) for the thread's column.
template <class Take>
QC_DEVICE void for_each_row(const Strip& strip, int first, int last, Take take) {
  for (int y = first; y < last; y += kAtOnce) {
    uint32_t index[kAtOnce];
    QC_UNROLL
    for (int i = 0; i < kAtOnce; ++i) index[i] = y + i < last ? index_at(strip, y + i) : kNone;
    QC_UNROLL
    for (int i = 0; i < kAtOnce; ++i) take(index[i], y + i);
  }
}

// Adds the counts of two columns to sums of 16 bits. Two counts of a byte stay below 256 unless the window is wide.
template <bool kWide>
QC_DEVICE void add_columns(Quad& sum, uint32_t a, uint32_t b) {
  constexpr uint32_t kLow = 0x4140;
  constexpr uint32_t kHigh = 0x4342;
  if (kWide) {
    sum.low += select_bytes(a, 0, kLow) + select_bytes(b, 0, kLow);
    sum.high += select_bytes(a, 0, kHigh) + select_bytes(b, 0, kHigh);
  } else {
    sum.low += select_bytes(a + b, 0, kLow);
    sum.high += select_bytes(a + b, 0, kHigh);
  }
}

// Sums of the fours in `needed`, at most kFoursAtOnce, one after the other; a segment a lane.
template <int kColumns>
QC_DEVICE void add_up(Shared<kColumns>& shared, uint32_t needed) {
  constexpr int kSegment = kColumns / kSegments;
  constexpr bool kWide = kColumns == kCambiWideColumns;
  static_assert(kSegment % 8 == 4, "lanes that are served at once reach different banks");
  const auto lane = static_cast<int>(thread_x() % kWarp);
  const int segment = lane % kSegments;
  const int count = count_ones(needed);
  const int rank = needed >> lane & 1U ? count_ones(needed & ((1U << lane) - 1)) : -1;
  for (int first = static_cast<int>(thread_x()) / kWarp * kFoursOfWarp; first < count;
       first += kColumns / kWarp * kFoursOfWarp) {
    int four = 0;
    QC_UNROLL
    for (int i = 0; i < kFoursOfWarp; ++i) {
      const uint32_t found = ballot(rank == first + i);
      if (found && lane / kSegments == i) four = trailing_zeros(found);
    }
    const int place = first + lane / kSegments < count ? first + lane / kSegments : count - 1;
    Sums<kColumns>& sums = shared.sums[place];
    const uint32_t* counts = shared.counts[four] + segment * kSegment;
    Quad* before = sums.before + segment * kSegment / 2;
    const bool own = first + lane / kSegments < count;
    Quad sum{0, 0};
    QC_UNROLL
    for (int i = 0; i < kSegment; i += 4) {
      const Vector16 columns = load16(counts + i);
      const Quad here = sum;
      add_columns<kWide>(sum, columns.word[0], columns.word[1]);
      if (own) store16(before + i / 2, {{here.low, here.high, sum.low, sum.high}});
      add_columns<kWide>(sum, columns.word[2], columns.word[3]);
    }
    Quad all = sum;
    QC_UNROLL
    for (int distance = 1; distance < kSegments; distance *= 2) {
      const uint32_t low = shuffle_up(all.low, distance);
      const uint32_t high = shuffle_up(all.high, distance);
      if (segment >= distance) {
        all.low += low;
        all.high += high;
      }
    }
    if (!own) continue;
    sums.segment[segment] = {all.low - sum.low, all.high - sum.high};
    if (segment == kSegments - 1) sums.segment[kSegments] = all;
  }
}

// Where to find the sums of the window of the thread's pixel.
template <int kColumns>
struct Window {
  // Sums are there for even columns: one of a window's ends lies one column after such.
  QC_DEVICE Window(int column, int pad) {
    constexpr int kSegment = kColumns / kSegments;
    const int last = column + 2 * pad;
    const int left = column & ~1;
    const int right = (last + 1) & ~1;
    left_sum = static_cast<uint32_t>(offsetof(Sums<kColumns>, before) + sizeof(Quad) * (left / 2));
    right_sum = static_cast<uint32_t>(offsetof(Sums<kColumns>, before) + sizeof(Quad) * (right / 2));
    left_segment = static_cast<uint32_t>(offsetof(Sums<kColumns>, segment) + sizeof(Quad) * (left / kSegment));
    right_segment = static_cast<uint32_t>(offsetof(Sums<kColumns>, segment) + sizeof(Quad) * (right / kSegment));
    odd = column % 2 ? left : last;
    sign = column % 2 ? ~0U : 1U;
  }
  uint32_t left_sum;
  uint32_t right_sum;
  uint32_t left_segment;
  uint32_t right_segment;
  int odd;
  uint32_t sign;  // of the odd column's counts

  // Of four levels, by their counts and sums.
  QC_DEVICE Quad counts(const uint32_t (&columns)[kColumns], const Sums<kColumns>& sums) const {
    const Quad left = at(sums, left_sum);
    const Quad right = at(sums, right_sum);
    const Quad before_left = at(sums, left_segment);
    const Quad before_right = at(sums, right_segment);
    const uint32_t column = columns[odd];
    return {right.low - left.low + before_right.low - before_left.low + sign * select_bytes(column, 0, 0x4140),
            right.high - left.high + before_right.high - before_left.high + sign * select_bytes(column, 0, 0x4342)};
  }

 private:
  QC_DEVICE static const Quad& at(const Sums<kColumns>& sums, uint32_t offset) {
    return *reinterpret_cast<const Quad*>(reinterpret_cast<const uint8_t*>(&sums) + offset);
  }
};

QC_DEVICE int larger(int a, int b) { return a < b ? b : a; }

QC_DEVICE void take_larger(float& largest, int difference, int own, int other, const float* reciprocals) {
  const float value = cambi::contrast(cambi::contrast_weight(difference), own, other, reciprocals[own + other]);
  largest = largest < value ? value : largest;
}

// Counts of levels from four below a pixel's own level to four above it, in pairs.
struct Neighbourhood {
  uint32_t pair[5];
  // Level v + d for d = -4 … 4, a constant.
  QC_DEVICE int count(int d) const { return static_cast<int>(pair[(d + 4) / 2] >> (16 * ((d + 4) % 2)) & 0xffffU); }
};

// The sums are those of the fours in `needed`.
template <int kColumns>
QC_DEVICE Neighbourhood neighbourhood(const Shared<kColumns>& shared, uint32_t needed, uint32_t slot,
                                      const Window<kColumns>& window) {
  const uint32_t which = slot % 4;
  const uint32_t four = slot / 4;
  const int place = count_ones(needed & ((1U << four) - 1));
  const Quad below = window.counts(shared.counts[four - 1], shared.sums[place - 1]);
  const Quad own = window.counts(shared.counts[four], shared.sums[place]);
  const Quad above = window.counts(shared.counts[four + 1], shared.sums[place + 1]);
  // From four below the first of the own row's on.
  const bool by_two = (which & 2U) != 0;
  const uint32_t pairs[5] = {by_two ? below.high : below.low, by_two ? own.low : below.high,
                             by_two ? own.high : own.low, by_two ? above.low : own.high,
                             by_two ? above.high : above.low};
  const uint32_t next = above.high;
  const uint32_t by_one = which & 1U ? 0x5432 : 0x3210;
  Neighbourhood n;
  QC_UNROLL
  for (int i = 0; i < 4; ++i) n.pair[i] = select_bytes(pairs[i], pairs[i + 1], by_one);
  n.pair[4] = select_bytes(pairs[4], next, by_one);
  return n;
}

// Count of one level.
template <int kColumns>
QC_DEVICE int count_of(const Shared<kColumns>& shared, uint32_t needed, uint32_t slot, const Window<kColumns>& window) {
  if (slot == kAbsent) return 0;
  const uint32_t four = slot / 4;
  const Quad counts = window.counts(shared.counts[four], shared.sums[count_ones(needed & ((1U << four) - 1))]);
  return static_cast<int>((slot & 2U ? counts.high : counts.low) >> (16 * (slot & 1U)) & 0xffffU);
}

// The lowest bits, up to kFoursAtOnce.
QC_DEVICE uint32_t lowest(uint32_t bits) {
  if (count_ones(bits) <= kFoursAtOnce) return bits;
  uint32_t rest = bits;
  for (int i = 0; i < kFoursAtOnce; ++i) rest &= rest - 1;
  return bits & ~rest;
}

template <int kColumns>
QC_DEVICE void contrasts(const CambiContrastArgs& args) {
  QC_BLOCK_SHARED Shared<kColumns> shared;
  const CambiPlane plane = find_plane(args.planes, [](const CambiPlane& p, int) { return p.first_block; });
  const auto thread = static_cast<int>(thread_x());
  const int number = static_cast<int>(block_x()) - plane.first_block;
  const int part = number % plane.parts;
  const int block = number / plane.parts;
  const int pad = plane.pad;
  const int differences = args.differences;
  const int reach = differences < kLeastReach ? kLeastReach : differences;
  Strip strip;
  strip.core = kColumns - 2 * pad;
  strip.height = plane.height;
  strip.pitch = plane.pitch;
  const int left = block % plane.strips * strip.core;
  const int column = left - pad + thread;
  strip.inside = column >= 0 && column < plane.width;
  strip.indices = plane.indices + column;
  strip.top = block / plane.strips * plane.band;
  strip.bottom = strip.top + plane.band < plane.height ? strip.top + plane.band : plane.height;
  const int x = left + thread;
  const bool inside = thread < strip.core && x < plane.width;
  const auto range = static_cast<uint32_t>(args.indices - 2 * differences);
  // Whether a pixel can have contrast.
  const auto counts = [&](uint32_t index) { return index - static_cast<uint32_t>(differences) < range; };

  // Which levels there are, and whether any pixel of the core can have contrast.
  for (int i = thread; i < kPresenceWords; i += kColumns) shared.present[i] = 0;
  if (thread == 0) shared.active = 0;
  sync_block();
  // Bits of a word gather here first.
  uint32_t word = 0;
  uint32_t bits = 0;
  bool active = false;
  const auto note = [&](uint32_t index, int) {
    if (index == kNone) return;
    active = active || counts(index);
    if (index / 32 != word) {
      if (bits) atomic_or(&shared.present[word], bits);
      word = index / 32;
      bits = 0;
    }
    bits |= 1U << (index % 32);
  };
  for_each_row(strip, strip.top, strip.bottom, note);
  if (active && thread >= pad && thread < pad + strip.core) atomic_or(&shared.active, 1);
  sync_block();
  uint32_t* const out = plane.contrasts + x;
  if (!shared.active) {
    if (part == 0 && inside)
      for (int y = strip.top; y < strip.bottom; ++y) out[int64_t{y} * plane.width] = 0;
    return;
  }
  for_each_row(strip, strip.top - pad, strip.top, note);
  for_each_row(strip, strip.bottom, strip.bottom + pad, note);
  if (bits) atomic_or(&shared.present[word], bits);
  sync_block();
  if (thread < kPresenceWords) {
    // `reach` levels above each present one, too, so that levels beside each other have slots beside each other.
    uint64_t two = uint64_t{shared.present[thread]} << 32 | (thread > 0 ? shared.present[thread - 1] : 0U);
    for (int done = 1; done <= reach; done *= 2) two |= two << (2 * done <= reach ? done : reach - done + 1);
    shared.slotted[thread] = static_cast<uint32_t>(two >> 32);
  }
  sync_block();
  if (thread <= kPresenceWords) {
    int before = 0;
    for (int i = 0; i < thread; ++i) before += count_ones(shared.slotted[i]);
    shared.rank[thread] = static_cast<uint16_t>(before);
  }
  const Window<kColumns> window(thread < strip.core ? thread : 0, pad);
  sync_block();
  const auto rank_of = [&](int index) {
    return shared.rank[index / 32] + count_ones(shared.slotted[index / 32] & ((1U << (index % 32)) - 1));
  };

  // Levels from `begin` on are the pixels' own ones in this descent.
  int begin = 0;
  for (int descent = 0;; ++descent) {
    const int first_rank = rank_of(begin) - reach;
    if (thread == 0) shared.end = args.indices;
    if (thread < 3) shared.needed[thread] = 0;
    sync_block();
    for (int index = thread; index < args.indices; index += kColumns) {
      const int slot = rank_of(index) - first_rank;
      const bool slotted = (shared.slotted[index / 32] >> (index % 32) & 1U) != 0;
      shared.slot[index] =
          slotted && slot >= 0 && slot < kCambiSlots ? static_cast<uint8_t>(slot) : static_cast<uint8_t>(kAbsent);
      if (slotted && slot == kCambiSlots - reach) shared.end = index;
    }
    const int left_over = shared.rank[kPresenceWords] - first_rank;
    const int slots = left_over < kCambiSlots ? left_over : kCambiSlots;
    const int fours = (slots + 3) / 4;
    sync_block();
    const int end = shared.end;
    const auto in_descent = [&](uint32_t index) {
      return counts(index) && static_cast<int>(index) >= begin && static_cast<int>(index) < end;
    };
    if (descent % plane.parts == part) {
      // The thread's own column, which nobody else counts.
      for (int i = 0; i < fours; ++i) shared.counts[i][thread] = 0;
      if (thread < kFoursAtOnce) shared.sums[thread].before[kColumns / 2] = {0, 0};
      for_each_row(strip, strip.top - pad, strip.top + pad + 1, [&](uint32_t index, int) { count(shared, index, 1); });
      const uint16_t* own = plane.indices + x;
      // Fours of levels that a pixel of the descent needs, else none. Notes them for the row.
      const auto need = [&](uint32_t index, int turn) {
        uint32_t fours_of_pixel = 0;
        if (in_descent(index)) {
          const uint32_t slot = shared.slot[index];
          const uint32_t span = static_cast<uint32_t>(reach) / 2 + 1;
          fours_of_pixel = ((1U << span) - 1) << (slot / 4 - static_cast<uint32_t>(reach) / 4);
        }
        if (thread / kWarp * kWarp < strip.core) {
          uint32_t of_warp = fours_of_pixel;
          for (int mask = 16; mask > 0; mask /= 2) of_warp |= shuffle_xor(of_warp, mask);
          if (of_warp && thread % kWarp == 0) atomic_or(&shared.needed[turn], of_warp);
        }
        return fours_of_pixel;
      };
      uint32_t index = inside ? own[strip.top * strip.pitch] : kNone;
      uint32_t fours_of_pixel = need(index, 0);
      int turn = 0;
      for (int y = strip.top; y < strip.bottom; ++y) {
        const int next_turn = turn == 2 ? 0 : turn + 1;
        const bool last = y + 1 == strip.bottom;
        const uint32_t entering = last ? kNone : index_at(strip, y + pad + 1);
        const uint32_t leaving = last ? kNone : index_at(strip, y - pad);
        const uint32_t next_index = last || !inside ? kNone : own[(y + 1) * strip.pitch];
        sync_block();
        uint32_t needed = shared.needed[turn];
        if (thread == 0) shared.needed[next_turn == 2 ? 0 : next_turn + 1] = 0;
        float largest = 0;
        while (needed) {
          const uint32_t now = lowest(needed);
          const uint32_t later = needed & ~now;
          add_up(shared, now);
          sync_block();
          const bool own_turn = fours_of_pixel && !(fours_of_pixel & ~now);
          if (differences <= kLeastReach) {
            Neighbourhood n{};
            if (own_turn) n = neighbourhood(shared, now, shared.slot[index], window);
            sync_block();
            if (own_turn) {
              const int first = args.first_difference[index];
              QC_UNROLL
              for (int d = 1; d <= kLeastReach; ++d)
                if (d >= first && d <= differences)
                  take_larger(largest, d, n.count(0), larger(n.count(d), n.count(-d)), args.reciprocals);
            }
          } else {
            if (own_turn) {
              const int mine = count_of(shared, now, shared.slot[index], window);
              for (int d = args.first_difference[index]; d <= differences; ++d) {
                const int above = count_of(shared, now, shared.slot[static_cast<int>(index) + d], window);
                const int below = count_of(shared, now, shared.slot[static_cast<int>(index) - d], window);
                take_larger(largest, d, mine, larger(above, below), args.reciprocals);
              }
            }
            sync_block();
          }
          // Pixels that are left need none of the fours further down.
          needed = later ? needed & ~0U << (trailing_zeros(later) - reach / 2) : 0;
        }
        if (inside && (fours_of_pixel || (descent == 0 && !counts(index))))
          out[int64_t{y} * plane.width] = __builtin_bit_cast(uint32_t, largest);
        if (entering != leaving) {
          count(shared, entering, 1);
          count(shared, leaving, ~0U);
        }
        index = next_index;
        fours_of_pixel = need(index, next_turn);
        turn = next_turn;
      }
    }
    if (end == args.indices) break;
    begin = end;
    sync_block();
  }
}

}  // namespace

QC_KERNEL_RESIDENT(qc_cambi_contrasts, CambiContrastArgs, kCambiColumns, 6) { contrasts<kCambiColumns>(args); }
QC_KERNEL_RESIDENT(qc_cambi_wide_contrasts, CambiContrastArgs, kCambiWideColumns, 4) {
  contrasts<kCambiWideColumns>(args);
}

}  // namespace qc::cuda
