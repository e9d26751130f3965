#include "speed/speed_score.h"

#include <algorithm>
#include <cmath>

#include "core/row_reader.h"
#include "core/simd.h"
#include "speed/speed_log2.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "speed/speed_score.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#ifndef QC_SPEED_SPEED_SCORE_ROWS
#define QC_SPEED_SPEED_SCORE_ROWS
namespace qc::speed {

// Vectors read and write up to this many elements behind the end of a row.
constexpr size_t kPadding = 32;
// Source rows that are kept for the prescaling: a power of two above the taps of the longest filter.
constexpr int kKeptRows = 16;
// Elements from a matrix row to the next.
constexpr size_t kMatrixPitch = 32;
// Offsets and one more, so that they can be taken in pairs.
constexpr int kEvenOffsets = kOffsets + 1;

inline size_t padded(int n) { return static_cast<size_t>(n) + kPadding; }

template <class T>
T* sized(std::vector<T>& buffer, size_t n) {
  if (buffer.size() < n) buffer.resize(n);
  return buffer.data();
}

// Row y of a plane as plain samples, in `buffer` if the plane has other ones.
template <class T>
const T* plain_row(const PlaneView& plane, int y, std::vector<uint8_t>& buffer, size_t offset) {
  const T* source = reinterpret_cast<const T*>(plane.data + y * plane.stride);
  if (plane.step == 1 && plane.shift == 0) return source;
  T* out = reinterpret_cast<T*>(buffer.data() + offset);
  unpack_row(source, plane.step, plane.shift, plane.width, out);
  return out;
}

// One sample of 16 of a row that has been filtered vertically, filtered horizontally.
inline void filter_decimated(const Filter& filter, const float* row, int width, int out_width, float* out) {
  const int taps = filter.taps();
  const int radius = filter.radius();
  for (int x = 0; x < out_width; ++x) {
    const int first = kReduction * x - radius;
    float sum = 0.0F;
    if (first >= 0 && first + taps <= width) {
      for (int k = 0; k < taps; ++k) sum += filter.tap[static_cast<size_t>(k)] * row[first + k];
    } else {
      for (int k = 0; k < taps; ++k) sum += filter.tap[static_cast<size_t>(k)] * row[mirror(first + k, width)];
    }
    out[x] = sum;
  }
}

}  // namespace qc::speed
#endif

HWY_BEFORE_NAMESPACE();
namespace qc::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace speed;

#if QC_PLAIN_TARGET
SpeedScore speed_score(const Parameters& p, const Source& reference, const Source& distorted, Scratch&) {
  return plain::speed_score(p, reference, distorted);
}
#else

const hn::ScalableTag<float> kFloats;
using Floats = hn::Vec<hn::ScalableTag<float> >;

template <class T>
Floats widen(const T* p) {
  const hn::Rebind<T, decltype(kFloats)> d;
  const hn::RebindToSigned<decltype(kFloats)> words;
  return hn::ConvertTo(kFloats, hn::PromoteTo(words, hn::LoadU(d, p)));
}

template <class T>
void convert_row(const T* newer, const T* older, float step, int width, float* out) {
  const int lanes = static_cast<int>(hn::Lanes(kFloats));
  const auto scale = hn::Set(kFloats, step);
  int x = 0;
  if (older) {
    for (; x + lanes <= width; x += lanes)
      hn::StoreU(hn::Mul(hn::Sub(widen(older + x), widen(newer + x)), scale), kFloats, out + x);
    for (; x < width; ++x) out[x] = difference(older[x], newer[x], step);
  } else {
    const auto middle = hn::Set(kFloats, 128.0F);
    for (; x + lanes <= width; x += lanes)
      hn::StoreU(hn::Sub(hn::Mul(widen(newer + x), scale), middle), kFloats, out + x);
    for (; x < width; ++x) out[x] = centred(newer[x], step);
  }
}

