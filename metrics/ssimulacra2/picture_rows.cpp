#include "ssimulacra2/picture_rows.h"

#include <algorithm>

#include "core/simd.h"
#include "ssimulacra2/blur_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ssimulacra2/picture_rows.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace qc::ssimulacra2::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if QC_PLAIN_TARGET
// Not called: whole pictures are left to plain::sums.
bool vectors_for(bool) { return false; }
void expand(const float*, int, int, float*) {}
void yuv_to_light(const float*, const float*, const float*, int, const Colour&, const float*, float*, float*, float*) {}
void halve(const float*, const float*, int, float*) {}
void light_to_xyb(bool, const float*, const float*, const float*, int, float*, size_t, size_t) {}
#else

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;
constexpr D d;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(d));

bool vectors_for(bool rgb) { return !rgb || HWY_NATIVE_FMA; }

void expand(const float* in, int part, int whole, float* out) {
  if (part == whole) {
    std::copy(in, in + whole, out);
  } else if (2 * part == whole) {
    for (int x = 0; x < part; x += kLanes) {
      const V v = hn::LoadU(d, in + x);
      hn::StoreInterleaved2(v, v, d, out + 2 * x);
    }
  } else {
    for (int x = 0; x < whole; ++x) out[x] = in[chroma_position(x, part, whole)];
  }
}

// As clamped(): -0 does not occur, and samples are no NaN.
HWY_INLINE V clamp(V x) { return hn::Min(hn::Max(x, hn::Zero(d)), hn::Set(d, 1.0f)); }

// Where encoded values fall in the table of the transfer function: the entry below, and how far to the next.
struct Places {
  int32_t* entry;
  float* fraction;
};

HWY_INLINE void find(V x, const Places& to, int i) {
  const hn::RebindToSigned<D> di;
  const V t = hn::Mul(clamp(x), hn::Set(d, kTransferEntries - 1.0f));
  const auto entry = hn::ConvertTo(di, t);
  hn::Store(entry, di, to.entry + i);
  hn::Store(hn::Sub(t, hn::ConvertTo(d, entry)), d, to.fraction + i);
}

// The pairs at entry[0], entry[2] and so forth, two for each four lanes.
template <class DF>
HWY_INLINE hn::Vec<DF> load_pairs(DF df, const float* pairs, const int32_t* entry) {
  const hn::Half<DF> half;
  if constexpr (hn::MaxLanes(DF()) <= 4)
    return hn::Combine(df, hn::LoadU(half, pairs + 2 * entry[2]), hn::LoadU(half, pairs + 2 * entry[0]));
  else
    return hn::Combine(df, load_pairs(half, pairs, entry + hn::MaxLanes(half)), load_pairs(half, pairs, entry));
}

// One load fetches an entry and its step, which is less work than two gathers.
HWY_INLINE V interpolate(const Places& from, int i, const float* pairs) {
  const hn::Repartition<double, D> dd;
  const V even = load_pairs(d, pairs, from.entry + i);
  const V odd = load_pairs(d, pairs, from.entry + i + 1);
  const auto first = hn::BitCast(dd, hn::InterleaveLower(d, even, odd));
  const auto second = hn::BitCast(dd, hn::InterleaveUpper(d, even, odd));
  const V low = hn::BitCast(d, hn::InterleaveLower(dd, first, second));
  const V rise = hn::BitCast(d, hn::InterleaveUpper(dd, first, second));
  return hn::Add(low, hn::Mul(rise, hn::Load(d, from.fraction + i)));
}

