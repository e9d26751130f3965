#include "cuda/device/prelude.h"
//
#include <type_traits>

#include "adm/adm_arithmetic.h"
#include "cuda/adm/adm_sums.h"
#include "cuda/adm/picture_row.h"
#include "cuda/adm/tile_position.h"

namespace qc::cuda {
namespace {

using namespace qc::device;

// Sums of four samples times the taps, where kNarrow: the samples fit 16 bits.
template <bool kNarrow>
struct FourSamples {
  using Sum = std::conditional_t<kNarrow, int32_t, int64_t>;
  int32_t sample[4];
  QC_DEVICE Sum low() const {
    if constexpr (kNarrow)
      return adm::low_pass16(sample[0], sample[1], sample[2], sample[3]);
    else
      return adm::low_pass(sample[0], sample[1], sample[2], sample[3]);
  }
  QC_DEVICE Sum high() const {
    if constexpr (kNarrow)
      return adm::high_pass16(sample[0], sample[1], sample[2], sample[3]);
    else
      return adm::high_pass(sample[0], sample[1], sample[2], sample[3]);
  }
};

template <class Sample>
struct VerticalRows {
  Sample low[2][kAdmTileRows][kAdmInputColumns];  // picture, row, column
  Sample high[2][kAdmTileRows][kAdmInputColumns];
};

template <class T>
QC_DEVICE void vertical_finest(const AdmScaleArgs& args, const TilePosition& at, VerticalRows<int16_t>& rows) {
  constexpr int kGroups = kAdmInputColumns / 4;
  const int32_t half = 1 << (args.depth - 1);
  const int top = static_cast<int>(block_y()) * kAdmOwnRows - 1;
  for (int i = static_cast<int>(thread_x()); i < 2 * kAdmTileRows * kGroups; i += kAdmThreads) {
    const int group = i % kGroups;
    const int row = i / kGroups % kAdmTileRows;
    const int p = i / (kGroups * kAdmTileRows);
    const int y = top + row;
    if (y < 0 || y >= args.scale.height) continue;
    const PlaneView& plane = p == 0 ? args.frame->current.reference.plane[0] : args.frame->current.distorted.plane[0];
    const bool whole_words = aligned4(plane);
    const int x = at.first + 4 * group;
    int32_t sample[4][4];
    for (int k = 0; k < 4; ++k) {
      const uint8_t* source = plane.data + adm::mirror(2 * y - 1 + k, plane.height) * plane.stride;
      load4(source, plane, x, whole_words, sample[k], T{});
      // Signed, as the low-pass is to be; to the high-pass it makes no difference.
      for (int c = 0; c < 4; ++c) sample[k][c] -= half;
    }
    for (int c = 0; c < 4; ++c) {
      const FourSamples<true> four{{sample[0][c], sample[1][c], sample[2][c], sample[3][c]}};
      rows.low[p][row][4 * group + c] = static_cast<int16_t>((four.low() + half) >> args.depth);
      if (at.tile_sum) rows.high[p][row][4 * group + c] = static_cast<int16_t>((four.high() + half) >> args.depth);
    }
  }
}

template <int kScale, class Input>
QC_DEVICE void vertical_coarse(const AdmScaleArgs& args, const TilePosition& at, VerticalRows<int32_t>& rows) {
  using Four = FourSamples<kScale == 1>;
  constexpr int kShift = adm::vertical_shift(kScale);
  constexpr typename Four::Sum kHalf = (typename Four::Sum{1} << kShift) >> 1;
  const int top = static_cast<int>(block_y()) * kAdmOwnRows - 1;
  for (int i = static_cast<int>(thread_x()); i < 2 * kAdmTileRows * kAdmInputColumns; i += kAdmThreads) {
    const int c = i % kAdmInputColumns;
    const int row = i / kAdmInputColumns % kAdmTileRows;
    const int p = i / (kAdmInputColumns * kAdmTileRows);
    const int x = at.first + c;
    const int y = top + row;
    if (y < 0 || y >= args.scale.height || x < -1 || x > args.input_width + 1) continue;
    const Input* column = static_cast<const Input*>(args.input[p]) + adm::mirror(x, args.input_width);
    Four four;
    for (int k = 0; k < 4; ++k)
      four.sample[k] = column[static_cast<int64_t>(adm::mirror(2 * y - 1 + k, args.input_height)) * args.input_width];
    rows.low[p][row][c] = static_cast<int32_t>((four.low() + kHalf) >> kShift);
    if (at.tile_sum) rows.high[p][row][c] = static_cast<int32_t>((four.high() + kHalf) >> kShift);
  }
}

// Horizontal filters at a thread's position, rounded.
template <int kScale>
class Horizontal {
 public:
  template <class Sample>
  QC_DEVICE Horizontal(const Sample* row, int lane) {
    for (int k = 0; k < 4; ++k) four_.sample[k] = row[2 * lane + 1 + k];
  }
  QC_DEVICE int32_t low() const { return round(four_.low()); }
  QC_DEVICE int32_t high() const { return round(four_.high()); }