template <class T>
void source_row_of(const Source& s, int y, std::vector<uint8_t>& buffer, float* out) {
  const size_t row_bytes = static_cast<size_t>(s.plane->width) * sizeof(T);
  sized(buffer, 2 * row_bytes);
  const T* newer = plain_row<T>(*s.plane, y, buffer, 0);
  const T* older = s.older ? plain_row<T>(*s.older, y, buffer, row_bytes) : nullptr;
  convert_row(newer, older, step_of(s.plane->depth), s.plane->width, out);
}

void source_row(const Source& s, int y, std::vector<uint8_t>& buffer, float* out) {
  if (s.plane->bytes == 1) {
    source_row_of<uint8_t>(s, y, buffer, out);
  } else {
    source_row_of<uint16_t>(s, y, buffer, out);
  }
}

// A row of the prescaled plane. The source rows that it needs stay for the next one.
void scaled_row(const Parameters& p, const Source& s, int y, Scratch& scratch, float* out) {
  const size_t pitch = padded(p.sizes.source_width);
  const float* rows[kKeptRows];
  float row_weights[kKeptRows];
  for (int j = 0; j < p.taps; ++j) {
    const int number = p.rows.index[static_cast<size_t>(j * p.sizes.scaled_height + y)];
    const int slot = number % kKeptRows;
    float* row = scratch.source_rows.data() + static_cast<size_t>(slot) * pitch;
    int& kept = scratch.source_row_numbers[static_cast<size_t>(slot)];
    if (kept != number) source_row(s, number, scratch.samples, row);
    kept = number;
    rows[j] = row;
    row_weights[j] = p.rows.weight[static_cast<size_t>(j * p.sizes.scaled_height + y)];
  }
  const int lanes = static_cast<int>(hn::Lanes(kFloats));
  const hn::RebindToSigned<decltype(kFloats)> words;
  const int width = p.sizes.scaled_width;
  int x = 0;
  for (; x + lanes <= width; x += lanes) {
    auto sum = hn::Zero(kFloats);
    auto weights = hn::Zero(kFloats);
    for (int j = 0; j < p.taps; ++j) {
      const auto row_weight = hn::Set(kFloats, row_weights[j]);
      for (int i = 0; i < p.taps; ++i) {
        const auto weight = hn::Mul(hn::LoadU(kFloats, p.columns.weight.data() + i * width + x), row_weight);
        const auto samples =
            hn::GatherIndex(kFloats, rows[j], hn::LoadU(words, p.columns.index.data() + i * width + x));
        weights = hn::Add(weights, weight);
        sum = hn::Add(sum, hn::Mul(samples, weight));
      }
    }
    hn::StoreU(p.normalised ? hn::Div(sum, weights) : sum, kFloats, out + x);
  }
  for (; x < width; ++x) {
    float sum = 0.0F;
    float weights = 0.0F;
    for (int j = 0; j < p.taps; ++j) {
      for (int i = 0; i < p.taps; ++i) {
        const float weight = p.columns.weight[static_cast<size_t>(i * width + x)] * row_weights[j];
        weights += weight;
        sum += rows[j][p.columns.index[static_cast<size_t>(i * width + x)]] * weight;
      }
    }
    out[x] = p.normalised ? sum / weights : sum;
  }
}

// Sums of rows[k] * taps[k]; rows are padded.
void filter_rows(const Filter& filter, const float* const* rows, int width, float* out) {
  const size_t lanes = hn::Lanes(kFloats);
  const auto n = static_cast<size_t>(width);
  const int taps = filter.taps();
  for (size_t x = 0; x < n; x += 2 * lanes) {
    auto sum0 = hn::Zero(kFloats);
    auto sum1 = hn::Zero(kFloats);
    for (int k = 0; k < taps; ++k) {
      const auto tap = hn::Set(kFloats, filter.tap[static_cast<size_t>(k)]);
      sum0 = hn::Add(sum0, hn::Mul(tap, hn::LoadU(kFloats, rows[k] + x)));
      sum1 = hn::Add(sum1, hn::Mul(tap, hn::LoadU(kFloats, rows[k] + x + lanes)));
    }
    hn::StoreU(sum0, kFloats, out + x);
    hn::StoreU(sum1, kFloats, out + x + lanes);
  }
}

