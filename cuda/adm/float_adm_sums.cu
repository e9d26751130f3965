#include "cuda/device/prelude.h"
//
#include <type_traits>

#include "adm/adm_arithmetic.h"
#include "cuda/adm/float_adm_sums.h"
#include "cuda/adm/picture_row.h"
#include "cuda/adm/tile_position.h"

namespace qc::cuda {
namespace {

using namespace qc::device;

constexpr int kColumns = kAdmTileColumns;
constexpr int kRows = kAdmTileRows;
constexpr int kInputColumns = kAdmInputColumns;

struct VerticalRows {
  float low[2][kRows][kInputColumns];  // picture, row, column
  float high[2][kRows][kInputColumns];
};

// What samples contribute to their neighbours' thresholds, by band.
using Contributions = float[3][kRows][kColumns];

QC_DEVICE void filter_down(const float sample[4], const TilePosition& at, VerticalRows& rows, int p, int row,
                           int column) {
  rows.low[p][row][column] = float_adm::low_pass(sample[0], sample[1], sample[2], sample[3]);
  if (at.tile_sum) rows.high[p][row][column] = float_adm::high_pass(sample[0], sample[1], sample[2], sample[3]);
}

template <class T>
QC_DEVICE void vertical_finest(const FloatAdmScaleArgs& args, const TilePosition& at, VerticalRows& rows) {
  constexpr int kGroups = kInputColumns / 4;
  const int top = static_cast<int>(block_y()) * kAdmOwnRows - 1;
  for (int i = static_cast<int>(thread_x()); i < 2 * kRows * kGroups; i += kAdmThreads) {
    const int group = i % kGroups;
    const int row = i / kGroups % kRows;
    const int p = i / (kGroups * kRows);
    const int y = top + row;
    if (y < 0 || y >= args.scale.height) continue;
    const PlaneView& plane = p == 0 ? args.frame->current.reference.plane[0] : args.frame->current.distorted.plane[0];
    const bool whole_words = aligned4(plane);
    const int x = at.first + 4 * group;
    float sample[4][4];  // column, row
    for (int k = 0; k < 4; ++k) {
      const uint8_t* source = plane.data + adm::mirror(2 * y - 1 + k, plane.height) * plane.stride;
      int32_t row_sample[4];
      load4(source, plane, x, whole_words, row_sample, T{});
      for (int c = 0; c < 4; ++c)
        sample[c][k] = float_adm::sample(static_cast<uint32_t>(row_sample[c]), args.sample_scale);
    }
    for (int c = 0; c < 4; ++c) filter_down(sample[c], at, rows, p, row, 4 * group + c);
  }
}

QC_DEVICE void vertical_coarse(const FloatAdmScaleArgs& args, const TilePosition& at, VerticalRows& rows) {
  const int top = static_cast<int>(block_y()) * kAdmOwnRows - 1;
  for (int i = static_cast<int>(thread_x()); i < 2 * kRows * kInputColumns; i += kAdmThreads) {
    const int c = i % kInputColumns;
    const int row = i / kInputColumns % kRows;
    const int p = i / (kInputColumns * kRows);
    const int x = at.first + c;
    const int y = top + row;
    if (y < 0 || y >= args.scale.height || x < -1 || x > args.input_width + 1) continue;
    const float* column = args.input[p] + adm::mirror(x, args.input_width);
    float sample[4];
    for (int k = 0; k < 4; ++k)
      sample[k] = column[static_cast<int64_t>(adm::mirror(2 * y - 1 + k, args.input_height)) * args.input_width];
    filter_down(sample, at, rows, p, row, c);
  }
}

// The threshold at a position that a signal's contributions and its own contrast there set: neighbours are reflected
// before the band's start and clamped at its end. The order of the additions is the specification's.
QC_DEVICE float threshold(const Contributions& tile, const float own[3], const TilePosition& at,
                          const FloatAdmScale& scale) {
  const int above = at.y == 0 ? at.warp + 1 : at.warp - 1;
  const int below = at.y + 1 == scale.height ? at.warp : at.warp + 1;
  const int left = at.x == 0 ? at.lane + 1 : at.lane - 1;
  const int right = at.x + 1 == scale.width ? at.lane : at.lane + 1;
  float sum[3];
  QC_UNROLL
  for (int b = 0; b < 3; ++b) {
    const auto& t = tile[b];
    sum[b] = (t[above][left] + t[above][at.lane]) + t[above][right];
    sum[b] = float_adm::add_own(sum[b] + t[at.warp][left], own[b]) + t[at.warp][right];
    sum[b] = ((sum[b] + t[below][left]) + t[below][at.lane]) + t[below][right];
  }
  return (sum[0] + sum[1]) + sum[2];
}

// One scale of both pictures: wavelet, split, thresholds, terms. `Input`: uint8_t or uint16_t at scale 0, else float.
template <class Input>
QC_DEVICE void scale_terms(const FloatAdmScaleArgs& args) {
  QC_BLOCK_SHARED VerticalRows rows;
  QC_BLOCK_SHARED Contributions by_restored;
  QC_BLOCK_SHARED Contributions by_additive;
  const TilePosition at(args.scale, args.sum);
  const FloatAdmScale& scale = args.scale;
  if (!args.output[0] && !at.tile_sum) return;
  if constexpr (std::is_same_v<Input, float>) {
    vertical_coarse(args, at, rows);
  } else {
    vertical_finest<Input>(args, at, rows);
  }
  sync_block();

  float detail[2][3] = {};
  if (at.inside) {
    QC_UNROLL
    for (int p = 0; p < 2; ++p) {
      const float* low = &rows.low[p][at.warp][2 * at.lane + 1];
      if (args.output[0] && at.own)
        args.output[p][static_cast<int64_t>(at.y) * scale.width + at.x] =
            float_adm::low_pass(low[0], low[1], low[2], low[3]);
      if (!at.tile_sum) continue;
      const float* high = &rows.high[p][at.warp][2 * at.lane + 1];
      detail[p][0] = float_adm::low_pass(high[0], high[1], high[2], high[3]);
      detail[p][1] = float_adm::high_pass(low[0], low[1], low[2], low[3]);
      detail[p][2] = float_adm::high_pass(high[0], high[1], high[2], high[3]);
    }
  }
  if (!at.tile_sum) return;

  const float* o = detail[0];
  const float* t = detail[1];
  const bool same = float_adm::same_direction(o[0], o[1], t[0], t[1]);
  float restored[3];
  float additive[3];
  QC_UNROLL
  for (int b = 0; b < 3; ++b) {
    const float r = float_adm::restored(o[b], t[b], same, args.gain_limit, args.estimates);
    restored[b] = float_adm::magnitude(scale.weight[b] * r);
    additive[b] = float_adm::magnitude(scale.weight[b] * (t[b] - r));
    by_restored[b][at.warp][at.lane] = float_adm::to_neighbours(restored[b]);
    by_additive[b][at.warp][at.lane] = float_adm::to_neighbours(additive[b]);
  }
  sync_block();
  if (!at.own || at.x < scale.left || at.x >= scale.right || at.y < scale.top || at.y >= scale.bottom) return;
  const float restored_threshold = args.masking ? threshold(by_additive, additive, at, scale) : 0.0F;
  const float additive_threshold = args.masking ? threshold(by_restored, restored, at, scale) : 0.0F;
  const int64_t plane = static_cast<int64_t>(args.terms.rows) * args.terms.pitch;
  float* out = args.terms.terms + static_cast<int64_t>(at.y - scale.top) * args.terms.pitch + (at.x - scale.left);
  QC_UNROLL
  for (int b = 0; b < 3; ++b) {
    out[b * plane] = float_adm::raise(float_adm::magnitude(scale.weight[b] * o[b]), args.exponent, *args.power);
    out[(3 + b) * plane] =
        float_adm::raise(float_adm::masked(restored[b], restored_threshold), args.exponent, *args.power);
    out[(6 + b) * plane] =
        float_adm::raise(float_adm::masked(additive[b], additive_threshold), args.exponent, *args.power);
  }
}

// A warp reads tiles of 32 rows and columns, the next one while it adds up the last.
QC_DEVICE void row_sums(const FloatAdmTerms& scale, int k) {
  constexpr int kTile = kFloatAdmRows;
  QC_BLOCK_SHARED float tile[kTile][kTile + 1];
  const int lane = static_cast<int>(thread_x());
  const int first = static_cast<int>(block_x()) * kTile;
  if (first >= scale.rows) return;
  const float* source = scale.terms + (static_cast<int64_t>(k) * scale.rows + first) * scale.pitch;
  const int rows = scale.rows - first < kTile ? scale.rows - first : kTile;
  float next[kTile];
  const auto fetch = [&](int left) {
    QC_UNROLL
    for (int r = 0; r < kTile; ++r)
      next[r] = r < rows && left + lane < scale.columns ? source[int64_t{r} * scale.pitch + left + lane] : 0.0F;
  };
  float sum = 0;
  fetch(0);
  for (int left = 0; left < scale.columns; left += kTile) {
    sync_warp();
    QC_UNROLL
    for (int r = 0; r < kTile; ++r) tile[r][lane] = next[r];
    sync_warp();
    fetch(left + kTile);
    // Behind the last column there are zeros, which change nothing.
    QC_UNROLL
    for (int c = 0; c < kTile; ++c) sum += tile[lane][c];
  }
  if (lane < rows) scale.row_sums[int64_t{k} * scale.rows + first + lane] = sum;
}

// All threads fetch what the first one adds up.
QC_DEVICE void totals(const FloatAdmTerms& scale, int k, float* total) {
  QC_BLOCK_SHARED float rows[kFloatAdmTotalsThreads];
  const int thread = static_cast<int>(thread_x());
  float sum = 0;
  for (int first = 0; first < scale.rows; first += kFloatAdmTotalsThreads) {
    if (first > 0) sync_block();
    rows[thread] = first + thread < scale.rows ? scale.row_sums[int64_t{k} * scale.rows + first + thread] : 0.0F;
    sync_block();
    if (thread == 0)
      for (int i = 0; i < kFloatAdmTotalsThreads; ++i) sum += rows[i];
  }
  if (thread == 0) total[k] = sum;
}

}  // namespace

QC_KERNEL(qc_float_adm_scale0_8, FloatAdmScaleArgs, kAdmThreads) { scale_terms<uint8_t>(args); }
QC_KERNEL(qc_float_adm_scale0_16, FloatAdmScaleArgs, kAdmThreads) { scale_terms<uint16_t>(args); }
QC_KERNEL(qc_float_adm_coarse, FloatAdmScaleArgs, kAdmThreads) { scale_terms<float>(args); }
QC_KERNEL(qc_float_adm_row_sums, FloatAdmSumsArgs, kFloatAdmRows) {
  row_sums(args.scale[block_z()], static_cast<int>(block_y()));
}
QC_KERNEL(qc_float_adm_totals, FloatAdmSumsArgs, kFloatAdmTotalsThreads) {
  totals(args.scale[block_y()], static_cast<int>(block_x()), reinterpret_cast<float*>(&args.record->scale[block_y()]));
}

}  // namespace qc::cuda
