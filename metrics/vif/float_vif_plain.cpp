#include "vif/float_vif_plain.h"

#include <cstddef>

#include "math/centred_row.h"

namespace qc::plain {
namespace {

using float_vif::mirror;

// out(x, y) = the filtered in(x, y), where in(x, y) is any function of the position.
template <class In>
void filter_plane(const float_vif::Filter& filter, int w, int h, In in, std::vector<float>& column_sums,
                  std::vector<float>& out) {
  const auto at = [w](int x, int y) {
    return static_cast<size_t>(y) * static_cast<size_t>(w) + static_cast<size_t>(x);
  };
  column_sums.resize(at(0, h));
  out.resize(at(0, h));
  for (int y = 0; y < h; ++y) {
    for (int x = 0; x < w; ++x) {
      float sum = 0;
      for (int k = 0; k < filter.taps; ++k) sum += filter.tap[k] * in(x, mirror(y - filter.radius() + k, h));
      column_sums[at(x, y)] = sum;
    }
  }
  for (int y = 0; y < h; ++y) {
    for (int x = 0; x < w; ++x) {
      float sum = 0;
      for (int k = 0; k < filter.taps; ++k)
        sum += filter.tap[k] * column_sums[at(mirror(x - filter.radius() + k, w), y)];
      out[at(x, y)] = sum;
    }
  }
}

void keep_even(const std::vector<float>& in, int in_width, int w, int h, std::vector<float>& out) {
  out.resize(static_cast<size_t>(w) * static_cast<size_t>(h));
  size_t i = 0;
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x)
      out[i++] = in[static_cast<size_t>(2 * y) * static_cast<size_t>(in_width) + static_cast<size_t>(2 * x)];
}

}  // namespace

float resampled(const PlaneView& plane, const float_vif::Resampling& resampling, int x, int y) {
  const float scale = centred_scale(plane.depth);
  const float_vif::ResamplingAxis& columns = resampling.x;
  const float_vif::ResamplingAxis& rows = resampling.y;
  float sum = 0;
  float weights = 0;
  for (int j = 0; j < rows.taps; ++j) {
    const auto row = static_cast<size_t>(y * rows.taps + j);
    for (int i = 0; i < columns.taps; ++i) {
      const auto column = static_cast<size_t>(x * columns.taps + i);
      const float weight = columns.weight[column] * rows.weight[row];
      weights += weight;
      sum += centred(plane.at(columns.index[column], rows.index[row]), scale) * weight;
    }
  }
  return resampling.normalised ? sum / weights : sum;
}

void read_plane(const PlaneView& plane, const float_vif::Parameters& parameters, std::vector<float>& out) {
  const int w = parameters.width[0];
  const int h = parameters.height[0];
  out.resize(static_cast<size_t>(w) * static_cast<size_t>(h));
  const float scale = centred_scale(plane.depth);
  size_t i = 0;
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x)
      out[i++] = parameters.resampled ? resampled(plane, parameters.resampling, x, y) : centred(plane.at(x, y), scale);
}

void float_vif_sums(const PlaneView& reference, const PlaneView& distorted, const float_vif::Parameters& parameters,
                    FloatVifSums sums[kFloatVifScales]) {
  std::vector<float> r;
  std::vector<float> d;
  read_plane(reference, parameters, r);
  read_plane(distorted, parameters, d);
  std::vector<float> column_sums;
  std::vector<float> filtered[5];
  for (int s = 0; s < kFloatVifScales; ++s) {
    const float_vif::Filter& filter = parameters.filter[s];
    const int w = parameters.width[s];
    const int h = parameters.height[s];
    if (s > 0) {
      const int from_w = parameters.width[s - 1];
      const int from_h = parameters.height[s - 1];
      for (std::vector<float>* plane : {&r, &d}) {
        const auto sample = [&, from_w](int x, int y) {
          return (*plane)[static_cast<size_t>(y) * static_cast<size_t>(from_w) + static_cast<size_t>(x)];
        };
        filter_plane(filter, from_w, from_h, sample, column_sums, filtered[0]);
        keep_even(filtered[0], from_w, w, h, *plane);
      }
    }
    if (s < parameters.first_scale) continue;
    const auto at = [w](int x, int y) {
      return static_cast<size_t>(y) * static_cast<size_t>(w) + static_cast<size_t>(x);
    };
    const auto filter_all = [&](auto in, std::vector<float>& out) { filter_plane(filter, w, h, in, column_sums, out); };
    filter_all([&](int x, int y) { return r[at(x, y)]; }, filtered[0]);
    filter_all([&](int x, int y) { return d[at(x, y)]; }, filtered[1]);
    filter_all([&](int x, int y) { return r[at(x, y)] * r[at(x, y)]; }, filtered[2]);
    filter_all([&](int x, int y) { return d[at(x, y)] * d[at(x, y)]; }, filtered[3]);
    filter_all([&](int x, int y) { return r[at(x, y)] * d[at(x, y)]; }, filtered[4]);
    float numerator = 0;
    float denominator = 0;
    for (int y = 0; y < h; ++y) {
      float row_numerator = 0;
      float row_denominator = 0;
      for (int x = 0; x < w; ++x) {
        const size_t i = at(x, y);
        const float_vif::Terms terms = float_vif::terms(
            {filtered[0][i], filtered[1][i], filtered[2][i], filtered[3][i], filtered[4][i]}, parameters.channel);
        row_numerator += terms.numerator;
        row_denominator += terms.denominator;
      }
      numerator += row_numerator;
      denominator += row_denominator;
    }
    sums[s] = {numerator, denominator};
  }
}

}  // namespace qc::plain
