// Samples of a picture's rows, a few at a time.
#pragma once

#include "adm/adm_arithmetic.h"
#include "cuda/device/prelude.h"

namespace qc::device {

QC_DEVICE bool aligned4(const PlaneView& p) {
  return ((reinterpret_cast<uintptr_t>(p.data) | static_cast<uint64_t>(p.stride)) & 3) == 0;
}

// Four samples of a row from column x on, mirrored at the borders. Those that nothing depends on are any.
QC_DEVICE void load4(const uint8_t* row, const PlaneView& plane, int x, bool whole_words, int32_t sample[4], uint8_t) {
  if (whole_words && x >= 0 && x + 4 <= plane.width) {
    const uint32_t word = *reinterpret_cast<const uint32_t*>(row + x);
    for (int i = 0; i < 4; ++i) sample[i] = static_cast<int32_t>((word >> (8 * i)) & 255);
    return;
  }
  for (int i = 0; i < 4; ++i) {
    const int column = x + i;
    sample[i] = column < -1 || column > plane.width + 1 ? 0 : row[adm::mirror(column, plane.width)];
  }
}
QC_DEVICE void load4(const uint8_t* bytes, const PlaneView& plane, int x, bool whole_words, int32_t sample[4],
                     uint16_t) {
  const uint16_t* row = reinterpret_cast<const uint16_t*>(bytes);
  if (whole_words && x >= 0 && x + 4 <= plane.width) {
    const uint32_t* words = reinterpret_cast<const uint32_t*>(row + x);
    for (int i = 0; i < 4; i += 2) {
      sample[i] = static_cast<int32_t>((words[i / 2] & 0xffffU) >> plane.shift);
      sample[i + 1] = static_cast<int32_t>(words[i / 2] >> (16 + plane.shift));
    }
    return;
  }
  for (int i = 0; i < 4; ++i) {
    const int column = x + i;
    sample[i] = column < -1 || column > plane.width + 1 ? 0 : row[adm::mirror(column, plane.width)] >> plane.shift;
  }
}

}  // namespace qc::device
