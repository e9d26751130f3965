// The arithmetic of ssimulacra2 for one sample, for host and device (ssimulacra2.md).
//
// There are two dialects. YUV pictures follow libvmaf's fork, without any fused multiply-add; RGB pictures follow the
// original tool, whose bits come from fused multiply-adds in certain places. Every operation rounds to float32 on its
// own unless it says double or fma.
#pragma once

#include <cstdint>

#include "math/plane_view.h"

namespace qc::ssimulacra2 {

// a * b + c, rounded once. Device code says so with the instruction itself, since what the compilers fuse on their own
// account is forbidden.
QC_HD inline float fused(float a, float b, float c) {
#if defined(__CUDA_ARCH__)
  float d;
  asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(d) : "f"(a), "f"(b), "f"(c));
  return d;
#else
  return __builtin_fmaf(a, b, c);
#endif
}

// a / b for numbers of which neither, nor their quotient, comes near the ends of the exponents' range; b may be zero in
// float64. Device code has what the compiler makes of a division without its branch for other numbers, so that several
// overlap.
QC_HD inline float quotient(float a, float b) {
#if defined(__CUDA_ARCH__)
  float r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(b));
  r = fused(fused(-b, r, 1.0f), r, r);
  float q = a * r;
  q = fused(fused(-b, q, a), r, q);
  return fused(fused(-b, q, a), r, q);
#else
  return a / b;
#endif
}
QC_HD inline double quotient(double a, double b) {
#if defined(__CUDA_ARCH__)
  double estimate;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(estimate) : "d"(b));
  const auto fma = [](double x, double y, double z) {
    double d;
    asm("fma.rn.f64 %0, %1, %2, %3;" : "=d"(d) : "d"(x), "d"(y), "d"(z));
    return d;
  };
  double error = fma(-b, estimate, 1.0);
  error = fma(error, error, error);
  double r = fma(estimate, error, estimate);
  r = fma(r, fma(-b, r, 1.0), r);
  const double q = a * r;
  const double exact = fma(r, fma(-b, q, a), q);
  return b == 0.0 ? a * estimate : exact;
#else
  return a / b;
#endif
}

// --- from samples to linear RGB --------------------------------------------------------------------------------------

// How the samples of one input become linear RGB with the primaries of BT.709.
struct Colour {
  float step;  // value of one code: 1 / (2^depth - 1)
  // YUV only.
  float luma_offset;
  float luma_scale;
  float chroma_scale;
  float red_v;
  float green_u;
  float green_v;
  float blue_u;
  // Row by row the matrix that brings linear RGB to the primaries of BT.709.
  float gamut[9];
  bool other_gamut;
};

struct Rgb {
  float r;
  float g;
  float b;
};

// Entries of the table of the transfer function for YUV, at i / 1023. That for RGB has an entry for each code.
constexpr int kTransferEntries = 1024;

QC_HD inline float clamped(float x) { return x < 0.0f ? 0.0f : x > 1.0f ? 1.0f : x; }

// What Cb and Cr add to red, green (one after the other) and blue.
struct Chroma {
  float red;
  float green_u;
  float green_v;
  float blue;
};

QC_HD inline Chroma chroma_of(float cb, float cr, const Colour& c) {
  const float u = (cb * c.step - 0.5f) * c.chroma_scale;
  const float v = (cr * c.step - 0.5f) * c.chroma_scale;
  return {c.red_v * v, c.green_u * u, c.green_v * v, c.blue_u * u};
}

QC_HD inline Rgb rgb_of_yuv(float luma, const Chroma& chroma, const Colour& c) {
  const float y = (luma * c.step - c.luma_offset) * c.luma_scale;
  return {clamped(y + chroma.red), clamped((y + chroma.green_u) + chroma.green_v), clamped(y + chroma.blue)};
}

// Interpolates the table. x is in [0, 1].
QC_HD inline float linearised(float x, const float* table) {
  if (x <= 0.0f) return 0.0f;
  if (x >= 1.0f) return 1.0f;
  const float t = x * 1023.0f;
  const int i = static_cast<int>(t);
  return table[i] + (table[i + 1] - table[i]) * (t - static_cast<float>(i));
}

