#include "adm/adm_weights.h"

#include <cmath>
#include <cstdio>
#include <string>

#include "core/error.h"

namespace qc {
namespace {

constexpr double kPi = 3.14159265358979323846;

// Display resolution in pixels per degree of visual angle.
float pixels_per_degree(double view_distance, int display_height) {
  return static_cast<float>(view_distance * display_height * kPi / 180.0);
}

// Threshold model of luma and the amplitudes of the 9/7 basis functions, by orientation: 0 = one direction, 1 =
// diagonal.
float watson97(float r, int scale, int orientation) {
  constexpr float kA = 0.495f;
  constexpr float kK = 0.466f;
  constexpr float kF0 = 0.401f;
  constexpr float kG[2] = {1.0f, 0.534f};
  constexpr float kAmplitude[4][2] = {
      {0.67234f, 0.72709f}, {0.41317f, 0.49428f}, {0.22727f, 0.28688f}, {0.11792f, 0.15214f}};
  const double frequency = static_cast<double>(2 << scale) * kF0 * kG[orientation] / r;
  const float x = static_cast<float>(std::log10(frequency));
  const float exponent = kK * x * x;
  const float quantum =
      static_cast<float>(2.0 * kA * std::pow(10.0, static_cast<double>(exponent)) / kAmplitude[scale][orientation]);
  return 1.0f / quantum;
}

float barten(float r, int scale, double factor) {
  // Parameters at the luminance anchors on both sides of 100 cd/m².
  constexpr float kLow[4] = {0.334278f, 3.79542f, 1.07327f, 6.4635f};
  constexpr float kHigh[4] = {0.394533f, 2.7755f, 1.16577f, 7.45665f};
  constexpr float kMtfAmplitude[4] = {0.424838596301290f, 0.572435103936480f, 0.000167576239164937f,
                                      0.00255872352306433f};
  constexpr float kMtfRate[4] = {0.028f, 0.37f, 37.0f, 360.0f};
  constexpr float kRod[4] = {30.162f, 4.0627f, 1.6596f, 0.2712f};
  const float frequency = static_cast<float>(r / static_cast<double>(2 << scale));
  const float low = static_cast<float>(std::log10(static_cast<double>(20.0f)));
  const float high = static_cast<float>(std::log10(static_cast<double>(150.0f)));
  const float luminance = static_cast<float>(std::log10(100.0));
  float q[4];
  for (int i = 0; i < 4; ++i) q[i] = kLow[i] + ((kHigh[i] - kLow[i]) / (high - low)) * (luminance - low);
  const float product = q[0] * frequency;
  const float alpha = static_cast<float>(1.0 + std::pow(static_cast<double>(product), static_cast<double>(q[1])));
  const double psi = static_cast<double>(frequency / 7.0f);
  const float beta = static_cast<float>(1.0 / std::pow(1.0 - std::exp(-(psi * psi)), static_cast<double>(q[2])));
  const float alpha_beta = alpha * beta;
  const float gamma = static_cast<float>(static_cast<double>(q[3]) / std::pow(static_cast<double>(alpha_beta), 0.5));
  float mtf = 0.0f;
  for (int i = 0; i < 4; ++i) {
    const float exponent = -kMtfRate[i] * frequency;
    mtf = static_cast<float>(mtf + static_cast<double>(kMtfAmplitude[i]) * std::exp(static_cast<double>(exponent)));
  }
  const float ratio = kRod[1] / 100.0f;
  const double inner = std::pow(static_cast<double>(ratio), static_cast<double>(kRod[2])) + 1.0;
  const float rod_cone = static_cast<float>(kRod[0] * std::pow(inner, static_cast<double>(-kRod[3])));
  const float sensitivity = gamma * mtf * rod_cone;
  return static_cast<float>(sensitivity * factor);
}

// `spread`: how much lower the frequency of diagonal detail counts.
float native(float r, int scale, double spread) {
  const float frequency = static_cast<float>(static_cast<double>(r / static_cast<float>(2 << scale)) / spread);
  return static_cast<float>((0.31 + 0.69 * static_cast<double>(frequency)) *
                            std::exp(-0.29 * static_cast<double>(frequency)));
}

struct TableRow {
  int display_height;
  double view_distance;
  float hv[2][4];  // by mode: Blended, BlendedMae
  float d[2][4];
};

constexpr TableRow kTable[] = {
    {1080,
     3,
     {{0.01183f, 0.025026f, 0.04295f, 0.058621f}, {0.011249f, 0.022606f, 0.035930f, 0.045673f}},
     {{0.004302f, 0.011778f, 0.023918f, 0.035901f}, {0.004097f, 0.010921f, 0.021430f, 0.031313f}}},
    {1080,
     5,
     {{0.004212f, 0.014809f, 0.029642f, 0.047464f}, {0.004052f, 0.013939f, 0.026298f, 0.038833f}},
     {{0.000984f, 0.005852f, 0.0146f, 0.027574f}, {0.000927f, 0.005544f, 0.013415f, 0.024515f}}},
    {2160,
     1.5,
     {{0.01183f, 0.025026f, 0.04295f, 0.058621f}, {0.011249f, 0.022606f, 0.035930f, 0.045673f}},
     {{0.004302f, 0.011778f, 0.023918f, 0.035901f}, {0.004097f, 0.010921f, 0.021430f, 0.031313f}}},
    {2160,
     3,
     {{0.00226f, 0.01183f, 0.025026f, 0.04295f}, {0.002166f, 0.011249f, 0.022606f, 0.035930f}},
     {{0.000479f, 0.004302f, 0.011778f, 0.023918f}, {0.000447f, 0.004097f, 0.010921f, 0.021430f}}},
    {2160,
     5,
     {{0.000092f, 0.004212f, 0.014809f, 0.029642f}, {0.000077f, 0.004052f, 0.013939f, 0.026298f}},
     {{0.000050f, 0.000984f, 0.005852f, 0.0146f}, {0.000045f, 0.000927f, 0.005544f, 0.013415f}}},
    {720,
     5,
     {{0.010144f, 0.022561f, 0.040309f, 0.05672f}, {0.009689f, 0.020577f, 0.034162f, 0.044523f}},
     {{0.003463f, 0.010282f, 0.021839f, 0.034641f}, {0.003302f, 0.009579f, 0.019661f, 0.030318f}}},
};

const TableRow& table_row(double view_distance, int display_height) {
  std::string known;
  for (const TableRow& row : kTable) {
    if (row.display_height == display_height && row.view_distance == view_distance) return row;
    char text[64];
    std::snprintf(text, sizeof text, "%s%g and %d", known.empty() ? "" : ", ", row.view_distance, row.display_height);
    known += text;
  }
  char text[160];
  std::snprintf(
      text, sizeof text,
      "adm_csf_mode 2 and 3 have no weights for adm_norm_view_dist %g with adm_ref_display_height %d; there are ",
      view_distance, display_height);
  fail_invalid(text + known);
}

uint32_t low_bits16(double value) { return static_cast<uint16_t>(static_cast<int64_t>(value)); }
uint32_t low_bits32(double value) { return static_cast<uint32_t>(static_cast<int64_t>(value)); }

}  // namespace

AdmWeights adm_weights(AdmCsf mode, double view_distance, int display_height, double hv_scale, double d_scale) {
  AdmWeights w;
  const float r = pixels_per_degree(view_distance, display_height);
  for (int s = 0; s < 4; ++s) {
    switch (mode) {
      case AdmCsf::Watson97:
        w.hv[s] = watson97(r, s, 0);
        w.d[s] = watson97(r, s, 1);
        break;
      case AdmCsf::Barten:
        w.hv[s] = barten(r, s, hv_scale);
        w.d[s] = barten(r, s, d_scale);
        break;
      case AdmCsf::Blended:
      case AdmCsf::BlendedMae: {
        const TableRow& row = table_row(view_distance, display_height);
        const int column = mode == AdmCsf::Blended ? 0 : 1;
        w.hv[s] = row.hv[column][s];
        w.d[s] = row.d[column][s];
        break;
      }
    }
    const double hv = w.hv[s];
    const double d = w.d[s];
    w.fixed_hv[s] = s == 0 ? low_bits16(std::ldexp(hv, 21)) : low_bits32(std::ldexp(hv, 32));
    w.fixed_d[s] = s == 0 ? low_bits16(std::ldexp(d, 23)) : low_bits32(std::ldexp(d, 32));
  }
  // libvmaf's rounded constants for the standard viewing distance: the formula gives 36451 and 49414.
  if (mode == AdmCsf::Watson97 && std::fabs(view_distance * display_height - 3240.0) < 1e-8) {
    w.fixed_hv[0] = 36453;
    w.fixed_d[0] = 49417;
  }
  return w;
}

FloatAdmWeights float_adm_weights(FloatAdmCsf mode, double view_distance, int display_height, double hv_scale,
                                  double d_scale) {
  FloatAdmWeights w;
  const float r = pixels_per_degree(view_distance, display_height);
  for (int s = 0; s < 4; ++s) {
    switch (mode) {
      case FloatAdmCsf::Watson97:
        w.hv[s] = watson97(r, s, 0);
        w.d[s] = watson97(r, s, 1);
        break;
      case FloatAdmCsf::Barten:
        w.hv[s] = barten(r, s, hv_scale);
        w.d[s] = barten(r, s, d_scale);
        break;
      case FloatAdmCsf::Native:
        w.hv[s] = native(r, s, 1.0);
        w.d[s] = native(r, s, 0.7);
        break;
    }
  }
  return w;
}

}  // namespace qc
