// How the kernels of adm and float_adm divide a band into tiles.
#pragma once

namespace qc::cuda {

// A block has a thread for each band sample of its tile: a warp is a row. The outer samples only lend their
// contributions to thresholds; those inside are the tile's own.
constexpr int kAdmTileColumns = 32;
constexpr int kAdmTileRows = 16;
constexpr int kAdmOwnColumns = kAdmTileColumns - 2;
constexpr int kAdmOwnRows = kAdmTileRows - 2;
constexpr int kAdmThreads = kAdmTileColumns * kAdmTileRows;

}  // namespace qc::cuda
