#include "cuda/psnr/psnr.h"

#include <algorithm>

#include "cuda/device_layout.h"
#include "cuda/images.h"
#include "cuda/math/ordered_rows.h"
#include "cuda/math/ordered_summation.h"
#include "cuda/psnr/ansnr.h"
#include "cuda/psnr/luma_sums.h"
#include "cuda/psnr/squared_error.h"
#include "psnr/float_ansnr_record.h"
#include "psnr/float_moment_record.h"
#include "psnr/float_psnr_record.h"
#include "psnr/float_scale.h"

namespace qc::cuda {
namespace {

// Blocks that fill the GPU with threads that read 16 bytes at a time; more would find nothing to do in a plane of luma.
template <class Args>
unsigned blocks_for(const FeatureConfig& config, const Device& device, const Kernel<Args>& kernel, int threads) {
  const int64_t bytes = int64_t{config.geometry.width} * config.geometry.height * config.reference.sample_bytes;
  const int64_t block_bytes = 16 * int64_t{threads};
  return static_cast<unsigned>(std::clamp<int64_t>(
      (bytes + block_bytes - 1) / block_bytes, 1, int64_t{kernel.resident_blocks(threads)} * device.multiprocessors()));
}

class PsnrKernels final : public FeatureKernels {
 public:
  PsnrKernels(const FeatureConfig& config, Device& device)
      : kernel_(device.module(kSquaredErrorImage), config.geometry.depth == 8 ? kSquaredError8 : kSquaredError16),
        blocks_(blocks_for(config, device, kernel_, kSquaredErrorThreads)),
        planes_(config.options.get_bool("enable_chroma") ? config.geometry.planes() : 1) {}

  void enqueue(abi::Stream stream, const SlotMemory& memory) const override {
    kernel_.launch(stream, {blocks_}, kSquaredErrorThreads,
                   {memory.frame, reinterpret_cast<PsnrRecord*>(memory.record), planes_});
  }

 private:
  Kernel<SquaredErrorArgs> kernel_;
  unsigned blocks_;
  int planes_;
};

// Adds what order makes of a total whose integer is too large to be order-free. Used one frame at a time.
class RasterTotals {
 public:
  RasterTotals(const FeatureConfig& config, Device& device)
      : terms_kernel_(device.module(kLumaSumsImage), kLumaTerms),
        summation_(device),
        width_(config.geometry.width),
        height_(config.geometry.height) {}

  void order(abi::Stream stream, const FrameParameters* frame, LumaTerm term, RasterTotal* total) {
    const int64_t count = int64_t{width_} * height_;
    const auto lay_out = [&](Layout& layout) {
      double* terms = layout.take<double>(static_cast<size_t>(count));
      return std::pair(terms, layout.take<std::byte>(OrderedSummation::scratch_bytes(count)));
    };
    if (!memory_) {
      Layout size(nullptr);
      lay_out(size);
      memory_ = DeviceBuffer::allocate(size.bytes());
    }
    Layout layout(pointer<std::byte>(memory_.get()));
    const auto [terms, scratch] = lay_out(layout);
    terms_kernel_.launch(stream, {static_cast<unsigned>(height_)}, kLumaSumsThreads, {frame, term, terms});
    summation_.enqueue(stream, terms, count, scratch, &total->ordered);
  }

 private:
  Kernel<LumaTermsArgs> terms_kernel_;
  OrderedSummation summation_;
  int width_;
  int height_;
  DeviceBuffer memory_;
};

class LumaKernels : public FeatureKernels {
 public:
  LumaKernels(const FeatureConfig& config, Device& device)
      : totals_(config, device),
        kernel_(device.module(kLumaSumsImage), config.geometry.depth == 8 ? kLumaSums8 : kLumaSums16),
        blocks_(blocks_for(config, device, kernel_, kLumaSumsThreads)) {}

 protected:
  void launch(abi::Stream stream, const LumaSumsArgs& args) const {
    kernel_.launch(stream, {blocks_}, kLumaSumsThreads, args);
  }
  RasterTotals totals_;

 private:
  Kernel<LumaSumsArgs> kernel_;
  unsigned blocks_;
};

class FloatPsnrKernels final : public LumaKernels {
 public:
  using LumaKernels::LumaKernels;

  void enqueue(abi::Stream stream, const SlotMemory& memory) const override {
    auto* record = reinterpret_cast<FloatPsnrRecord*>(memory.record);
    launch(stream, {memory.frame, &record->squared_error.integer, {}, {}});
  }
  bool unfinished(const std::byte* record, const std::byte*) const override {
    return reinterpret_cast<const FloatPsnrRecord*>(record)->squared_error.needs_order();
  }
  void finish(abi::Stream stream, const SlotMemory& memory, const std::byte*, const std::byte*) override {
    auto* record = reinterpret_cast<FloatPsnrRecord*>(memory.record);
    totals_.order(stream, memory.frame, LumaTerm::SquaredError, &record->squared_error);
  }
};

class FloatMomentKernels final : public LumaKernels {
 public:
  using LumaKernels::LumaKernels;