 private:
  using Four = FourSamples<kScale == 0>;
  using Sum = typename Four::Sum;
  static constexpr int kShift = adm::horizontal_shift(kScale);
  QC_DEVICE static int32_t round(Sum sum) { return static_cast<int32_t>((sum + (Sum{1} << (kShift - 1))) >> kShift); }
  Four four_;
};

// What one position leaves for the sums.
struct Split {
  int32_t restored[3];  // weighted
  int32_t additive[3];
  int32_t by_restored;  // to neighbours' thresholds, and to its own in excess of that
  int32_t by_restored_more;
  int32_t by_additive;
  int32_t by_additive_more;
};

template <class Scale>
QC_DEVICE Split split(const AdmScaleArgs& args, const int32_t o[3], const int32_t t[3]) {
  constexpr bool kFinest = std::is_same_v<Scale, adm::FinestScale>;
  Split s{};
  const bool same = adm::same_direction_quick(o[0], o[1], t[0], t[1]);
  QC_UNROLL
  for (int b = 0; b < 3; ++b) {
    const int32_t r = adm::restored_quick<kFinest>(o[b], t[b], same, args.gain_limit);
    const uint32_t weight = b == 2 ? args.scale.weight_d : args.scale.weight_hv;
    s.restored[b] = Scale::weighted(weight, r);
    s.additive[b] = Scale::weighted(weight, t[b] - r);
    const int32_t restored = Scale::contrast(s.restored[b], b == 2);
    const int32_t additive = Scale::contrast(s.additive[b], b == 2);
    s.by_restored += Scale::to_neighbours(restored);
    s.by_restored_more += Scale::to_itself(restored) - Scale::to_neighbours(restored);
    s.by_additive += Scale::to_neighbours(additive);
    s.by_additive_more += Scale::to_itself(additive) - Scale::to_neighbours(additive);
  }
  return s;
}

// The threshold at a position from the neighbourhood's contributions, which lie in `tile`: reflected before the band's
// start, clamped at its end. All threads of the warp take part.
QC_DEVICE int32_t threshold(const int32_t tile[kAdmTileRows][kAdmTileColumns], const TilePosition& at,
                            const AdmScale& scale, int32_t more) {
  const int above = at.y == 0 ? at.warp + 1 : at.warp > 0 ? at.warp - 1 : 0;
  const int below = at.y + 1 >= scale.height || at.warp + 1 == kAdmTileRows ? at.warp : at.warp + 1;
  const uint32_t column = static_cast<uint32_t>(tile[above][at.lane]) + static_cast<uint32_t>(tile[at.warp][at.lane]) +
                          static_cast<uint32_t>(tile[below][at.lane]);
  const uint32_t left = shuffle(column, (at.x == 0 ? at.lane + 1 : at.lane - 1) & 31);
  const uint32_t right = shuffle(column, (at.x + 1 == scale.width ? at.lane : at.lane + 1) & 31);
  return static_cast<int32_t>(column + left + right + static_cast<uint32_t>(more));
}

// Half of the lanes go on with `low`, the others with `high`, each with its partner's share added.
QC_DEVICE uint64_t fold(uint64_t low, uint64_t high, int lane, int mask) {
  const bool upper = (lane & mask) != 0;
  const uint64_t keep = upper ? high : low;
  const uint64_t give = upper ? low : high;
  return keep + shuffle_xor(give, mask);
}

// Adds v[0] … v[7] over the warp: lanes 4 k get the sum of v[k].
QC_DEVICE uint64_t sum8(const uint64_t v[8], int lane) {
  uint64_t four[4];
  QC_UNROLL
  for (int i = 0; i < 4; ++i) four[i] = fold(v[i], v[i + 4], lane, 16);
  const uint64_t low = fold(four[0], four[2], lane, 8);
  const uint64_t high = fold(four[1], four[3], lane, 8);
  uint64_t one = fold(low, high, lane, 4);
  one += shuffle_xor(one, 2);
  return one + shuffle_xor(one, 1);
}

// One scale of both pictures: wavelet, split, thresholds, sums of rows.
template <int kScale, class Input>
QC_DEVICE void scale_sums(const AdmScaleArgs& args) {
  using Scale = std::conditional_t<kScale == 0, adm::FinestScale, adm::CoarseScale>;
  using Sample = std::conditional_t<kScale == 0, int16_t, int32_t>;
  QC_BLOCK_SHARED VerticalRows<Sample> rows;
  QC_BLOCK_SHARED int32_t by_restored[kAdmTileRows][kAdmTileColumns];
  QC_BLOCK_SHARED int32_t by_additive[kAdmTileRows][kAdmTileColumns];
  const TilePosition at(args.scale, args.sum);
  const AdmScale& scale = args.scale;
  if (kScale == 3 && !at.tile_sum) return;
  if constexpr (kScale == 0) {
    vertical_finest<Input>(args, at, rows);
  } else {
    vertical_coarse<kScale, Input>(args, at, rows);
  }
  sync_block();

  int32_t detail[2][3] = {};
  if (at.inside) {
    QC_UNROLL
    for (int p = 0; p < 2; ++p) {
      const Horizontal<kScale> low(rows.low[p][at.warp], at.lane);
      if (kScale < 3 && at.own) {
        using Output = std::conditional_t<kScale == 0, int16_t, int32_t>;
        static_cast<Output*>(args.output[p])[static_cast<int64_t>(at.y) * scale.width + at.x] =
            static_cast<Output>(low.low());
      }
      if (!at.tile_sum) continue;
      const Horizontal<kScale> high(rows.high[p][at.warp], at.lane);
      detail[p][0] = high.low();
      detail[p][1] = low.high();
      detail[p][2] = high.high();
    }
  }
  if (!at.tile_sum) return;

  const Split s = split<Scale>(args, detail[0], detail[1]);
  by_restored[at.warp][at.lane] = s.by_restored;
  by_additive[at.warp][at.lane] = s.by_additive;
  sync_block();
  const int32_t restored_threshold = threshold(by_additive, at, scale, s.by_additive_more);
  const int32_t additive_threshold = threshold(by_restored, at, scale, s.by_restored_more);

  // The same for the whole warp.
  if (at.warp == 0 || at.warp > kAdmOwnRows || at.y < scale.top || at.y >= scale.bottom) return;
  uint64_t sum[kAdmSums] = {};
  if (at.own && at.x >= scale.left && at.x < scale.right) {
    const uint64_t half = scale.reference_shift > 0 ? uint64_t{1} << (scale.reference_shift - 1) : 0;
    QC_UNROLL
    for (int b = 0; b < 3; ++b) {
      const int cube_shift = b == 2 ? scale.cube_shift_d : scale.cube_shift_hv;
      sum[b] = (Scale::reference_cube(detail[0][b], kScale) + half) >> scale.reference_shift;
      sum[3 + b] =
          static_cast<uint64_t>(adm::masked_cube<Scale>(s.restored[b], restored_threshold, b == 2, cube_shift));
      if (args.aim)
        sum[6 + b] =
            static_cast<uint64_t>(adm::masked_cube<Scale>(s.additive[b], additive_threshold, b == 2, cube_shift));
    }
  }
  const uint64_t row_sum = sum8(sum, at.lane);
  uint64_t last = sum[8];
  for (int mask = 16; mask > 0; mask /= 2) last += shuffle_xor(last, mask);
  const int tile = static_cast<int>(block_x()) - args.rows.first_column;
  uint64_t* sums = args.rows.sums + static_cast<int64_t>(tile) * args.rows.height + at.y;
  const int64_t next = static_cast<int64_t>(args.rows.columns) * args.rows.height;
  if (at.lane % 4 == 0) sums[next * (at.lane / 4)] = row_sum;
  if (at.lane == 1) sums[next * 8] = last;
}

// Rounds the rows' sums and adds them.
QC_DEVICE void totals(const AdmTotalsArgs& args) {
  constexpr int kWarps = kAdmTotalsThreads / 32;
  QC_BLOCK_SHARED uint64_t shares[kWarps][kAdmTotalsRows];
  const int lane = static_cast<int>(thread_x() % 32);
  const int warp = static_cast<int>(thread_x() / 32);
  const int k = static_cast<int>(block_y());
  const auto& scale = args.scale[block_z()];
  const AdmRowSums& rows = scale.rows;
  const int y = static_cast<int>(block_x()) * kAdmTotalsRows + lane;
  const bool scored = y >= scale.top && y < scale.bottom;
  uint64_t share = 0;
  if (scored)
    for (int i = warp; i < rows.columns; i += kWarps)
      share += rows.sums[(static_cast<int64_t>(k) * rows.columns + i) * rows.height + y];
  shares[warp][lane] = share;
  sync_block();
  if (warp != 0) return;
  for (int w = 1; w < kWarps; ++w) share += shares[w][lane];
  if (k < 3) {
    const int shift = scale.reference_row_shift;
    share = (share + ((uint64_t{1} << shift) >> 1)) >> shift;
  } else {
    share = static_cast<uint64_t>(adm::rounding_shift(static_cast<int64_t>(share), scale.cube_row_shift));
  }
  if (!scored) share = 0;
  for (int mask = 16; mask > 0; mask /= 2) share += shuffle_xor(share, mask);
  if (lane == 0) atomic_add(reinterpret_cast<uint64_t*>(&args.record->scale[block_z()]) + k, share);
}

}  // namespace

QC_KERNEL(qc_adm_scale0_8, AdmScaleArgs, kAdmThreads) { scale_sums<0, uint8_t>(args); }
QC_KERNEL(qc_adm_scale0_16, AdmScaleArgs, kAdmThreads) { scale_sums<0, uint16_t>(args); }
QC_KERNEL(qc_adm_scale1, AdmScaleArgs, kAdmThreads) { scale_sums<1, int16_t>(args); }
QC_KERNEL(qc_adm_scale2, AdmScaleArgs, kAdmThreads) { scale_sums<2, int32_t>(args); }
QC_KERNEL(qc_adm_scale3, AdmScaleArgs, kAdmThreads) { scale_sums<3, int32_t>(args); }
QC_KERNEL(qc_adm_totals, AdmTotalsArgs, kAdmTotalsThreads) { totals(args); }

}  // namespace qc::cuda
