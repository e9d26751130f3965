#include "cuda/device/prelude.h"
//
#include "cuda/vif/vif_sums.h"
#include "vif/vif_arithmetic.h"

namespace qc::cuda {
namespace {

using namespace qc::device;
using vif::mirror;
using vif::tap;

// Samples of one picture of a scale.
template <class T>
struct Samples {
  const uint8_t* data;
  int64_t stride;
  int step;
  int shift;
  QC_DEVICE uint32_t at(int x, int y) const {
    return static_cast<uint32_t>(reinterpret_cast<const T*>(data + y * stride)[x * step]) >> shift;
  }
};

// Samples of a column from some row on, one after the other.
template <class T>
class ColumnWalk {
 public:
  QC_DEVICE ColumnWalk(const Samples<T>& samples, int x, int y)
      : next_(samples.data + y * samples.stride + int64_t{x} * samples.step * static_cast<int>(sizeof(T))),
        stride_(samples.stride),
        shift_(samples.shift) {}
  QC_DEVICE uint32_t next() {
    const uint32_t sample = static_cast<uint32_t>(*reinterpret_cast<const T*>(next_)) >> shift_;
    next_ += stride_;
    return sample;
  }

 private:
  const uint8_t* next_;
  int64_t stride_;
  int shift_;
};

template <class T>
QC_DEVICE Samples<T> samples_of(const PlaneView& plane) {
  return {plane.data, plane.stride, plane.step, plane.shift};
}

// Not an index, which would put a kernel's arguments on the stack.
QC_DEVICE uint16_t* picture_of(const VifPictures& pictures, int picture) {
  return picture == 0 ? pictures.samples[0] : pictures.samples[1];
}

QC_DEVICE Samples<uint16_t> samples_of(const VifPictures& pictures, int picture) {
  return {reinterpret_cast<const uint8_t*>(picture_of(pictures, picture)), int64_t{2} * pictures.width, 1, 0};
}

template <class T, int kScale>
QC_DEVICE Samples<T> source(const FrameParameters* frame, const VifPictures& pictures, int picture) {
  if constexpr (kScale == 0) {
    return samples_of<T>(picture == 0 ? frame->current.reference.plane[0] : frame->current.distorted.plane[0]);
  } else {
    return samples_of(pictures, picture);
  }
}

// Shifts of pictures of scale kScale.
template <int kScale>
QC_DEVICE vif::Shifts shifts_of(const FrameParameters* frame) {
  return vif::shifts(kScale, kScale == 0 ? frame->current.reference.plane[0].depth : 16);
}

QC_DEVICE uint32_t rounded(uint64_t sum, int shift) {
  return static_cast<uint32_t>((sum + ((uint64_t{1} << shift) >> 1)) >> shift);
}

// Four neighbouring columns at a time are read in the horizontal pass: columns whose numbers are equal modulo 4 lie
// together, eight banks apart from the next.
constexpr int kGroupPitch = kVifThreads / 4 + 8;
QC_DEVICE int position(int column) { return column % 4 * kGroupPitch + column / 4; }

struct Tile {
  uint32_t means[kVifRows][4 * kGroupPitch];
  uint32_t square_r[kVifRows][4 * kGroupPitch];
  uint32_t square_d[kVifRows][4 * kGroupPitch];
  uint32_t product[kVifRows][4 * kGroupPitch];
};

// Rows of the vertical pass at a time: as many as have their sums in registers, which take two for samples of 16 bits.
template <class T>
constexpr int kRowsAtATime = sizeof(T) == 1 ? kVifRows : kVifRows / 2;

// The vertical pass down one column, kRowsAtATime rows from `first` of the tile on, whose top is at row `top`.
// `sample(y)` gives both samples of row y, and is called for one row after the other. Rows from `end` on belong to no
// output.
template <class T, int kScale, class Sample>
QC_DEVICE void filter_column(Tile& tile, int column, int top, int first, int end, const vif::Shifts& shifts,
                             Sample sample) {
  constexpr int kRadius = vif::kRadius[kScale];
  constexpr int kRows = kRowsAtATime<T>;
  using Square = std::conditional_t<sizeof(T) == 1, uint32_t, uint64_t>;
  uint32_t mean_r[kRows] = {};
  uint32_t mean_d[kRows] = {};
  Square square_r[kRows] = {};
  Square square_d[kRows] = {};
  Square product[kRows] = {};
  QC_UNROLL
  for (int i = 0; i < kRows + 2 * kRadius; ++i) {
    const int y = top + first + i - kRadius;
    if (y >= end) break;
    uint32_t r;
    uint32_t d;
    sample(y, r, d);
    const uint32_t rr = r * r;
    const uint32_t dd = d * d;
    const uint32_t rd = r * d;
    QC_UNROLL
    for (int o = 0; o < kRows; ++o) {
      const int k = i - kRadius - o;
      if (k < -kRadius || k > kRadius) continue;
      const auto f = static_cast<uint32_t>(tap(kScale, k));
      mean_r[o] += f * r;
      mean_d[o] += f * d;
      square_r[o] += Square{f} * rr;
      square_d[o] += Square{f} * dd;
      product[o] += Square{f} * rd;
    }
  }
  const int at = position(column);
  QC_UNROLL
  for (int o = 0; o < kRows; ++o) {
    tile.means[first + o][at] = (rounded(mean_r[o], shifts.mean) & 0xffffU) | rounded(mean_d[o], shifts.mean) << 16;
    tile.square_r[first + o][at] = rounded(square_r[o], shifts.square);
    tile.square_d[first + o][at] = rounded(square_d[o], shifts.square);
    tile.product[first + o][at] = rounded(product[o], shifts.square);
  }
}

struct Sums {
  uint64_t log_numerator = 0;
  uint64_t log_denominator = 0;
  uint64_t flat_numerator = 0;
  uint64_t flat_count = 0;

