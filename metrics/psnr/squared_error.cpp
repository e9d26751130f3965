#include "psnr/squared_error.h"

#include "core/row_reader.h"
#include "psnr/row_sums.h"

namespace qc {
namespace {

template <class T>
uint64_t sum_rows(const PlaneView& reference, const PlaneView& distorted) {
  RowReader<T> r(reference);
  RowReader<T> d(distorted);
  uint64_t sum = 0;
  for (int y = 0; y < reference.height; ++y)
    sum += squared_error_row(r.row(y), d.row(y), reference.width, reference.depth);
  return sum;
}

}  // namespace

uint64_t squared_error(const PlaneView& reference, const PlaneView& distorted) {
  if (reference.bytes == 1) return sum_rows<uint8_t>(reference, distorted);
  return sum_rows<uint16_t>(reference, distorted);
}

}  // namespace qc
