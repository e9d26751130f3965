#include "speed/speed_plain.h"

#include <array>
#include <cmath>
#include <vector>

#include "speed/eigenvalues.h"
#include "speed/speed_log2.h"

namespace qc::plain {
namespace {

using namespace speed;

struct HostMath {
  static float square_root(float x) { return std::sqrt(x); }
  static float reciprocal_root(float x) { return static_cast<float>(1.0 / std::sqrt(double(x))); }
};

double log2_of(double x) { return speed::log2(x, log2_table()); }

struct Image {
  int width;
  std::vector<float> sample;
  float at(int x, int y) const { return view().at(x, y); }
  ReducedPicture view() const { return {sample.data(), static_cast<size_t>(width)}; }
};

float source_sample(const Source& s, int x, int y) {
  const float step = step_of(s.plane->depth);
  const auto newer = static_cast<int>(s.plane->at(x, y));
  return s.older ? difference(static_cast<int>(s.older->at(x, y)), newer, step) : centred(newer, step);
}

float scaled_sample(const Parameters& p, const Source& s, int x, int y) {
  if (p.taps == 0) return source_sample(s, x, y);
  float sum = 0.0F;
  float weights = 0.0F;
  for (int j = 0; j < p.taps; ++j) {
    const int row = j * p.sizes.scaled_height + y;
    for (int i = 0; i < p.taps; ++i) {
      const int column = i * p.sizes.scaled_width + x;
      const float weight = p.columns.weight[column] * p.rows.weight[row];
      weights += weight;
      sum += source_sample(s, p.columns.index[column], p.rows.index[row]) * weight;
    }
  }
  return p.normalised ? sum / weights : sum;
}

// The filter's sum over samples sample(-radius) … sample(radius).
template <class Sample>
float filtered(const Filter& filter, Sample sample) {
  float sum = 0.0F;
  for (int k = 0; k < filter.taps(); ++k) sum += filter.tap[static_cast<size_t>(k)] * sample(k - filter.radius());
  return sum;
}

// The picture low-pass filtered, one sample of 16x16 kept, less its local mean.
Image reduced_picture(const Parameters& p, const Source& source) {
  const Sizes& n = p.sizes;
  Image low{n.reduced_width, {}};
  std::vector<float> row(static_cast<size_t>(n.scaled_width));
  for (int y = 0; y < n.reduced_height; ++y) {
    for (int x = 0; x < n.scaled_width; ++x)
      row[static_cast<size_t>(x)] = filtered(
          p.antialias, [&](int k) { return scaled_sample(p, source, x, mirror(kReduction * y + k, n.scaled_height)); });
    for (int x = 0; x < n.reduced_width; ++x)
      low.sample.push_back(filtered(
          p.antialias, [&](int k) { return row[static_cast<size_t>(mirror(kReduction * x + k, n.scaled_width))]; }));
  }
  Image columns{n.reduced_width, {}};
  for (int y = 0; y < n.reduced_height; ++y)
    for (int x = 0; x < n.reduced_width; ++x)
      columns.sample.push_back(
          filtered(p.local_mean, [&](int k) { return low.at(x, mirror(y + k, n.reduced_height)); }));
  Image reduced{n.reduced_width, {}};
  for (int y = 0; y < n.reduced_height; ++y)
    for (int x = 0; x < n.reduced_width; ++x)
      reduced.sample.push_back(
          low.at(x, y) - filtered(p.local_mean, [&](int k) { return columns.at(mirror(x + k, n.reduced_width), y); }));
  return reduced;
}

float mean(const Sizes& n, const ReducedPicture& image, int p) {
  float sum = 0.0F;
  for (int i = 0; i < n.positions_y; ++i)
    for (int j = 0; j < n.positions_x; ++j) sum += image.at(p % kSide + j, p / kSide + i);
  return sum / static_cast<float>(n.positions());
}

Matrix covariance_matrix(const Sizes& n, const ReducedPicture& image) {
  Vector means;
  for (int p = 0; p < kOffsets; ++p) means[p] = mean(n, image, p);
  Matrix k;
  for (int p = 0; p < kOffsets; ++p)
    for (int q = 0; q <= p; ++q) k[p][q] = k[q][p] = covariance(n, image, p, means[p], q, means[q]);
  return k;
}

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c{};
  for (int i = 0; i < kOffsets; ++i)
    for (int j = 0; j < kOffsets; ++j)
      for (int t = 0; t < kOffsets; ++t) c[i][j] += a[i][t] * b[t][j];
  return c;
}

Matrix identity() {
  Matrix a{};
  for (int i = 0; i < kOffsets; ++i) a[i][i] = 1.0F;
  return a;
}

// The orthogonal matrix that makes k triangular, by Householder reflections.
Matrix orthogonal_factor(const Matrix& k) {
  Matrix z = k;
  Matrix q = identity();
  for (int s = 0; s + 1 < kOffsets; ++s) {
    for (int i = 0; i < kOffsets; ++i)
      for (int j = 0; j < kOffsets; ++j)
        if (i < s || j < s) z[i][j] = i == j ? 1.0F : 0.0F;
    Vector v;
    for (int i = 0; i < kOffsets; ++i) v[i] = z[i][s];
    v[s] += sign(k[s][s]) * length(v);
    const float scale = length(v);
    for (float& x : v) x /= scale;
    Matrix h;
    for (int i = 0; i < kOffsets; ++i)
      for (int j = 0; j < kOffsets; ++j) h[i][j] = -2.0F * v[i] * v[j];
    for (int i = 0; i < kOffsets; ++i) h[i][i] += 1.0F;
    z = product(h, z);
    q = product(h, q);
  }
  return q;
}

// Each block's variance as the whole picture's covariance matrix measures it.
Statistics block_statistics(const Sizes& n, const ReducedPicture& image) {
  const Matrix k = covariance_matrix(n, image);
  Statistics s{false, eigenvalues(k), std::vector<float>(static_cast<size_t>(n.blocks()), 0.0F)};
  s.singular = singular(s.eigenvalue);
  if (s.singular) return s;
  const Matrix q = orthogonal_factor(k);
  const Matrix triangle = product(q, k);
  for (int i = 0; i < kOffsets; ++i) s.singular = s.singular || double(magnitude(triangle[i][i])) < kRegular;
  if (s.singular) return s;
  for (int block = 0; block < n.blocks(); ++block) {
    float y[kOffsets];
    for (int p = 0; p < kOffsets; ++p)
      y[p] = image.at(kSide * (block % n.blocks_x) + p % kSide, kSide * (block / n.blocks_x) + p / kSide);
    float x[kOffsets];
    for (int i = kOffsets - 1; i >= 0; --i) {
      float t = 0.0F;
      for (int c = 0; c < kOffsets; ++c) t += q[i][c] * y[c];
      for (int c = i + 1; c < kOffsets; ++c) t -= x[c] * triangle[i][c];
      x[i] = t / triangle[i][i];
    }
    float& variance = s.variance[static_cast<size_t>(block)];
    for (int p = 0; p < kOffsets; ++p) variance += x[p] * y[p] / static_cast<float>(kOffsets);
  }
  return s;
}

}  // namespace

