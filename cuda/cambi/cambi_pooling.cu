#include "cuda/device/prelude.h"
//
#include "cuda/cambi/cambi_pooling.h"
#include "cuda/cambi/find_plane.h"

namespace qc::cuda {
namespace {

using namespace qc::device;

// 0 only for the value 0.
QC_DEVICE uint32_t class_of(uint32_t value) {
  const uint32_t c = value >> kCambiBinBits;
  return c < kCambiFirstClass ? 0 : c - kCambiFirstClass + 1;
}

// A value, not 0, in units of 2^-24.
QC_DEVICE uint64_t units(uint32_t value) { return uint64_t{(value & 0x7fffffU) | 0x800000U} << ((value >> 23) - 126); }

// Calls take(value, how often) for the values of the block's chunk, where neighbours that are equal may come as one.
template <class Take>
QC_DEVICE void for_each_value(const CambiPlane& plane, Take take) {
  const int64_t count = int64_t{plane.width} * plane.height;
  const int64_t begin = int64_t{static_cast<int>(block_x()) - plane.first_chunk} * kCambiChunk;
  const int64_t end = begin + kCambiChunk < count ? begin + kCambiChunk : count;
  for (int64_t i = begin + 4 * int64_t{thread_x()}; i < end; i += 4 * kCambiPoolThreads) {
    if (i + 4 > end) {
      for (int64_t k = i; k < end; ++k) take(plane.contrasts[k], 1U);
      continue;
    }
    const Vector16 four = load16(plane.contrasts + i);
    uint32_t value = four.word[0];
    uint32_t equal = 1;
    QC_UNROLL
    for (int k = 1; k < 4; ++k) {
      if (four.word[k] == value) {
        ++equal;
      } else {
        take(value, equal);
        value = four.word[k];
        equal = 1;
      }
    }
    take(value, equal);
  }
}

QC_DEVICE CambiPlane plane_of_chunk(const CambiPoolArgs& args) {
  return find_plane(args.planes, [](const CambiPlane& p, int) { return p.first_chunk; });
}

QC_DEVICE CambiPlane plane_of_block(const CambiPoolArgs& args) {
  return find_plane(args.planes, [](const CambiPlane&, int number) { return number; });
}

// How often each value of a descending list occurs, `kPer` a thread: calls found(i, before) in the thread and at the
// item with which the running sum reaches `wanted`, if it does; `before` is the sum without that item.
template <int kPer, class Count, class Found>
QC_DEVICE void reach(uint32_t wanted, Count count, Found found) {
  QC_BLOCK_SHARED uint32_t totals[kCambiChoiceThreads];
  const auto thread = static_cast<int>(thread_x());
  uint32_t total = 0;
  for (int i = 0; i < kPer; ++i) total += count(thread * kPer + i);
  totals[thread] = total;
  sync_block();
  for (int distance = 1; distance < kCambiChoiceThreads; distance *= 2) {
    const uint32_t before = thread >= distance ? totals[thread - distance] : 0;
    sync_block();
    totals[thread] += before;
    sync_block();
  }
  uint32_t sum = totals[thread] - total;
  if (sum >= wanted || totals[thread] < wanted) return;
  for (int i = thread * kPer;; ++i) {
    const uint32_t own = count(i);
    if (sum + own >= wanted) return found(i, sum);
    sum += own;
  }
}

}  // namespace

QC_KERNEL(qc_cambi_class_counts, CambiPoolArgs, kCambiPoolThreads) {
  // Two classes a word.
  constexpr int kWords = (kCambiClasses + 1) / 2;
  QC_BLOCK_SHARED uint32_t counts[kWords];
  const CambiPlane plane = plane_of_chunk(args);
  const auto thread = static_cast<int>(thread_x());
  for (int i = thread; i < kWords; i += kCambiPoolThreads) counts[i] = 0;
  sync_block();
  for_each_value(plane, [&](uint32_t value, uint32_t times) {
    if (const uint32_t c = class_of(value)) atomic_add(&counts[c / 2], times << (16 * (c % 2)));
  });
  sync_block();
  uint32_t* total = plane.selection->classes;
  for (int i = thread; i < kWords; i += kCambiPoolThreads) {
    const uint32_t two = counts[i];
    if (two & 0xffffU) atomic_add(&total[2 * i], two & 0xffffU);
    if (two >> 16) atomic_add(&total[2 * i + 1], two >> 16);
  }
}

QC_KERNEL(qc_cambi_choice, CambiPoolArgs, kCambiChoiceThreads) {
  const CambiPlane plane = plane_of_block(args);
  CambiSelection* selection = plane.selection;
  constexpr int kPer = (kCambiClasses + kCambiChoiceThreads - 1) / kCambiChoiceThreads;
  const auto class_at = [](int i) { return kCambiClasses - 1 - i; };
  // Where fewer values are greater than 0, class 0 stays chosen, whose values don't add anything.
  reach<kPer>(
      plane.pooled, [&](int i) { return i < kCambiClasses ? selection->classes[class_at(i)] : 0U; },
      [&](int i, uint32_t before) {
        selection->chosen = static_cast<uint32_t>(class_at(i));
        selection->remaining = plane.pooled - before;
      });
}

QC_KERNEL(qc_cambi_sums, CambiPoolArgs, kCambiPoolThreads) {
  QC_BLOCK_SHARED uint32_t bins[kCambiBins];
  const CambiPlane plane = plane_of_chunk(args);
  const auto thread = static_cast<int>(thread_x());
  for (int i = thread; i < kCambiBins; i += kCambiPoolThreads) bins[i] = 0;
  sync_block();
  CambiSelection* selection = plane.selection;
  const uint32_t chosen = selection->chosen;
  uint64_t sum = 0;
  uint32_t bits = 0;
  for_each_value(plane, [&](uint32_t value, uint32_t times) {
    const uint32_t c = class_of(value);
    if (c == 0 || c < chosen) return;
    if (c == chosen) {
      atomic_add(&bins[value % kCambiBins], times);
      return;
    }
    const uint64_t u = units(value);
    sum += times * u;
    bits |= static_cast<uint32_t>(u);
  });
  for (int mask = 16; mask > 0; mask /= 2) bits |= shuffle_xor(bits, mask);
  if (bits && thread % 32 == 0) atomic_or(&selection->bits, bits);
  sum = block_sum<kCambiPoolThreads>(sum);
  if (thread == 0 && sum) {
    atomic_add(&selection->upper, sum >> 24);
    atomic_add(&selection->lower, sum & 0xffffffU);
  }
  for (int i = thread; i < kCambiBins; i += kCambiPoolThreads)
    if (bins[i]) atomic_add(&selection->bins[i], bins[i]);
}

QC_KERNEL(qc_cambi_total, CambiPoolArgs, kCambiChoiceThreads) {
  QC_BLOCK_SHARED uint32_t last;
  QC_BLOCK_SHARED uint32_t last_times;
  QC_BLOCK_SHARED uint32_t united;
  const CambiPlane plane = plane_of_block(args);
  CambiSelection* selection = plane.selection;
  const auto thread = static_cast<int>(thread_x());
  const uint32_t chosen = selection->chosen;
  uint64_t upper = 0;
  uint64_t lower = 0;
  uint32_t bits = 0;
  if (chosen) {
    constexpr int kPer = kCambiBins / kCambiChoiceThreads;
    const auto bin_at = [](int i) { return kCambiBins - 1 - i; };
    reach<kPer>(
        selection->remaining, [&](int i) { return selection->bins[bin_at(i)]; },
        [&](int i, uint32_t before) {
          last = static_cast<uint32_t>(bin_at(i));
          last_times = selection->remaining - before;
        });
    sync_block();
    for (int i = 0; i < kPer; ++i) {
      const auto bin = static_cast<uint32_t>(thread * kPer + i);
      const uint32_t times = bin > last ? selection->bins[bin] : bin == last ? last_times : 0;
      if (!times) continue;
      const uint64_t u = units(((chosen - 1 + kCambiFirstClass) << kCambiBinBits) | bin);
      upper += times * (u >> 24);
      lower += times * (u & 0xffffffU);
      bits |= static_cast<uint32_t>(u);
    }
  }
  if (thread == 0) united = selection->bits;
  sync_block();
  for (int mask = 16; mask > 0; mask /= 2) bits |= shuffle_xor(bits, mask);
  if (bits && thread % 32 == 0) atomic_or(&united, bits);
  upper = block_sum<kCambiChoiceThreads>(upper);
  lower = block_sum<kCambiChoiceThreads>(lower);
  if (thread != 0) return;
  lower += selection->lower;
  upper += selection->upper + (lower >> 24);
  lower &= 0xffffffU;
  // Partial sums are multiples of the values' common power of two. As long as no more than 53 bits are left above it,
  // each of them is exact.
  const int zeros = united ? trailing_zeros(united) : 32;
  const uint64_t sum = upper << 24 | lower;
  if (upper >> 39 || (53 + zeros < 64 && sum >> (53 + zeros))) {
    *plane.ordered = 1;
  } else {
    *plane.sum = static_cast<double>(sum) * 0x1p-24;
  }
}

}  // namespace qc::cuda