void yuv_to_light(const float* y, const float* u, const float* v, int width, const Colour& colour, const float* pairs,
                  float* r, float* g, float* b) {
  const Colour c = colour;
  // Entries go through memory, which is the fastest way from lanes to addresses: a stretch at a time, so that they are
  // not wanted as soon as they are written.
  constexpr int kStretch = 64;
  HWY_ALIGN int32_t entry[3][kStretch];
  HWY_ALIGN float fraction[3][kStretch];
  const Places red = {entry[0], fraction[0]};
  const Places green = {entry[1], fraction[1]};
  const Places blue = {entry[2], fraction[2]};
  for (int x = 0; x < width; x += kStretch) {
    const int count = std::min(kStretch, width - x);
    for (int i = 0; i < count; i += kLanes) {
      const V luma = hn::Mul(hn::Sub(hn::LoadU(d, y + x + i), hn::Set(d, c.luma_offset)), hn::Set(d, c.luma_scale));
      const V cb = hn::Mul(hn::Sub(hn::LoadU(d, u + x + i), hn::Set(d, 0.5f)), hn::Set(d, c.chroma_scale));
      const V cr = hn::Mul(hn::Sub(hn::LoadU(d, v + x + i), hn::Set(d, 0.5f)), hn::Set(d, c.chroma_scale));
      find(hn::Add(luma, hn::Mul(hn::Set(d, c.red_v), cr)), red, i);
      find(hn::Add(hn::Add(luma, hn::Mul(hn::Set(d, c.green_u), cb)), hn::Mul(hn::Set(d, c.green_v), cr)), green, i);
      find(hn::Add(luma, hn::Mul(hn::Set(d, c.blue_u), cb)), blue, i);
    }
    for (int i = 0; i < count; i += kLanes) {
      hn::StoreU(interpolate(red, i, pairs), d, r + x + i);
      hn::StoreU(interpolate(green, i, pairs), d, g + x + i);
      hn::StoreU(interpolate(blue, i, pairs), d, b + x + i);
    }
  }
}

void halve(const float* above, const float* below, int width, float* out) {
  const int pairs = width / 2;
  int x = 0;
  for (; x < pairs; x += kLanes) {
    V a, b, e, f;
    hn::LoadInterleaved2(d, above + 2 * x, a, b);
    hn::LoadInterleaved2(d, below + 2 * x, e, f);
    hn::StoreU(hn::Mul(hn::Add(hn::Add(hn::Add(a, b), e), f), hn::Set(d, 0.25f)), d, out + x);
  }
  if (width % 2 != 0) {
    const int last = width - 1;
    out[pairs] = mean_of_four(above[last], above[last], below[last], below[last]);
  }
}

// A third of each lane, rounded down.
template <class DU>
HWY_INLINE hn::Vec<DU> third_of(DU du, hn::Vec<DU> u) {
  const auto factor = hn::Set(du, 0xaaaaaaabU);
  const auto even = hn::MulEven(u, factor);
  const hn::RepartitionToWide<DU> dw;
  const auto odd = hn::MulEven(hn::BitCast(du, hn::ShiftRight<32>(hn::BitCast(dw, u))), factor);
  return hn::OddEven(hn::BitCast(du, hn::ShiftRight<1>(odd)), hn::BitCast(du, hn::ShiftRight<33>(even)));
}

template <bool kRgb>
HWY_INLINE V response(int cone, V r, V g, V b) {
  const V kr = hn::Set(d, mix(cone, 0));
  const V kg = hn::Set(d, mix(cone, 1));
  const V kb = hn::Set(d, mix(cone, 2));
  const V bias = hn::Set(d, kBias);
  const hn::RebindToUnsigned<D> du;
  if constexpr (kRgb) {
    const V x = hn::Max(hn::MulAdd(kr, r, hn::MulAdd(kg, g, hn::MulAdd(kb, b, bias))), hn::Zero(d));
    const auto field = hn::ShiftRight<23>(hn::BitCast(du, x));
    V root = hn::BitCast(d, hn::Sub(hn::Set(du, 0x54800000U), hn::Mul(field, hn::Set(du, 0x2aaaaaU))));
    const V a = hn::Mul(hn::Set(d, kThird), x);
    for (int i = 0; i < 3; ++i) {
      const V t = hn::Mul(root, root);
      root = hn::NegMulAdd(a, hn::Mul(t, t), hn::Mul(root, hn::Set(d, 0x1.555556p+0f)));
    }
    const V t = hn::Mul(root, root);
    root = hn::MulAdd(hn::Set(d, kThird), hn::NegMulAdd(x, hn::Mul(t, t), root), root);
    const V none = hn::Set(d, -0x1.3f64eap-3f);
    return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), hn::MulAdd(hn::Mul(root, root), x, none), none);
  } else {
    const V x = hn::Max(hn::Add(hn::Add(hn::Add(hn::Mul(kr, r), hn::Mul(kg, g)), hn::Mul(kb, b)), bias), hn::Zero(d));
    V root = hn::BitCast(d, hn::Add(third_of(du, hn::BitCast(du, x)), hn::Set(du, 0x2a5137a0U)));
    for (int i = 0; i < 2; ++i)
      root = hn::Mul(hn::Add(hn::Mul(hn::Set(d, 2.0f), root), hn::Div(x, hn::Mul(root, root))), hn::Set(d, kThird));
    return hn::Sub(hn::IfThenElseZero(hn::Gt(x, hn::Zero(d)), root), hn::Set(d, YuvDialect::kRootOfBias));
  }
}

