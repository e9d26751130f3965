#include "cuda/vif/float_vif.h"

#include "cuda/device_layout.h"
#include "cuda/images.h"
#include "cuda/math/ordered_rows.h"
#include "cuda/vif/float_vif_sums.h"
#include "math/centred_row.h"
#include "vif/float_vif_parameters.h"
#include "vif/float_vif_record.h"

namespace qc::cuda {
namespace {

unsigned blocks(int size, int each) { return static_cast<unsigned>((size + each - 1) / each); }

template <class T>
DeviceBuffer upload(const std::vector<T>& values) {
  return DeviceBuffer::upload(values.data(), values.size() * sizeof(T));
}

class FloatVifKernels final : public FeatureKernels {
 public:
  FloatVifKernels(const FeatureConfig& config, Device& device)
      : parameters_(float_vif::make_parameters(float_vif::options_of(config.options), config.geometry.width,
                                               config.geometry.height)),
        sample_scale_(centred_scale(config.geometry.depth)),
        row_sums_(device.module(kOrderedRowsImage), kOrderedRowSums),
        totals_(device.module(kOrderedRowsImage), kOrderedTotals) {
    const Module& module = device.module(kFloatVifSumsImage);
    const bool bytes = config.geometry.depth == 8;
    for (int s = 0; s < kFloatVifScales; ++s) {
      const bool luma = s == 0 && !parameters_.resampled;
      const auto choose = [&](const auto& narrow, const auto& wide, const auto& planes) {
        return !luma ? planes : bytes ? narrow : wide;
      };
      switch (parameters_.filter[s].taps) {
        case 17:
          fast_[s] = {module, choose(kFloatVifLuma8, kFloatVifLuma16, kFloatVif17)};
          one_pass_[s] = true;
          break;
        case 9:
          fast_[s] = {module, kFloatVif9};
          one_pass_[s] = !luma;
          break;
        case 5:
          fast_[s] = {module, kFloatVif5};
          one_pass_[s] = !luma;
          break;
        case 3:
          fast_[s] = {module, kFloatVif3};
          one_pass_[s] = !luma;
          break;
        default:
          break;
      }
      vertical_[s] = {module, choose(kFloatVifVertical8, kFloatVifVertical16, kFloatVifVertical)};
      next_[s] = {module, choose(kFloatVifNext8, kFloatVifNext16, kFloatVifNext)};
    }
    horizontal_ = {module, kFloatVifHorizontal};
    if (!parameters_.resampled) return;
    resample_ = {module, bytes ? kFloatVifResample8 : kFloatVifResample16};
    const float_vif::Resampling& resampling = parameters_.resampling;
    column_index_ = upload(resampling.x.index);
    column_weight_ = upload(resampling.x.weight);
    row_index_ = upload(resampling.y.index);
    row_weight_ = upload(resampling.y.weight);
  }

  size_t scratch_bytes() const override {
    Layout layout(nullptr);
    lay_out(layout);
    return layout.bytes();
  }

  void enqueue(abi::Stream stream, const SlotMemory& memory) const override {
    Layout layout(memory.scratch);
    const Buffers b = lay_out(layout);
    if (parameters_.resampled) resample(stream, memory.frame, b.pictures[0]);
    // The small scales don't fill the GPU, so they run beside the first one.
    const Branch small(stream);
    for (int s = 1; s < kFloatVifScales; ++s) {
      const FloatVifPictures& to = b.pictures[s];
      const float_vif::Filter& filter = parameters_.filter[s];
      next_[s - 1].launch(small.stream(),
                          {blocks(to.width, float_vif_next_columns(filter.taps)), blocks(to.height, kFloatVifRows), 2},
                          kFloatVifThreads, {memory.frame, b.pictures[s - 1], to, sample_scale_, filter});
    }
    auto* record = reinterpret_cast<FloatVifRecord*>(memory.record);
    OrderedRowsArgs sums{};
    sums.frame = memory.frame;
    unsigned count = 0;
    int most_rows = 0;
    for (int s = kFloatVifScales - 1; s >= parameters_.first_scale; --s) {
      make_terms(s > 0 ? small.stream() : stream, memory.frame, s, b);
      const FloatVifPictures& p = b.pictures[s];
      const FloatVifTerms& t = b.terms[s];
      sums.plane[count++] = {t.numerators, p.width, p.height, t.pitch, b.row_sums[s][0], &record->scale[s].numerator};
      sums.plane[count++] = {t.denominators, p.width,          p.height,
                             t.pitch,        b.row_sums[s][1], &record->scale[s].denominator};
      most_rows = p.height;
    }
    small.join();
    row_sums_.launch(stream, {blocks(most_rows, kOrderedRowsBlock), count}, kOrderedRowsThreads, sums);
    totals_.launch(stream, {count}, kOrderedTotalsThreads, sums);
  }

