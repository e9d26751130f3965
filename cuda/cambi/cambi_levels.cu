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

constexpr int kWarp = 32;

// Two 16-bit numbers a word: the first four columns of a lane, and more.
struct Columns {
  uint32_t first;
  uint32_t second;
};

// The same of the columns one to the right.
QC_DEVICE Columns right_of(const Columns& c, int lane) {
  const uint32_t next = shuffle(c.first, (lane + 1) % kWarp);
  return {select_bytes(c.first, c.second, 0x5432), select_bytes(c.second, next, 0x5432)};
}

template <class T>
struct alignas(4 * sizeof(T)) Four {
  T sample[4];
};

// Reads a lane's four columns of a row. Columns and rows outside of the picture have the values of its edge.
template <class T>
class LumaColumns {
 public:
  QC_DEVICE LumaColumns(const CambiLevelsArgs& args, int x) : args_(args), plane_(luma(args.frame, args.reference)) {
    const bool beside = !args.columns && plane_.step == 1 && x >= 0 && x + 4 <= args.width;
    four_ = beside &&
            ((reinterpret_cast<uint64_t>(plane_.data) | static_cast<uint64_t>(plane_.stride)) % sizeof(Four<T>)) == 0;
    QC_UNROLL
    for (int i = 0; i < 4; ++i) {
      const int inside = x + i < 0 ? 0 : x + i < args.width ? x + i : args.width - 1;
      column_[i] = (args.columns ? args.columns[inside] : inside) * plane_.step;
    }
  }
  QC_DEVICE Four<T> read(int y) const {
    const int inside = y < 0 ? 0 : y < args_.height ? y : args_.height - 1;
    const auto* row =
        reinterpret_cast<const T*>(plane_.data + (args_.rows ? args_.rows[inside] : inside) * plane_.stride);
    if (four_) return *reinterpret_cast<const Four<T>*>(row + column_[0]);
    return {{row[column_[0]], row[column_[1]], row[column_[2]], row[column_[3]]}};
  }
  QC_DEVICE Columns levels(const Four<T>& four) const {
    const auto level = [&](int i) {
      return cambi::to_level(static_cast<uint32_t>(four.sample[i]) >> plane_.shift, plane_.depth);
    };
    return {level(0) | level(1) << 16, level(2) | level(3) << 16};
  }

 private:
  const CambiLevelsArgs& args_;
  PlaneView plane_;
  bool four_;  // can be read at once
  int column_[4];
};

constexpr int kHalf =
    3;  // of 7x7: needed of the columns to the right are three, one to compare with, one to smooth that