ReducedPicture reduced_picture(const Parameters& p, const Source& source, Scratch& scratch) {
  constexpr int kMostTaps = 64;
  const Sizes& n = p.sizes;
  const int taps = p.antialias.taps();
  const int radius = p.antialias.radius();
  const size_t scaled_pitch = padded(n.scaled_width);
  const size_t pitch = padded(n.reduced_width);
  float* rows = sized(scratch.scaled_rows, scaled_pitch * static_cast<size_t>(taps));
  float* filtered = sized(scratch.filtered_row, scaled_pitch);
  float* low = sized(scratch.low, pitch * static_cast<size_t>(n.reduced_height));
  if (p.taps > 0) {
    sized(scratch.source_rows, padded(n.source_width) * kKeptRows);
    scratch.source_row_numbers.assign(kKeptRows, -1);
  }
  const float* tap_rows[kMostTaps];
  for (int y = 0; y < n.reduced_height; ++y) {
    for (int k = 0; k < taps; ++k) {
      float* row = rows + static_cast<size_t>(k) * scaled_pitch;
      const int from = mirror(kReduction * y + k - radius, n.scaled_height);
      if (p.taps > 0) {
        scaled_row(p, source, from, scratch, row);
      } else {
        // Prescaling by almost 1 cuts the plane by less than the padding.
        source_row(source, from, scratch.samples, row);
      }
      tap_rows[k] = row;
    }
    filter_rows(p.antialias, tap_rows, n.scaled_width, filtered);
    filter_decimated(p.antialias, filtered, n.scaled_width, n.reduced_width, low + static_cast<size_t>(y) * pitch);
  }

  float* columns = sized(scratch.columns, pitch);
  float* reduced = sized(scratch.reduced, pitch * static_cast<size_t>(n.reduced_height + 1));
  const int mean_taps = p.local_mean.taps();
  const int mean_radius = p.local_mean.radius();
  for (int y = 0; y < n.reduced_height; ++y) {
    for (int k = 0; k < mean_taps; ++k)
      tap_rows[k] = low + static_cast<size_t>(mirror(y + k - mean_radius, n.reduced_height)) * pitch;
    filter_rows(p.local_mean, tap_rows, n.reduced_width, columns);
    const float* own = low + static_cast<size_t>(y) * pitch;
    float* out = reduced + static_cast<size_t>(y) * pitch;
    const int lanes = static_cast<int>(hn::Lanes(kFloats));
    int x = 0;
    const auto scalar_to = [&](int end) {
      for (; x < end; ++x) {
        float sum = 0.0F;
        for (int k = 0; k < mean_taps; ++k)
          sum += p.local_mean.tap[static_cast<size_t>(k)] * columns[mirror(x + k - mean_radius, n.reduced_width)];
        out[x] = own[x] - sum;
      }
    };
    scalar_to(mean_radius);
    for (; x + lanes + mean_radius <= n.reduced_width; x += lanes) {
      auto sum = hn::Zero(kFloats);
      for (int k = 0; k < mean_taps; ++k)
        sum = hn::Add(sum, hn::Mul(hn::Set(kFloats, p.local_mean.tap[static_cast<size_t>(k)]),
                                   hn::LoadU(kFloats, columns + x + k - mean_radius)));
      hn::StoreU(hn::Sub(hn::LoadU(kFloats, own + x), sum), kFloats, out + x);
    }
    scalar_to(n.reduced_width);
  }
  return {reduced, pitch};
}

