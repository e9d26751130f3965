#include "cuda/device/prelude.h"
//
#include "ciede/chroma_position.h"
#include "ciede/scalar_lanes.h"
#include "cuda/ciede/color_differences.h"
#include "cuda/device/plane_walk.h"

namespace qc::cuda {
namespace {

using namespace qc::device;
using namespace qc::ciede;

QC_DEVICE Double square_root(Double v) { return sqrt_rn(v); }
QC_DEVICE Double fused(Double a, Double b, Double c) { return fma_rn(a, b, c); }
QC_DEVICE Double residue(Double c, Double a, Double b) { return fma_rn(-a, b, c); }

#define QC_LANES QC_DEVICE
#include "ciede/functions-inl.h"
#include "ciede/pixel-inl.h"
#undef QC_LANES

struct Samples {
  int32_t value[3];
};

QC_DEVICE Samples samples_at(const PictureView& picture, int x, int y, const PixelsArgs& args) {
  const PlaneView& chroma = picture.plane[1];
  const int row = chroma_row(y, chroma.height, args.subsampled);
  const int column = args.columns_subsampled ? x / 2 : x;
  Samples s;
  s.value[0] = static_cast<int32_t>(picture.plane[0].at(x, y));
  for (int p = 1; p < 3; ++p)
    s.value[p] = static_cast<int32_t>(column < chroma.width ? picture.plane[p].at(column, row)
                                                            : chroma_sample(picture, p, row, column));
  return s;
}

QC_DEVICE Lab lab_of(const Samples& s, const SampleScale& scale) {
  return lab(widen(s.value[0]), widen(s.value[1]), widen(s.value[2]), scale);
}

QC_DEVICE float difference_at(int x, int y, const PixelsArgs& args, const PowerTables& tables) {
  const Samples a = samples_at(args.frame->current.reference, x, y, args);
  const Samples b = samples_at(args.frame->current.distorted, x, y, args);
  if (a.value[0] == b.value[0] && a.value[1] == b.value[1] && a.value[2] == b.value[2]) return 0.0F;
  return color_difference(lab_of(a, args.scale), lab_of(b, args.scale), tables);
}

// Look-ups at indices that differ from thread to thread are faster in shared memory.
QC_DEVICE void copy_tables(PowerTables& to, const PowerTables& from) {
  const int thread = static_cast<int>(thread_x());
  if (thread < 16) {
    to.reciprocal[thread] = from.reciprocal[thread];
    to.log2[thread] = from.log2[thread];
  }
  if (thread < 32) to.exp2[thread] = from.exp2[thread];
  sync_block();
}

}  // namespace

QC_KERNEL(qc_color_sums, ColorSumsArgs, kColorThreads) {
  QC_BLOCK_SHARED PowerTables tables;
  copy_tables(tables, args.pixels.tables);
  const PlaneView& luma = args.pixels.frame->current.reference.plane[0];
  uint64_t sum = 0;
  uint32_t low_bits = 0;
  bool inexact = false;
  const uint32_t thread = block_x() * kColorThreads + thread_x();
  for (PlaneWalk walk(thread, grid_x() * kColorThreads, luma.width, luma.height); !walk.done(); walk.next()) {
    const double units =
        static_cast<double>(difference_at(walk.x(), walk.y(), args.pixels, tables)) * (1 / kDifferenceUnit);
    const uint64_t whole_units = units < args.limit ? static_cast<uint64_t>(units) : 0;
    inexact |= !(static_cast<double>(whole_units) == units);
    sum += whole_units;
    low_bits |= static_cast<uint32_t>(whole_units);
  }
  sum = block_sum<kColorThreads>(sum);
  for (int mask = 16; mask > 0; mask /= 2) low_bits |= shuffle_xor(low_bits, mask);
  if (thread_x() == 0) atomic_add(&args.sums->sum, sum);
  if (thread_x() % 32 == 0) atomic_or(&args.sums->low_bits, low_bits);
  if (inexact) atomic_or(&args.sums->inexact, 1);
}

QC_KERNEL(qc_color_result, ColorResultArgs, 32) {
  if (thread_x() != 0) return;
  const DifferenceSums& sums = *args.sums;
  uint64_t unit = sums.low_bits & (~sums.low_bits + 1);
  if (unit == 0) unit = uint64_t{1} << 32;
  const bool exact = sums.inexact == 0 && sums.sum / unit <= uint64_t{1} << 53;
  args.sums->ordered = exact ? 0 : 1;
  args.record->sum = static_cast<double>(sums.sum) * kDifferenceUnit;
}

QC_KERNEL(qc_color_terms, ColorTermsArgs, kColorThreads) {
  QC_BLOCK_SHARED PowerTables tables;
  copy_tables(tables, args.pixels.tables);
  const int width = args.pixels.frame->current.reference.plane[0].width;
  const int y = static_cast<int>(block_x());
  for (int x = static_cast<int>(thread_x()); x < width; x += kColorThreads)
    args.terms[int64_t{y} * width + x] = static_cast<double>(difference_at(x, y, args.pixels, tables));
}

}  // namespace qc::cuda