// A warp goes down its columns. While a row is read, the row of levels above it becomes complete, then the one above
// that can be compared with its neighbours, and kHalf rows higher all rows around are known.
template <class T>
QC_DEVICE void levels(const CambiLevelsArgs& args) {
  constexpr int kAbove = kHalf + 2;  // rows from the one that is complete to the one that is read
  constexpr int kBatch = 8;
  static_assert(kHalf + kAbove == kBatch && kCambiLevelsRows % kBatch == 0);
  const auto lane = static_cast<int>(thread_x() % kWarp);
  const int x = static_cast<int>(block_x()) * kCambiLevelsColumns + 4 * (lane - 1);
  const int top =
      static_cast<int>(block_y()) * kCambiLevelsBlockRows + static_cast<int>(thread_x()) / kWarp * kCambiLevelsRows;
  if (top >= args.height) return;
  const bool written = lane > 0 && lane <= kCambiLevelsColumns / 4 && x < args.width;
  uint32_t inside = 0;  // a byte a column
  QC_UNROLL
  for (int i = 0; i < 4; ++i)
    if (x + i >= 0 && x + i < args.width) inside |= 1U << (8 * i);
  const LumaColumns<T> source(args, x);
  const auto least = static_cast<uint32_t>(0x7fff - args.threshold);
  const uint32_t beyond = least << 16 | least;  // added to a count above the threshold gives 0x8000
  Columns sums{};                               // of two neighbours in the row above, or its levels
  Columns level[kAbove]{};                      // [0]: of the row above the one that is read
  uint32_t equal[2 * kHalf + 1]{};              // likewise, [0] two rows above; a byte a column
  uint32_t around = 0;                          // their sum
  for (int batch = 0; batch < kCambiLevelsRows + kBatch; batch += kBatch) {
    Four<T> row[kBatch];
    QC_UNROLL
    for (int i = 0; i < kBatch; ++i) row[i] = source.read(top - kHalf + batch + i);
    QC_UNROLL
    for (int i = 0; i < kBatch; ++i) {
      const int y = top - kHalf + batch + i;
      Columns own = source.levels(row[i]);
      QC_UNROLL
      for (int k = kAbove - 1; k > 0; --k) level[k] = level[k - 1];
      if (args.smoothed) {
        const Columns right = right_of(own, lane);
        own.first += right.first;
        own.second += right.second;
        level[0] = {(sums.first + own.first) >> 2 & 0x0fff0fffU, (sums.second + own.second) >> 2 & 0x0fff0fffU};
      } else {
        level[0] = sums;
      }
      sums = own;
      const Columns right = right_of(level[1], lane);
      const Columns differ = {(level[1].first ^ right.first) | (level[1].first ^ level[0].first),
                              (level[1].second ^ right.second) | (level[1].second ^ level[0].second)};
      // Bit 15 of each: whether any is set.
      const uint32_t any = select_bytes(differ.first + 0x7fff7fffU, differ.second + 0x7fff7fffU, 0x7531);
      around -= equal[2 * kHalf];
      QC_UNROLL
      for (int k = 2 * kHalf; k > 0; --k) equal[k] = equal[k - 1];
      equal[0] = y - 2 >= 0 && y - 2 < args.height ? ~any >> 7 & inside : 0;
      around += equal[0];
      const int out_y = y - kAbove;
      if (batch == 0 || out_y >= args.height) continue;
      if (args.step == 2 && i % 2) continue;
      const uint32_t before = shuffle(around, (lane + kWarp - 1) % kWarp);
      const uint32_t after = shuffle(around, (lane + 1) % kWarp);
      constexpr uint32_t kAll = 0x01010101;
      const uint32_t all = dot4(around, kAll, 0);
      const uint32_t count[4] = {dot4(before, 0x01010100, all), dot4(before, 0x01010000, dot4(after, 0x00000001, all)),
                                 dot4(before, 0x01000000, dot4(after, 0x00000101, all)), dot4(after, 0x00010101, all)};
      constexpr uint32_t kMasks = uint32_t{kCambiMask} << 16 | kCambiMask;
      const Columns& centre = level[kAbove - 1];
      const uint32_t first = centre.first | (((count[0] | count[1] << 16) + beyond) & kMasks);
      const uint32_t second = centre.second | (((count[2] | count[3] << 16) + beyond) & kMasks);
      if (!written) continue;
      if (args.step == 2) {
        *reinterpret_cast<uint32_t*>(args.image + int64_t{out_y / 2} * args.pitch + x / 2) =
            select_bytes(first, second, 0x5410);
      } else {
        *reinterpret_cast<Four<uint16_t>*>(args.image + int64_t{out_y} * args.pitch + x) =
            __builtin_bit_cast(Four<uint16_t>, Columns{first, second});
      }
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
  constexpr uint32_t kLevel = kCambiMask - 1U;
  const auto lane = static_cast<int>(thread_x() % kWarp);
  const int x = static_cast<int>(block_x()) * kCambiFilterColumns + 4 * lane;
  const int top =
      static_cast<int>(block_y()) * kCambiFilterBlockRows + static_cast<int>(thread_x()) / kWarp * kCambiFilterRows;
  const int width = args.width;
  const int height = args.height;
  if (top >= height) return;
  // From the row above the first on: four pixels and their neighbours, and their levels after the filter along the row.
  Columns pixels[kCambiFilterRows + 2]{};
  uint32_t beside[kCambiFilterRows + 2]{};  // of a warp's first and last lane: the neighbour that no lane has
  uint32_t along_row[kCambiFilterRows + 2][4]{};
  QC_UNROLL
  for (int i = 0; i < kCambiFilterRows + 2; ++i) {
    const int y = top + i - 1;
    if (y < 0 || y >= height || x >= width) continue;
    const uint16_t* row = args.image + int64_t{y} * args.pitch + x;
    // Nothing was written behind the pair of columns that the picture ends in.
    pixels[i] =
        x + 2 < width ? *reinterpret_cast<const Columns*>(row) : Columns{*reinterpret_cast<const uint32_t*>(row), 0};
    if (lane == 0 && x > 0) beside[i] = row[-1];
    if (lane == kWarp - 1 && x + 4 < width) beside[i] = row[4];
  }
  QC_UNROLL
  for (int i = 0; i < kCambiFilterRows + 2; ++i) {
    const uint32_t before = shuffle(pixels[i].second, (lane + kWarp - 1) % kWarp) >> 16;
    const uint32_t after = shuffle(pixels[i].first, (lane + 1) % kWarp);
    const uint32_t level[6] = {(lane == 0 ? beside[i] : before) & kLevel,
                               pixels[i].first & kLevel,
                               pixels[i].first >> 16 & kLevel,
                               pixels[i].second & kLevel,
                               pixels[i].second >> 16 & kLevel,
                               (lane == kWarp - 1 ? beside[i] : after) & kLevel};
    QC_UNROLL
    for (int k = 0; k < 4; ++k) {
      const bool edge = x + k == 0 || x + k == width - 1;
      along_row[i][k] = edge ? level[k + 1] : cambi::mode_of_three(level[k], level[k + 1], level[k + 2]);
    }
  }
  if (x >= width) return;
  QC_UNROLL
  for (int i = 0; i < kCambiFilterRows; ++i) {
    const int y = top + i;
    if (y >= height) break;
    const bool edge = y == 0 || y == height - 1;
    Four<uint16_t> indices;
    Four<uint16_t> filtered;
    QC_UNROLL
    for (int k = 0; k < 4; ++k) {
      const uint32_t pixel = (k < 2 ? pixels[i + 1].first : pixels[i + 1].second) >> (16 * (k % 2)) & 0xffffU;
      const uint32_t level =
          edge ? pixel & kLevel : cambi::mode_of_three(along_row[i][k], along_row[i + 1][k], along_row[i + 2][k]);
      const uint32_t index = level - static_cast<uint32_t>(args.base);
      indices.sample[k] =
          pixel & kCambiMask && index < static_cast<uint32_t>(args.count) ? static_cast<uint16_t>(index) : kCambiNone;
      filtered.sample[k] = static_cast<uint16_t>(level | (pixel & kCambiMask));
    }
    *reinterpret_cast<Four<uint16_t>*>(args.indices + int64_t{y} * args.pitch + x) = indices;
    if (args.next && y % 2 == 0)
      *reinterpret_cast<uint32_t*>(args.next + int64_t{y / 2} * args.next_pitch + x / 2) =
          uint32_t{filtered.sample[2]} << 16 | filtered.sample[0];
  }
}

}  // namespace qc::cuda
