// Eigenvalues of a symmetric tridiagonal matrix by QR steps with implicit shifts, as the GNU Scientific Library takes
// them (speed.md §5.3), for host and device.
#pragma once

#include "speed/speed_arithmetic.h"

namespace qc::speed {

// 1 / sqrt(x) for x in [1, 2], given an estimate within 2^-22: as if the square root and the quotient were rounded to
// float64 and the result to float32. The true value is never so close to a tie that an error of 2^-50 would matter.
QC_HD inline float reciprocal_root(float x, float estimate) {
  const auto y = static_cast<double>(estimate);
  const double error = 1.0 - static_cast<double>(x) * (y * y);
  return static_cast<float>(y + y * error * (0.5 + 0.375 * error));
}

// Math has square_root(float), rounded to nearest, and reciprocal_root(float x): 1 / sqrt(x), the square root and the
// quotient rounded to float64, the result to float32; x is in [1, 2].
template <class Math>
struct TridiagonalQr {
  // Zeroes what is negligible beside its neighbours on the diagonal.
  static QC_HD void chop(const float* d, float* e, int low, int high) {
    for (int i = low; i < high; ++i) {
      const double neighbours = static_cast<double>(magnitude(d[i]) + magnitude(d[i + 1]));
      if (static_cast<double>(magnitude(e[i])) < 1e-6 * neighbours) e[i] = 0.0F;
    }
  }

  static QC_HD float hypotenuse(float a, float b) { return Math::square_root(a * a + b * b); }

  // The eigenvalue of the trailing 2x2 matrix that is nearer to its last element.
  static QC_HD float shift(const float* d, const float* e, int n) {
    const float y = d[n - 2];
    const float z = d[n - 1];
    const float f = e[n - 2];
    const float delta = (y - z) / 2.0F;
    float mu;
    if (delta > 0.0F) {
      mu = z - f * (f / (delta + hypotenuse(delta, f)));
    } else if (delta == 0.0F) {
      mu = z - magnitude(f);
    } else {
      mu = z + f * (f / (-delta + hypotenuse(delta, f)));
    }
    const double first = static_cast<double>(magnitude(d[0]) + magnitude(e[0]));
    return 1e-6 * static_cast<double>(magnitude(mu)) > first ? 0.0F : mu;
  }

  // One step on n rows.
  static QC_HD void step(float* d, float* e, int n) {
    float x = d[0] - shift(d, e, n);
    float z = e[0];
    float p = d[0];
    float q = e[0];
    float r = d[1];
    float u = n > 2 ? e[1] : 0.0F;
    float v = 0.0F;
    float y = 0.0F;
    for (int k = 0; k < n - 1; ++k) {
      float c = 1.0F;
      float s = 0.0F;
      if (magnitude(z) > magnitude(x)) {
        const float t = -x / z;
        s = Math::reciprocal_root(1.0F + t * t);
        c = s * t;
      } else if (z != 0.0F) {
        const float t = -z / x;
        c = Math::reciprocal_root(1.0F + t * t);
        s = c * t;
      }
      const float sp_cq = s * p + c * q;
      const float sq_cr = s * q + c * r;
      const float next_v = c * v - s * y;
      const float next_p = c * (c * p - s * q) + s * (s * r - c * q);
      const float next_q = c * sp_cq - s * sq_cr;
      const float next_y = -s * u;
      const float next_r = s * sp_cq + c * sq_cr;
      const float next_u = c * u;
      d[k] = next_p;
      if (k > 0) e[k - 1] = next_v;
      v = next_q;
      y = next_y;
      p = next_r;
      q = next_u;
      if (k < n - 2) {
        e[k + 1] = next_u;
        r = d[k + 2];
      }
      if (k < n - 3) u = e[k + 2];
      x = v;
      z = y;
    }
    d[n - 1] = p;
    e[n - 2] = v;
  }

  // d: the diagonal, which the eigenvalues replace; e: what stands beside it.
  static QC_HD void eigenvalues(float (&d)[kOffsets], float (&e)[kOffsets]) {
    chop(d, e, 0, kOffsets - 1);
    int last = kOffsets - 1;
    for (int steps = 0; last > 0 && steps < kLargestStepCount;) {
      if (e[last - 1] == 0.0F) {
        --last;
        continue;
      }
      int first = last - 1;
      while (first > 0 && e[first - 1] != 0.0F) --first;
      step(d + first, e + first, last - first + 1);
      chop(d, e, first, last);
      ++steps;
    }
  }
};

}  // namespace qc::speed