template <bool kRgb>
HWY_INLINE void xyb(const float* r, const float* g, const float* b, int width, float* out, size_t tile,
                    size_t channel) {
  const V half = hn::Set(d, 0.5f);
  for (int i = 0; i < width; i += kLanes) {
    const V red = hn::LoadU(d, r + i);
    const V green = hn::LoadU(d, g + i);
    const V blue = hn::LoadU(d, b + i);
    const V l = response<kRgb>(0, red, green, blue);
    const V m = response<kRgb>(1, red, green, blue);
    const V s = response<kRgb>(2, red, green, blue);
    float* to = out + static_cast<size_t>(i / kTileColumns) * tile + i % kTileColumns;
    const V x = hn::Mul(half, hn::Sub(l, m));
    const V y = hn::Mul(half, hn::Add(l, m));
    hn::StoreU(hn::Add(hn::Mul(x, hn::Set(d, kXScale)), hn::Set(d, kXOffset)), d, to);
    hn::StoreU(hn::Add(y, hn::Set(d, kYOffset)), d, to + channel);
    hn::StoreU(hn::Add(hn::Sub(s, y), hn::Set(d, kBOffset)), d, to + 2 * channel);
  }
}

void light_to_xyb(bool rgb, const float* r, const float* g, const float* b, int width, float* out, size_t tile,
                  size_t channel) {
#if HWY_NATIVE_FMA
  if (rgb) return xyb<true>(r, g, b, width, out, tile, channel);
#endif
  (void)rgb;
  xyb<false>(r, g, b, width, out, tile, channel);
}
#endif

}  // namespace qc::ssimulacra2::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qc::ssimulacra2 {
HWY_EXPORT(vectors_for);
HWY_EXPORT(expand);
HWY_EXPORT(yuv_to_light);
HWY_EXPORT(halve);
HWY_EXPORT(light_to_xyb);

bool has_vectors(bool rgb) { return HWY_DYNAMIC_DISPATCH(vectors_for)(rgb); }

void expand_chroma(const float* in, int part, int whole, float* out) {
  HWY_DYNAMIC_DISPATCH(expand)(in, part, whole, out);
}

void yuv_row(const float* y, const float* u, const float* v, int width, const Colour& colour, const float* pairs,
             float* r, float* g, float* b) {
  HWY_DYNAMIC_DISPATCH(yuv_to_light)(y, u, v, width, colour, pairs, r, g, b);
}

void halve_row(const float* above, const float* below, int width, float* out) {
  HWY_DYNAMIC_DISPATCH(halve)(above, below, width, out);
}

void xyb_row(bool rgb, const float* r, const float* g, const float* b, int width, float* out, size_t tile,
             size_t channel) {
  HWY_DYNAMIC_DISPATCH(light_to_xyb)(rgb, r, g, b, width, out, tile, channel);
}

}  // namespace qc::ssimulacra2
#endif
