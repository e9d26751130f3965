#include "cuda/device/prelude.h"
//
#include "cuda/ssim/moment_ssim.h"
#include "ssim/ssim_arithmetic.h"

namespace qc::cuda {
namespace {

using namespace qc::device;

constexpr int kRadius = ssim::kMomentRadius;
constexpr int kRing = 16;  // rows of moments that a column keeps: a power of two not below 2 * kRadius + 1
enum Moment { kX, kY, kXX, kXY, kYY, kMoments };

// Each thread goes down a column of positions. `Word` holds the moments of the nine samples of a row around a position.
template <class Word, int kThreads>
QC_DEVICE void moment_ssim(const MomentSsimArgs& args) {
  QC_BLOCK_SHARED uint32_t rows[2][2][kThreads + 2 * kRadius];  // double-buffered
  QC_BLOCK_SHARED Word ring[kRing][kMoments][kThreads];
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
  for (int y = top - kRadius; y < bottom + kRadius; ++y) {
    const int buffer = y & 1;
    for (int i = thread; i < 2 * (kThreads + 2 * kRadius); i += kThreads) {
      const int picture = i / (kThreads + 2 * kRadius);
      const int offset = i % (kThreads + 2 * kRadius);
      const int column = left + offset - kRadius;
      const bool inside = column >= 0 && column < width && y >= 0 && y < height;
      rows[buffer][picture][offset] = inside ? plane[picture].at(column, y) : 0;
    }
    sync_block();
    Word across[kMoments] = {};
    for (int t = -kRadius; t <= kRadius; ++t) {
      const Word weight = static_cast<Word>(ssim::moment_weight(t));
      const Word a = rows[buffer][0][thread + t + kRadius];
      const Word b = rows[buffer][1][thread + t + kRadius];
      across[kX] += weight * a;
      across[kY] += weight * b;
      across[kXX] += weight * (a * a);
      across[kXY] += weight * (a * b);
      across[kYY] += weight * (b * b);
    }
    for (int m = 0; m < kMoments; ++m) ring[(y + kRing) % kRing][m][thread] = across[m];
    const int centre = y - kRadius;
    if (centre < top || x >= width) continue;
    uint64_t down[kMoments] = {};
    for (int t = -kRadius; t <= kRadius; ++t)
      for (int m = 0; m < kMoments; ++m)
        down[m] += static_cast<uint64_t>(ssim::moment_weight(t)) * ring[(centre + t + kRing) % kRing][m][thread];
    const ssim::Moments moments = {static_cast<double>(down[kX]), static_cast<double>(down[kY]),
                                   static_cast<double>(down[kXX]), static_cast<double>(down[kXY]),
                                   static_cast<double>(down[kYY])};
    const double weight = static_cast<double>(horizontal_weight * ssim::weight_inside(centre, height));
    args.terms[int64_t{centre} * width + x] = ssim::moment_term(moments, weight, constants);
  }
}

}  // namespace

QC_KERNEL(qc_moment_ssim, MomentSsimArgs, kMomentThreads) { moment_ssim<uint32_t, kMomentThreads>(args); }
QC_KERNEL(qc_wide_moment_ssim, MomentSsimArgs, kWideMomentThreads) { moment_ssim<uint64_t, kWideMomentThreads>(args); }

}  // namespace qc::cuda
