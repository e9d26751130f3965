#include "ssim/float_row.h"

#include "core/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ssim/float_row.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#ifndef QC_SSIM_FLOAT_ROW_PLAIN
#define QC_SSIM_FLOAT_ROW_PLAIN
namespace qc::plain {

inline void read_float_row(const PlaneView& plane, int y, float scale, float* out) {
  for (int x = 0; x < plane.width; ++x) out[x] = static_cast<float>(plane.at(x, y)) * scale;
}

}  // namespace qc::plain
#endif

HWY_BEFORE_NAMESPACE();
namespace qc::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if QC_PLAIN_TARGET
void read_row(const PlaneView& plane, int y, float scale, float* out) { plain::read_float_row(plane, y, scale, out); }
#else

template <class T>
void read_samples(const T* row, int width, int shift, float scale, float* out) {
  const hn::ScalableTag<float> df;
  const hn::RebindToSigned<decltype(df)> di;
  const hn::Rebind<T, decltype(df)> dt;
  const auto factor = hn::Set(df, scale);
  const int lanes = static_cast<int>(hn::Lanes(df));
  int x = 0;
  for (; x + lanes <= width; x += lanes) {
    const auto samples = hn::ShiftRightSame(hn::PromoteTo(di, hn::LoadU(dt, row + x)), shift);
    hn::StoreU(hn::Mul(hn::ConvertTo(df, samples), factor), df, out + x);
  }
  for (; x < width; ++x) out[x] = static_cast<float>(row[x] >> shift) * scale;
}

void read_row(const PlaneView& plane, int y, float scale, float* out) {
  const uint8_t* row = plane.data + y * plane.stride;
  if (plane.step != 1) {
    plain::read_float_row(plane, y, scale, out);
  } else if (plane.bytes == 1) {
    read_samples(row, plane.width, 0, scale, out);
  } else {
    read_samples(reinterpret_cast<const uint16_t*>(row), plane.width, plane.shift, scale, out);
  }
}
#endif

}  // namespace qc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qc {
HWY_EXPORT(read_row);

void read_float_row(const PlaneView& plane, int y, float scale, float* out) {
  HWY_DYNAMIC_DISPATCH(read_row)(plane, y, scale, out);
}

}  // namespace qc
#endif
