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

constexpr int kWarp = 32;

// Calls take(value, how often) for the values of the block's chunk, where neighbours that are equal may come as one,
// and for zeros that are none.
template <class Take>
QC_DEVICE void for_each_value(const CambiPlane& plane, Take take) {
  constexpr int kVectors = kCambiChunk / (4 * kCambiPoolThreads);
  const int64_t count = int64_t{plane.width} * plane.height;
  const int64_t begin = int64_t{static_cast<int>(block_x()) - plane.first_chunk} * kCambiChunk;
  const int64_t end = begin + kCambiChunk < count ? begin + kCambiChunk : count;
  Vector16 vector[kVectors];
  QC_UNROLL
  for (int v = 0; v < kVectors; ++v) {
    const int64_t i = begin + 4 * (v * kCambiPoolThreads + int64_t{thread_x()});
    vector[v] = {};
    if (i + 4 <= end) {
      vector[v] = load16(plane.contrasts + i);
    } else {
      QC_UNROLL
      for (int k = 0; k < 3; ++k)
        if (i + k < end) vector[v].word[k] = plane.contrasts[i + k];
    }
  }
  QC_UNROLL
  for (int v = 0; v < kVectors; ++v) {
    const Vector16& four = vector[v];
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

// Sum over the warp's lanes up to this one.
QC_DEVICE uint32_t running_sum(uint32_t v) {
  const auto lane = static_cast<int>(thread_x() % kWarp);
  QC_UNROLL
  for (int distance = 1; distance < kWarp; distance *= 2) {
    const uint32_t before = shuffle_up(v, distance);
    if (lane >= distance) v += before;
  }
  return v;
}

// Sum over the block's warps before this one, each of which passes its own in its last lane. Once in a kernel of
// kCambiChoiceThreads.
QC_DEVICE uint32_t sum_before_warp(uint32_t of_warp) {
  static_assert(kCambiChoiceThreads == kWarp * kWarp);
  QC_BLOCK_SHARED uint32_t sums[kWarp];
  const unsigned lane = thread_x() % kWarp;
  if (lane == kWarp - 1) sums[thread_x() / kWarp] = of_warp;
  sync_block();
  return shuffle(running_sum(sums[lane]) - sums[lane], static_cast<int>(thread_x() / kWarp));
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
  const auto thread = static_cast<int>(thread_x());
  // In descending order: the warps one after the other, each with kPer rows of neighbouring classes. Where fewer values
  // are greater than 0 than are pooled, class 0 stays chosen, whose values don't add anything.
  const int first = kCambiClasses - 1 - thread / kWarp * kWarp * kPer - thread % kWarp;
  uint32_t count[kPer];
  uint32_t running[kPer];
  uint32_t of_warp = 0;
  QC_UNROLL
  for (int i = 0; i < kPer; ++i) count[i] = first - i * kWarp >= 0 ? selection->classes[first - i * kWarp] : 0;
  QC_UNROLL
  for (int i = 0; i < kPer; ++i) {
    running[i] = running_sum(count[i]) + of_warp;
    of_warp = shuffle(running[i], kWarp - 1);
  }
  const uint32_t before = sum_before_warp(of_warp);
  QC_UNROLL
  for (int i = 0; i < kPer; ++i) {
    const uint32_t up_to = before + running[i];
    if (up_to < plane.pooled || up_to - count[i] >= plane.pooled) continue;
    selection->chosen = static_cast<uint32_t>(first - i * kWarp);
    selection->remaining = plane.pooled - (up_to - count[i]);
  }
}

QC_KERNEL_RESIDENT(qc_cambi_sums, CambiPoolArgs, kCambiPoolThreads, 2) {
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
  QC_BLOCK_SHARED uint32_t united;
  const CambiPlane plane = plane_of_block(args);
  CambiSelection* selection = plane.selection;
  const auto thread = static_cast<int>(thread_x());
  const uint32_t chosen = selection->chosen;
  uint64_t upper = 0;
  uint64_t lower = 0;
  uint32_t bits = 0;
  if (chosen) {
    // In descending order: of each thread kPer neighbouring bins.
    constexpr int kPer = kCambiBins / kCambiChoiceThreads;
    const int first = kCambiBins - 1 - thread * kPer;
    uint32_t count[kPer];
    uint32_t of_thread = 0;
    QC_UNROLL
    for (int i = 0; i < kPer; ++i) {
      count[i] = selection->bins[first - i];
      of_thread += count[i];
    }
    const uint32_t running = running_sum(of_thread);
    uint32_t before = sum_before_warp(running) + running - of_thread;
    const uint32_t remaining = selection->remaining;
    QC_UNROLL
    for (int i = 0; i < kPer; ++i) {
      const uint32_t left = before < remaining ? remaining - before : 0;
      const uint32_t times = count[i] < left ? count[i] : left;
      before += count[i];
      if (!times) continue;
      const auto bin = static_cast<uint32_t>(first - i);
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
