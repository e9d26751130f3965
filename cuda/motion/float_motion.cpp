#include "cuda/motion/float_motion.h"

#include <algorithm>

#include "cuda/device_layout.h"
#include "cuda/images.h"
#include "cuda/math/ordered_rows.h"
#include "cuda/motion/float_difference.h"
#include "math/centred_row.h"
#include "motion/float_motion_record.h"

namespace qc::cuda {
namespace {

unsigned blocks(int size, int each) { return static_cast<unsigned>((size + each - 1) / each); }

class FloatMotionKernels final : public FeatureKernels {
 public:
  FloatMotionKernels(const FeatureConfig& config, Device& device)
      : geometry_(config.geometry),
        filter_(float_motion::filter(config.options.get_int("motion_filter_size"))),
        planes_(config.options.get_bool("motion_add_uv") ? 3 : 1),
        halve_(config.options.get_bool("motion_add_scale1")),
        force_zero_(config.options.get_bool("motion_force_zero")),
        difference_(device.module(kFloatDifferenceImage),
                    kFloatDifference[geometry_.depth == 8 ? 0 : 1][filter_.size / 2]),
        half_difference_(device.module(kFloatDifferenceImage), kHalfDifference),
        row_sums_(device.module(kOrderedRowsImage), kOrderedRowSums),
        totals_(device.module(kOrderedRowsImage), kOrderedTotals) {}

  size_t scratch_bytes() const override {
    Layout layout(nullptr);
    for (int p = 0; p < planes_; ++p) lay_out(layout, p, nullptr);
    return layout.bytes();
  }

  void enqueue(abi::Stream stream, const SlotMemory& memory) const override {
    if (force_zero_) return;
    Layout layout(memory.scratch);
    OrderedRowsArgs sums{};
    sums.frame = memory.frame;
    sums.earlier = 1;
    unsigned count = 0;
    for (int p = 0; p < planes_; ++p) {
      FloatDifference* record = reinterpret_cast<FloatMotionRecord*>(memory.record)->plane + p;
      const Buffers b = lay_out(layout, p, record);
      const OrderedPlane& full = b.full;
      difference_.launch(
          stream, {blocks(full.width, kFloatMotionColumns), blocks(full.height, kFloatMotionRows)}, kFloatMotionThreads,
          {memory.frame, p, centred_scale(geometry_.depth), filter_, b.full_terms, full.pitch, b.blurred});
      sums.plane[count++] = full;
      if (!halve_) continue;
      const bool chroma = full.width < geometry_.width;
      const int pitch_read = chroma ? float_motion::padded(full.width) : b.blurred.pitch;
      half_difference_.launch(
          stream, {blocks(b.half.width, kFloatMotionThreads), static_cast<unsigned>(b.half.height)},
          kFloatMotionThreads,
          {memory.frame, b.blurred, pitch_read, full.width, full.height, b.half_terms, b.half.pitch});
      sums.plane[count++] = b.half;
    }
    row_sums_.launch(stream, {blocks(geometry_.height, kOrderedRowsBlock), count}, kOrderedRowsThreads, sums);
    totals_.launch(stream, {count}, kOrderedTotalsThreads, sums);
  }

 private:
  struct Buffers {
    OrderedPlane full;
    OrderedPlane half;
    float* full_terms;
    float* half_terms;
    BlurredPlanes blurred;
  };

  static OrderedPlane lay_out_terms(Layout& layout, int width, int height, float*& terms, float* total) {
    const int pitch = (width + 31) / 32 * 32;
    terms = layout.take<float>(static_cast<size_t>(pitch) * static_cast<size_t>(height));
    return {terms, width, height, pitch, layout.take<float>(static_cast<size_t>(height)), total};
  }

  // Pointers are null with a null base, and then only the size counts.
  Buffers lay_out(Layout& layout, int p, FloatDifference* record) const {
    const int width = geometry_.plane_width(p);
    const int height = geometry_.plane_height(p);
    Buffers b{};
    b.full = lay_out_terms(layout, width, height, b.full_terms, record ? &record->full : nullptr);
    if (!halve_) return b;
    b.half = lay_out_terms(layout, float_motion::halved(width), float_motion::halved(height), b.half_terms,
                           record ? &record->half : nullptr);
    b.blurred.pitch = float_motion::padded(geometry_.width);
    for (float*& plane : b.blurred.plane)
      plane = layout.take<float>(static_cast<size_t>(b.blurred.pitch) * static_cast<size_t>(height));
    return b;
  }

  Geometry geometry_;
  float_motion::Filter filter_;
  int planes_;
  bool halve_;
  bool force_zero_;
  Kernel<FloatDifferenceArgs> difference_;
  Kernel<HalfDifferenceArgs> half_difference_;
  Kernel<OrderedRowsArgs> row_sums_;
  Kernel<OrderedRowsArgs> totals_;
};

}  // namespace

std::unique_ptr<FeatureKernels> make_float_motion_kernels(const FeatureConfig& config, Device& device) {
  return std::make_unique<FloatMotionKernels>(config, device);
}

}  // namespace qc::cuda
