#include "ssimulacra2/ssimulacra2_parameters.h"

#include <cmath>
#include <optional>

#include "core/error.h"

namespace qc::ssimulacra2 {
namespace {

// Code points of ITU-T H.273.
enum Matrix { kGbr = 0, kBt709 = 1, kUnknown = 2, kFcc = 4, kBt470bg = 5, kSmpte170m = 6, kSmpte240m = 7, kBt2020 = 9 };

// Weights of red and blue in luma; float32 for the matrices of libvmaf's fork.
struct LumaWeights {
  float red;
  float green;
  float blue;
};

std::optional<LumaWeights> luma_weights(int matrix) {
  switch (matrix) {
    case kBt709:
      return LumaWeights{0.2126f, 0.7152f, 0.0722f};
    case kFcc:
      return LumaWeights{0.30f, 0.59f, 0.11f};
    case kBt470bg:
    case kSmpte170m:
      return LumaWeights{0.299f, 0.587f, 0.114f};
    case kSmpte240m:
      return LumaWeights{0.212f, 0.701f, 0.087f};
    case kBt2020:
      return LumaWeights{0.2627f, 0.6780f, 0.0593f};
    default:
      return std::nullopt;
  }
}

void set_yuv(Colour& c, const LumaWeights& k, bool full_range) {
  // The same at every depth, as in the fork: the black of 10-bit limited range is taken to be 16/255 of the peak, not
  // 64/1023.
  c.luma_offset = full_range ? 0.0f : 16.0f / 255.0f;
  c.luma_scale = full_range ? 1.0f : 255.0f / 219.0f;
  c.chroma_scale = full_range ? 1.0f : 255.0f / 224.0f;
  c.red_v = 2.0f * (1.0f - k.red);
  c.blue_u = 2.0f * (1.0f - k.blue);
  c.green_u = -(2.0f * k.blue * (1.0f - k.blue)) / k.green;
  c.green_v = -(2.0f * k.red * (1.0f - k.red)) / k.green;
}

double srgb(double x) { return x <= 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4); }

// The original tool's approximation of the sRGB function, in float32.
float srgb_by_quotient(float x) {
  if (x <= 0x1.4b5dccp-5f) return x * 0x1.3d0722p-4f;
  constexpr float kOver[] = {0x1.cd6ceep-13f, 0x1.55faaap-7f, 0x1.4cc362p-3f, 0x1.97a1d4p-1f, 0x1.a45c1ep-1f};
  constexpr float kUnder[] = {0x1.0d804ap-2f, 0x1.13b4bcp+0f, 0x1.feb91p-2f, -0x1.c39578p-5f, 0x1.ab5fbcp-8f};
  const auto polynomial = [x](const float* p) {
    float v = p[4];
    for (int j = 3; j >= 0; --j) v = std::fma(v, x, p[j]);
    return v;
  };
  return polynomial(kOver) / polynomial(kUnder);
}

enum class Transfer { Srgb, Gamma22, Gamma28, Linear };

// BT.709 and its kin are shown on displays that follow sRGB closely, and are taken as sRGB, as the fork does.
std::optional<Transfer> transfer_of(int code) {
  switch (code) {
    case 0:   // unknown
    case 1:   // BT.709
    case 2:   // unknown
    case 3:   // unknown
    case 6:   // BT.601
    case 7:   // SMPTE 240M
    case 11:  // xvYCC
    case 12:  // BT.1361
    case 13:  // sRGB
    case 14:  // BT.2020, 10 bits
    case 15:  // BT.2020, 12 bits
      return Transfer::Srgb;
    case 4:
      return Transfer::Gamma22;
    case 5:
      return Transfer::Gamma28;
    case 8:
      return Transfer::Linear;
    default:
      return std::nullopt;
  }
}

double linear_light(Transfer transfer, double x) {
  switch (transfer) {
    case Transfer::Gamma22:
      return std::pow(x, 2.2);
    case Transfer::Gamma28:
      return std::pow(x, 2.8);
    case Transfer::Linear:
      return x;
    default:
      return srgb(x);
  }
}

std::vector<float> transfer_table(Transfer transfer, bool rgb, int depth, float step) {
  std::vector<float> table(rgb ? size_t{1} << depth : size_t{kTransferEntries});
  for (size_t i = 0; i < table.size(); ++i) {
    if (rgb && transfer == Transfer::Srgb)
      table[i] = srgb_by_quotient(static_cast<float>(i) * step);
    else
      table[i] =
          static_cast<float>(linear_light(transfer, static_cast<double>(i) / static_cast<double>(table.size() - 1)));
  }
  return table;
}

struct Chromaticity {
  double x;
  double y;
};
struct Primaries {
  Chromaticity red;
  Chromaticity green;
  Chromaticity blue;
};

constexpr Primaries kBt709Primaries = {{0.640, 0.330}, {0.300, 0.600}, {0.150, 0.060}};

// Those with the white of BT.709.
std::optional<Primaries> primaries_of(int code) {
  switch (code) {
    case 0:  // unknown
    case 1:
    case 2:  // unknown
    case 3:  // unknown
      return kBt709Primaries;
    case 5:  // BT.601, 625 lines
      return Primaries{{0.640, 0.330}, {0.290, 0.600}, {0.150, 0.060}};
    case 6:  // BT.601, 525 lines
    case 7:  // SMPTE 240M
      return Primaries{{0.630, 0.340}, {0.310, 0.595}, {0.155, 0.070}};
    case 9:  // BT.2020
      return Primaries{{0.708, 0.292}, {0.170, 0.797}, {0.131, 0.046}};
    case 12:  // P3 with D65
      return Primaries{{0.680, 0.320}, {0.265, 0.690}, {0.150, 0.060}};
    case 22:  // EBU 3213
      return Primaries{{0.630, 0.340}, {0.295, 0.605}, {0.155, 0.077}};
    default:
      return std::nullopt;
  }
}

struct Matrix3 {
  double m[3][3];
};

Matrix3 inverse(const Matrix3& a) {
  const auto cofactor = [&a](int row, int column) {
    const int r1 = (row + 1) % 3, r2 = (row + 2) % 3, c1 = (column + 1) % 3, c2 = (column + 2) % 3;
    return a.m[r1][c1] * a.m[r2][c2] - a.m[r1][c2] * a.m[r2][c1];
  };
  const double determinant = a.m[0][0] * cofactor(0, 0) + a.m[0][1] * cofactor(0, 1) + a.m[0][2] * cofactor(0, 2);
  Matrix3 b{};
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) b.m[r][c] = cofactor(c, r) / determinant;
  return b;
}

