#include "cuda/ciede/ciede.h"

#include <algorithm>

#include "cuda/ciede/color_differences.h"
#include "cuda/device_layout.h"
#include "cuda/images.h"
#include "cuda/math/ordered_summation.h"

namespace qc::cuda {
namespace {

class CiedeKernels final : public FeatureKernels {
 public:
  CiedeKernels(const FeatureConfig& config, Device& device)
      : sums_(device.module(kColorDifferencesImage), kColorSums),
        result_(device.module(kColorDifferencesImage), kColorResult),
        terms_(device.module(kColorDifferencesImage), kColorTerms),
        summation_(device),
        geometry_(config.geometry),
        pixels_(int64_t{geometry_.width} * geometry_.height),
        blocks_(static_cast<unsigned>(
            std::clamp<int64_t>((pixels_ + kColorThreads - 1) / kColorThreads, 1,
                                int64_t{sums_.resident_blocks(kColorThreads)} * device.multiprocessors()))) {}

  void enqueue(abi::Stream stream, const SlotMemory& memory) const override {
    auto* sums = reinterpret_cast<DifferenceSums*>(memory.report);
    sums_.launch(stream, {blocks_}, kColorThreads,
                 {arguments(memory.frame), 0x1p+63 / static_cast<double>(pixels_), sums});
    result_.launch(stream, {1}, 32, {sums, reinterpret_cast<CiedeRecord*>(memory.record)});
  }

  size_t report_bytes() const override { return sizeof(DifferenceSums); }
  bool unfinished(const std::byte*, const std::byte* report) const override {
    return reinterpret_cast<const DifferenceSums*>(report)->ordered != 0;
  }
  void finish(abi::Stream stream, const SlotMemory& memory, const std::byte*, const std::byte*) override {
    const auto lay_out = [&](Layout& layout) {
      double* terms = layout.take<double>(static_cast<size_t>(pixels_));
      return std::pair(terms, layout.take<std::byte>(OrderedSummation::scratch_bytes(pixels_)));
    };
    if (!memory_) {
      Layout size(nullptr);
      lay_out(size);
      memory_ = DeviceBuffer::allocate(size.bytes());
    }
    Layout layout(pointer<std::byte>(memory_.get()));
    const auto [terms, scratch] = lay_out(layout);
    terms_.launch(stream, {static_cast<unsigned>(geometry_.height)}, kColorThreads, {arguments(memory.frame), terms});
    summation_.enqueue(stream, terms, pixels_, scratch, &reinterpret_cast<CiedeRecord*>(memory.record)->sum);
  }

 private:
  PixelsArgs arguments(const FrameParameters* frame) const {
    return {frame, geometry_.chroma != QC_CHROMA_444, geometry_.chroma == QC_CHROMA_420,
            ciede::sample_scale(geometry_.depth), ciede::kPowerTables};
  }

  Kernel<ColorSumsArgs> sums_;
  Kernel<ColorResultArgs> result_;
  Kernel<ColorTermsArgs> terms_;
  OrderedSummation summation_;
  Geometry geometry_;
  int64_t pixels_;
  unsigned blocks_;
  DeviceBuffer memory_;  // for finish(), which runs for one frame at a time
};

}  // namespace

std::unique_ptr<FeatureKernels> make_ciede_kernels(const FeatureConfig& config, Device& device) {
  return std::make_unique<CiedeKernels>(config, device);
}

}  // namespace qc::cuda
