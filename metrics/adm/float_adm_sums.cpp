// Streams both pictures once, row by row: each new row of a scale's approximation goes to the next scale at once, and
// each row of detail is split and summed while it is in the cache.
#include "adm/float_adm_sums.h"

#include "adm/adm_arithmetic.h"
#include "adm/float_adm_plain.h"
#include "adm/float_adm_scratch.h"
#include "core/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "adm/float_adm_sums.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

// After highway.h, which sets the target.
#include "adm/float_adm_vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qc::HWY_NAMESPACE {

#if QC_PLAIN_TARGET

void sums(const FloatAdmParameters& parameters, const FloatAdmTables& tables, const PlaneView& reference,
          const PlaneView& distorted, FloatAdmScratch&, FloatAdmRecord& record) {
  plain::float_adm_sums(parameters, tables, reference, distorted, record);
}

#else

// Row y of a picture as float samples.
template <class T>
HWY_NOINLINE void read_row(const PlaneView& plane, int y, float* out) {
  const DF df;
  const DI di;
  const hn::Rebind<T, DF> dt;
  const T* row = reinterpret_cast<const T*>(plane.data + y * plane.stride);
  const float scale = 1.0F / static_cast<float>(1 << (plane.depth - 8));
  int x = 0;
  for (; x + kLanes <= plane.width; x += kLanes) {
    const auto samples = hn::ShiftRightSame(hn::PromoteTo(di, hn::LoadU(dt, row + x)), plane.shift);
    hn::StoreU(hn::Add(hn::Mul(hn::ConvertTo(df, samples), hn::Set(df, scale)), hn::Set(df, -128.0F)), df, out + x);
  }
  for (; x < plane.width; ++x) out[x] = float_adm::sample(static_cast<uint32_t>(row[x]) >> plane.shift, scale);
}

// Vertical pass over columns first … last - 1, where first is even. `high` may be null.
HWY_NOINLINE void filter_down(const float* const rows[4], int first, int last, float* const low[2],
                              float* const* high) {
  const DF df;
  for (int x = first; x < last; x += 2 * kLanes) {
    VF sample[2][4];
    for (int k = 0; k < 4; ++k) {
      sample[0][k] = hn::LoadU(df, rows[k] + x);
      sample[1][k] = hn::LoadU(df, rows[k] + x + kLanes);
    }
    const VF low0 = low_pass(sample[0][0], sample[0][1], sample[0][2], sample[0][3]);
    const VF low1 = low_pass(sample[1][0], sample[1][1], sample[1][2], sample[1][3]);
    hn::StoreU(hn::ConcatEven(df, low1, low0), df, low[0] + x / 2);
    hn::StoreU(hn::ConcatOdd(df, low1, low0), df, low[1] + x / 2);
    if (!high) continue;
    const VF high0 = high_pass(sample[0][0], sample[0][1], sample[0][2], sample[0][3]);
    const VF high1 = high_pass(sample[1][0], sample[1][1], sample[1][2], sample[1][3]);
    hn::StoreU(hn::ConcatEven(df, high1, high0), df, high[0] + x / 2);
    hn::StoreU(hn::ConcatOdd(df, high1, high0), df, high[1] + x / 2);
  }
}

// Columns -1, width and, where the last output needs it, width + 1.
void mirror_columns(float* const parity[2], int width) {
  const int half = width / 2;
  parity[1][-1] = parity[1][0];
  if (width % 2 == 0) {
    parity[0][half] = parity[1][half - 1];
  } else {
    parity[1][half] = parity[0][half];
    parity[0][half + 1] = parity[1][half - 1];
  }
}

// The samples under the four taps of a horizontal filter.
struct FourColumns {
  VF a, b, c, d;
  HWY_INLINE FourColumns(const float* const parity[2], int x)
      : a(hn::LoadU(DF(), parity[1] + x - 1)),
        b(hn::LoadU(DF(), parity[0] + x)),
        c(hn::LoadU(DF(), parity[1] + x)),
        d(hn::LoadU(DF(), parity[0] + x + 1)) {}
  HWY_INLINE VF low() const { return low_pass(a, b, c, d); }
  HWY_INLINE VF high() const { return high_pass(a, b, c, d); }
};

HWY_NOINLINE void approximate(const float* const low[2], int width, float* out) {
  for (int x = 0; x < width; x += kLanes) hn::StoreU(FourColumns(low, x).low(), DF(), out + x);
}