// From linear RGB to CIE XYZ (SMPTE RP 177).
Matrix3 xyz_of_rgb(const Primaries& p) {
  const Chromaticity ends[3] = {p.red, p.green, p.blue};
  constexpr Chromaticity kD65 = {0.3127, 0.3290};
  const double white[3] = {kD65.x / kD65.y, 1.0, (1.0 - kD65.x - kD65.y) / kD65.y};
  Matrix3 a{};
  for (int c = 0; c < 3; ++c) {
    a.m[0][c] = ends[c].x;
    a.m[1][c] = ends[c].y;
    a.m[2][c] = 1.0 - ends[c].x - ends[c].y;
  }
  const Matrix3 inverted = inverse(a);
  for (int c = 0; c < 3; ++c) {
    const double gain = inverted.m[c][0] * white[0] + inverted.m[c][1] * white[1] + inverted.m[c][2] * white[2];
    for (auto& row : a.m) row[c] *= gain;
  }
  return a;
}

void set_gamut(Colour& c, const Primaries& p) {
  const Matrix3 from = xyz_of_rgb(p);
  const Matrix3 to = inverse(xyz_of_rgb(kBt709Primaries));
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 3; ++column)
      c.gamut[3 * row + column] = static_cast<float>(
          to.m[row][0] * from.m[0][column] + to.m[row][1] * from.m[1][column] + to.m[row][2] * from.m[2][column]);
  c.other_gamut = true;
}

// Computes an input's conversion, and adds what it had to assume to `assumed`.
Input make_input(const QCFormat& f, const char* which, int option, std::string& assumed) {
  Input input;
  Colour& c = input.colour;
  c = {};
  c.step = 1.0f / static_cast<float>((1 << f.depth) - 1);
  const bool rgb = f.matrix == kGbr;
  std::string missing;
  if (!rgb && option >= 0) {
    set_yuv(c, *luma_weights(option % 2 == 0 ? kBt709 : kSmpte170m), option >= 2);
  } else if (!rgb) {
    const auto weights = luma_weights(f.matrix == kUnknown ? kBt709 : f.matrix);
    if (!weights)
      fail_unsupported("ssimulacra2: the " + std::string(which) + " input has the matrix " + std::to_string(f.matrix) +
                       " (ITU-T H.273), which is not supported; convert it with scale=out_color_matrix=bt709, or give "
                       "yuv_matrix");
    set_yuv(c, *weights, f.full_range == 1);
    if (f.matrix == kUnknown) missing = "the matrix of BT.709";
    if (f.full_range < 0) missing += missing.empty() ? "limited range" : " and limited range";
  }
  const auto transfer = transfer_of(f.transfer);
  if (!transfer)
    fail_unsupported("ssimulacra2: the " + std::string(which) + " input has the transfer function " +
                     std::to_string(f.transfer) +
                     " (ITU-T H.273), for which the metric is not defined; convert both "
                     "inputs to a standard dynamic range, or set their tag with setparams=color_trc");
  input.transfer = transfer_table(*transfer, rgb, f.depth, c.step);
  const auto primaries = primaries_of(f.primaries);
  if (!primaries)
    fail_unsupported("ssimulacra2: the " + std::string(which) + " input has the primaries " +
                     std::to_string(f.primaries) +
                     " (ITU-T H.273), which are not supported; convert it, or set its tag "
                     "with setparams=color_primaries");
  if (f.primaries > 3) set_gamut(c, *primaries);
  if (!missing.empty()) assumed += (assumed.empty() ? "" : ", ") + missing + " for the " + which + " input";
  return input;
}

