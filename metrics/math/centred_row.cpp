#include "math/centred_row.h"

#include "core/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "math/centred_row.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#ifndef QC_MATH_CENTRED_ROW_PLAIN
#define QC_MATH_CENTRED_ROW_PLAIN
namespace qc::plain {

inline void read_centred_row(const PlaneView& plane, int y, float* out) {
  const float scale = centred_scale(plane.depth);
  for (int x = 0; x < plane.width; ++x) out[x] = centred(plane.at(x, y), scale);
}

}  // namespace qc::plain
#endif

HWY_BEFORE_NAMESPACE();
namespace qc::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if QC_PLAIN_TARGET
void read_row(const PlaneView& plane, int y, float* out) { plain::read_centred_row(plane, y, out); }
#else

template <class T>
void read_centred_samples(const T* row, int width, int shift, float scale, float* out) {
  const hn::ScalableTag<float> df;
  const hn::RebindToSigned<decltype(df)> di;
  const hn::Rebind<T, decltype(df)> dt;
  const auto factor = hn::Set(df, scale);
  const auto gray = hn::Set(df, -128.0F);
  const int lanes = static_cast<int>(hn::Lanes(df));
  int x = 0;
  for (; x + lanes <= width; x += lanes) {
    const auto samples = hn::ShiftRightSame(hn::PromoteTo(di, hn::LoadU(dt, row + x)), shift);
    hn::StoreU(hn::Add(hn::Mul(hn::ConvertTo(df, samples), factor), gray), df, out + x);
  }
  for (; x < width; ++x) out[x] = centred(static_cast<uint32_t>(row[x] >> shift), scale);
}

void read_row(const PlaneView& plane, int y, float* out) {
  const uint8_t* row = plane.data + y * plane.stride;
  const float scale = centred_scale(plane.depth);
  if (plane.step != 1) {
    plain::read_centred_row(plane, y, out);
  } else if (plane.bytes == 1) {
    read_centred_samples(row, plane.width, 0, scale, out);
  } else {
    read_centred_samples(reinterpret_cast<const uint16_t*>(row), plane.width, plane.shift, scale, out);
  }
}
#endif

}  // namespace qc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qc {
HWY_EXPORT(read_row);

void read_centred_row(const PlaneView& plane, int y, float* out) { HWY_DYNAMIC_DISPATCH(read_row)(plane, y, out); }

}  // namespace qc
#endif
