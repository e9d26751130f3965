#include "cuda/vif/vif.h"

#include "cuda/device_layout.h"
#include "cuda/images.h"
#include "cuda/vif/vif_sums.h"
#include "vif/vif_arithmetic.h"
#include "vif/vif_log.h"

namespace qc::cuda {
namespace {

constexpr int kColumns[kVifScales] = {kVifColumns<vif::kRadius[0]>, kVifColumns<vif::kRadius[1]>,
                                      kVifColumns<vif::kRadius[2]>, kVifColumns<vif::kRadius[3]>};
constexpr int kNextColumns[kVifScales] = {0, kVifNextColumns<vif::kRadius[1]>, kVifNextColumns<vif::kRadius[2]>,
                                          kVifNextColumns<vif::kRadius[3]>};

unsigned blocks(int size, int per_block) { return static_cast<unsigned>((size + per_block - 1) / per_block); }

class VifKernels final : public FeatureKernels {
 public:
  VifKernels(const FeatureConfig& config, Device& device)
      : residuals_(DeviceBuffer::upload(vif::log_residuals(), vif::kLogEntries)),
        gain_limit_(config.options.get_double("vif_enhn_gain_limit")),
        skip_scale0_(config.options.get_bool("vif_skip_scale0")) {
    const Module& module = device.module(kVifSumsImage);
    const bool bytes = config.geometry.depth == 8;
    sums_[0] = {module, bytes ? kVifSums8 : kVifSums16};
    sums_[1] = {module, kVifSums1};
    sums_[2] = {module, kVifSums2};
    sums_[3] = {module, kVifSums3};
    next_[0] = {module, bytes ? kVifNext8 : kVifNext16};
    next_[1] = {module, kVifNext2};
    next_[2] = {module, kVifNext3};
    for (int s = 0; s < kVifScales; ++s) {
      width_[s] = config.geometry.width >> s;
      height_[s] = config.geometry.height >> s;
    }
  }

  size_t scratch_bytes() const override {
    Layout layout(nullptr);
    lay_out(layout);
    return layout.bytes();
  }

  void enqueue(abi::Stream stream, const SlotMemory& memory) const override {
    Layout layout(memory.scratch);
    const Scratch scratch = lay_out(layout);
    auto* record = reinterpret_cast<VifRecord*>(memory.record);
    // The small scales' kernels don't fill the GPU, so they run beside that of scale 0.
    const Branch small(stream);
    for (int s = 0; s < kVifScales; ++s) {
      const VifPictures& pictures = scratch.pictures[s];
      const abi::Stream branch = s > 0 ? small.stream() : stream;
      if (s > 0) {
        next_[s - 1].launch(branch, {blocks(width_[s], kNextColumns[s]), blocks(height_[s], kVifRows), 2}, kVifThreads,
                            {memory.frame, scratch.pictures[s - 1], pictures});
      }
      if (s == 0 && skip_scale0_) continue;
      sums_[s].launch(branch, {blocks(width_[s], kColumns[s]), blocks(height_[s], kVifRows)}, kVifThreads,
                      {memory.frame, pictures, scratch.pictures[s > 0 ? s - 1 : 0], scratch.leftover,
                       pointer<const uint8_t>(residuals_.get()), gain_limit_, &record->scale[s]});
    }
    small.join();
  }

 private:
  struct Scratch {
    VifPictures pictures[kVifScales];
    VifMoments* leftover;
  };
  Scratch lay_out(Layout& layout) const {
    Scratch scratch{};
    for (int s = 0; s < kVifScales; ++s) {
      VifPictures& p = scratch.pictures[s];
      p.width = width_[s];
      p.height = height_[s];
      for (uint16_t*& samples : p.samples)
        if (s > 0) samples = layout.take<uint16_t>(static_cast<size_t>(p.width) * static_cast<size_t>(p.height));
    }
    scratch.leftover = layout.take<VifMoments>(1);
    return scratch;
  }

  DeviceBuffer residuals_;
  double gain_limit_;
  bool skip_scale0_;
  int width_[kVifScales];
  int height_[kVifScales];
  Kernel<VifSumsArgs> sums_[kVifScales];
  Kernel<VifNextArgs> next_[kVifScales - 1];
};

}  // namespace

std::unique_ptr<FeatureKernels> make_vif_kernels(const FeatureConfig& config, Device& device) {
  return std::make_unique<VifKernels>(config, device);
}

}  // namespace qc::cuda