// The order of the sum is that of libvmaf's AVX2 code.
float covariance(const Sizes& n, const ReducedPicture& image, int p, float mean_p, int q, float mean_q) {
  double lane[8] = {};
  double tail = 0.0;
  for (int i = 0; i < n.positions_y; ++i) {
    const auto u = [&](int j) { return double(image.at(p % kSide + j, p / kSide + i)) - double(mean_p); };
    const auto v = [&](int j) { return double(image.at(q % kSide + j, q / kSide + i)) - double(mean_q); };
    int j = 0;
    for (; j + 7 < n.positions_x; j += 8)
      for (int l = 0; l < 8; ++l) lane[l] = std::fma(u(j + l), v(j + l), lane[l]);
    if (j + 3 < n.positions_x) {
      for (int l = 0; l < 4; ++l) lane[l] = std::fma(u(j + l), v(j + l), lane[l]);
      j += 4;
    }
    for (; j < n.positions_x; ++j) tail += u(j) * v(j);
  }
  double sum = lane[0] + lane[4];
  for (int l = 1; l < 4; ++l) sum += lane[l] + lane[l + 4];
  return static_cast<float>((sum + tail) / double(n.positions()));
}

// Householder reflections to tridiagonal form, then QR steps.
Vector eigenvalues(const Matrix& covariance) {
  Matrix a = covariance;
  for (int i = 0; i + 2 < kOffsets; ++i) {
    const int m = i + 1;
    float squares = 0.0F;
    for (int r = m + 1; r < kOffsets; ++r) squares += a[r][i] * a[r][i];
    const float norm = std::sqrt(squares);
    if (norm == 0.0F) continue;
    const float alpha = a[m][i];
    const float beta = -sign(alpha) * std::sqrt(alpha * alpha + norm * norm);
    const float tau = (beta - alpha) / beta;
    const float scale = alpha - beta;
    float w[kOffsets];
    w[m] = 1.0F;
    for (int r = m + 1; r < kOffsets; ++r) w[r] = a[r][i] / scale;
    a[m][i] = beta;
    float x[kOffsets];
    for (int r = m; r < kOffsets; ++r) {
      x[r] = 0.0F;
      for (int c = m; c < kOffsets; ++c) x[r] += tau * a[r][c] * w[c];
    }
    float dot = 0.0F;
    for (int r = m; r < kOffsets; ++r) dot += x[r] * w[r];
    const float half = -0.5F * tau * dot;
    for (int r = m; r < kOffsets; ++r) x[r] += half * w[r];
    for (int r = m; r < kOffsets; ++r)
      for (int c = m; c < kOffsets; ++c) a[r][c] -= x[r] * w[c] + w[r] * x[c];
  }
  float d[kOffsets];
  float e[kOffsets] = {};
  for (int i = 0; i < kOffsets; ++i) d[i] = a[i][i];
  for (int i = 0; i + 1 < kOffsets; ++i) e[i] = a[i + 1][i];
  TridiagonalQr<HostMath>::eigenvalues(d, e);
  return std::to_array(d);
}

