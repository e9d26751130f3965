#include "cuda/device/prelude.h"
//
#include "cuda/cambi/cambi_levels.h"
#include "cuda/device/plane_walk.h"

namespace qc::cuda {
namespace {

using namespace qc::device;

QC_DEVICE PlaneView luma(const FrameParameters* frame, int reference) {
  return reference ? frame->current.reference.plane[0] : frame->current.distorted.plane[0];
}

template <class T>
QC_DEVICE uint32_t sample(const PlaneView& plane, int x, int y) {
  return static_cast<uint32_t>(reinterpret_cast<const T*>(plane.data + y * plane.stride)[x * plane.step]) >>
         plane.shift;
}

// Around the tile: half of 7x7, the neighbour that a pixel is compared with, and the one that smooths that.
constexpr int kHalf = 3;
constexpr int kIndicatorRows = kCambiTileHeight + 2 * kHalf;
constexpr int kIndicatorWords = (kCambiTileWidth + 2 * kHalf + 3) / 4;
constexpr int kLevelRows = kIndicatorRows + 2;
constexpr int kLevelColumns = 4 * kIndicatorWords + 2;

struct Tile {
  uint16_t raw[kLevelRows][kLevelColumns];
  uint16_t smooth[kLevelRows][kLevelColumns];
  // Four columns a word, a byte each.
  uint32_t indicator[kIndicatorRows][kIndicatorWords];
  uint32_t column_sum[kCambiTileHeight][kIndicatorWords];
};

template <class T>
QC_DEVICE void levels(const CambiLevelsArgs& args) {
  QC_BLOCK_SHARED Tile tile;
  const int thread = static_cast<int>(thread_x());
  const int tile_x = static_cast<int>(block_x()) * kCambiTileWidth;
  const int tile_y = static_cast<int>(block_y()) * kCambiTileHeight;
  const int left = tile_x - kHalf;
  const int top = tile_y - kHalf;
  const int width = args.width;
  const int height = args.height;
  {
    const PlaneView plane = luma(args.frame, args.reference);
    for (int i = thread; i < kLevelRows * kLevelColumns; i += kCambiLevelsThreads) {
      const int row = i / kLevelColumns;
      const int column = i % kLevelColumns;
      const int x = left + column;
      const int y = top + row;
      if (x < 0 || y < 0 || x >= width || y >= height) continue;
      const int from_x = args.columns ? args.columns[x] : x;
      const int from_y = args.rows ? args.rows[y] : y;
      tile.raw[row][column] = static_cast<uint16_t>(cambi::to_level(sample<T>(plane, from_x, from_y), plane.depth));
    }
  }
  sync_block();
  if (args.smoothed) {
    for (int i = thread; i < (kLevelRows - 1) * (kLevelColumns - 1); i += kCambiLevelsThreads) {
      const int row = i / (kLevelColumns - 1);
      const int column = i % (kLevelColumns - 1);
      const int x = left + column;
      const int y = top + row;
      if (x < 0 || y < 0 || x >= width || y >= height) continue;
      const int right = x + 1 < width;
      const int below = y + 1 < height;
      uint32_t sum = tile.raw[row][column];
      if (right) sum += tile.raw[row][column + 1];
      if (below) sum += tile.raw[row + 1][column];
      if (right && below) sum += tile.raw[row + 1][column + 1];
      tile.smooth[row][column] = static_cast<uint16_t>(sum >> (right + below));
    }
    sync_block();
  }
  const auto& level = args.smoothed ? tile.smooth : tile.raw;
  for (int i = thread; i < kIndicatorRows * kIndicatorWords; i += kCambiLevelsThreads) {
    const int row = i / kIndicatorWords;
    const int word = i % kIndicatorWords;
    const int y = top + row;
    uint32_t bytes = 0;
    for (int b = 0; b < 4; ++b) {
      const int column = 4 * word + b;
      const int x = left + column;
      if (x < 0 || y < 0 || x >= width || y >= height) continue;
      const uint16_t own = level[row][column];
      const bool equal =
          (x == width - 1 || own == level[row][column + 1]) && (y == height - 1 || own == level[row + 1][column]);
      if (equal) bytes |= 1U << (8 * b);
    }
    tile.indicator[row][word] = bytes;
  }
  sync_block();
  for (int i = thread; i < kCambiTileHeight * kIndicatorWords; i += kCambiLevelsThreads) {
    const int row = i / kIndicatorWords;
    const int word = i % kIndicatorWords;
    uint32_t sum = 0;
    QC_UNROLL
    for (int k = 0; k < 2 * kHalf + 1; ++k) sum += tile.indicator[row + k][word];
    tile.column_sum[row][word] = sum;
  }
  sync_block();
  const int step = args.step;
  for (int i = thread; i < kCambiTileHeight / step * (kCambiTileWidth / 4); i += kCambiLevelsThreads) {
    const int row = i / (kCambiTileWidth / 4) * step;
    const int word = i % (kCambiTileWidth / 4);
    const int x = tile_x + 4 * word;
    const int y = tile_y + row;
    if (x >= width || y >= height) continue;
    const uint32_t* sums = &tile.column_sum[row][word];
    constexpr uint32_t kAll = 0x01010101;
    const uint32_t count[4] = {dot4(sums[0], kAll, dot4(sums[1], 0x00010101, 0)),
                               dot4(sums[0], 0x01010100, dot4(sums[1], kAll, 0)),
                               dot4(sums[0], 0x01010000, dot4(sums[1], kAll, dot4(sums[2], 0x00000001, 0))),
                               dot4(sums[0], 0x01000000, dot4(sums[1], kAll, dot4(sums[2], 0x00000101, 0)))};
    uint16_t* out = args.image + int64_t{y / step} * args.image_width;
    QC_UNROLL
    for (int b = 0; b < 4; ++b) {
      if (x + b >= width || (b & (step - 1))) continue;
      const bool flat = static_cast<int>(count[b]) > args.threshold;
      out[(x + b) / step] =
          static_cast<uint16_t>(level[row + kHalf][4 * word + b + kHalf] | (flat ? kCambiMask : uint16_t{0}));
    }
  }
}

}  // namespace

QC_KERNEL(qc_cambi_levels_8, CambiLevelsArgs, kCambiLevelsThreads) { levels<uint8_t>(args); }
QC_KERNEL(qc_cambi_levels_16, CambiLevelsArgs, kCambiLevelsThreads) { levels<uint16_t>(args); }

QC_KERNEL(qc_cambi_range, CambiRangeArgs, kCambiRangeThreads) {
  const PlaneView plane = luma(args.frame, args.reference);
  uint32_t bits = 0;
  PlaneWalk walk(block_x() * kCambiRangeThreads + thread_x(), grid_x() * kCambiRangeThreads, plane.width, plane.height);
  for (; !walk.done(); walk.next()) bits |= sample<uint16_t>(plane, walk.x(), walk.y());
  if (bits >> plane.depth) atomic_or(args.exceeded, 1);
}

QC_KERNEL(qc_cambi_filter, CambiFilterArgs, kCambiFilterThreads) {
  const int column = static_cast<int>(block_x() * kCambiFilterThreads + thread_x());
  if (column >= args.pitch) return;
  const int top = static_cast<int>(block_y()) * kCambiFilterRows;
  const int width = args.width;
  const int height = args.height;
  const int x = column - args.pad;
  uint16_t* out = args.indices + int64_t{top} * args.pitch + column;
  if (x < 0 || x >= width) {
    for (int i = 0; i < kCambiFilterRows && top + i < height; ++i) out[int64_t{i} * args.pitch] = kCambiNone;
    return;
  }
  const bool edge = x == 0 || x == width - 1;
  // A pixel and its level after the filter along the row.
  uint32_t pixel[kCambiFilterRows + 2] = {};
  uint32_t along_row[kCambiFilterRows + 2] = {};
  QC_UNROLL
  for (int i = 0; i < kCambiFilterRows + 2; ++i) {
    const int y = top + i - 1;
    if (y < 0 || y >= height) continue;
    const uint16_t* row = args.image + int64_t{y} * width + x;
    pixel[i] = row[0];
    const uint32_t own = pixel[i] & ~uint32_t{kCambiMask};
    along_row[i] =
        edge ? own : cambi::mode_of_three(row[-1] & ~uint32_t{kCambiMask}, own, row[1] & ~uint32_t{kCambiMask});
  }
  QC_UNROLL
  for (int i = 0; i < kCambiFilterRows; ++i) {
    const int y = top + i;
    if (y >= height) break;
    const uint32_t mask = pixel[i + 1] & kCambiMask;
    const uint32_t level = y == 0 || y == height - 1
                               ? pixel[i + 1] & ~uint32_t{kCambiMask}
                               : cambi::mode_of_three(along_row[i], along_row[i + 1], along_row[i + 2]);
    const uint32_t index = level - static_cast<uint32_t>(args.base);
    out[int64_t{i} * args.pitch] =
        mask && index < static_cast<uint32_t>(args.count) ? static_cast<uint16_t>(index) : kCambiNone;
    if (args.next && !((x | y) & 1))
      args.next[int64_t{y / 2} * args.next_width + x / 2] = static_cast<uint16_t>(level | mask);
  }
}

}  // namespace qc::cuda
