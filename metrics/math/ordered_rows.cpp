#include "math/ordered_rows.h"

#include "core/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "math/ordered_rows.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#ifndef QC_MATH_ORDERED_ROWS_PLAIN
#define QC_MATH_ORDERED_ROWS_PLAIN
namespace qc::plain {

inline void sum_rows_in_order(const float* terms, size_t pitch, int rows, int width, float* sums) {
  for (int r = 0; r < rows; ++r) {
    float sum = 0;
    for (int x = 0; x < width; ++x) sum += terms[static_cast<size_t>(r) * pitch + static_cast<size_t>(x)];
    sums[r] = sum;
  }
}

}  // namespace qc::plain
#endif

HWY_BEFORE_NAMESPACE();
namespace qc::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if QC_PLAIN_TARGET
void sum_rows(const float* terms, size_t pitch, int rows, int width, float* sums) {
  plain::sum_rows_in_order(terms, pitch, rows, width, sums);
}
#else

// Four neighbouring terms of every fourth row, one row a block of 128 bits.
template <class D>
hn::Vec<D> load_quads(D d, const float* terms, size_t pitch) {
  if constexpr (hn::MaxLanes(D()) <= 4) {
    return hn::LoadU(d, terms);
  } else {
    const hn::Half<D> half;
    const size_t rows = hn::MaxLanes(half);
    return hn::Combine(d, load_quads(half, terms + rows * pitch, pitch), load_quads(half, terms, pitch));
  }
}

// A lane a row; tiles of four columns are transposed on the way.
void sum_rows(const float* terms, size_t pitch, int rows, int width, float* sums) {
  const hn::CappedTag<float, 16> d;
  constexpr int kLanes = static_cast<int>(hn::MaxLanes(d));
  int row = 0;
  for (; row + kLanes <= rows; row += kLanes) {
    const float* first = terms + static_cast<size_t>(row) * pitch;
    auto sum = hn::Zero(d);
    int x = 0;
    for (; x + 4 <= width; x += 4) {
      const auto r0 = load_quads(d, first + x, pitch);
      const auto r1 = load_quads(d, first + pitch + x, pitch);
      const auto r2 = load_quads(d, first + 2 * pitch + x, pitch);
      const auto r3 = load_quads(d, first + 3 * pitch + x, pitch);
      const auto low02 = hn::InterleaveLower(d, r0, r2);
      const auto low13 = hn::InterleaveLower(d, r1, r3);
      const auto high02 = hn::InterleaveUpper(d, r0, r2);
      const auto high13 = hn::InterleaveUpper(d, r1, r3);
      sum = hn::Add(sum, hn::InterleaveLower(d, low02, low13));
      sum = hn::Add(sum, hn::InterleaveUpper(d, low02, low13));
      sum = hn::Add(sum, hn::InterleaveLower(d, high02, high13));
      sum = hn::Add(sum, hn::InterleaveUpper(d, high02, high13));
    }
    hn::StoreU(sum, d, sums + row);
    for (; x < width; ++x)
      for (int r = 0; r < kLanes; ++r) sums[row + r] += first[static_cast<size_t>(r) * pitch + static_cast<size_t>(x)];
  }
  plain::sum_rows_in_order(terms + static_cast<size_t>(row) * pitch, pitch, rows - row, width, sums + row);
}
#endif

}  // namespace qc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qc {
HWY_EXPORT(sum_rows);

void sum_rows_in_order(const float* terms, size_t pitch, int rows, int width, float* sums) {
  HWY_DYNAMIC_DISPATCH(sum_rows)(terms, pitch, rows, width, sums);
}

}  // namespace qc
#endif