// Rows: scales 0 to 5 of X, then of Y, then of B. Columns: mean errors of SSIM, artifacts and lost detail, then the
// fourth roots of their mean fourth powers.
constexpr Weights kWeights[kChannels * kScales] = {
    {{0.0, 0.0007376606707406586, 0.0}, {0.0, 0.0007793481682867309, 0.0}},
    {{0.0, 0.0004371155730107379, 0.0}, {1.1041726426657346, 0.00066284834129271, 0.00015231632783718752}},
    {{0.0, 0.0016406437456599754, 0.0}, {1.8422455520539298, 11.441172603757666, 0.0}},
    {{0.0007989109436015163, 0.000176816438078653, 0.0}, {1.8787594979546387, 10.94906990605142, 0.0}},
    {{0.0007289346991508072, 0.9677937080626833, 0.0},
     {0.00014003424285435884, 0.9981766977854967, 0.00031949755934435053}},
    {{0.0004550992113792063, 0.0, 0.0}, {0.0013648766163243398, 0.0, 0.0}},
    {{0.0, 0.0, 0.0}, {7.466890328078848, 0.0, 17.445833984131262}},
    {{0.0006235601634041466, 0.0, 0.0}, {6.683678146179332, 0.00037724407979611296, 1.027889937768264}},
    {{225.20515300849274, 0.0, 0.0}, {19.213238186143016, 0.0011401524586618361, 0.001237755635509985}},
    {{176.39317598450694, 0.0, 0.0}, {24.43300999870476, 0.28520802612117757, 0.0004485436923833408}},
    {{0.0, 0.0, 0.0}, {34.77906344483772, 44.835625328877896, 0.0}},
    {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}},
    {{0.0, 0.0008680556573291698, 0.0}, {0.0, 0.0, 0.0}},
    {{0.0, 0.0005313191874358747, 0.0}, {0.00016533814161379112, 0.0, 0.0}},
    {{0.0, 0.0, 0.0}, {0.0004179171803251336, 0.0017290828234722833, 0.0}},
    {{0.0020827005846636437, 0.0, 0.0}, {8.826982764996862, 23.19243343998926, 0.0}},
    {{95.1080498811086, 0.9863978034400682, 0.9834382792465353},
     {0.0012286405048278493, 171.2667255897307, 0.9807858872435379}},
    {{0.0, 0.0, 0.0}, {0.0005130064588990679, 0.0, 0.00010854057858411537}},
};

}  // namespace

Parameters make_parameters(const Geometry& g, const QCFormat& reference, const QCFormat& distorted, int matrix) {
  if (g.planes() < 3) fail_unsupported("ssimulacra2 needs colour; 4:0:0 has luma only");
  Parameters p;
  p.rgb = reference.matrix == kGbr;
  for (int i = 0; i < 3; ++i) p.plane[i] = {g.stored_width(i), g.stored_height(i)};
  std::string assumed;
  p.input[0] = make_input(reference, "reference", matrix, assumed);
  p.input[1] = make_input(distorted, "distorted", matrix, assumed);
  if (!assumed.empty())
    p.note = "ssimulacra2 assumes " + assumed + ", which is not tagged; yuv_matrix=0 to 3 chooses both";

  Size size = {g.width, g.height};
  for (bool next = size.width >= 8 && size.height >= 8; next && p.scales < kScales;) {
    p.scale[p.scales++] = size;
    const bool large = size.width >= 8 && size.height >= 8;
    size = {(size.width + 1) / 2, (size.height + 1) / 2};
    // The original looks at the size before it halves, the fork after.
    next = p.rgb ? large : size.width >= 8 && size.height >= 8;
  }
  // The original consumes the weights by the scales that there are, the fork by all six.
  const int stride = p.rgb ? p.scales : kScales;
  for (int s = 0; s < p.scales; ++s)
    for (int c = 0; c < kChannels; ++c) p.weights[s][c] = kWeights[c * stride + s];
  return p;
}

}  // namespace qc::ssimulacra2
