// Which chroma samples belong to a luma position in libvmaf (ciede.md §2), for host and device.
//
// No interpolation. With 4:2:0 it is the nearest sample. With 4:2:2 the reference takes row y / 2 and column x, which
// runs past the end of the row; so it does with the last column of odd widths. What it finds there depends on how its
// pictures lie in memory, and is taken as a definition here: rows of Cb, then rows of Cr, each padded with zeros to a
// multiple of 32 samples.
#pragma once

#include "math/plane_view.h"

namespace qc::ciede {

// Row of the chroma planes that belongs to row y of luma.
QC_HD constexpr int chroma_row(int y, int chroma_height, bool subsampled) {
  if (!subsampled) return y;
  return y / 2 < chroma_height ? y / 2 : chroma_height - 1;
}

// Sample of plane 1 or 2 in row `row`, at a column that may be past its end.
QC_HD constexpr uint32_t chroma_sample(const PictureView& picture, int plane, int row, int column) {
  const PlaneView& view = picture.plane[plane];
  const int pitch = (view.width + 31) / 32 * 32;
  int p = plane;
  row += column / pitch;
  column %= pitch;
  if (row >= view.height) {
    row -= view.height;
    ++p;
  }
  if (p > 2 || row >= view.height || column >= view.width) return 0;
  return picture.plane[p].at(column, row);
}

}  // namespace qc::ciede
