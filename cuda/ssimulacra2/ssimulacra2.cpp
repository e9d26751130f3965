#include "cuda/ssimulacra2/ssimulacra2.h"

#include <bit>

#include "cuda/device_layout.h"
#include "cuda/images.h"
#include "cuda/ssimulacra2/ssimulacra2_kernels.h"
#include "ssimulacra2/ssimulacra2_parameters.h"

namespace qc::cuda {
namespace {

using ssimulacra2::kChannels;
using ssimulacra2::kScales;
using ssimulacra2::kSums;
using ssimulacra2::Weights;

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
    launch_picture(stream, args, first_, 0, parameters_.rgb ? 1 : kYuvSteps);
    // The scales that are not the largest fill the GPU less, so they run beside that.
    const Branch small(stream);
    for (int i = 1; i < args.scales; ++i) launch_picture(small.stream(), args, next_, i, 1);
    launch_sums(small.stream(), args, 1, args.scales);
    launch_sums(stream, args, 0, 1);
    small.join();
  }

 private:
  void launch_picture(abi::Stream stream, Ssimulacra2Args& args, const Kernel<Ssimulacra2Args>& kernel, int scale,
                      int steps) const {
    args.from = scale;
    kernel.launch(stream,
                  {divided(args.scale[scale].stripes * kStripe, steps * kLightBlockColumns),
                   divided(args.scale[scale].height, kLightRows), 2},
                  kLightThreads, args);
  }

  // From XYB to the sums of scales from … to - 1.
  void launch_sums(abi::Stream stream, Ssimulacra2Args args, int from, int to) const {
    args.from = from;
    args.to = to;
    unsigned row_strips = 0;
    unsigned column_strips = 0;
    unsigned groups = 0;
    unsigned sums = 0;
    for (int s = from; s < to; ++s) {
      const Ssimulacra2Scale& scale = args.scale[s];
      for (int c = 0; c < kChannels; ++c) {
        const Weights& weights = parameters_.weights[s][c];
        if (scale.sums[c] == 0) continue;
        row_strips += divided(scale.height, kStripRows) * (weights.ssim() ? kBlurSignals : kEdgeSignals);
        column_strips += divided(scale.width, kStripColumns);
        groups += static_cast<unsigned>(scale.groups);
        sums += static_cast<unsigned>(std::popcount(scale.sums[c]));
      }
    }
    if (sums == 0) return;
    rows_.launch(stream, {row_strips}, kRowThreads, args);
    columns_.launch(stream, {column_strips}, kColumnThreads, args);
    guesses_.launch(stream, {sums}, kErrorGuessThreads, args);
    maps_.launch(stream, {groups}, kErrorThreads, args);
    walk_.launch(stream, {sums}, kErrorWalkThreads, args);
  }

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
      const auto height = static_cast<size_t>(scale.height);
      const size_t pixels = static_cast<size_t>(scale.width) * height;
      scale.stripes = static_cast<int>(divided(scale.width, kStripe));
      const size_t plane = static_cast<size_t>(scale.stripes * kStripe) * height;
      scale.row_chunks = static_cast<int>(divided(scale.width, kErrorChunk));
      scale.chunks = scale.row_chunks * scale.height;
      scale.groups = static_cast<int>(divided(scale.chunks, kErrorGroup));
      scale.light_pitch = static_cast<int>(divided(scale.width, 4)) * 4;
      for (int c = 0; c < kChannels; ++c)
        for (int i = 0; i < ssimulacra2::kErrors; ++i) {
          const Weights& weights = parameters_.weights[s][c];
          scale.sums[c] |= uint32_t{weights.mean[i] != 0} << (2 * i) | uint32_t{weights.fourth[i] != 0} << (2 * i + 1);
        }
      if (s > 0) scale.light = layout.take<float>(2 * 3 * static_cast<size_t>(scale.light_pitch) * height);
      scale.xyb = layout.take<float>(2 * kChannels * plane);
      scale.blurred = layout.take<float>(kChannels * kBlurSignals * plane);
      scale.errors = layout.take<double>(kChannels * 2 * pixels);
      const size_t chunks = kChannels * kSums * static_cast<size_t>(scale.chunks);
      const size_t groups = kChannels * kSums * static_cast<size_t>(scale.groups);
      scale.piece_sum = layout.take<float>(kChunkPieces * chunks);
      scale.chunk_binade = layout.take<PackedBinade>(chunks);
      scale.chunk_map = layout.take<GrowingRunMap<double>>(chunks);
      scale.group_binade = layout.take<PackedBinade>(groups);
      scale.group_map = layout.take<GrowingRunMap<double>>(groups);
    }
    return args;
  }

  ssimulacra2::Parameters parameters_;
  DeviceBuffer transfer_[2];
  Kernel<Ssimulacra2Args> first_;
  Kernel<Ssimulacra2Args> next_;
  Kernel<Ssimulacra2Args> rows_;
  Kernel<Ssimulacra2Args> columns_;
  Kernel<Ssimulacra2Args> guesses_;
  Kernel<Ssimulacra2Args> maps_;
  Kernel<Ssimulacra2Args> walk_;
};

}  // namespace

std::unique_ptr<FeatureKernels> make_ssimulacra2_kernels(const FeatureConfig& config, Device& device) {
  return std::make_unique<Ssimulacra2Kernels>(config, device);
}

}  // namespace qc::cuda
