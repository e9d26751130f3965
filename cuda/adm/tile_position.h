// The threads of a tile.
#pragma once

#include "cuda/adm/tile.h"
#include "cuda/device/prelude.h"

namespace qc::device {

// Input columns that a tile reads: from 2 * (first column) - 2, an even number of them for the wavelet and a few that
// make groups of four.
constexpr int kAdmInputColumns = 2 * cuda::kAdmTileColumns + 4;

// The position of a thread and what it has to do.
struct TilePosition {
  int lane;
  int warp;
  int x;
  int y;
  bool inside;    // of the band
  bool own;       // inside, and no other tile's
  int first;      // input column that column 0 of the vertically filtered rows holds
  bool tile_sum;  // the tile has scored samples

  // `scale`: AdmScale or FloatAdmScale. `sum`: false if nothing is summed at all.
  template <class Scale>
  QC_DEVICE TilePosition(const Scale& s, bool sum) {
    lane = static_cast<int>(thread_x() % 32);
    warp = static_cast<int>(thread_x() / 32);
    const int left = static_cast<int>(block_x()) * cuda::kAdmOwnColumns;
    const int top = static_cast<int>(block_y()) * cuda::kAdmOwnRows;
    x = left - 1 + lane;
    y = top - 1 + warp;
    inside = x >= 0 && x < s.width && y >= 0 && y < s.height;
    own = inside && lane > 0 && lane <= cuda::kAdmOwnColumns && warp > 0 && warp <= cuda::kAdmOwnRows;
    first = 2 * left - 4;
    tile_sum = sum && left < s.right && left + cuda::kAdmOwnColumns > s.left && top < s.bottom &&
               top + cuda::kAdmOwnRows > s.top;
  }
};

}  // namespace qc::device
