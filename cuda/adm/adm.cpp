#include "cuda/adm/adm.h"

#include "adm/adm.h"
#include "cuda/adm/adm_sums.h"
#include "cuda/images.h"

namespace qc::cuda {
namespace {

unsigned blocks(int count, int each) { return static_cast<unsigned>((count + each - 1) / each); }

class AdmKernels final : public FeatureKernels {
 public:
  AdmKernels(const FeatureConfig& config, Device& device) : parameters_(adm_parameters(config)) {
    const Module& module = device.module(kAdmSumsImage);
    kernel_[0] = {module, config.geometry.depth == 8 ? kAdmScale0Bytes1 : kAdmScale0Bytes2};
    kernel_[1] = {module, kAdmScale1};
    kernel_[2] = {module, kAdmScale2};
    kernel_[3] = {module, kAdmScale3};
    totals_ = {module, kAdmTotals};
    for (int s = 0; s < 4; ++s) {
      const AdmScale& scale = parameters_.scale[s];
      const size_t samples = static_cast<size_t>(scale.width) * static_cast<size_t>(scale.height);
      for (size_t& offset : approximation_[s]) {
        offset = s < 3 ? scratch_bytes_ : 0;
        if (s < 3) scratch_bytes_ += align(samples * (s == 0 ? sizeof(int16_t) : sizeof(int32_t)));
      }
      rows_[s].first_column = scale.left / kAdmOwnColumns;
      rows_[s].columns = (scale.right - 1) / kAdmOwnColumns - rows_[s].first_column + 1;
      rows_[s].height = scale.height;
      rows_offset_[s] = scratch_bytes_;
      scratch_bytes_ += align(kAdmSums * sizeof(uint64_t) * static_cast<size_t>(rows_[s].columns) *
                              static_cast<size_t>(scale.height));
    }
  }

  size_t scratch_bytes() const override { return scratch_bytes_; }

  void enqueue(abi::Stream stream, const SlotMemory& memory) const override {
    AdmTotalsArgs totals{};
    totals.record = reinterpret_cast<AdmRecord*>(memory.record);
    for (int s = 0; s < 4; ++s) {
      const AdmScale& scale = parameters_.scale[s];
      AdmScaleArgs args{};
      args.frame = memory.frame;
      for (int p = 0; p < 2; ++p) {
        args.input[p] = s > 0 ? memory.scratch + approximation_[s - 1][p] : nullptr;
        args.output[p] = s < 3 ? memory.scratch + approximation_[s][p] : nullptr;
      }
      args.input_width = s > 0 ? parameters_.scale[s - 1].width : parameters_.width;
      args.input_height = s > 0 ? parameters_.scale[s - 1].height : parameters_.height;
      args.depth = parameters_.depth;
      args.sum = s > 0 || !parameters_.skip_scale0;
      args.aim = !parameters_.skip_aim;
      args.scale = scale;
      args.gain_limit = adm::gain_limit(parameters_.gain_limit);
      args.rows = rows_[s];
      args.rows.sums = reinterpret_cast<uint64_t*>(memory.scratch + rows_offset_[s]);
      kernel_[s].launch(stream, {blocks(scale.width, kAdmOwnColumns), blocks(scale.height, kAdmOwnRows)}, kAdmThreads,
                        args);
      if (args.sum)
        totals.scale[s] = {args.rows, scale.top, scale.bottom, scale.reference_row_shift, scale.cube_row_shift};
    }
    totals_.launch(stream, {blocks(parameters_.scale[0].height, kAdmTotalsRows), kAdmSums, 4}, kAdmTotalsThreads,
                   totals);
  }

 private:
  static size_t align(size_t bytes) { return (bytes + 255) / 256 * 256; }

  AdmParameters parameters_;
  Kernel<AdmScaleArgs> kernel_[4];
  Kernel<AdmTotalsArgs> totals_;
  size_t approximation_[4][2];  // offsets in the scratch memory
  AdmRowSums rows_[4]{};
  size_t rows_offset_[4];
  size_t scratch_bytes_ = 0;
};

}  // namespace

std::unique_ptr<FeatureKernels> make_adm_kernels(const FeatureConfig& config, Device& device) {
  return std::make_unique<AdmKernels>(config, device);
}

}  // namespace qc::cuda
