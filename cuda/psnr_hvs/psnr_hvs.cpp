#include "cuda/psnr_hvs/psnr_hvs.h"

#include <algorithm>
#include <array>

#include "cuda/device_layout.h"
#include "cuda/images.h"
#include "cuda/psnr_hvs/block_errors.h"
#include "psnr_hvs/psnr_hvs_record.h"

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
    const Planes planes = lay_out(layout);
    float* error = reinterpret_cast<PsnrHvsRecord*>(memory.record)->error;
    if (planes[1].groups == 0) {
      sum(stream, memory.frame, planes, 0, 1, error);
      return;
    }
    // The walk over luma's sum is one block's, and chroma has less to do.
    const Branch chroma(stream);
    sum(stream, memory.frame, planes, 0, 1, error);
    sum(chroma.stream(), memory.frame, planes, 1, 2, error);
    chroma.join();
  }

 private:
  using Planes = std::array<ErrorPlane, 3>;

  // The errors of `count` planes from `first` on.
  void sum(abi::Stream stream, const FrameParameters* frame, const Planes& planes, int first, int count,
           float* error) const {
    ErrorSumArgs sums{};
    sums.error = error + first;
    int most_groups = 1;
    for (int i = 0; i < count; ++i) {
      const int p = first + i;
      const ErrorPlane& plane = planes[static_cast<size_t>(p)];
      sums.plane[i] = plane;
      most_groups = std::max(most_groups, plane.groups);
      if (plane.groups > 0)
        errors_.launch(stream, {static_cast<unsigned>(plane.groups)}, kBlockErrorThreads,
                       {frame, p, hvs::kWeights[p], plane});
    }
    const auto blocks = static_cast<unsigned>(count);
    constexpr int kGroupsPerBlock = kErrorMapThreads / kGroupBlocks;
    guesses_.launch(stream, {blocks}, kErrorGuessThreads, sums);
    maps_.launch(stream, {static_cast<unsigned>((most_groups + kGroupsPerBlock - 1) / kGroupsPerBlock), blocks},
                 kErrorMapThreads, sums);
    walk_.launch(stream, {blocks}, kErrorWalkThreads, sums);
  }

  Planes lay_out(Layout& layout) const {
    Planes planes{};
    for (size_t p = 0; p < planes.size(); ++p) {
      ErrorPlane& plane = planes[p];
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
    return planes;
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
