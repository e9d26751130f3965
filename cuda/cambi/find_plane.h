// Which of a frame's planes a block works on.
#pragma once

#include "cuda/cambi/cambi_planes.h"
#include "cuda/device/prelude.h"

namespace qc::cuda {

// The last plane whose first block, first(plane, number), is not after this one. Not an index, which would put a
// kernel's arguments on the stack.
template <class First>
QC_DEVICE CambiPlane find_plane(const CambiPlanes& planes, First first) {
  const auto block = static_cast<int>(qc::device::block_x());
  CambiPlane found = planes.plane[0];
  QC_UNROLL
  for (int i = 1; i < kCambiPlanes; ++i)
    if (block >= first(planes.plane[i], i)) found = planes.plane[i];
  return found;
}

}  // namespace qc::cuda