// The sums of all offsets side by side, each in raster order: five rows of eight lanes, of which five count.
void means_of(const Sizes& n, const ReducedPicture& picture, Vector& means) {
  const hn::CappedTag<float, 8> d;
  constexpr size_t kLanes = hn::MaxLanes(hn::CappedTag<float, 8>());
  constexpr size_t kParts = 8 / kLanes;
  using V = hn::Vec<decltype(d)>;
  float totals[kSide][8];
  if constexpr (kParts == 1) {
    V s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0, s4 = s0;
    for (int i = 0; i < n.positions_y; ++i) {
      const float* row = picture.sample + static_cast<size_t>(i) * picture.pitch;
      for (int j = 0; j < n.positions_x; ++j, ++row) {
        s0 = hn::Add(s0, hn::LoadU(d, row));
        s1 = hn::Add(s1, hn::LoadU(d, row + picture.pitch));
        s2 = hn::Add(s2, hn::LoadU(d, row + 2 * picture.pitch));
        s3 = hn::Add(s3, hn::LoadU(d, row + 3 * picture.pitch));
        s4 = hn::Add(s4, hn::LoadU(d, row + 4 * picture.pitch));
      }
    }
    hn::StoreU(s0, d, totals[0]);
    hn::StoreU(s1, d, totals[1]);
    hn::StoreU(s2, d, totals[2]);
    hn::StoreU(s3, d, totals[3]);
    hn::StoreU(s4, d, totals[4]);
  } else {
    for (int r = 0; r < kSide; ++r) {
      V low = hn::Zero(d);
      V high = hn::Zero(d);
      for (int i = 0; i < n.positions_y; ++i) {
        const float* row = picture.sample + static_cast<size_t>(i + r) * picture.pitch;
        for (int j = 0; j < n.positions_x; ++j, ++row) {
          low = hn::Add(low, hn::LoadU(d, row));
          high = hn::Add(high, hn::LoadU(d, row + kLanes));
        }
      }
      hn::StoreU(low, d, totals[r]);
      hn::StoreU(high, d, totals[r] + kLanes);
    }
  }
  for (int p = 0; p < kOffsets; ++p)
    means[static_cast<size_t>(p)] = totals[p / kSide][p % kSide] / static_cast<float>(n.positions());
}