  QC_DEVICE void add(const vif::Variances& v, const VifSumsArgs& args) {
    if (v.reference < vif::kNoise) {
      flat_numerator += static_cast<uint32_t>(v.distorted);
      ++flat_count;
      return;
    }
    const auto signal = static_cast<uint64_t>(v.reference) + static_cast<uint64_t>(vif::kNoise);
    log_denominator += static_cast<uint32_t>(vif::logarithm(signal, args.residuals) - vif::kLogNoise);
    if (v.both <= 0 || v.distorted <= 0) return;
    const vif::Kept kept = vif::kept_information(v, args.gain_limit);
    log_numerator += static_cast<uint32_t>(vif::logarithm(static_cast<uint64_t>(kept.second), args.residuals) -
                                           vif::logarithm(static_cast<uint64_t>(kept.first), args.residuals));
  }
};

QC_DEVICE void add_to(int64_t* total, uint64_t share) {
  const uint64_t sum = block_sum<kVifThreads>(share);
  if (thread_x() == 0) atomic_add(reinterpret_cast<uint64_t*>(total), sum);
}

// The filter's sums of four neighbouring columns.
struct Filtered {
  uint32_t mean_r[4] = {};
  uint32_t mean_d[4] = {};
  uint64_t square_r[4] = {32768, 32768, 32768, 32768};  // what rounds them
  uint64_t square_d[4] = {32768, 32768, 32768, 32768};
  uint64_t product[4] = {32768, 32768, 32768, 32768};

