#include "adm/adm_plain.h"

#include <cstddef>

#include "adm/adm_arithmetic.h"

namespace qc::plain {
namespace {

using Plane = std::vector<int32_t>;

// One level of the wavelet. `sample(x, y)` reads the input; `vertical` rounds a vertical sum, which `offset` is added
// to if it is low-pass.
template <class Sample, class Vertical>
AdmBands transform(int width, int height, int scale, Sample sample, int64_t offset, Vertical vertical) {
  AdmBands bands;
  bands.width = (width + 1) / 2;
  bands.height = (height + 1) / 2;
  const size_t count = static_cast<size_t>(bands.width) * static_cast<size_t>(bands.height);
  bands.approximation.resize(count);
  for (Plane& plane : bands.detail) plane.resize(count);
  Plane low(static_cast<size_t>(width));
  Plane high(static_cast<size_t>(width));
  const int shift = adm::horizontal_shift(scale);
  auto horizontal = [&](int64_t sum) {
    const int64_t rounded = adm::rounding_shift(sum, shift);
    return scale == 0 ? adm::low_bits16(rounded) : adm::low_bits32(rounded);
  };
  for (int y = 0; y < bands.height; ++y) {
    for (int x = 0; x < width; ++x) {
      int32_t p[4];
      for (int k = 0; k < 4; ++k) p[k] = sample(x, adm::mirror(2 * y - 1 + k, height));
      low[static_cast<size_t>(x)] = vertical(adm::low_pass(p[0], p[1], p[2], p[3]) + offset);
      high[static_cast<size_t>(x)] = vertical(adm::high_pass(p[0], p[1], p[2], p[3]));
    }
    for (int x = 0; x < bands.width; ++x) {
      int32_t l[4];
      int32_t h[4];
      for (int k = 0; k < 4; ++k) {
        const size_t column = static_cast<size_t>(adm::mirror(2 * x - 1 + k, width));
        l[k] = low[column];
        h[k] = high[column];
      }
      const size_t i = static_cast<size_t>(y) * static_cast<size_t>(bands.width) + static_cast<size_t>(x);
      bands.approximation[i] = horizontal(adm::low_pass(l[0], l[1], l[2], l[3]));
      bands.detail[0][i] = horizontal(adm::low_pass(h[0], h[1], h[2], h[3]));
      bands.detail[1][i] = horizontal(adm::high_pass(l[0], l[1], l[2], l[3]));
      bands.detail[2][i] = horizontal(adm::high_pass(h[0], h[1], h[2], h[3]));
    }
  }
  return bands;
}

// A signal's weighted samples and what it contributes to thresholds, summed over the bands.
struct Signal {
  Plane weighted[3];
  Plane to_neighbours;
  Plane to_itself;
};

template <class Scale>
void add_band(Signal& signal, int band, uint32_t weight, const Plane& samples) {
  signal.weighted[band].resize(samples.size());
  signal.to_neighbours.resize(samples.size());
  signal.to_itself.resize(samples.size());
  for (size_t i = 0; i < samples.size(); ++i) {
    const int32_t weighted = Scale::weighted(weight, samples[i]);
    const int32_t contrast = Scale::contrast(weighted, band == 2);
    signal.weighted[band][i] = weighted;
    signal.to_neighbours[i] += Scale::to_neighbours(contrast);
    signal.to_itself[i] += Scale::to_itself(contrast);
  }
}

// The neighbour of line index i of n: reflected before the start, clamped at the end.
int neighbour(int i, int n) { return i < 0 ? 1 : i >= n ? n - 1 : i; }

int32_t threshold(const Signal& mask, int width, int height, int x, int y) {
  auto at = [&](const Plane& plane, int column, int row) {
    return static_cast<uint32_t>(
        plane[static_cast<size_t>(row) * static_cast<size_t>(width) + static_cast<size_t>(column)]);
  };
  uint32_t sum = at(mask.to_itself, x, y);
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      if (dx != 0 || dy != 0) sum += at(mask.to_neighbours, neighbour(x + dx, width), neighbour(y + dy, height));
  return static_cast<int32_t>(sum);
}

template <class Scale>
void masked_sums(const AdmScale& scale, const Signal& signal, const Signal& mask, int64_t sums[3]) {
  for (int y = scale.top; y < scale.bottom; ++y) {
    uint64_t row[3] = {};  // wraps with weights that overflow
    for (int x = scale.left; x < scale.right; ++x) {
      const size_t i = static_cast<size_t>(y) * static_cast<size_t>(scale.width) + static_cast<size_t>(x);
      const int32_t level = threshold(mask, scale.width, scale.height, x, y);
      for (int b = 0; b < 3; ++b)
        row[b] += static_cast<uint64_t>(adm::masked_cube<Scale>(signal.weighted[b][i], level, b == 2,
                                                                b == 2 ? scale.cube_shift_d : scale.cube_shift_hv));
    }
    for (int b = 0; b < 3; ++b) sums[b] += adm::rounding_shift(static_cast<int64_t>(row[b]), scale.cube_row_shift);
  }
}

uint64_t unsigned_rounding_shift(uint64_t x, int shift) {
  return (x + (shift > 0 ? uint64_t{1} << (shift - 1) : 0)) >> shift;
}

template <class Scale>
void reference_sums(const AdmScale& scale, int index, const AdmBands& reference, uint64_t sums[3]) {
  for (int b = 0; b < 3; ++b) {
    for (int y = scale.top; y < scale.bottom; ++y) {
      const int32_t* o = &reference.detail[b][static_cast<size_t>(y) * static_cast<size_t>(scale.width)];
      uint64_t row = 0;
      for (int x = scale.left; x < scale.right; ++x)
        row += unsigned_rounding_shift(Scale::reference_cube(o[x], index), scale.reference_shift);
      sums[b] += unsigned_rounding_shift(row, scale.reference_row_shift);
    }
  }
}

template <class Scale>
void scale_sums(const AdmParameters& parameters, int index, const AdmBands& reference, const AdmBands& distorted,
                AdmScaleSums& sums) {
  const AdmScale& scale = parameters.scale[index];
  const size_t count = reference.detail[0].size();
  Plane restored[3];
  Plane additive[3];
  for (int b = 0; b < 3; ++b) {
    restored[b].resize(count);
    additive[b].resize(count);
  }
  for (size_t i = 0; i < count; ++i) {
    const bool same = adm::same_direction(reference.detail[0][i], reference.detail[1][i], distorted.detail[0][i],
                                          distorted.detail[1][i]);
    for (int b = 0; b < 3; ++b) {
      const int32_t t = distorted.detail[b][i];
      restored[b][i] = adm::restored(reference.detail[b][i], t, same, parameters.gain_limit);
      additive[b][i] = t - restored[b][i];
    }
  }
  Signal r;
  Signal a;
  for (int b = 0; b < 3; ++b) {
    const uint32_t weight = b == 2 ? scale.weight_d : scale.weight_hv;
    add_band<Scale>(r, b, weight, restored[b]);
    add_band<Scale>(a, b, weight, additive[b]);
  }
  reference_sums<Scale>(scale, index, reference, sums.reference);
  masked_sums<Scale>(scale, r, a, sums.restored);
  if (!parameters.skip_aim) masked_sums<Scale>(scale, a, r, sums.additive);
}

}  // namespace

AdmBands adm_bands(const PlaneView& picture) {
  const int64_t half = int64_t{1} << (picture.depth - 1);
  return transform(
      picture.width, picture.height, 0, [&](int x, int y) { return static_cast<int32_t>(picture.at(x, y)); },
      -(adm::kLow0 + adm::kLow1 + adm::kLow2 + adm::kLow3) * half,
      [&](int64_t sum) { return adm::low_bits16(adm::rounding_shift(sum, picture.depth)); });
}

AdmBands adm_bands(const AdmBands& finer, int scale) {
  return transform(
      finer.width, finer.height, scale,
      [&](int x, int y) {
        return finer.approximation[static_cast<size_t>(y) * static_cast<size_t>(finer.width) + static_cast<size_t>(x)];
      },
      0, [&](int64_t sum) { return adm::low_bits32(adm::rounding_shift(sum, adm::vertical_shift(scale))); });
}

void adm_sums(const AdmParameters& parameters, const PlaneView& reference, const PlaneView& distorted,
              AdmRecord& record) {
  record = {};
  AdmBands r = adm_bands(reference);
  AdmBands d = adm_bands(distorted);
  if (!parameters.skip_scale0) scale_sums<adm::FinestScale>(parameters, 0, r, d, record.scale[0]);
  for (int s = 1; s < 4; ++s) {
    r = adm_bands(r, s);
    d = adm_bands(d, s);
    scale_sums<adm::CoarseScale>(parameters, s, r, d, record.scale[s]);
  }
}

}  // namespace qc::plain