#if HWY_NATIVE_FMA
// The specification's eight sums of each pair of offsets are lanes here.
Matrix covariance_matrix(const Sizes& n, const ReducedPicture& picture, Scratch& scratch) {
  Vector means;
  means_of(n, picture, means);
  const hn::CappedTag<double, 4> d;
  const hn::Rebind<float, decltype(d)> df;
  using V = hn::Vec<decltype(d)>;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const int width = n.positions_x;
  const size_t pitch = padded(width);
  // Row i of every offset's window, less the offset's mean.
  double* deviations = sized(scratch.deviations, pitch * kEvenOffsets);
  std::fill_n(deviations + pitch * kOffsets, pitch, 0.0);
  // [group of lanes][offset][offset][lane], then the tails' [offset][offset].
  const int groups = 8 / lanes;
  const auto l = static_cast<size_t>(lanes);
  constexpr size_t kPairs = size_t{kOffsets} * kEvenOffsets;
  double* products = sized(scratch.products, kPairs * 8 + kOffsets * kMatrixPitch);
  double* tails = products + kPairs * 8;
  std::fill_n(products, kPairs * 8 + kOffsets * kMatrixPitch, 0.0);
  const int steps = width / 8;
  const int more = width % 8 >= 4 ? 1 : 0;
  const int tail = 8 * steps + 4 * more;

  for (int i = 0; i < n.positions_y; ++i) {
    for (int p = 0; p < kOffsets; ++p) {
      const float* row = picture.sample + static_cast<size_t>(i + p / kSide) * picture.pitch + p % kSide;
      double* out = deviations + static_cast<size_t>(p) * pitch;
      const auto mean = hn::Set(d, double(means[static_cast<size_t>(p)]));
      for (int j = 0; j < width; j += lanes)
        hn::StoreU(hn::Sub(hn::PromoteTo(d, hn::LoadU(df, row + j)), mean), d, out + j);
    }
    for (int g = 0; g < groups; ++g) {
      const int offset = g * lanes;
      const int end = 8 * (steps + (offset < 4 ? more : 0));
      for (int p = 0; p < kOffsets; p += kSide) {
        const double* u = deviations + static_cast<size_t>(p) * pitch + offset;
        for (int q = 0; q < p + kSide; q += 2) {
          const double* v = deviations + static_cast<size_t>(q) * pitch + offset;
          double* at = products + ((static_cast<size_t>(g) * kOffsets + static_cast<size_t>(p)) * kEvenOffsets +
                                   static_cast<size_t>(q)) *
                                      l;
          const size_t next = kEvenOffsets * l;
          V s00 = hn::LoadU(d, at), s01 = hn::LoadU(d, at + l);
          V s10 = hn::LoadU(d, at + next), s11 = hn::LoadU(d, at + next + l);
          V s20 = hn::LoadU(d, at + 2 * next), s21 = hn::LoadU(d, at + 2 * next + l);
          V s30 = hn::LoadU(d, at + 3 * next), s31 = hn::LoadU(d, at + 3 * next + l);
          V s40 = hn::LoadU(d, at + 4 * next), s41 = hn::LoadU(d, at + 4 * next + l);
          for (int j = 0; j < end; j += 8) {
            const V v0 = hn::LoadU(d, v + j);
            const V v1 = hn::LoadU(d, v + pitch + j);
            const V u0 = hn::LoadU(d, u + j);
            s00 = hn::MulAdd(u0, v0, s00);
            s01 = hn::MulAdd(u0, v1, s01);
            const V u1 = hn::LoadU(d, u + pitch + j);
            s10 = hn::MulAdd(u1, v0, s10);
            s11 = hn::MulAdd(u1, v1, s11);
            const V u2 = hn::LoadU(d, u + 2 * pitch + j);
            s20 = hn::MulAdd(u2, v0, s20);
            s21 = hn::MulAdd(u2, v1, s21);
            const V u3 = hn::LoadU(d, u + 3 * pitch + j);
            s30 = hn::MulAdd(u3, v0, s30);
            s31 = hn::MulAdd(u3, v1, s31);
            const V u4 = hn::LoadU(d, u + 4 * pitch + j);
            s40 = hn::MulAdd(u4, v0, s40);
            s41 = hn::MulAdd(u4, v1, s41);
          }
          hn::StoreU(s00, d, at), hn::StoreU(s01, d, at + l);
          hn::StoreU(s10, d, at + next), hn::StoreU(s11, d, at + next + l);
          hn::StoreU(s20, d, at + 2 * next), hn::StoreU(s21, d, at + 2 * next + l);
          hn::StoreU(s30, d, at + 3 * next), hn::StoreU(s31, d, at + 3 * next + l);
          hn::StoreU(s40, d, at + 4 * next), hn::StoreU(s41, d, at + 4 * next + l);
        }
      }
    }
    for (int j = tail; j < width; ++j) {
      double column[kMatrixPitch];
      for (int p = 0; p < kOffsets; ++p) column[p] = deviations[static_cast<size_t>(p) * pitch + j];
      for (int p = 0; p < kOffsets; ++p) {
        const auto u = hn::Set(d, column[p]);
        double* sums = tails + static_cast<size_t>(p) * kMatrixPitch;
        for (int q = 0; q <= p; q += lanes)
          hn::StoreU(hn::Add(hn::LoadU(d, sums + q), hn::Mul(u, hn::LoadU(d, column + q))), d, sums + q);
      }
    }
  }

  Matrix k;
  for (size_t p = 0; p < kOffsets; ++p) {
    for (size_t q = 0; q <= p; ++q) {
      const auto lane = [&](size_t i) { return products[((i / l * kOffsets + p) * kEvenOffsets + q) * l + i % l]; };
      double sum = lane(0) + lane(4);
      for (size_t i = 1; i < 4; ++i) sum += lane(i) + lane(i + 4);
      sum += tails[p * kMatrixPitch + q];
      k[p][q] = k[q][p] = static_cast<float>(sum / double(n.positions()));
    }
  }
  return k;
}
#else
Matrix covariance_matrix(const Sizes& n, const ReducedPicture& picture, Scratch&) {
  Vector means;
  means_of(n, picture, means);
  Matrix k;
  for (int p = 0; p < kOffsets; ++p) {
    const auto row = static_cast<size_t>(p);
    for (int q = 0; q <= p; ++q) {
      const auto column = static_cast<size_t>(q);
      k[row][column] = k[column][row] = plain::covariance(n, picture, p, means[row], q, means[column]);
    }
  }
  return k;
}
#endif