  void enqueue(abi::Stream stream, const SlotMemory& memory) const override {
    auto* record = reinterpret_cast<FloatMomentRecord*>(memory.record);
    launch(stream, {memory.frame,
                    nullptr,
                    {&record->sum[0], &record->sum[1]},
                    {&record->square_sum[0].integer, &record->square_sum[1].integer}});
  }
  bool unfinished(const std::byte* record, const std::byte*) const override {
    const auto* moments = reinterpret_cast<const FloatMomentRecord*>(record);
    return moments->square_sum[0].needs_order() || moments->square_sum[1].needs_order();
  }
  void finish(abi::Stream stream, const SlotMemory& memory, const std::byte* host_record, const std::byte*) override {
    const auto* host = reinterpret_cast<const FloatMomentRecord*>(host_record);
    auto* record = reinterpret_cast<FloatMomentRecord*>(memory.record);
    constexpr LumaTerm kTerms[2] = {LumaTerm::ReferenceSquare, LumaTerm::DistortedSquare};
    for (int i = 0; i < 2; ++i)
      if (host->square_sum[i].needs_order()) totals_.order(stream, memory.frame, kTerms[i], &record->square_sum[i]);
  }
};

class FloatAnsnrKernels final : public FeatureKernels {
 public:
  FloatAnsnrKernels(const FeatureConfig& config, Device& device)
      : squares_(device.module(kAnsnrImage), kAnsnrSquares),
        row_sums_(device.module(kOrderedRowsImage), kOrderedRowSums),
        totals_(device.module(kOrderedRowsImage), kOrderedTotals),
        width_(config.geometry.width),
        height_(config.geometry.height),
        scale_(static_cast<float>(float_scale(config.geometry.depth))) {}

  size_t scratch_bytes() const override {
    Layout layout(nullptr);
    Squares squares[2];
    lay_out(layout, squares);
    return layout.bytes();
  }
  void enqueue(abi::Stream stream, const SlotMemory& memory) const override {
    Layout layout(memory.scratch);
    Squares squares[2];
    lay_out(layout, squares);
    auto* record = reinterpret_cast<FloatAnsnrRecord*>(memory.record);
    const auto blocks = [](int n, int each) { return static_cast<unsigned>((n + each - 1) / each); };
    squares_.launch(stream, {blocks(width_, kAnsnrColumns), blocks(height_, kAnsnrRows)}, kAnsnrThreads,
                    {memory.frame, scale_, pitch(), squares[0].terms, squares[1].terms});
    OrderedRowsArgs sums{};
    sums.frame = memory.frame;
    sums.plane[0] = {squares[0].terms, width_, height_, pitch(), squares[0].row_sums, &record->signal};
    sums.plane[1] = {squares[1].terms, width_, height_, pitch(), squares[1].row_sums, &record->noise};
    row_sums_.launch(stream, {blocks(height_, kOrderedRowsBlock), 2}, kOrderedRowsThreads, sums);
    totals_.launch(stream, {2}, kOrderedTotalsThreads, sums);
  }

 private:
  struct Squares {
    float* terms;
    float* row_sums;
  };
  int pitch() const { return (width_ + 31) / 32 * 32; }
  void lay_out(Layout& layout, Squares (&squares)[2]) const {
    for (Squares& s : squares)
      s = {layout.take<float>(static_cast<size_t>(pitch()) * static_cast<size_t>(height_)),
           layout.take<float>(static_cast<size_t>(height_))};
  }

  Kernel<AnsnrSquaresArgs> squares_;
  Kernel<OrderedRowsArgs> row_sums_;
  Kernel<OrderedRowsArgs> totals_;
  int width_;
  int height_;
  float scale_;
};

}  // namespace

std::unique_ptr<FeatureKernels> make_psnr_kernels(const FeatureConfig& config, Device& device) {
  return std::make_unique<PsnrKernels>(config, device);
}

std::unique_ptr<FeatureKernels> make_float_psnr_kernels(const FeatureConfig& config, Device& device) {
  return std::make_unique<FloatPsnrKernels>(config, device);
}

std::unique_ptr<FeatureKernels> make_float_moment_kernels(const FeatureConfig& config, Device& device) {
  return std::make_unique<FloatMomentKernels>(config, device);
}

std::unique_ptr<FeatureKernels> make_float_ansnr_kernels(const FeatureConfig& config, Device& device) {
  return std::make_unique<FloatAnsnrKernels>(config, device);
}

}  // namespace qc::cuda
