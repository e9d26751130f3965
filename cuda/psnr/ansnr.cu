#include "cuda/device/prelude.h"
//
#include "cuda/psnr/ansnr.h"
#include "psnr/ansnr_filter.h"

namespace qc::cuda {
namespace {

using namespace qc::device;

constexpr int kHalo = 2;
// Neighbouring columns of a thread.
constexpr int kEach = 2;
constexpr int kColumns = kEach * kAnsnrThreads;
static_assert(kColumns == kAnsnrColumns);

struct alignas(8) Two {
  float v[kEach];
};

// Row r of the distorted picture's filter at the position of five samples.
QC_DEVICE float row5(int r, const float* t) { return ansnr::row5(ansnr::filter5_row(r), t[0], t[1], t[2], t[3], t[4]); }

// With the bits below the sample's.
QC_DEVICE uint32_t raw_sample(const PlaneView& p, int x, int y) {
  const uint8_t* row = p.data + y * p.stride;
  return p.bytes == 1 ? row[x * p.step] : reinterpret_cast<const uint16_t*>(row)[x * p.step];
}

}  // namespace

// Each thread goes down two columns; each row of samples is filtered once.
QC_KERNEL_RESIDENT(qc_ansnr_squares, AnsnrSquaresArgs, kAnsnrThreads, 8) {
  QC_BLOCK_SHARED Two rows[2][2][(kColumns + 2 * kHalo) / kEach];  // double-buffered
  const PlaneView plane[2] = {args.frame->current.reference.plane[0], args.frame->current.distorted.plane[0]};
  const int width = plane[0].width;
  const int height = plane[0].height;
  const int thread = static_cast<int>(thread_x());
  const int left = static_cast<int>(block_x()) * kColumns;
  const int x = left + kEach * thread;
  const int top = static_cast<int>(block_y()) * kAnsnrRows;
  const int bottom = top + kAnsnrRows < height ? top + kAnsnrRows : height;

  // Thread t fetches samples t and t + kAnsnrThreads, and the first ones also those behind kColumns; a row ahead of its
  // use, so that what is done with it need not wait.
  constexpr int kFetches = kEach + 1;
  uint32_t next[2][kFetches] = {};
  int column[kFetches];
  QC_UNROLL
  for (int i = 0; i < kFetches; ++i) {
    // Positions past the mirrored edge belong to no output.
    const int c = left + thread + i * kAnsnrThreads - kHalo;
    column[i] = c < width + kHalo ? ansnr::mirror(c, width) : 0;
  }
  const bool last = thread < 2 * kHalo;
  const auto fetch = [&](int y) {
    const int row = ansnr::mirror(y, height);
    QC_UNROLL
    for (int picture = 0; picture < 2; ++picture) {
      QC_UNROLL
      for (int i = 0; i < kFetches; ++i)
        if (i < kEach || last) next[picture][i] = raw_sample(plane[picture], column[i], row);
    }
  };

  // The reference's rows before the current one, and what its filter gave for the row before the last.
  float before[2][kEach] = {};
  float filtered[kEach] = {};
  // The distorted picture's filter for the four rows that lack rows yet, from the one that lacks most.
  float partial[4][kEach] = {};
  int buffer = 0;
  fetch(top - kHalo);
  for (int y = top - kHalo; y < bottom + kHalo; ++y) {
    QC_UNROLL
    for (int picture = 0; picture < 2; ++picture) {
      float* row = rows[buffer][picture][0].v;
      QC_UNROLL
      for (int i = 0; i < kFetches; ++i)
        if (i < kEach || last)
          row[thread + i * kAnsnrThreads] = ansnr::sample(next[picture][i] >> plane[picture].shift, args.scale);
    }
    sync_block();
    if (y + 1 < bottom + kHalo) fetch(y + 1);

    constexpr int kSamples = kEach + 2 * kHalo;
    float r[kSamples];
    float d[kSamples];
    QC_UNROLL
    for (int i = 0; i < kSamples / kEach; ++i) {
      const Two reference = rows[buffer][0][thread + i];
      const Two distorted = rows[buffer][1][thread + i];
      QC_UNROLL
      for (int j = 0; j < kEach; ++j) {
        r[i * kEach + j] = reference.v[j];
        d[i * kEach + j] = distorted.v[j];
      }
    }
    buffer = 1 - buffer;

    Two signal;
    Two noise;
    QC_UNROLL
    for (int j = 0; j < kEach; ++j) {
      const float outer = row5(0, d + j);
      const float inner = row5(1, d + j);
      const float distorted = partial[3][j] + outer;
      partial[3][j] = partial[2][j] + inner;
      partial[2][j] = partial[1][j] + row5(2, d + j);
      partial[1][j] = partial[0][j] + inner;
      partial[0][j] = outer;

      const float reference = filtered[j];
      const float across = ansnr::row3(r[j + 1], r[j + 2], r[j + 3]);
      filtered[j] = ansnr::column3(before[0][j], before[1][j], across);
      before[0][j] = before[1][j];
      before[1][j] = across;

      const float error = reference - distorted;
      signal.v[j] = reference * reference;
      noise.v[j] = error * error;
    }

    const int centre = y - kHalo;
    if (centre < top || x >= width) continue;
    // Behind an odd width there is room.
    const int64_t at = int64_t{centre} * args.pitch + x;
    *reinterpret_cast<Two*>(args.signal + at) = signal;
    *reinterpret_cast<Two*>(args.noise + at) = noise;
  }
}

}  // namespace qc::cuda
