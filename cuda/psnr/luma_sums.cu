#include "cuda/device/prelude.h"
//
#include "cuda/device/plane_walk.h"
#include "cuda/psnr/luma_sums.h"

namespace qc::cuda {
namespace {

using namespace qc::device;

QC_DEVICE float rounded_square(float v) { return v * v; }
QC_DEVICE float rounded_square(uint32_t a, uint32_t b) {
  return rounded_square(static_cast<float>(a) - static_cast<float>(b));
}

struct Sums {
  uint64_t squared_error = 0;
  uint64_t sum[2] = {};
  uint64_t square_sum[2] = {};

  QC_DEVICE void add(uint32_t a, uint32_t b) {
    squared_error += static_cast<uint32_t>(rounded_square(a, b));
    sum[0] += a;
    sum[1] += b;
    square_sum[0] += static_cast<uint32_t>(rounded_square(static_cast<float>(a)));
    square_sum[1] += static_cast<uint32_t>(rounded_square(static_cast<float>(b)));
  }

  // 16 bytes of each picture.
  template <class T>
  QC_DEVICE void add16(const Vector16& a, const Vector16& b, unsigned shift) {
    if constexpr (sizeof(T) == 1) {
      constexpr uint32_t kOnes = 0x01010101U;
      uint32_t first[2] = {};
      uint32_t second[2] = {};
      uint32_t product = 0;
      for (int i = 0; i < 4; ++i) {
        first[0] = dot4(a.word[i], kOnes, first[0]);
        first[1] = dot4(b.word[i], kOnes, first[1]);
        second[0] = dot4(a.word[i], a.word[i], second[0]);
        second[1] = dot4(b.word[i], b.word[i], second[1]);
        product = dot4(a.word[i], b.word[i], product);
      }
      squared_error += second[0] + second[1] - 2 * product;
      for (int i = 0; i < 2; ++i) {
        sum[i] += first[i];
        square_sum[i] += second[i];
      }
    } else {
      for (int i = 0; i < 4; ++i) {
        add((a.word[i] & 0xffffU) >> shift, (b.word[i] & 0xffffU) >> shift);
        add(a.word[i] >> (16 + shift), b.word[i] >> (16 + shift));
      }
    }
  }
};

QC_DEVICE void add_to(uint64_t* total, uint64_t share) {
  const uint64_t sum = block_sum<kLumaSumsThreads>(share);
  if (thread_x() == 0) atomic_add(total, sum);
}

template <class T>
QC_DEVICE void luma_sums(const LumaSumsArgs& args) {
  const PlaneView& a = args.frame->current.reference.plane[0];
  const PlaneView& b = args.frame->current.distorted.plane[0];
  const uint32_t thread = block_x() * kLumaSumsThreads + thread_x();
  const uint32_t threads = grid_x() * kLumaSumsThreads;
  Sums sums;
  constexpr int kSamples = 16 / sizeof(T);
  if (in_step(a, b)) {
    for (PlaneWalk walk(thread, threads, (a.width + kSamples - 1) / kSamples, a.height); !walk.done(); walk.next()) {
      const uint8_t* row_a = a.data + walk.y() * a.stride;
      const uint8_t* row_b = b.data + walk.y() * b.stride;
      const int begin = walk.x() * kSamples;
      if (begin + kSamples <= a.width) {
        sums.add16<T>(load16(row_a + walk.x() * 16), load16(row_b + walk.x() * 16), a.shift);
      } else {
        for (int i = begin; i < a.width; ++i) sums.add(a.at(i, walk.y()), b.at(i, walk.y()));
      }
    }
  } else {
    for (PlaneWalk walk(thread, threads, a.width, a.height); !walk.done(); walk.next())
      sums.add(a.at(walk.x(), walk.y()), b.at(walk.x(), walk.y()));
  }
  if (args.squared_error) add_to(args.squared_error, sums.squared_error);
  if (!args.sum[0]) return;
  for (int i = 0; i < 2; ++i) {
    add_to(args.sum[i], sums.sum[i]);
    add_to(args.square_sum[i], sums.square_sum[i]);
  }
}

}  // namespace

QC_KERNEL(qc_luma_sums_8, LumaSumsArgs, kLumaSumsThreads) { luma_sums<uint8_t>(args); }
QC_KERNEL(qc_luma_sums_16, LumaSumsArgs, kLumaSumsThreads) { luma_sums<uint16_t>(args); }

QC_KERNEL(qc_luma_terms, LumaTermsArgs, kLumaSumsThreads) {
  const PlaneView& a = args.frame->current.reference.plane[0];
  const PlaneView& b = args.frame->current.distorted.plane[0];
  const int y = static_cast<int>(block_x());
  for (int x = static_cast<int>(thread_x()); x < a.width; x += kLumaSumsThreads) {
    const uint32_t r = args.term == LumaTerm::DistortedSquare ? 0 : a.at(x, y);
    const uint32_t d = args.term == LumaTerm::ReferenceSquare ? 0 : b.at(x, y);
    args.terms[int64_t{y} * a.width + x] = static_cast<double>(rounded_square(r, d));
  }
}

}  // namespace qc::cuda