QC_HD inline Rgb to_bt709(const Rgb& in, const Colour& c) {
  if (!c.other_gamut) return in;
  return {(c.gamut[0] * in.r + c.gamut[1] * in.g) + c.gamut[2] * in.b,
          (c.gamut[3] * in.r + c.gamut[4] * in.g) + c.gamut[5] * in.b,
          (c.gamut[6] * in.r + c.gamut[7] * in.g) + c.gamut[8] * in.b};
}

// Column or row of a chroma plane of size `part` that serves position `x` of a luma plane of size `whole`.
QC_HD inline int chroma_position(int x, int part, int whole) {
  if (part == whole) return x;
  const int at = 2 * part == whole ? x >> 1 : static_cast<int>(static_cast<int64_t>(x) * part / whole);
  return at < part ? at : part - 1;
}

// Mean of four neighbours, for the next scale.
QC_HD inline float mean_of_four(float a, float b, float c, float d) { return (((a + b) + c) + d) * 0.25f; }

// --- from linear RGB to XYB ------------------------------------------------------------------------------------------

struct Xyb {
  float x;
  float y;
  float b;
};

constexpr float kBias = 0x1.f12a6cp-9f;
constexpr float kThird = 0x1.555556p-2f;
// Rows of the matrix that mixes red, green and blue to the responses of long, medium and short cones.
QC_HD constexpr float mix(int cone, int i) {
  constexpr float kMix[3][3] = {{0x1.333334p-2f, 0x1.3e76c8p-1f, 0x1.3f7ceep-4f},
                                {0x1.d70a3ep-3f, 0x1.624dd2p-1f, 0x1.3f7ceep-4f},
                                {0x1.f28798p-3f, 0x1.a35d1ep-3f, 0x1.1a86d2p-1f}};
  return kMix[cone][i];
}
constexpr float kXScale = 14.0f;
constexpr float kXOffset = 0x1.ae147ap-2f;
constexpr float kYOffset = 0x1.47ae14p-7f;
constexpr float kBOffset = 0x1.19999ap-1f;

QC_HD inline Xyb opponents(float l, float m, float s) {
  const float x = 0.5f * (l - m);
  const float y = 0.5f * (l + m);
  return {x * kXScale + kXOffset, y + kYOffset, (s - y) + kBOffset};
}

// --- the 1-D recursive Gaussian of sigma 1.5 -------------------------------------------------------------------------

// A line in[0 … n) is padded with zeros. Step k = -4 … n - 1 takes in[k - 6] + in[k + 4], and gives output k if k >= 0.
constexpr int kAhead = 4;
constexpr int kBehind = 6;
constexpr int kTerms = 3;
QC_HD constexpr float blur_input(int i) {
  constexpr float kInput[kTerms] = {0x1.c4fa84p-5f, -0x1.e1fd7ap-5f, 0x1.a8894ap-7f};
  return kInput[i];
}
QC_HD constexpr float blur_feedback(int i) {
  constexpr float kFeedback[kTerms] = {-0x1.e6f0e2p+0f, -0x1.2cf23p+0f, -0x1.1a6264p-53f};
  return kFeedback[i];
}

// The last two values of each of the three recursions.
struct BlurState {
  float p1[kTerms];
  float p2[kTerms];
};

// --- errors ----------------------------------------------------------------------------------------------------------

// Blurred values of both pictures and of their products at one pixel.
struct Moments {
  float mean1;
  float mean2;
  float square1;
  float square2;
  float product;
};

constexpr float kStabiliser = 0x1.d7dbf4p-11f;

// The parts of 1 - SSIM.
struct SsimParts {
  float luminance;
  float structure;
  float denominator;
};

QC_HD inline SsimParts ssim_parts(const Moments& m) {
  const float difference = m.mean1 - m.mean2;
  return {1.0f - difference * difference, 2.0f * (m.product - m.mean1 * m.mean2) + kStabiliser,
          ((m.square1 - m.mean1 * m.mean1) + (m.square2 - m.mean2 * m.mean2)) + kStabiliser};
}

QC_HD inline double fourth_power(double x) {
  const double square = x * x;
  return square * square;
}

