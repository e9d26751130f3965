#include "cuda/device/prelude.h"
//
#include "cuda/math/ordered_rows.h"

namespace qc::cuda {
namespace {

using namespace qc::device;

// Columns that are fetched at a time, and the distance of rows in shared memory, which keeps 32 lanes in 32 banks.
constexpr int kTileColumns = 128;
constexpr int kTilePitch = kTileColumns + 1;
constexpr int kTileTerms = kOrderedRowsBlock * kTileColumns;

}  // namespace

QC_KERNEL(qc_ordered_row_sums, OrderedRowsArgs, kOrderedRowsThreads) {
  // While one tile is summed, the next one is fetched.
  QC_BLOCK_SHARED float tile[2][kOrderedRowsBlock * kTilePitch];
  const OrderedPlane& plane = args.plane[block_y()];
  const int first = static_cast<int>(block_x()) * kOrderedRowsBlock;
  if (args.frame->previous_count < args.earlier || first >= plane.height) return;
  const int thread = static_cast<int>(thread_x());
  const int rows = plane.height - first < kOrderedRowsBlock ? plane.height - first : kOrderedRowsBlock;
  const float* terms = plane.terms + int64_t{first} * plane.pitch;
  constexpr int kEach = kTileTerms / kOrderedRowsThreads;
  float fetched[kEach];
  const auto fetch = [&](int left) {
    QC_UNROLL
    for (int i = 0; i < kEach; ++i) {
      const int at = thread + i * kOrderedRowsThreads;
      const int row = at / kTileColumns;
      const int column = left + at % kTileColumns;
      fetched[i] = row < rows && column < plane.width ? terms[int64_t{row} * plane.pitch + column] : 0.0F;
    }
  };
  const auto keep = [&](float* to) {
    QC_UNROLL
    for (int i = 0; i < kEach; ++i) {
      const int at = thread + i * kOrderedRowsThreads;
      to[at / kTileColumns * kTilePitch + at % kTileColumns] = fetched[i];
    }
  };
  fetch(0);
  keep(tile[0]);
  sync_block();
  float sum = 0;
  int current = 0;
  for (int left = 0; left < plane.width; left += kTileColumns) {
    const bool more = left + kTileColumns < plane.width;
    if (more) fetch(left + kTileColumns);
    if (thread < kOrderedRowsBlock) {
      const float* row = tile[current] + thread * kTilePitch;
      // A sum that began with 0 is never -0, so the zeros behind the end change nothing.
      QC_UNROLL
      for (int x = 0; x < kTileColumns; ++x) sum += row[x];
    }
    if (more) keep(tile[1 - current]);
    sync_block();
    current = 1 - current;
  }
  if (thread < rows) plane.row_sums[first + thread] = sum;
}

QC_KERNEL(qc_ordered_totals, OrderedRowsArgs, kOrderedTotalsThreads) {
  QC_BLOCK_SHARED float row_sums[kOrderedTotalsThreads];
  if (args.frame->previous_count < args.earlier) return;
  const OrderedPlane& plane = args.plane[block_x()];
  const int thread = static_cast<int>(thread_x());
  float sum = 0;
  const auto fetch = [&](int first) { return first + thread < plane.height ? plane.row_sums[first + thread] : 0.0F; };
  float next = fetch(0);
  for (int first = 0; first < plane.height; first += kOrderedTotalsThreads) {
    row_sums[thread] = next;
    sync_block();
    next = fetch(first + kOrderedTotalsThreads);
    if (thread == 0) {
      QC_UNROLL
      for (int i = 0; i < kOrderedTotalsThreads; ++i) sum += row_sums[i];
    }
    sync_block();
  }
  if (thread == 0) *plane.total = sum;
}

}  // namespace qc::cuda