// Rows first … 24 of a * b; the columns of a and the rows of b before `first` are left out of the sums.
void multiply(const float (&a)[kOffsets][kMatrixPitch], const float (&b)[kOffsets][kMatrixPitch], int first,
              float (&out)[kOffsets][kMatrixPitch]) {
  const int lanes = static_cast<int>(hn::Lanes(kFloats));
  for (int i = first; i < kOffsets; ++i) {
    for (int j = 0; j < static_cast<int>(kMatrixPitch); j += 2 * lanes) {
      auto sum0 = hn::Zero(kFloats);
      auto sum1 = sum0;
      for (int t = first; t < kOffsets; ++t) {
        const auto factor = hn::Set(kFloats, a[i][t]);
        sum0 = hn::Add(sum0, hn::Mul(factor, hn::LoadU(kFloats, &b[t][j])));
        sum1 = hn::Add(sum1, hn::Mul(factor, hn::LoadU(kFloats, &b[t][j + lanes])));
      }
      hn::StoreU(sum0, kFloats, &out[i][j]);
      hn::StoreU(sum1, kFloats, &out[i][j + lanes]);
    }
  }
}

// The product of the Householder reflections that make k triangular, and the triangle. Where a reflection has the rows
// of the identity, or zeros, nothing is computed: that adds nothing to any sum.
void triangularise(const Matrix& k, float (&q)[kOffsets][kMatrixPitch], float (&triangle)[kOffsets][kMatrixPitch]) {
  float matrix[kOffsets][kMatrixPitch] = {};
  float z[kOffsets][kMatrixPitch] = {};
  float product[kOffsets][kMatrixPitch] = {};
  float h[kOffsets][kMatrixPitch] = {};
  for (size_t i = 0; i < kOffsets; ++i) {
    std::copy(k[i].begin(), k[i].end(), z[i]);
    std::copy(k[i].begin(), k[i].end(), matrix[i]);
    std::fill_n(q[i], kMatrixPitch, 0.0F);
    q[i][i] = 1.0F;
  }
  for (int s = 0; s + 1 < kOffsets; ++s) {
    const auto first = static_cast<size_t>(s);
    Vector v{};
    for (size_t i = first; i < kOffsets; ++i) v[i] = z[i][s];
    v[first] += sign(k[first][first]) * plain::length(v);
    const float scale = plain::length(v);
    for (size_t i = first; i < kOffsets; ++i) v[i] /= scale;
    for (size_t i = first; i < kOffsets; ++i) {
      for (size_t j = first; j < kOffsets; ++j) h[i][j] = -2.0F * v[i] * v[j];
      h[i][i] += 1.0F;
    }
    multiply(h, z, s, product);
    for (size_t i = first; i < kOffsets; ++i) std::copy_n(product[i], kMatrixPitch, z[i]);
    multiply(h, q, s, product);
    for (size_t i = first; i < kOffsets; ++i) std::copy_n(product[i], kMatrixPitch, q[i]);
  }
  multiply(q, matrix, 0, triangle);
}

// Solves for each block, `lanes` of them at a time, and takes the variance.
void block_variances(const Sizes& n, const ReducedPicture& picture, const float (&q)[kOffsets][kMatrixPitch],
                     const float (&triangle)[kOffsets][kMatrixPitch], Scratch& scratch, float* variance) {
  const size_t lanes = hn::Lanes(kFloats);
  const auto blocks = static_cast<size_t>(n.blocks());
  const size_t pitch = padded(n.blocks());
  float* samples = sized(scratch.blocks, pitch * kOffsets);
  for (int p = 0; p < kOffsets; ++p) {
    float* out = samples + static_cast<size_t>(p) * pitch;
    for (int by = 0; by < n.blocks_y; ++by)
      for (int bx = 0; bx < n.blocks_x; ++bx) *out++ = picture.at(kSide * bx + p % kSide, kSide * by + p / kSide);
  }
  float* solution = sized(scratch.solutions, kOffsets * lanes);
  const auto count = hn::Set(kFloats, static_cast<float>(kOffsets));
  for (size_t b = 0; b < blocks; b += lanes) {
    const auto sample = [&](size_t p) { return hn::LoadU(kFloats, samples + p * pitch + b); };
    for (size_t i = kOffsets; i-- > 0;) {
      auto t = hn::Zero(kFloats);
      for (size_t c = 0; c < kOffsets; ++c) t = hn::Add(t, hn::Mul(hn::Set(kFloats, q[i][c]), sample(c)));
      for (size_t c = i + 1; c < kOffsets; ++c)
        t = hn::Sub(t, hn::Mul(hn::LoadU(kFloats, solution + c * lanes), hn::Set(kFloats, triangle[i][c])));
      hn::StoreU(hn::Div(t, hn::Set(kFloats, triangle[i][i])), kFloats, solution + i * lanes);
    }
    auto sum = hn::Zero(kFloats);
    for (size_t p = 0; p < kOffsets; ++p)
      sum = hn::Add(sum, hn::Div(hn::Mul(hn::LoadU(kFloats, solution + p * lanes), sample(p)), count));
    hn::StoreU(sum, kFloats, variance + b);
  }
}