bool singular(const Vector& eigenvalues) {
  for (float eigenvalue : eigenvalues)
    if (double(eigenvalue) < kRegular) return true;
  return false;
}

float length(const Vector& v) {
  float squares = 0.0F;
  for (float x : v) squares += x * x;
  return std::sqrt(squares);
}

float entropy(const Vector& eigenvalues, float variance, float noise) {
  float sum = 0.0F;
  for (float eigenvalue : eigenvalues) {
    const float strength = eigenvalue < 0.0F ? 0.0F : eigenvalue;
    sum = static_cast<float>(double(sum) + (log2_of(double(strength * variance + noise)) + kGaussianEntropy));
  }
  return sum;
}

SpeedScore compare(const Parameters& p, const Statistics& reference, const Statistics& distorted,
                   const std::vector<float>& entropies_r, const std::vector<float>& entropies_d) {
  if (reference.singular != distorted.singular) return {0.0F, 1};
  float sum = 0.0F;
  for (size_t i = 0; i < reference.variance.size(); ++i)
    sum += block_score(p.weighting, entropies_r[i], entropies_d[i], reference.variance[i], distorted.variance[i],
                       p.least_entropy, log2_of);
  return {sum / static_cast<float>(p.sizes.blocks()), reference.singular ? 1U : 0U};
}

SpeedScore speed_score(const Parameters& p, const Source& reference, const Source& distorted) {
  Statistics s[2];
  std::vector<float> entropies[2];
  for (int i = 0; i < 2; ++i) {
    s[i] = block_statistics(p.sizes, reduced_picture(p, i == 0 ? reference : distorted).view());
    for (float variance : s[i].variance) entropies[i].push_back(entropy(s[i].eigenvalue, variance, p.noise));
  }
  return compare(p, s[0], s[1], entropies[0], entropies[1]);
}

}  // namespace qc::plain
