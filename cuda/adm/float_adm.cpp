#include "cuda/adm/float_adm.h"

#include <algorithm>

#include "adm/float_adm.h"
#include "cuda/adm/float_adm_sums.h"
#include "cuda/device_layout.h"
#include "cuda/images.h"

namespace qc::cuda {
namespace {

unsigned blocks(int count, int each) { return static_cast<unsigned>((count + each - 1) / each); }

DeviceBuffer upload(const FloatAdmTables& tables) { return DeviceBuffer::upload(&tables, sizeof tables); }

class FloatAdmKernels final : public FeatureKernels {
 public:
  FloatAdmKernels(const FeatureConfig& config, Device& device)
      : parameters_(float_adm_parameters(config)), tables_(upload(float_adm_tables(config))) {
    const Module& module = device.module(kFloatAdmSumsImage);
    finest_ = {module, parameters_.depth == 8 ? kFloatAdmScale0Bytes1 : kFloatAdmScale0Bytes2};
    coarse_ = {module, kFloatAdmCoarse};
    row_sums_ = {module, kFloatAdmRowSums};
    totals_ = {module, kFloatAdmTotals};
  }

  size_t scratch_bytes() const override {
    Layout layout(nullptr);
    lay_out(layout);
    return layout.bytes();
  }

  void enqueue(abi::Stream stream, const SlotMemory& memory) const override {
    Layout layout(memory.scratch);
    const Scratch scratch = lay_out(layout);
    const auto* tables = pointer<const FloatAdmTables>(tables_.get());
    FloatAdmSumsArgs sums{};
    sums.record = reinterpret_cast<FloatAdmRecord*>(memory.record);
    for (int s = 0; s < 4; ++s) {
      const FloatAdmScale& scale = parameters_.scale[s];
      FloatAdmScaleArgs args{};
      args.frame = memory.frame;
      for (int p = 0; p < 2; ++p) {
        args.input[p] = s > 0 ? scratch.approximation[s - 1][p] : nullptr;
        args.output[p] = s < 3 ? scratch.approximation[s][p] : nullptr;
      }
      args.input_width = s > 0 ? parameters_.scale[s - 1].width : parameters_.width;
      args.input_height = s > 0 ? parameters_.scale[s - 1].height : parameters_.height;
      args.sum = summed(s);
      args.masking = parameters_.masking;
      args.sample_scale = 1.0F / static_cast<float>(1 << (parameters_.depth - 8));
      args.scale = scale;
      args.gain_limit = parameters_.gain_limit;
      args.exponent = parameters_.exponent;
      args.estimates = parameters_.estimates ? tables->estimates : nullptr;
      args.power = &tables->power;
      args.terms = scratch.terms[s];
      if (args.sum) sums.scale[s] = args.terms;
      const Grid grid = {blocks(scale.width, kAdmOwnColumns), blocks(scale.height, kAdmOwnRows)};
      (s == 0 ? finest_ : coarse_).launch(stream, grid, kAdmThreads, args);
    }
    int rows = 0;
    for (const FloatAdmTerms& scale : sums.scale) rows = std::max(rows, scale.rows);
    row_sums_.launch(stream, {blocks(rows, kFloatAdmRows), kFloatAdmSums, 4}, kFloatAdmRows, sums);
    totals_.launch(stream, {kFloatAdmSums, 4}, kFloatAdmTotalsThreads, sums);
  }

 private:
  struct Scratch {
    float* approximation[3][2];
    FloatAdmTerms terms[4];
  };

  bool summed(int s) const { return s > 0 || !parameters_.skip_scale0; }

  // Pointers are null with a null base, and then only the size counts.
  Scratch lay_out(Layout& layout) const {
    Scratch scratch{};
    for (int s = 0; s < 4; ++s) {
      const FloatAdmScale& scale = parameters_.scale[s];
      if (s < 3)
        for (float*& plane : scratch.approximation[s])
          plane = layout.take<float>(static_cast<size_t>(scale.width) * static_cast<size_t>(scale.height));
      FloatAdmTerms& terms = scratch.terms[s];
      terms.columns = scale.right - scale.left;
      terms.rows = scale.bottom - scale.top;
      terms.pitch = (terms.columns + 31) / 32 * 32;  // rows begin at cache lines
      if (!summed(s)) continue;
      const size_t rows = kFloatAdmSums * static_cast<size_t>(terms.rows);
      terms.terms = layout.take<float>(rows * static_cast<size_t>(terms.pitch));
      terms.row_sums = layout.take<float>(rows);
    }
    return scratch;
  }

  FloatAdmParameters parameters_;
  DeviceBuffer tables_;
  Kernel<FloatAdmScaleArgs> finest_;
  Kernel<FloatAdmScaleArgs> coarse_;
  Kernel<FloatAdmSumsArgs> row_sums_;
  Kernel<FloatAdmSumsArgs> totals_;
};

}  // namespace

std::unique_ptr<FeatureKernels> make_float_adm_kernels(const FeatureConfig& config, Device& device) {
  return std::make_unique<FloatAdmKernels>(config, device);
}

}  // namespace qc::cuda
