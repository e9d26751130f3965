#include "cuda/motion/motion.h"

#include "cuda/images.h"
#include "cuda/motion/blurred_difference.h"

namespace qc::cuda {
namespace {

class MotionKernels final : public FeatureKernels {
 public:
  MotionKernels(const FeatureConfig& config, Device& device)
      : kernel_(device.module(kBlurredDifferenceImage),
                config.geometry.depth == 8 ? kBlurredDifference8 : kBlurredDifference16),
        grid_{static_cast<unsigned>((config.geometry.width + kMotionColumns - 1) / kMotionColumns),
              static_cast<unsigned>((config.geometry.height + kMotionRows - 1) / kMotionRows)},
        distance_(config.options.get_bool("motion_five_frame_window") ? 2 : 1),
        force_zero_(config.options.get_bool("motion_force_zero")) {}

  void enqueue(abi::Stream stream, const SlotMemory& memory) const override {
    if (!force_zero_)
      kernel_.launch(stream, grid_, kMotionThreads,
                     {memory.frame, reinterpret_cast<MotionRecord*>(memory.record), distance_});
  }

 private:
  Kernel<BlurredDifferenceArgs> kernel_;
  Grid grid_;
  int distance_;
  bool force_zero_;
};

}  // namespace

std::unique_ptr<FeatureKernels> make_motion_kernels(const FeatureConfig& config, Device& device) {
  return std::make_unique<MotionKernels>(config, device);
}

}  // namespace qc::cuda
