#include <cmath>
#include <memory>

#include "ciede/color_differences.h"
#include "ciede/light_tables.h"
#include "ciede/pixel_parameters.h"
#include "ciede/scalar_lanes.h"

namespace qc::ciede {
namespace {

inline Double square_root(Double v) { return std::sqrt(v); }
inline Double fused(Double a, Double b, Double c) { return std::fma(a, b, c); }
inline Double residue(Double c, Double a, Double b) { return std::fma(-a, b, c); }

#define QC_LANES inline
#include "ciede/functions-inl.h"
#include "ciede/pixel-inl.h"
#undef QC_LANES

}  // namespace
}  // namespace qc::ciede

namespace qc::plain {

void color_differences(const PixelRows& rows, int count, int depth, double* differences) {
  using namespace ciede;
  const SampleScale scale = sample_scale(depth);
  for (int x = 0; x < count; ++x) {
    const auto color = [&](int picture) {
      const auto& s = rows.sample[picture];
      return lab(s[0][x], s[1][x], s[2][x], scale);
    };
    differences[x] = static_cast<double>(color_difference(color(0), color(1), kPowerTables));
  }
}

}  // namespace qc::plain

namespace qc {

const LightTables& light_tables() {
  static const std::unique_ptr<const LightTables> tables = [] {
    using namespace ciede;
    const SampleScale scale = sample_scale(8);
    auto t = std::make_unique<LightTables>();
    for (int chroma = 0; chroma < 256; ++chroma) {
      for (int luma = 0; luma < 256; ++luma) {
        t->red[chroma][luma] = linear_light(red(luma, chroma, scale));
        t->blue[chroma][luma] = linear_light(blue(luma, chroma, scale));
      }
    }
    return t;
  }();
  return *tables;
}

}  // namespace qc
