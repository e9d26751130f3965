#include "cuda/psnr_hvs/psnr_hvs.h"

#include <algorithm>

#include "cuda/device_layout.h"
#include "cuda/images.h"
#include "cuda/psnr_hvs/block_errors.h"

namespace qc::cuda {
namespace {

class PsnrHvsKernels final : public FeatureKernels {
 public:
  PsnrHvsKernels(const FeatureConfig& config, Device& device) {
    const Module& module = device.module(kBlockErrorsImage);
    errors_ = {module, config.geometry.depth > 12 ? kWideBlockErrors : kBlockErrors};
    guesses_ = {module, kErrorGuesses};
    maps_ = {module, kErrorMaps};
    walk_ = {module, kErrorWalk};
    for (int p = 0; p < 3; ++p) {
      across_[p] = hvs::blocks_along(config.geometry.plane_width(p));
      down_[p] = hvs::blocks_along(config.geometry.plane_height(p));
    }
  }

  size_t scratch_bytes() const override {
    Layout layout(nullptr);
    lay_out(layout);
    return layout.bytes();
  }

  void enqueue(abi::Stream stream, const SlotMemory& memory) const override {
    Layout layout(memory.scratch);
    ErrorSumArgs sums = lay_out(layout);
    sums.record = reinterpret_cast<PsnrHvsRecord*>(memory.record);
    int most_groups = 1;
    for (int p = 0; p < 3; ++p) {
      const ErrorPlane& plane = sums.plane[p];
      most_groups = std::max(most_groups, plane.groups);
      if (plane.groups > 0)
        errors_.launch(stream, {static_cast<unsigned>(plane.groups)}, kBlockErrorThreads,
                       {memory.frame, p, hvs::kWeights[p], plane});
    }
    constexpr int kGroupsPerBlock = kErrorMapThreads / kGroupBlocks;
    guesses_.launch(stream, {3}, kErrorGuessThreads, sums);
    maps_.launch(stream, {static_cast<unsigned>((most_groups + kGroupsPerBlock - 1) / kGroupsPerBlock), 3},
                 kErrorMapThreads, sums);
    walk_.launch(stream, {3}, kErrorWalkThreads, sums);
  }

 private:
  ErrorSumArgs lay_out(Layout& layout) const {
    ErrorSumArgs sums{};
    for (int p = 0; p < 3; ++p) {
      ErrorPlane& plane = sums.plane[p];
      plane.blocks_across = across_[p];
      plane.groups_across = (across_[p] + kGroupBlocks - 1) / kGroupBlocks;
      plane.groups = plane.groups_across * down_[p];
      const auto groups = static_cast<size_t>(plane.groups);
      plane.terms = layout.take<float>(groups * kGroupTerms);
      plane.group_sum = layout.take<double>(groups);
      plane.exponent = layout.take<int>(groups);
      plane.block_map = layout.take<BinadeMaps>(groups * kGroupBlocks);
      plane.group_map = layout.take<BinadeMaps>(groups);
    }
    return sums;
  }

  Kernel<BlockErrorsArgs> errors_;
  Kernel<ErrorSumArgs> guesses_;
  Kernel<ErrorSumArgs> maps_;
  Kernel<ErrorSumArgs> walk_;
  int across_[3];
  int down_[3];
};

}  // namespace

std::unique_ptr<FeatureKernels> make_psnr_hvs_kernels(const FeatureConfig& config, Device& device) {
  return std::make_unique<PsnrHvsKernels>(config, device);
}

}  // namespace qc::cuda
