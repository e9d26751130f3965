#include "cuda/device/prelude.h"
//
#include "cuda/psnr/ansnr.h"
#include "psnr/ansnr_filter.h"

namespace qc::cuda {
namespace {

using namespace qc::device;

constexpr int kHalo = 2;
constexpr int kRowSamples = kAnsnrThreads + 2 * kHalo;

// Row r of the distorted picture's filter at the position of five samples.
QC_DEVICE float row5(int r, const float* t) { return ansnr::row5(ansnr::filter5_row(r), t[0], t[1], t[2], t[3], t[4]); }

}  // namespace

// Each thread goes down a column; each row of samples is filtered once.
QC_KERNEL(qc_ansnr_squares, AnsnrSquaresArgs, kAnsnrThreads) {
  QC_BLOCK_SHARED float rows[2][2][kRowSamples];  // double-buffered
  const PlaneView plane[2] = {args.frame->current.reference.plane[0], args.frame->current.distorted.plane[0]};
  const int width = plane[0].width;
  const int height = plane[0].height;
  const int thread = static_cast<int>(thread_x());
  const int x = static_cast<int>(block_x()) * kAnsnrThreads + thread;
  const int top = static_cast<int>(block_y()) * kAnsnrRows;
  const int bottom = top + kAnsnrRows < height ? top + kAnsnrRows : height;

  // Thread t fetches sample t, and the first ones also those behind kAnsnrThreads; a row ahead of its use.
  float next[2][2] = {};
  const bool second = thread < 2 * kHalo;
  const auto fetch = [&](int y) {
    QC_UNROLL
    for (int picture = 0; picture < 2; ++picture) {
      const auto sample = [&](int column) {
        // Positions past the mirrored edge belong to no output.
        if (column >= width + kHalo || y >= bottom + kHalo) return 0.0F;
        return ansnr::sample(plane[picture].at(ansnr::mirror(column, width), ansnr::mirror(y, height)), args.scale);
      };
      next[picture][0] = sample(x - kHalo);
      if (second) next[picture][1] = sample(x - kHalo + kAnsnrThreads);
    }
  };

  // The reference's rows before the current one, and what its filter gave for the row before the last.
  float before[2] = {};
  float filtered = 0;
  // The distorted picture's filter for the four rows that lack rows yet, from the one that lacks most.
  float partial[4] = {};
  int buffer = 0;
  fetch(top - kHalo);
  for (int y = top - kHalo; y < bottom + kHalo; ++y) {
    QC_UNROLL
    for (int picture = 0; picture < 2; ++picture) {
      rows[buffer][picture][thread] = next[picture][0];
      if (second) rows[buffer][picture][thread + kAnsnrThreads] = next[picture][1];
    }
    sync_block();
    fetch(y + 1);
    const float* r = rows[buffer][0] + thread;
    const float* d = rows[buffer][1] + thread;
    buffer = 1 - buffer;

    const float outer = row5(0, d);
    const float inner = row5(1, d);
    const float distorted = partial[3] + outer;
    partial[3] = partial[2] + inner;
    partial[2] = partial[1] + row5(2, d);
    partial[1] = partial[0] + inner;
    partial[0] = outer;

    const float reference = filtered;
    const float across = ansnr::row3(r[1], r[2], r[3]);
    filtered = ansnr::column3(before[0], before[1], across);
    before[0] = before[1];
    before[1] = across;

    const int centre = y - kHalo;
    if (centre < top || x >= width) continue;
    const float error = reference - distorted;
    const int64_t at = int64_t{centre} * args.pitch + x;
    args.signal[at] = reference * reference;
    args.noise[at] = error * error;
  }
}

}  // namespace qc::cuda