void block_statistics(const Sizes& n, const ReducedPicture& picture, Scratch& scratch, Statistics& s) {
  const Matrix k = covariance_matrix(n, picture, scratch);
  s.eigenvalue = plain::eigenvalues(k);
  s.singular = plain::singular(s.eigenvalue);
  const auto blocks = static_cast<size_t>(n.blocks());
  s.variance.assign(blocks + kPadding, 0.0F);
  if (!s.singular) {
    float q[kOffsets][kMatrixPitch];
    float triangle[kOffsets][kMatrixPitch];
    triangularise(k, q, triangle);
    for (size_t i = 0; i < kOffsets; ++i) s.singular = s.singular || double(magnitude(triangle[i][i])) < kRegular;
    if (!s.singular) block_variances(n, picture, q, triangle, scratch, s.variance.data());
  }
  s.variance.resize(blocks);
}

// log2() of speed_log2.h, of positive normal numbers.
template <class D, class V>
V log2_of(D d, V x, const Log2Entry* table) {
  const hn::RebindToUnsigned<D> words;
  const hn::RebindToSigned<D> indices;
  const auto word = [&](uint64_t v) { return hn::Set(words, v); };
  const auto bits = hn::BitCast(words, x);
  const auto fraction = hn::And(bits, word(0x000fffffffffffffU));
  const auto j_low = hn::Add(word(512), hn::ShiftRight<43>(hn::Add(fraction, word(uint64_t{1} << 42))));
  const auto j_high = hn::ShiftRight<44>(hn::Add(fraction, word((uint64_t{1} << 52) + (uint64_t{1} << 43))));
  const auto large = hn::Gt(hn::BitCast(indices, j_low), hn::Set(indices, kLog2Last));
  const auto j = hn::IfThenElse(large, hn::BitCast(indices, j_high), hn::BitCast(indices, j_low));
  const auto one_of_large = hn::BitCast(words, hn::IfThenElseZero(large, hn::Set(indices, int64_t{1} << 52)));
  const auto z_bits = hn::Sub(hn::Or(fraction, word(0x3ff0000000000000U)), one_of_large);
  // The exponent, biased, to the lowest bits of 2^52.
  const auto biased = hn::Or(hn::ShiftRight<52>(hn::Add(bits, one_of_large)), word(0x4330000000000000U));
  const V exponent = hn::Sub(hn::BitCast(d, biased), hn::Set(d, 0x1p52 + 1023.0));
  const auto at = hn::Sub(j, hn::Set(indices, kLog2First));
  const auto at3 = hn::Add(at, hn::Add(at, at));
  const double* entries = &table->reciprocal;
  const V reciprocal = hn::GatherIndex(d, entries, at3);
  const V high = hn::GatherIndex(d, entries + 1, at3);
  const V low = hn::GatherIndex(d, entries + 2, at3);
  const V z_high = hn::BitCast(d, hn::And(z_bits, word(0xffffffffe0000000U)));
  const V z_low = hn::Sub(hn::BitCast(d, z_bits), z_high);
  const V r_high = hn::Sub(hn::Mul(z_high, reciprocal), hn::Set(d, 1.0));
  const V r_low = hn::Mul(z_low, reciprocal);
  const V r = hn::Add(r_high, r_low);
  const V r_first = hn::BitCast(d, hn::And(hn::BitCast(words, r), word(0xfffffffffc000000U)));
  const V r_rest = hn::Add(hn::Sub(r_high, r_first), r_low);
  const V linear = hn::Mul(r_first, hn::Set(d, kInverseLn2High));
  const V rest = hn::Add(hn::Mul(r_first, hn::Set(d, kInverseLn2Low)), hn::Mul(r_rest, hn::Set(d, kInverseLn2)));
  V tail = hn::Set(d, kSeries7);
  for (const double term : {kSeries6, kSeries5, kSeries4, kSeries3, kSeries2})
    tail = hn::Sub(hn::Set(d, term), hn::Mul(r, tail));
  const V whole = hn::Add(exponent, high);
  const V sum = hn::Add(whole, linear);
  const V lost = hn::Add(hn::Sub(whole, sum), linear);
  return hn::Add(sum, hn::Add(lost, hn::Add(low, hn::Sub(rest, hn::Mul(hn::Mul(r, r), tail)))));
}

