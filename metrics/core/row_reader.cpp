#include "core/row_reader.h"

#include "core/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/row_reader.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#ifndef QC_CORE_ROW_READER_PLAIN
#define QC_CORE_ROW_READER_PLAIN
namespace qc::plain {

template <class T>
void unpack_row(const T* source, int step, int shift, int width, T* out) {
  for (int x = 0; x < width; ++x) out[x] = static_cast<T>(source[x * step] >> shift);
}

}  // namespace qc::plain
#endif

HWY_BEFORE_NAMESPACE();
namespace qc::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if QC_PLAIN_TARGET
template <class T>
void unpack(const T* source, int step, int shift, int width, T* out) {
  plain::unpack_row(source, step, shift, width, out);
}
#else

template <class T>
hn::Vec<hn::ScalableTag<T> > shift_right(hn::Vec<hn::ScalableTag<T> > v, int shift) {
  // 8-bit samples fill their bytes.
  if constexpr (sizeof(T) == 1) {
    (void)shift;
    return v;
  } else {
    return hn::ShiftRightSame(v, shift);
  }
}

template <class T>
void unpack(const T* source, int step, int shift, int width, T* out) {
  const hn::ScalableTag<T> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  int x = 0;
  if (step == 1) {
    for (; x + lanes <= width; x += lanes) hn::StoreU(shift_right<T>(hn::LoadU(d, source + x), shift), d, out + x);
  } else {
    // Not the last sample: of the second component's row, the sample after it is not ours to read.
    for (; x + lanes < width; x += lanes) {
      hn::Vec<decltype(d)> wanted, other;
      hn::LoadInterleaved2(d, source + 2 * x, wanted, other);
      hn::StoreU(shift_right<T>(wanted, shift), d, out + x);
    }
  }
  plain::unpack_row(source + x * step, step, shift, width - x, out + x);
}
#endif

void unpack_row8(const uint8_t* source, int step, int width, uint8_t* out) { unpack(source, step, 0, width, out); }
void unpack_row16(const uint16_t* source, int step, int shift, int width, uint16_t* out) {
  unpack(source, step, shift, width, out);
}

}  // namespace qc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qc {
namespace {
HWY_EXPORT(unpack_row8);
HWY_EXPORT(unpack_row16);

// What this thread has had and does not use. A kernel reads six planes at most.
thread_local std::vector<uint8_t> spare_rows[6];
}  // namespace

RowBuffer::RowBuffer(size_t bytes) {
  if (bytes == 0) return;
  for (auto& spare : spare_rows)
    if (bytes_.empty()) bytes_.swap(spare);
  if (bytes_.size() < bytes) bytes_.resize(bytes);
}

RowBuffer::~RowBuffer() {
  for (auto& spare : spare_rows)
    if (spare.empty()) spare.swap(bytes_);
}

void unpack_row(const uint8_t* source, int step, int, int width, uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(unpack_row8)(source, step, width, out);
}

void unpack_row(const uint16_t* source, int step, int shift, int width, uint16_t* out) {
  HWY_DYNAMIC_DISPATCH(unpack_row16)(source, step, shift, width, out);
}

}  // namespace qc
#endif
