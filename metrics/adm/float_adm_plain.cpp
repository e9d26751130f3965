#include "adm/float_adm_plain.h"

#include <cstddef>

#include "adm/adm_arithmetic.h"
#include "adm/float_adm_arithmetic.h"

namespace qc::plain {
namespace {

using Plane = std::vector<float>;

template <class Sample>
FloatAdmBands transform(int width, int height, Sample sample) {
  FloatAdmBands bands;
  bands.width = (width + 1) / 2;
  bands.height = (height + 1) / 2;
  const size_t count = static_cast<size_t>(bands.width) * static_cast<size_t>(bands.height);
  bands.approximation.resize(count);
  for (Plane& plane : bands.detail) plane.resize(count);
  Plane low(static_cast<size_t>(width));
  Plane high(static_cast<size_t>(width));
  size_t i = 0;
  for (int y = 0; y < bands.height; ++y) {
    for (int x = 0; x < width; ++x) {
      float p[4];
      for (int k = 0; k < 4; ++k) p[k] = sample(x, adm::mirror(2 * y - 1 + k, height));
      low[static_cast<size_t>(x)] = float_adm::low_pass(p[0], p[1], p[2], p[3]);
      high[static_cast<size_t>(x)] = float_adm::high_pass(p[0], p[1], p[2], p[3]);
    }
    for (int x = 0; x < bands.width; ++x, ++i) {
      float l[4];
      float h[4];
      for (int k = 0; k < 4; ++k) {
        const size_t column = static_cast<size_t>(adm::mirror(2 * x - 1 + k, width));
        l[k] = low[column];
        h[k] = high[column];
      }
      bands.approximation[i] = float_adm::low_pass(l[0], l[1], l[2], l[3]);
      bands.detail[0][i] = float_adm::low_pass(h[0], h[1], h[2], h[3]);
      bands.detail[1][i] = float_adm::high_pass(l[0], l[1], l[2], l[3]);
      bands.detail[2][i] = float_adm::high_pass(h[0], h[1], h[2], h[3]);
    }
  }
  return bands;
}

// The magnitudes of a signal's weighted samples, and what they contribute to their neighbours' thresholds.
struct Signal {
  Plane contrast[3];
  Plane to_neighbours[3];
};

void weigh(Signal& signal, int band, float weight, const Plane& samples) {
  for (float sample : samples) {
    const float contrast = float_adm::magnitude(weight * sample);
    signal.contrast[band].push_back(contrast);
    signal.to_neighbours[band].push_back(float_adm::to_neighbours(contrast));
  }
}

// The neighbour of line index i of n: reflected before the start, clamped at the end.
int neighbour(int i, int n) { return i < 0 ? 1 : i >= n ? n - 1 : i; }

float threshold(const Signal& mask, int width, int height, int x, int y) {
  auto index = [&](int column, int row) {
    return static_cast<size_t>(neighbour(row, height)) * static_cast<size_t>(width) +
           static_cast<size_t>(neighbour(column, width));
  };
  float sum[3];
  for (int b = 0; b < 3; ++b) {
    sum[b] = 0;
    for (int dy = -1; dy <= 1; ++dy) {
      for (int dx = -1; dx <= 1; ++dx) {
        const size_t i = index(x + dx, y + dy);
        if (dx == 0 && dy == 0) {
          sum[b] = float_adm::add_own(sum[b], mask.contrast[b][i]);
        } else {
          sum[b] += mask.to_neighbours[b][i];
        }
      }
    }
  }
  return (sum[0] + sum[1]) + sum[2];
}

void scale_sums(const FloatAdmParameters& parameters, const FloatAdmTables& tables, const FloatAdmScale& scale,
                const FloatAdmBands& reference, const FloatAdmBands& distorted, FloatAdmScaleSums& sums) {
  const size_t count = reference.detail[0].size();
  const uint32_t* estimates = parameters.estimates ? tables.estimates : nullptr;
  Plane restored[3];
  Plane additive[3];
  for (size_t i = 0; i < count; ++i) {
    const bool same = float_adm::same_direction(reference.detail[0][i], reference.detail[1][i], distorted.detail[0][i],
                                                distorted.detail[1][i]);
    for (int b = 0; b < 3; ++b) {
      const float t = distorted.detail[b][i];
      const float r = float_adm::restored(reference.detail[b][i], t, same, parameters.gain_limit, estimates);
      restored[b].push_back(r);
      additive[b].push_back(t - r);
    }
  }
  Signal o;
  Signal r;
  Signal a;
  for (int b = 0; b < 3; ++b) {
    weigh(o, b, scale.weight[b], reference.detail[b]);
    weigh(r, b, scale.weight[b], restored[b]);
    weigh(a, b, scale.weight[b], additive[b]);
  }
  for (int y = scale.top; y < scale.bottom; ++y) {
    FloatAdmScaleSums row{};
    for (int x = scale.left; x < scale.right; ++x) {
      const size_t i = static_cast<size_t>(y) * static_cast<size_t>(scale.width) + static_cast<size_t>(x);
      const float by_additive = parameters.masking ? threshold(a, scale.width, scale.height, x, y) : 0.0F;
      const float by_restored = parameters.masking ? threshold(r, scale.width, scale.height, x, y) : 0.0F;
      auto raise = [&](float v) { return float_adm::raise(v, parameters.exponent, tables.power); };
      for (int b = 0; b < 3; ++b) {
        row.reference[b] += raise(o.contrast[b][i]);
        row.restored[b] += raise(float_adm::masked(r.contrast[b][i], by_additive));
        row.additive[b] += raise(float_adm::masked(a.contrast[b][i], by_restored));
      }
    }
    for (int b = 0; b < 3; ++b) {
      sums.reference[b] += row.reference[b];
      sums.restored[b] += row.restored[b];
      sums.additive[b] += row.additive[b];
    }
  }
}

}  // namespace

FloatAdmBands float_adm_bands(const PlaneView& picture) {
  const float scale = 1.0F / static_cast<float>(1 << (picture.depth - 8));
  return transform(picture.width, picture.height,
                   [&](int x, int y) { return float_adm::sample(picture.at(x, y), scale); });
}

FloatAdmBands float_adm_bands(const FloatAdmBands& finer) {
  return transform(finer.width, finer.height, [&](int x, int y) {
    return finer.approximation[static_cast<size_t>(y) * static_cast<size_t>(finer.width) + static_cast<size_t>(x)];
  });
}

void float_adm_sums(const FloatAdmParameters& parameters, const FloatAdmTables& tables, const PlaneView& reference,
                    const PlaneView& distorted, FloatAdmRecord& record) {
  record = {};
  FloatAdmBands r = float_adm_bands(reference);
  FloatAdmBands d = float_adm_bands(distorted);
  for (int s = 0; s < 4; ++s) {
    if (s > 0) {
      r = float_adm_bands(r);
      d = float_adm_bands(d);
    }
    if (s > 0 || !parameters.skip_scale0) scale_sums(parameters, tables, parameters.scale[s], r, d, record.scale[s]);
  }
}

}  // namespace qc::plain
