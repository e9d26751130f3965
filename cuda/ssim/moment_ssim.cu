#include "cuda/device/prelude.h"
//
#include "cuda/ssim/moment_ssim.h"
#include "ssim/ssim_arithmetic.h"

namespace qc::cuda {
namespace {

using namespace qc::device;

constexpr int kRadius = ssim::kMomentRadius;
constexpr int kTaps = 2 * kRadius + 1;
enum Moment { kX, kY, kXX, kXY, kYY, kMoments };

// Each thread goes down a column of positions and keeps the moments of kTaps rows. `Word` holds those of the samples of
// a row around a position, `Sum` those of a window.
template <class Word, class Sum, int kThreads>
QC_DEVICE void moment_ssim(const MomentSsimArgs& args) {
  QC_BLOCK_SHARED uint32_t rows[2][2][kThreads + 2 * kRadius];  // double-buffered
  const PlaneView plane[2] = {args.frame->current.reference.plane[0], args.frame->current.distorted.plane[0]};
  const int width = plane[0].width;
  const int height = plane[0].height;
  const int thread = static_cast<int>(thread_x());
  const int left = static_cast<int>(block_x()) * kThreads;
  const int x = left + thread;
  const int top = static_cast<int>(block_y()) * args.rows_per_block;
  const int bottom = top + args.rows_per_block < height ? top + args.rows_per_block : height;
  const ssim::MomentConstants constants = ssim::moment_constants(args.depth);
  const int horizontal_weight = ssim::weight_inside(x, width);

  // Thread t fetches sample t, and the first ones also those behind kThreads; a row ahead of its use.
  uint32_t next[2][2] = {};
  const bool second = thread < 2 * kRadius;
  const auto fetch = [&](int y) {
    QC_UNROLL
    for (int picture = 0; picture < 2; ++picture) {
      const auto sample = [&](int column) {
        return column >= 0 && column < width && y >= 0 && y < height ? plane[picture].at(column, y) : 0;
      };
      next[picture][0] = sample(x - kRadius);
      if (second) next[picture][1] = sample(x - kRadius + kThreads);
    }
  };

  Word ring[kTaps][kMoments] = {};
  int buffer = 0;
  fetch(top - kRadius);
  for (int first = top - kRadius; first < bottom + kRadius; first += kTaps) {
    // Row first + slot of the picture is in the ring at `slot`.
    QC_UNROLL
    for (int slot = 0; slot < kTaps; ++slot) {
      const int y = first + slot;
      if (y >= bottom + kRadius) break;
      QC_UNROLL
      for (int picture = 0; picture < 2; ++picture) {
        rows[buffer][picture][thread] = next[picture][0];
        if (second) rows[buffer][picture][thread + kThreads] = next[picture][1];
      }
      sync_block();
      fetch(y + 1);
      // Samples at equal distances from the position have equal weights.
      Word across[kMoments];
      QC_UNROLL
      for (int t = 0; t <= kRadius; ++t) {
        const Word weight = static_cast<Word>(ssim::moment_weight(t));
        const Word a = rows[buffer][0][thread + kRadius + t];
        const Word b = rows[buffer][1][thread + kRadius + t];
        if (t == 0) {
          const Word centre[kMoments] = {a, b, a * a, a * b, b * b};
          for (int m = 0; m < kMoments; ++m) across[m] = weight * centre[m];
          continue;
        }
        const Word c = rows[buffer][0][thread + kRadius - t];
        const Word d = rows[buffer][1][thread + kRadius - t];
        const Word both[kMoments] = {a + c, b + d, a * a + c * c, a * b + c * d, b * b + d * d};
        for (int m = 0; m < kMoments; ++m) across[m] += weight * both[m];
      }
      QC_UNROLL
      for (int m = 0; m < kMoments; ++m) ring[slot][m] = across[m];
      buffer = 1 - buffer;
      const int centre = y - kRadius;
      if (centre < top || x >= width) continue;
      Sum down[kMoments] = {};
      const auto add = [&](int t, int m, auto moment) { down[m] += static_cast<Sum>(ssim::moment_weight(t)) * moment; };
      QC_UNROLL
      for (int m = 0; m < kMoments; ++m) {
        const auto at = [&](int t) { return ring[(slot + 1 + kRadius + t) % kTaps][m]; };
        add(0, m, at(0));
        QC_UNROLL
        for (int t = 1; t <= kRadius; ++t) {
          if constexpr (sizeof(Sum) == sizeof(Word)) {
            add(t, m, at(-t) + at(t));
          } else {
            add(t, m, at(-t));
            add(t, m, at(t));
          }
        }
      }
      const ssim::Moments moments = {static_cast<double>(down[kX]), static_cast<double>(down[kY]),
                                     static_cast<double>(down[kXX]), static_cast<double>(down[kXY]),
                                     static_cast<double>(down[kYY])};
      const double weight = static_cast<double>(horizontal_weight * ssim::weight_inside(centre, height));
      args.terms[int64_t{centre} * width + x] = ssim::moment_term(moments, weight, constants);
    }
  }
}

}  // namespace

QC_KERNEL_RESIDENT(qc_byte_moment_ssim, MomentSsimArgs, kMomentThreads, 5) {
  moment_ssim<uint32_t, uint32_t, kMomentThreads>(args);
}
QC_KERNEL_RESIDENT(qc_moment_ssim, MomentSsimArgs, kMomentThreads, 6) {
  moment_ssim<uint32_t, uint64_t, kMomentThreads>(args);
}
QC_KERNEL(qc_wide_moment_ssim, MomentSsimArgs, kWideMomentThreads) {
  moment_ssim<uint64_t, uint64_t, kWideMomentThreads>(args);
}

}  // namespace qc::cuda