  QC_DEVICE void add(int i, uint32_t f, const VifMoments& m) {
    mean_r[i] += f * (m.means & 0xffffU);
    mean_d[i] += f * (m.means >> 16);
    square_r[i] += uint64_t{f} * m.square_r;
    square_d[i] += uint64_t{f} * m.square_d;
    product[i] += uint64_t{f} * m.product;
  }
  QC_DEVICE vif::Variances variances(int i) const {
    return vif::variances(mean_r[i], mean_d[i], static_cast<uint32_t>(square_r[i] >> 16),
                          static_cast<uint32_t>(square_d[i] >> 16), static_cast<uint32_t>(product[i] >> 16));
  }
};

template <class T, int kScale>
QC_DEVICE void vif_sums(const VifSumsArgs& args) {
  constexpr int kRadius = vif::kRadius[kScale];
  constexpr int kColumns = kVifColumns<kRadius>;
  QC_BLOCK_SHARED Tile tile;
  const int width = args.pictures.width;
  const int height = args.pictures.height;
  const int thread = static_cast<int>(thread_x());
  const int left = static_cast<int>(block_x()) * kColumns;
  const int top = static_cast<int>(block_y()) * kVifRows;
  const int column = left + thread - kRadius;
  // Columns past the mirrored edge belong to no output.
  if (column < width + kRadius) {
    const Samples<T> r = source<T, kScale>(args.frame, args.pictures, 0);
    const Samples<T> d = source<T, kScale>(args.frame, args.pictures, 1);
    const int x = mirror(column, width);
    const vif::Shifts shifts = shifts_of<kScale>(args.frame);
    const int end = height + kRadius;  // of the mirrored edge
    for (int first = 0; first < kVifRows; first += kRowsAtATime<T>) {
      if (kScale == 3 && height == 1) {
        // libvmaf's neighbours of a single row are what the scale before left there.
        const Samples<uint16_t> above_r = samples_of(args.previous, 0);
        const Samples<uint16_t> above_d = samples_of(args.previous, 1);
        filter_column<T, kScale>(tile, thread, top, first, end, shifts,
                                 [&](int y, uint32_t& sample_r, uint32_t& sample_d) {
                                   sample_r = y == 0 ? r.at(x, 0) : above_r.at(x, 1);
                                   sample_d = y == 0 ? d.at(x, 0) : above_d.at(x, 1);
                                 });
      } else if (top + first >= kRadius && top + first + kRowsAtATime<T> + kRadius <= height) {
        // No row is mirrored.
        ColumnWalk<T> walk_r(r, x, top + first - kRadius);
        ColumnWalk<T> walk_d(d, x, top + first - kRadius);
        filter_column<T, kScale>(tile, thread, top, first, height, shifts,
                                 [&](int, uint32_t& sample_r, uint32_t& sample_d) {
                                   sample_r = walk_r.next();
                                   sample_d = walk_d.next();
                                 });
      } else {
        filter_column<T, kScale>(tile, thread, top, first, end, shifts,
                                 [&](int y, uint32_t& sample_r, uint32_t& sample_d) {
                                   const int row = mirror(y, height);
                                   sample_r = r.at(x, row);
                                   sample_d = d.at(x, row);
                                 });
      }
    }
    // Likewise those of a single column.
    const int last = height - 1 - top;
    if (kScale == 2 && column == 1 && last < kVifRows) {
      const int at = position(thread);
      *args.leftover = {tile.means[last][at], tile.square_r[last][at], tile.square_d[last][at], tile.product[last][at]};
    }
  }
  sync_block();
  Sums sums;
  for (int item = thread; item < kVifRows * kColumns / 4; item += kVifThreads) {
    const int row = item / (kColumns / 4);
    const int group = item % (kColumns / 4);
    if (top + row >= height || left + 4 * group >= width) continue;
    Filtered filtered;
    QC_UNROLL
    for (int j = 0; j < 2 * kRadius + 4; ++j) {
      const int at = j % 4 * kGroupPitch + group + j / 4;
      VifMoments m{tile.means[row][at], tile.square_r[row][at], tile.square_d[row][at], tile.product[row][at]};
      if (kScale == 3 && width == 1 && j != kRadius) m = *args.leftover;
      QC_UNROLL
      for (int i = 0; i < 4; ++i) {
        const int k = j - kRadius - i;
        if (k >= -kRadius && k <= kRadius) filtered.add(i, static_cast<uint32_t>(tap(kScale, k)), m);
      }
    }
    QC_UNROLL
    for (int i = 0; i < 4; ++i)
      if (left + 4 * group + i < width) sums.add(filtered.variances(i), args);
  }
  add_to(&args.sums->log_numerator, sums.log_numerator);
  add_to(&args.sums->log_denominator, sums.log_denominator);
  add_to(&args.sums->flat_numerator, sums.flat_numerator);
  add_to(&args.sums->flat_count, sums.flat_count);
}

// Every second row and column of the pictures of scale kScale - 1 after the filter of scale kScale.
template <class T, int kScale>
QC_DEVICE void next_scale(const VifNextArgs& args) {
  constexpr int kRadius = vif::kRadius[kScale];
  constexpr int kColumns = kVifNextColumns<kRadius>;
  QC_BLOCK_SHARED uint32_t filtered[kVifRows][kVifThreads];
  const int width = args.from.width;
  const int height = args.from.height;
  const int thread = static_cast<int>(thread_x());
  const int left = static_cast<int>(block_x()) * kColumns;
  const int top = static_cast<int>(block_y()) * kVifRows;
  const int column = 2 * left + thread - kRadius;
  const auto picture = static_cast<int>(block_z());
  if (column < width + kRadius) {
    const Samples<T> samples = source<T, kScale - 1>(args.frame, args.from, picture);
    const int shift = shifts_of<kScale - 1>(args.frame).mean;
    const int x = mirror(column, width);
    uint32_t sum[kVifRows] = {};
    constexpr int kInRows = 2 * kVifRows - 1 + 2 * kRadius;
    const int first = 2 * top - kRadius;
    const auto add = [&](int i, uint32_t sample) {
      QC_UNROLL
      for (int o = 0; o < kVifRows; ++o) {
        const int k = i - kRadius - 2 * o;
        if (k >= -kRadius && k <= kRadius) sum[o] += static_cast<uint32_t>(tap(kScale, k)) * sample;
      }
    };
    if (first >= 0 && first + kInRows <= height) {
      ColumnWalk<T> walk(samples, x, first);
      QC_UNROLL
      for (int i = 0; i < kInRows; ++i) add(i, walk.next());
    } else {
      QC_UNROLL
      for (int i = 0; i < kInRows; ++i) {
        const int y = first + i;
        add(i, y < height + kRadius ? samples.at(x, mirror(y, height)) : 0);
      }
    }
    QC_UNROLL
    for (int o = 0; o < kVifRows; ++o) filtered[o][thread] = rounded(sum[o], shift);
  }
  sync_block();
  for (int item = thread; item < kVifRows * kColumns; item += kVifThreads) {
    const int row = item / kColumns;
    const int x = item % kColumns;
    if (top + row >= args.to.height || left + x >= args.to.width) continue;
    uint32_t sum = 32768;
    QC_UNROLL
    for (int j = 0; j < 2 * kRadius + 1; ++j)
      sum += static_cast<uint32_t>(tap(kScale, j - kRadius)) * filtered[row][2 * x + j];
    picture_of(args.to, picture)[int64_t{top + row} * args.to.width + left + x] = static_cast<uint16_t>(sum >> 16);
  }
}

}  // namespace

QC_KERNEL_RESIDENT(qc_vif_sums_8, VifSumsArgs, kVifThreads, 4) { vif_sums<uint8_t, 0>(args); }
QC_KERNEL_RESIDENT(qc_vif_sums_16, VifSumsArgs, kVifThreads, 4) { vif_sums<uint16_t, 0>(args); }
QC_KERNEL_RESIDENT(qc_vif_sums_1, VifSumsArgs, kVifThreads, 4) { vif_sums<uint16_t, 1>(args); }
QC_KERNEL_RESIDENT(qc_vif_sums_2, VifSumsArgs, kVifThreads, 4) { vif_sums<uint16_t, 2>(args); }
QC_KERNEL_RESIDENT(qc_vif_sums_3, VifSumsArgs, kVifThreads, 4) { vif_sums<uint16_t, 3>(args); }

QC_KERNEL(qc_vif_next_8, VifNextArgs, kVifThreads) { next_scale<uint8_t, 1>(args); }
QC_KERNEL(qc_vif_next_16, VifNextArgs, kVifThreads) { next_scale<uint16_t, 1>(args); }
QC_KERNEL(qc_vif_next_2, VifNextArgs, kVifThreads) { next_scale<uint16_t, 2>(args); }
QC_KERNEL(qc_vif_next_3, VifNextArgs, kVifThreads) { next_scale<uint16_t, 3>(args); }

}  // namespace qc::cuda
