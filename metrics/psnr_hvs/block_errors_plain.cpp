#include <cmath>

#include "psnr_hvs/block_errors.h"
#include "psnr_hvs/scalar_lanes.h"

namespace qc::hvs {
namespace {

inline Float square_root(Float v) { return std::sqrt(v); }

#define QC_LANES inline
#define QC_UNROLL
#include "psnr_hvs/block-inl.h"
#undef QC_UNROLL
#undef QC_LANES

template <bool kWide>
float sum_errors(const PlaneView& reference, const PlaneView& distorted, const Weights& weights) {
  float sum = 0;
  for (int y = 0; y + kBlock <= reference.height; y += kBlockStep) {
    for (int x = 0; x + kBlock <= reference.width; x += kBlockStep) {
      Int r[kBlockTerms];
      Int d[kBlockTerms];
      for (int i = 0; i < kBlockTerms; ++i) {
        r[i] = static_cast<Int>(reference.at(x + i % kBlock, y + i / kBlock));
        d[i] = static_cast<Int>(distorted.at(x + i % kBlock, y + i / kBlock));
      }
      const Float threshold =
          greater_of(masking_threshold<kWide>(d, weights.mask), masking_threshold<kWide>(r, weights.mask));
      for (int i = 0; i < kBlockTerms; ++i) sum += error_term(r[i], d[i], threshold, weights, i);
    }
  }
  return sum;
}

}  // namespace
}  // namespace qc::hvs

namespace qc::plain {

float block_errors(const PlaneView& reference, const PlaneView& distorted, const hvs::Weights& weights) {
  return reference.depth > 12 ? hvs::sum_errors<true>(reference, distorted, weights)
                              : hvs::sum_errors<false>(reference, distorted, weights);
}

}  // namespace qc::plain