 private:
  struct Buffers {
    FloatVifPictures pictures[kFloatVifScales];
    FloatVifTerms terms[kFloatVifScales];
    float* row_sums[kFloatVifScales][2];
    float* filtered[kFloatVifScales];
  };

  // Pointers are null with a null base, and then only the size counts.
  Buffers lay_out(Layout& layout) const {
    Buffers b{};
    for (int s = 0; s < kFloatVifScales; ++s) {
      FloatVifPictures& p = b.pictures[s];
      p.width = parameters_.width[s];
      p.height = parameters_.height[s];
      p.pitch = (p.width + 31) / 32 * 32;
      const size_t samples = static_cast<size_t>(p.pitch) * static_cast<size_t>(p.height);
      if (s > 0 || parameters_.resampled)
        for (float*& plane : p.plane) plane = layout.take<float>(samples);
      if (s < parameters_.first_scale) continue;
      b.terms[s] = {layout.take<float>(samples), layout.take<float>(samples), p.pitch};
      for (float*& rows : b.row_sums[s]) rows = layout.take<float>(static_cast<size_t>(p.height));
      if (!one_pass_[s]) b.filtered[s] = layout.take<float>(5 * samples);
    }
    return b;
  }

  void resample(abi::Stream stream, const FrameParameters* frame, const FloatVifPictures& to) const {
    const float_vif::Resampling& resampling = parameters_.resampling;
    resample_.launch(
        stream, {blocks(to.width, kFloatVifThreads), static_cast<unsigned>(to.height), 2}, kFloatVifThreads,
        {frame, sample_scale_, resampling.x.taps, pointer<const int>(column_index_.get()),
         pointer<const float>(column_weight_.get()), resampling.y.taps, pointer<const int>(row_index_.get()),
         pointer<const float>(row_weight_.get()), resampling.normalised, to});
  }

  void make_terms(abi::Stream stream, const FrameParameters* frame, int s, const Buffers& b) const {
    const FloatVifPictures& p = b.pictures[s];
    const float_vif::Filter& filter = parameters_.filter[s];
    const FloatVifScaleArgs args{frame, p, sample_scale_, filter, parameters_.channel, b.terms[s], b.filtered[s]};
    if (one_pass_[s]) {
      fast_[s].launch(stream, {blocks(p.width, float_vif_columns(filter.taps)), blocks(p.height, kFloatVifRows)},
                      kFloatVifThreads, args);
    } else {
      const Grid grid{blocks(p.width, kFloatVifThreads), static_cast<unsigned>(p.height)};
      vertical_[s].launch(stream, grid, kFloatVifThreads, args);
      horizontal_.launch(stream, grid, kFloatVifThreads, args);
    }
  }

  float_vif::Parameters parameters_;
  float sample_scale_;
  Kernel<FloatVifScaleArgs> fast_[kFloatVifScales];
  bool one_pass_[kFloatVifScales] = {};
  Kernel<FloatVifScaleArgs> vertical_[kFloatVifScales];
  Kernel<FloatVifScaleArgs> horizontal_;
  Kernel<FloatVifNextArgs> next_[kFloatVifScales];
  Kernel<FloatVifResampleArgs> resample_;
  Kernel<OrderedRowsArgs> row_sums_;
  Kernel<OrderedRowsArgs> totals_;
  DeviceBuffer column_index_;
  DeviceBuffer column_weight_;
  DeviceBuffer row_index_;
  DeviceBuffer row_weight_;
};

}  // namespace

std::unique_ptr<FeatureKernels> make_float_vif_kernels(const FeatureConfig& config, Device& device) {
  return std::make_unique<FloatVifKernels>(config, device);
}

}  // namespace qc::cuda