void block_entropies(const Statistics& s, float noise, std::vector<float>& entropies) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> df;
  const size_t lanes = hn::Lanes(d);
  const Log2Entry* table = log2_table();
  const auto constant = hn::Set(d, kGaussianEntropy);
  const size_t blocks = s.variance.size();
  entropies.resize(blocks);
  size_t b = 0;
  for (; b + lanes <= blocks; b += lanes) {
    const auto variance = hn::LoadU(df, s.variance.data() + b);
    auto sum = hn::Zero(df);
    bool regular = true;
    for (size_t k = 0; k < kOffsets; ++k) {
      const float strength = s.eigenvalue[k] < 0.0F ? 0.0F : s.eigenvalue[k];
      const auto t = hn::Add(hn::Mul(hn::Set(df, strength), variance), hn::Set(df, noise));
      // Not of zeros, negative numbers, infinities and NaNs.
      regular = regular && hn::AllTrue(df, hn::And(hn::Gt(t, hn::Zero(df)), hn::Le(t, hn::Set(df, 0x1.fffffep127F))));
      const auto term = hn::Add(log2_of(d, hn::PromoteTo(d, t), table), constant);
      sum = hn::DemoteTo(df, hn::Add(hn::PromoteTo(d, sum), term));
    }
    if (regular) {
      hn::StoreU(sum, df, entropies.data() + b);
    } else {
      for (size_t i = b; i < b + lanes; ++i) entropies[i] = plain::entropy(s.eigenvalue, s.variance[i], noise);
    }
  }
  for (; b < blocks; ++b) entropies[b] = plain::entropy(s.eigenvalue, s.variance[b], noise);
}

SpeedScore speed_score(const Parameters& p, const Source& reference, const Source& distorted, Scratch& scratch) {
  for (int i = 0; i < 2; ++i) {
    const ReducedPicture picture = reduced_picture(p, i == 0 ? reference : distorted, scratch);
    block_statistics(p.sizes, picture, scratch, scratch.statistics[i]);
  }
  const Statistics& r = scratch.statistics[0];
  const Statistics& d = scratch.statistics[1];
  if (r.singular == d.singular && !r.singular)
    for (int i = 0; i < 2; ++i) block_entropies(scratch.statistics[i], p.noise, scratch.entropies[i]);
  else
    for (int i = 0; i < 2; ++i) scratch.entropies[i].assign(r.variance.size(), 0.0F);
  return plain::compare(p, r, d, scratch.entropies[0], scratch.entropies[1]);
}
#endif

}  // namespace qc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qc {
namespace {
HWY_EXPORT(speed_score);
}  // namespace

namespace speed {

SpeedScore speed_score(const Parameters& parameters, const Source& reference, const Source& distorted,
                       Scratch& scratch) {
  return HWY_DYNAMIC_DISPATCH(speed_score)(parameters, reference, distorted, scratch);
}

}  // namespace speed
}  // namespace qc
#endif