// Positive where the distorted picture (2) has edges that the reference (1) has not, negative where it lacks them.
// Takes the distances of both pictures' samples from their blurred values.
QC_HD inline double edge_change(double distance1, double distance2) {
  return quotient(1.0 + distance2, 1.0 + distance1) - 1.0;
}

QC_HD inline float magnitude(float x) { return x < 0.0f ? -x : x; }
QC_HD inline double magnitude(double x) { return x < 0.0 ? -x : x; }

// --- the two dialects ------------------------------------------------------------------------------------------------

struct YuvDialect {
  QC_HD static float cube_root(float x) {
    if (x <= 0.0f) return 0.0f;
    float y = __builtin_bit_cast(float, __builtin_bit_cast(uint32_t, x) / 3 + 0x2a5137a0U);
    for (int i = 0; i < 2; ++i) y = (2.0f * y + quotient(x, y * y)) * kThird;
    return y;
  }
  static constexpr float kRootOfBias = 0x1.3f64f6p-3f;

  QC_HD static float response(int cone, const Rgb& in) {
    const float mixed = ((mix(cone, 0) * in.r + mix(cone, 1) * in.g) + mix(cone, 2) * in.b) + kBias;
    return cube_root(mixed > 0.0f ? mixed : 0.0f) - kRootOfBias;
  }
  QC_HD static Xyb xyb(const Rgb& in) { return opponents(response(0, in), response(1, in), response(2, in)); }

  QC_HD static float blur(BlurState& s, float sum) {
    float out[kTerms] = {};
    for (int i = 0; i < kTerms; ++i) {
      out[i] = (blur_input(i) * sum - blur_feedback(i) * s.p1[i]) - s.p2[i];
      s.p2[i] = s.p1[i];
      s.p1[i] = out[i];
    }
    return (out[0] + out[1]) + out[2];
  }

  QC_HD static double ssim_error(const Moments& m) {
    const SsimParts p = ssim_parts(m);
    const double d = 1.0 - quotient(static_cast<double>(p.luminance) * static_cast<double>(p.structure),
                                    static_cast<double>(p.denominator));
    return d < 0.0 ? 0.0 : d;
  }

  // `wide`: one of the last P mod 8 pixels of a plane of P, where libvmaf's AVX2 code works in float64.
  QC_HD static double edge_error(float x1, float x2, const Moments& m, bool wide) {
    double distance1 = static_cast<double>(magnitude(x1 - m.mean1));
    double distance2 = static_cast<double>(magnitude(x2 - m.mean2));
    if (wide) {
      distance1 = magnitude(static_cast<double>(x1) - static_cast<double>(m.mean1));
      distance2 = magnitude(static_cast<double>(x2) - static_cast<double>(m.mean2));
    }
    return edge_change(distance1, distance2);
  }
  static constexpr int64_t kWidePixels = 8;
};

struct RgbDialect {
  // The cube root of x less that of the bias.
  QC_HD static float root_above_bias(float x) {
    if (!(x > 0.0f)) return -0x1.3f64eap-3f;
    float r = __builtin_bit_cast(float, 0x54800000U - (__builtin_bit_cast(uint32_t, x) >> 23) * 0x2aaaaaU);
    const float a = kThird * x;
    for (int i = 0; i < 3; ++i) {
      const float t = r * r;
      r = fused(-a, t * t, r * 0x1.555556p+0f);
    }
    const float t = r * r;
    r = fused(kThird, fused(-x, t * t, r), r);
    return fused(r * r, x, -0x1.3f64eap-3f);
  }
  QC_HD static float response(int cone, const Rgb& in) {
    const float mixed = fused(mix(cone, 0), in.r, fused(mix(cone, 1), in.g, fused(mix(cone, 2), in.b, kBias)));
    return root_above_bias(mixed > 0.0f ? mixed : 0.0f);
  }
  QC_HD static Xyb xyb(const Rgb& in) { return opponents(response(0, in), response(1, in), response(2, in)); }

