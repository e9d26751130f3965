#include "psnr/luma_sums.h"

#include "core/row_reader.h"
#include "psnr/row_sums.h"

namespace qc {
namespace {

// Adds a row's terms, whose exact sum is `row_sum`. `term(x)` is the term of column x as a float64.
template <class Term>
void add_row(RasterTotal& total, uint64_t row_sum, int width, Term term) {
  const bool ordered = total.needs_order();
  const uint64_t before = total.integer;
  total.integer += row_sum;
  if (!total.needs_order()) return;
  double sum = ordered ? total.ordered : static_cast<double>(before);
  for (int x = 0; x < width; ++x) sum += term(x);
  total.ordered = sum;
}

template <class T>
void add_rounded_squared_error(RasterTotal& total, const T* r, const T* d, int width, int depth) {
  uint64_t sum = 0;
  if constexpr (sizeof(T) == 2) {
    sum = depth > 12 ? rounded_squared_error_row(r, d, width) : squared_error_row(r, d, width, depth);
  } else {
    sum = squared_error_row(r, d, width, depth);
  }
  add_row(total, sum, width, [=](int x) {
    const float difference = static_cast<float>(r[x]) - static_cast<float>(d[x]);
    return static_cast<double>(difference * difference);
  });
}

template <class T>
void add_moments(LumaSums::Values& values, int input, const T* samples, int width, int depth) {
  const RowMoments moments = moments_row(samples, width, depth);
  values.sum[input] += moments.sum;
  add_row(values.square_sum[input], moments.square_sum, width, [=](int x) {
    const float value = static_cast<float>(samples[x]);
    return static_cast<double>(value * value);
  });
}

template <class T>
LumaSums::Values sum_luma(const PlaneView& reference, const PlaneView& distorted, unsigned wanted) {
  LumaSums::Values values{};
  RowReader<T> reference_rows(reference);
  RowReader<T> distorted_rows(distorted);
  const int width = reference.width;
  const int depth = reference.depth;
  for (int y = 0; y < reference.height; ++y) {
    const T* r = reference_rows.row(y);
    const T* d = distorted_rows.row(y);
    if (wanted & LumaSums::kSquaredError) values.squared_error += squared_error_row(r, d, width, depth);
    if (wanted & LumaSums::kRoundedSquaredError)
      add_rounded_squared_error(values.rounded_squared_error, r, d, width, depth);
    if (wanted & LumaSums::kMoments) {
      add_moments(values, 0, r, width, depth);
      add_moments(values, 1, d, width, depth);
    }
  }
  return values;
}

}  // namespace

const LumaSums::Values& LumaSums::of(const PairView& pair, uint64_t frame) {
  if (frame == frame_) return values_;
  frame_ = frame;
  const PlaneView& reference = pair.reference.plane[0];
  const PlaneView& distorted = pair.distorted.plane[0];
  values_ = reference.bytes == 1 ? sum_luma<uint8_t>(reference, distorted, wanted_)
                                 : sum_luma<uint16_t>(reference, distorted, wanted_);
  return values_;
}

}  // namespace qc
