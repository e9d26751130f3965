#include "cuda/device/prelude.h"
//
#include "cuda/psnr/ansnr.h"
#include "psnr/ansnr_filter.h"

namespace qc::cuda {
namespace {

using namespace qc::device;

constexpr int kHalo = 2;
constexpr int kTileRows = kAnsnrRows + 2 * kHalo;
constexpr int kTileColumns = kAnsnrColumns + 2 * kHalo;
using Tile = float[kTileRows][kTileColumns];

QC_DEVICE void load(Tile& tile, const PlaneView& plane, int left, int top, float scale) {
  for (int i = static_cast<int>(thread_x()); i < kTileRows * kTileColumns; i += kAnsnrThreads) {
    const int x = left + i % kTileColumns - kHalo;
    const int y = top + i / kTileColumns - kHalo;
    // Positions past the mirrored edge belong to no output.
    if (x < plane.width + kHalo && y < plane.height + kHalo)
      tile[i / kTileColumns][i % kTileColumns] =
          ansnr::sample(plane.at(ansnr::mirror(x, plane.width), ansnr::mirror(y, plane.height)), scale);
  }
}

QC_DEVICE float filtered3(const Tile& tile, int x, int y) {
  const auto row = [&](int v) { return ansnr::row3(tile[y + v][x + 1], tile[y + v][x + 2], tile[y + v][x + 3]); };
  return ansnr::column3(row(1), row(2), row(3));
}

QC_DEVICE float filtered5(const Tile& tile, int x, int y) {
  const auto row = [&](int v) {
    const float* t = &tile[y + v][x];
    return ansnr::row5(ansnr::filter5_row(v < 3 ? v : 4 - v), t[0], t[1], t[2], t[3], t[4]);
  };
  return ansnr::column5(row(0), row(1), row(2), row(3), row(4));
}

}  // namespace

QC_KERNEL(qc_ansnr_row_sums, AnsnrRowsArgs, kAnsnrThreads) {
  QC_BLOCK_SHARED Tile reference_tile;
  QC_BLOCK_SHARED Tile distorted_tile;
  // Squares of a stretch, [0]: signal, [1]: noise. Padded, since one thread sums each row.
  QC_BLOCK_SHARED float squares[2][kAnsnrRows][kAnsnrColumns + 1];
  const PlaneView& reference = args.frame->current.reference.plane[0];
  const PlaneView& distorted = args.frame->current.distorted.plane[0];
  const int thread = static_cast<int>(thread_x());
  const int top = static_cast<int>(block_x()) * kAnsnrRows;
  const bool sums = thread < 2 * kAnsnrRows;
  const int sum_row = thread % kAnsnrRows;
  const int sum_kind = thread / kAnsnrRows;
  float sum = 0;
  for (int left = 0; left < reference.width; left += kAnsnrColumns) {
    load(reference_tile, reference, left, top, args.scale);
    load(distorted_tile, distorted, left, top, args.scale);
    sync_block();
    for (int i = thread; i < kAnsnrRows * kAnsnrColumns; i += kAnsnrThreads) {
      const int x = i % kAnsnrColumns;
      const int y = i / kAnsnrColumns;
      if (left + x >= reference.width || top + y >= reference.height) continue;
      const float filtered = filtered3(reference_tile, x, y);
      const float error = filtered - filtered5(distorted_tile, x, y);
      squares[0][y][x] = filtered * filtered;
      squares[1][y][x] = error * error;
    }
    sync_block();
    if (sums && top + sum_row < reference.height) {
      const int count = reference.width - left < kAnsnrColumns ? reference.width - left : kAnsnrColumns;
      for (int x = 0; x < count; ++x) sum += squares[sum_kind][sum_row][x];
    }
  }
  if (sums && top + sum_row < reference.height) (sum_kind ? args.noise : args.signal)[top + sum_row] = sum;
}

QC_KERNEL(qc_ansnr_total, AnsnrTotalArgs, kAnsnrThreads) {
  QC_BLOCK_SHARED float rows[2][kAnsnrThreads];
  const int thread = static_cast<int>(thread_x());
  float sum = 0;
  for (int first = 0; first < args.rows; first += kAnsnrThreads) {
    if (first + thread < args.rows) {
      rows[0][thread] = args.signal[first + thread];
      rows[1][thread] = args.noise[first + thread];
    }
    sync_block();
    const int count = args.rows - first < kAnsnrThreads ? args.rows - first : kAnsnrThreads;
    if (thread < 2)
      for (int i = 0; i < count; ++i) sum += rows[thread][i];
    sync_block();
  }
  if (thread < 2) (thread ? args.record->noise : args.record->signal) = sum;
}

}  // namespace qc::cuda
