#include "cuda/device/prelude.h"
//
#include "cuda/device/plane_walk.h"
#include "cuda/psnr/squared_error.h"

namespace qc::cuda {
namespace {

using namespace qc::device;

// Sums over the even and the odd samples of a row: planes Cb and Cr where they are interleaved.
struct Sums {
  uint64_t even = 0;
  uint64_t odd = 0;
};

// Four bytes each. sum (a - b)^2 = sum a^2 + sum b^2 - 2 sum ab, exact modulo 2^32 and small enough.
QC_DEVICE uint32_t squares8(uint32_t a, uint32_t b, uint32_t sum) {
  return dot4(b, b, dot4(a, a, sum)) - 2 * dot4(a, b, 0);
}

QC_DEVICE uint32_t square(uint32_t a, uint32_t b) { return (a - b) * (a - b); }

// 16 bytes of each picture. `shift` applies to samples of two bytes.
template <class T>
QC_DEVICE void add16(const Vector16& a, const Vector16& b, bool interleaved, unsigned shift, Sums& sums) {
  if constexpr (sizeof(T) == 1) {
    uint32_t even = 0;
    uint32_t odd = 0;
    if (interleaved) {
      constexpr uint32_t kEven = 0x00ff00ffU;
      for (int i = 0; i < 4; ++i) {
        even = squares8(a.word[i] & kEven, b.word[i] & kEven, even);
        odd = squares8((a.word[i] >> 8) & kEven, (b.word[i] >> 8) & kEven, odd);
      }
    } else {
      for (int i = 0; i < 4; ++i) even = squares8(a.word[i], b.word[i], even);
    }
    sums.even += even;
    sums.odd += odd;
  } else {
    uint64_t even = 0;
    uint64_t odd = 0;
    for (int i = 0; i < 4; ++i) {
      even += square((a.word[i] & 0xffffU) >> shift, (b.word[i] & 0xffffU) >> shift);
      odd += square(a.word[i] >> (16 + shift), b.word[i] >> (16 + shift));
    }
    if (interleaved) {
      sums.even += even;
      sums.odd += odd;
    } else {
      sums.even += even + odd;
    }
  }
}

// This thread's share of one plane, or of both interleaved chroma planes. A few loads are under way at a time.
template <class T>
QC_DEVICE Sums plane_sums(const PlaneView& a, const PlaneView& b) {
  Sums sums;
  const uint32_t thread = block_x() * kSquaredErrorThreads + thread_x();
  const uint32_t threads = grid_x() * kSquaredErrorThreads;
  if (in_step(a, b)) {
    constexpr int kBatch = 4;
    constexpr int kSamples = 16 / sizeof(T);
    const bool interleaved = a.step == 2;
    const int samples = a.width * a.step;
    PlaneWalk walk(thread, threads, (samples + kSamples - 1) / kSamples, a.height);
    while (!walk.done()) {
      Vector16 units_a[kBatch];
      Vector16 units_b[kBatch];
      QC_UNROLL
      for (int i = 0; i < kBatch; ++i) {
        units_a[i] = units_b[i] = Vector16{};
        if (walk.done()) continue;
        const uint8_t* row_a = a.data + walk.y() * a.stride;
        const uint8_t* row_b = b.data + walk.y() * b.stride;
        const int begin = walk.x() * kSamples;
        if (begin + kSamples <= samples) {
          units_a[i] = load16(row_a + walk.x() * 16);
          units_b[i] = load16(row_b + walk.x() * 16);
        } else {
          for (int k = begin; k < samples; ++k) {
            const uint32_t s = square(static_cast<uint32_t>(reinterpret_cast<const T*>(row_a)[k]) >> a.shift,
                                      static_cast<uint32_t>(reinterpret_cast<const T*>(row_b)[k]) >> a.shift);
            (interleaved && k % 2 ? sums.odd : sums.even) += s;
          }
        }
        walk.next();
      }
      QC_UNROLL
      for (int i = 0; i < kBatch; ++i) add16<T>(units_a[i], units_b[i], interleaved, a.shift, sums);
    }
  } else {
    for (PlaneWalk walk(thread, threads, a.width, a.height); !walk.done(); walk.next())
      sums.even += square(a.at(walk.x(), walk.y()), b.at(walk.x(), walk.y()));
  }
  return sums;
}

template <class T>
QC_DEVICE void squared_error(const SquaredErrorArgs& args) {
  const PairView& pair = args.frame->current;
  uint64_t share[3] = {};
  const PlaneView& a = pair.reference.plane[1];
  const PlaneView& b = pair.distorted.plane[1];
  const Sums luma = plane_sums<T>(pair.reference.plane[0], pair.distorted.plane[0]);
  share[0] = luma.even;
  if (args.planes > 1) {
    const Sums chroma = plane_sums<T>(a, b);
    share[1] = chroma.even;
    share[2] = a.step == 2 && in_step(a, b) ? chroma.odd
                                            : plane_sums<T>(pair.reference.plane[2], pair.distorted.plane[2]).even;
  }
  QC_UNROLL
  for (int p = 0; p < 3; ++p) {
    if (p >= args.planes) break;
    const uint64_t sum = block_sum<kSquaredErrorThreads>(share[p]);
    if (thread_x() == 0) atomic_add(&args.record->squared_error[p], sum);
  }
}

}  // namespace

QC_KERNEL(qc_squared_error_8, SquaredErrorArgs, kSquaredErrorThreads) { squared_error<uint8_t>(args); }
QC_KERNEL(qc_squared_error_16, SquaredErrorArgs, kSquaredErrorThreads) { squared_error<uint16_t>(args); }

}  // namespace qc::cuda