class FloatAdmStream {
 public:
  FloatAdmStream(const FloatAdmParameters& parameters, const FloatAdmTables& tables, FloatAdmScratch& scratch,
                 FloatAdmRecord& record)
      : parameters_(parameters),
        tables_(tables),
        estimates_(parameters.estimates ? tables.estimates : nullptr),
        scratch_(scratch),
        record_(record) {
    for (Level& level : scratch_.level) level.next_row = 0;
  }

  template <class T>
  void run(const PlaneView& reference, const PlaneView& distorted) {
    for (int y = 0; y < parameters_.height; ++y) {
      read_row<T>(reference, y, scratch_.level[0].input[y % 4][0]);
      read_row<T>(distorted, y, scratch_.level[0].input[y % 4][1]);
      input_ready(0, y);
    }
  }

 private:
  using Level = FloatAdmScratch::Level;

  // Row y of the input of scale s is there.
  void input_ready(int s, int y) {
    Level& level = scratch_.level[s];
    const int height = parameters_.scale[s].height;
    while (level.next_row < height && (2 * level.next_row + 2 <= y || y + 1 == level.input_height)) {
      const int row = level.next_row++;
      band_row(s, row);
      if (s < 3) input_ready(s + 1, row);
    }
  }

  void band_row(int s, int y) {
    Level& level = scratch_.level[s];
    const FloatAdmScale& scale = parameters_.scale[s];
    const bool detail = (s > 0 || !parameters_.skip_scale0) && y >= level.active_top && y < level.active_bottom;
    if (s == 3 && !detail) return;
    for (int p = 0; p < 2; ++p) {
      const float* rows[4];
      for (int k = 0; k < 4; ++k) rows[k] = level.input[adm::mirror(2 * y - 1 + k, level.input_height) % 4][p];
      filter_down(rows, 0, level.input_width, level.low[p], detail ? level.high[p] : nullptr);
      mirror_columns(level.low[p], level.input_width);
      if (detail) mirror_columns(level.high[p], level.input_width);
      if (s < 3) approximate(level.low[p], scale.width, scratch_.level[s + 1].input[y % 4][p]);
    }
    if (!detail) return;
    split(level, scale, y);
    const int before = y - 1;
    if (before >= scale.top && before < scale.bottom) sum_row(s, before, before == 0 ? y : before - 1, y);
    if (y + 1 == scale.height && y < scale.bottom) sum_row(s, y, y - 1, y);
  }

  // Detail of row y, split into its parts.
  HWY_NOINLINE void split(Level& level, const FloatAdmScale& scale, int y) {
    const DF df;
    for (int x = level.active_left; x < level.active_right; x += kLanes) {
      VF band[2][3];
      for (int p = 0; p < 2; ++p) {
        const FourColumns low(level.low[p], x);
        const FourColumns high(level.high[p], x);
        band[p][0] = high.low();
        band[p][1] = low.high();
        band[p][2] = high.high();
      }
      const VF* o = band[0];
      const VF* t = band[1];
      const VF product = hn::Add(hn::Mul(o[0], t[0]), hn::Mul(o[1], t[1]));
      const VF o_square = hn::Add(hn::Mul(o[0], o[0]), hn::Mul(o[1], o[1]));
      const VF t_square = hn::Add(hn::Mul(t[0], t[0]), hn::Mul(t[1], t[1]));
      const VF limit = hn::Mul(hn::Mul(hn::Set(df, float_adm::kCosineSquared), o_square), t_square);
      const auto same = hn::And(hn::Ge(product, hn::Zero(df)), hn::Ge(hn::Mul(product, product), limit));
      for (int b = 0; b < 3; ++b) {
        const VF weight = hn::Set(df, scale.weight[b]);
        const VF r = restored(o[b], t[b], same, parameters_.gain_limit, estimates_);
        put(level.restored, b, y, x, hn::Abs(hn::Mul(weight, r)));
        put(level.additive, b, y, x, hn::Abs(hn::Mul(weight, hn::Sub(t[b], r))));
        const VF reference = hn::Abs(hn::Mul(weight, o[b]));
        hn::StoreU(raise(reference, parameters_.exponent, tables_.power), df, level.reference[y % 2][b] + x);
      }
    }
    mirror_thresholds(level.restored, y, scale.width);
    mirror_thresholds(level.additive, y, scale.width);
  }

  HWY_INLINE void put(const FloatAdmSignalRows& rows, int band, int y, int x, VF contrast) const {
    hn::StoreU(contrast, DF(), rows.contrast[y % 2][band] + x);
    if (parameters_.masking)
      hn::StoreU(times(float_adm::kNeighbourShare, contrast), DF(), rows.to_neighbours[y % 3][band] + x);
  }

