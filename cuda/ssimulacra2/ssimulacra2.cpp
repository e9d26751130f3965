#include "cuda/ssimulacra2/ssimulacra2.h"

#include "cuda/device_layout.h"
#include "cuda/images.h"
#include "cuda/ssimulacra2/ssimulacra2_kernels.h"
#include "ssimulacra2/ssimulacra2_parameters.h"

namespace qc::cuda {
namespace {

using ssimulacra2::kChannels;
using ssimulacra2::kScales;
using ssimulacra2::kSums;

unsigned divided(int size, int by) { return static_cast<unsigned>((size + by - 1) / by); }

DeviceBuffer upload(const std::vector<float>& values) {
  const size_t bytes = values.size() * sizeof(float);
  DeviceBuffer buffer = DeviceBuffer::allocate(bytes);
  const Stream stream = Stream::create();
  const Event done = Event::create();
  driver().cuMemcpyHtoDAsync(buffer.get(), values.data(), bytes, stream.get());
  done.record(stream.get());
  done.wait();
  return buffer;
}

class Ssimulacra2Kernels final : public FeatureKernels {
 public:
  Ssimulacra2Kernels(const FeatureConfig& config, Device& device)
      : parameters_(ssimulacra2::make_parameters(config.geometry, config.reference, config.distorted,
                                                 config.options.get_int("yuv_matrix"))),
        transfer_{upload(parameters_.input[0].transfer), upload(parameters_.input[1].transfer)} {
    const bool rgb = parameters_.rgb;
    const Module& pictures = device.module(kSsimulacra2PicturesImage);
    const Module& blur = device.module(kSsimulacra2BlurImage);
    const Module& sums = device.module(kSsimulacra2SumsImage);
    first_ = {pictures, rgb ? kSsimulacra2Rgb : kSsimulacra2Yuv};
    next_ = {pictures, rgb ? kSsimulacra2NextRgb : kSsimulacra2Next};
    rows_ = {blur, rgb ? kSsimulacra2RowsRgb : kSsimulacra2Rows};
    columns_ = {blur, rgb ? kSsimulacra2ColumnsRgb : kSsimulacra2Columns};
    chunk_sums_ = {sums, kSsimulacra2ChunkSums};
    guesses_ = {sums, kSsimulacra2Guesses};
    maps_ = {sums, kSsimulacra2Maps};
    walk_ = {sums, kSsimulacra2Walk};
  }

  size_t scratch_bytes() const override {
    Layout layout(nullptr);
    lay_out(layout);
    return layout.bytes();
  }

  void enqueue(abi::Stream stream, const SlotMemory& memory) const override {
    if (parameters_.scales == 0) return;
    Layout layout(memory.scratch);
    Ssimulacra2Args args = lay_out(layout);
    args.frame = memory.frame;
    args.record = reinterpret_cast<Ssimulacra2Record*>(memory.record);
    unsigned row_strips = 0;
    unsigned column_strips = 0;
    unsigned chunk_blocks = 0;
    unsigned groups = 0;
    for (int s = 0; s < args.scales; ++s) {
      const Ssimulacra2Scale& scale = args.scale[s];
      args.from = s;
      (s == 0 ? first_ : next_)
          .launch(stream, {divided(scale.width, 2 * kLightThreads), divided(scale.height, kLightRows), 2},
                  kLightThreads, args);
      row_strips += kChannels * divided(scale.height, kStripRows);
      column_strips += kChannels * divided(scale.width, kStripColumns);
      chunk_blocks += kChannels * divided(scale.chunks, kErrorThreads / 32);
      groups += kChannels * static_cast<unsigned>(scale.groups);
    }
    const auto sums = static_cast<unsigned>(args.scales * kChannels * kSums);
    rows_.launch(stream, {row_strips}, kBlurThreads, args);
    columns_.launch(stream, {column_strips}, kBlurThreads, args);
    chunk_sums_.launch(stream, {chunk_blocks}, kErrorThreads, args);
    guesses_.launch(stream, {sums}, kErrorGuessThreads, args);
    maps_.launch(stream, {groups}, kErrorThreads, args);
    walk_.launch(stream, {sums}, kErrorThreads, args);
  }

 private:
  Ssimulacra2Args lay_out(Layout& layout) const {
    Ssimulacra2Args args{};
    for (int i = 0; i < 2; ++i) {
      args.colour[i] = parameters_.input[i].colour;
      args.transfer[i] = pointer<const float>(transfer_[i].get());
    }
    args.chroma_width = parameters_.plane[1].width;
    args.chroma_height = parameters_.plane[1].height;
    args.scales = parameters_.scales;
    for (int s = 0; s < args.scales; ++s) {
      Ssimulacra2Scale& scale = args.scale[s];
      scale.width = parameters_.scale[s].width;
      scale.height = parameters_.scale[s].height;
      const size_t pixels = static_cast<size_t>(scale.width) * static_cast<size_t>(scale.height);
      const size_t chunks = (pixels + kErrorChunk - 1) / kErrorChunk;
      const size_t groups = (chunks + kErrorGroup - 1) / kErrorGroup;
      scale.chunks = static_cast<int>(chunks);
      scale.groups = static_cast<int>(groups);
      for (int c = 0; c < kChannels; ++c) {
        scale.ssim |= uint32_t{parameters_.weights[s][c].ssim()} << c;
        scale.edges |= uint32_t{parameters_.weights[s][c].edges()} << c;
      }
      if (s > 0) scale.light = layout.take<float>(2 * 3 * pixels);
      scale.xyb = layout.take<float>(2 * kChannels * pixels);
      scale.blurred = layout.take<float>(kChannels * kBlurSignals * pixels);
      scale.errors = layout.take<double>(kChannels * 2 * pixels);
      scale.chunk_sum = layout.take<double>(kChannels * kSums * chunks);
      scale.chunk_binade = layout.take<PackedBinade>(kChannels * kSums * chunks);
      scale.chunk_map = layout.take<GrowingRunMap<double>>(kChannels * kSums * chunks);
      scale.group_binade = layout.take<PackedBinade>(kChannels * kSums * groups);
      scale.group_map = layout.take<GrowingRunMap<double>>(kChannels * kSums * groups);
    }
    return args;
  }

  ssimulacra2::Parameters parameters_;
  DeviceBuffer transfer_[2];
  Kernel<Ssimulacra2Args> first_;
  Kernel<Ssimulacra2Args> next_;
  Kernel<Ssimulacra2Args> rows_;
  Kernel<Ssimulacra2Args> columns_;
  Kernel<Ssimulacra2Args> chunk_sums_;
  Kernel<Ssimulacra2Args> guesses_;
  Kernel<Ssimulacra2Args> maps_;
  Kernel<Ssimulacra2Args> walk_;
};

}  // namespace

std::unique_ptr<FeatureKernels> make_ssimulacra2_kernels(const FeatureConfig& config, Device& device) {
  return std::make_unique<Ssimulacra2Kernels>(config, device);
}

}  // namespace qc::cuda
