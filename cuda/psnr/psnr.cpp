#include "cuda/psnr/psnr.h"

#include <algorithm>

#include "cuda/images.h"
#include "cuda/psnr/squared_error.h"

namespace qc::cuda {
namespace {

// Blocks of 256 threads that fill the GPU; more for a picture of `bytes` would find nothing to do.
unsigned blocks_for(const Device& device, int64_t bytes) {
  constexpr int64_t kBytesPerBlock = 16 * kSquaredErrorThreads;
  constexpr int kBlocksPerMultiprocessor = 8;
  return static_cast<unsigned>(std::clamp<int64_t>((bytes + kBytesPerBlock - 1) / kBytesPerBlock, 1,
                                                   kBlocksPerMultiprocessor * device.multiprocessors()));
}

class PsnrKernels final : public FeatureKernels {
 public:
  PsnrKernels(const FeatureConfig& config, Device& device)
      : kernel_(device.module(kSquaredErrorImage), config.geometry.depth == 8 ? kSquaredError8 : kSquaredError16),
        blocks_(blocks_for(device, int64_t{config.geometry.width} * config.geometry.height *
                                       config.reference.sample_bytes)),
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

}  // namespace

std::unique_ptr<FeatureKernels> make_psnr_kernels(const FeatureConfig& config, Device& device) {
  return std::make_unique<PsnrKernels>(config, device);
}

}  // namespace qc::cuda