  // Columns -1 and width, which thresholds at the band's sides take.
  static void mirror_thresholds(const FloatAdmSignalRows& rows, int y, int width) {
    for (float* row : rows.to_neighbours[y % 3]) {
      row[-1] = row[1];
      row[width] = row[width - 1];
    }
  }

  static HWY_INLINE VF threshold(const FloatAdmSignalRows& mask, int x, int y, int above, int below) {
    const DF df;
    VF sum[3];
    for (int b = 0; b < 3; ++b) {
      const float* a = mask.to_neighbours[above % 3][b] + x;
      const float* row = mask.to_neighbours[y % 3][b] + x;
      const float* c = mask.to_neighbours[below % 3][b] + x;
      sum[b] = hn::Add(hn::Add(hn::LoadU(df, a - 1), hn::LoadU(df, a)), hn::LoadU(df, a + 1));
      sum[b] = hn::Add(sum[b], hn::LoadU(df, row - 1));
      sum[b] = add_own(sum[b], hn::LoadU(df, mask.contrast[y % 2][b] + x));
      sum[b] = hn::Add(sum[b], hn::LoadU(df, row + 1));
      for (int i = -1; i <= 1; ++i) sum[b] = hn::Add(sum[b], hn::LoadU(df, c + i));
    }
    return hn::Add(hn::Add(sum[0], sum[1]), sum[2]);
  }

  // Powers of the magnitudes of row y above the thresholds that the other part sets.
  HWY_NOINLINE void mask_row(const FloatAdmSignalRows& signal, const FloatAdmSignalRows& mask,
                             const FloatAdmScale& scale, int y, int above, int below, float* const powers[3]) const {
    const DF df;
    for (int x = scale.left; x < scale.right; x += kLanes) {
      const VF level = parameters_.masking ? threshold(mask, x, y, above, below) : hn::Zero(df);
      for (int b = 0; b < 3; ++b) {
        const VF excess = hn::Sub(hn::LoadU(df, signal.contrast[y % 2][b] + x), level);
        const VF masked = hn::IfThenZeroElse(hn::Lt(excess, hn::Zero(df)), excess);
        hn::StoreU(raise(masked, parameters_.exponent, tables_.power), df, powers[b] + x);
      }
    }
  }

  // Adds row y to the sums. Each of them is taken from left to right; nine at a time hide each other's latency.
  HWY_NOINLINE void sum_row(int s, int y, int above, int below) {
    const Level& level = scratch_.level[s];
    const FloatAdmScale& scale = parameters_.scale[s];
    mask_row(level.restored, level.additive, scale, y, above, below, level.powers);
    mask_row(level.additive, level.restored, scale, y, above, below, level.powers + 3);
    const float* const* o = level.reference[y % 2];
    const float* const* m = level.powers;
    float sum[9] = {};
    for (int x = scale.left; x < scale.right; ++x) {
      sum[0] += o[0][x];
      sum[1] += o[1][x];
      sum[2] += o[2][x];
      sum[3] += m[0][x];
      sum[4] += m[1][x];
      sum[5] += m[2][x];
      sum[6] += m[3][x];
      sum[7] += m[4][x];
      sum[8] += m[5][x];
    }
    FloatAdmScaleSums& sums = record_.scale[s];
    for (int b = 0; b < 3; ++b) {
      sums.reference[b] += sum[b];
      sums.restored[b] += sum[3 + b];
      sums.additive[b] += sum[6 + b];
    }
  }

  const FloatAdmParameters& parameters_;
  const FloatAdmTables& tables_;
  const uint32_t* estimates_;
  FloatAdmScratch& scratch_;
  FloatAdmRecord& record_;
};

void sums(const FloatAdmParameters& parameters, const FloatAdmTables& tables, const PlaneView& reference,
          const PlaneView& distorted, FloatAdmScratch& scratch, FloatAdmRecord& record) {
  record = {};
  FloatAdmStream stream(parameters, tables, scratch, record);
  if (reference.bytes == 1) {
    stream.run<uint8_t>(reference, distorted);
  } else {
    stream.run<uint16_t>(reference, distorted);
  }
}

#endif

}  // namespace qc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qc {
namespace {

HWY_EXPORT(sums);

}  // namespace

void float_adm_sums(const FloatAdmParameters& parameters, const FloatAdmTables& tables, const PlaneView& reference,
                    const PlaneView& distorted, FloatAdmScratch& scratch, FloatAdmRecord& record) {
  HWY_DYNAMIC_DISPATCH(sums)(parameters, tables, reference, distorted, scratch, record);
}

}  // namespace qc
#endif