  // Down a column.
  QC_HD static float blur(BlurState& s, float sum) {
    float out[kTerms] = {};
    for (int i = 0; i < kTerms; ++i) {
      out[i] = fused(blur_input(i), sum, fused(-blur_feedback(i), s.p1[i], -s.p2[i]));
      s.p2[i] = s.p1[i];
      s.p1[i] = out[i];
    }
    return out[0] + (out[1] + out[2]);
  }

  // Along a row: the first and the last steps one by one, the others in blocks of four.
  static constexpr int kBlock = 4;
  // First step that belongs to a block; blocks begin while fewer than n - kBlocksUntil.
  static constexpr int kFirstBlock = 8;
  static constexpr int kBlocksUntil = 7;
  QC_HD static constexpr float block_input(int i, int j) {
    constexpr float kFactor[kTerms][kBlock] = {{0x1.c4fa84p-5f, 0x1.aecee8p-4f, 0x1.287a74p-3f, 0x1.5c87fap-3f},
                                               {-0x1.e1fd7ap-5f, -0x1.1b4e84p-4f, -0x1.70352cp-6f, 0x1.5e2fb4p-5f},
                                               {0x1.a8894ap-7f, 0x1.d44a64p-60f, -0x1.a8894ap-7f, -0x1.d44a64p-59f}};
    return kFactor[i][j];
  }
  QC_HD static constexpr float block_p1(int i, int j) {
    constexpr float kFactor[kTerms][kBlock] = {{0x1.e6f0e2p+0f, 0x1.4f1bbcp+1f, 0x1.89f188p+1f, 0x1.9e377ap+1f},
                                               {0x1.2cf23p+0f, 0x1.87221ap-2f, -0x1.73fd62p-1f, -0x1.3c6ef4p+0f},
                                               {0x1.1a6264p-53f, -1.0f, -0x1.1a6264p-52f, 1.0f}};
    return kFactor[i][j];
  }
  QC_HD static constexpr float block_p2(int i, int j) {
    constexpr float kFactor[kTerms][kBlock] = {{-1.0f, -0x1.e6f0e2p+0f, -0x1.4f1bbcp+1f, -0x1.89f188p+1f},
                                               {-1.0f, -0x1.2cf23p+0f, -0x1.87221ap-2f, 0x1.73fd62p-1f},
                                               {-1.0f, -0x1.1a6264p-53f, 1.0f, 0x1.1a6264p-52f}};
    return kFactor[i][j];
  }

  QC_HD static float blur_single(BlurState& s, float sum) {
    float out[kTerms] = {};
    for (int i = 0; i < kTerms; ++i) {
      out[i] = fused(block_p1(i, 0), s.p1[i], fused(block_p2(i, 0), s.p2[i], sum * block_input(i, 0)));
      s.p2[i] = s.p1[i];
      s.p1[i] = out[i];
    }
    return out[0] + (out[1] + out[2]);
  }
  QC_HD static void blur_block(BlurState& s, const float (&sum)[kBlock], float (&to)[kBlock]) {
    float out[kTerms][kBlock] = {};
    for (int i = 0; i < kTerms; ++i) {
      for (int j = 0; j < kBlock; ++j) {
        float v = sum[0] * block_input(i, j);
        for (int t = 1; t <= j; ++t) v = fused(block_input(i, j - t), sum[t], v);
        v = fused(block_p2(i, j), s.p2[i], v);
        out[i][j] = fused(block_p1(i, j), s.p1[i], v);
      }
      s.p2[i] = out[i][2];
      s.p1[i] = out[i][3];
    }
    for (int j = 0; j < kBlock; ++j) to[j] = out[0][j] + (out[1][j] + out[2][j]);
  }

  QC_HD static double ssim_error(const Moments& m) {
    const SsimParts p = ssim_parts(m);
    const double d = 1.0 - static_cast<double>((p.luminance * p.structure) / p.denominator);
    return d < 0.0 ? 0.0 : d;
  }
  QC_HD static double edge_error(float x1, float x2, const Moments& m, bool) {
    return edge_change(static_cast<double>(magnitude(x1 - m.mean1)), static_cast<double>(magnitude(x2 - m.mean2)));
  }
  static constexpr int64_t kWidePixels = 1;
};

}  // namespace qc::ssimulacra2
