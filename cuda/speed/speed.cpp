#include "cuda/speed/speed.h"

#include <algorithm>
#include <iterator>

#include "cuda/device_layout.h"
#include "cuda/images.h"
#include "cuda/speed/speed_score.h"
#include "speed/speed_parameters.h"

namespace qc::cuda {
namespace {

using speed::kOffsets;

unsigned groups(int size, int per_group) { return static_cast<unsigned>((size + per_group - 1) / per_group); }

// A Resampling in device memory.
class ResamplingBuffer {
 public:
  explicit ResamplingBuffer(const speed::Resampling& r) {
    if (r.index.empty()) return;
    index_ = DeviceBuffer::upload(r.index.data(), r.index.size() * sizeof(int));
    weight_ = DeviceBuffer::upload(r.weight.data(), r.weight.size() * sizeof(float));
  }
  SpeedResampling get() const { return {pointer<const int>(index_.get()), pointer<const float>(weight_.get())}; }

 private:
  DeviceBuffer index_;
  DeviceBuffer weight_;
};

SpeedSizes sizes_of(const speed::Sizes& s) {
  return {s.scaled_width, s.scaled_height, s.reduced_width, s.reduced_height,
          s.blocks_x,     s.blocks_y,      s.positions_x,   s.positions_y};
}

class SpeedKernels final : public FeatureKernels {
 public:
  SpeedKernels(const speed::Parameters& parameters, SpeedImages images, int planes, bool bytes, Device& device)
      : parameters_(parameters),
        sizes_(sizes_of(parameters.sizes)),
        images_(images),
        planes_(planes),
        columns_(parameters.columns),
        rows_(parameters.rows),
        log2_table_(DeviceBuffer::upload(speed::log2_table(), speed::kLog2Entries * sizeof(speed::Log2Entry))) {
    const Module& module = device.module(kSpeedScoreImage);
    filter_ = {module, bytes ? kSpeedFilter8 : kSpeedFilter16};
    local_mean_ = {module, kSpeedLocalMean};
    means_ = {module, kSpeedMeans};
    covariance_ = {module, kSpeedCovariance};
    matrices_ = {module, kSpeedMatrices};
    blocks_ = {module, kSpeedBlocks};
    total_ = {module, kSpeedTotal};
  }

  size_t scratch_bytes() const override {
    Layout layout(nullptr);
    lay_out(layout);
    return layout.bytes();
  }

  void enqueue(abi::Stream stream, const SlotMemory& memory) const override {
    Layout layout(memory.scratch);
    const Scratch scratch = lay_out(layout);
    const auto images = static_cast<unsigned>(2 * planes_);
    const auto planes = static_cast<unsigned>(planes_);
    const speed::Parameters& p = parameters_;

    SpeedFilterArgs filter{memory.frame,       images_, sizes_,     p.taps, p.normalised, columns_.get(), rows_.get(),
                           p.antialias.taps(), {},      scratch.low};
    std::copy(p.antialias.tap.begin(), p.antialias.tap.end(), std::begin(filter.tap));
    filter_.launch(stream,
                   {groups(sizes_.reduced_width, kSpeedOutputs), static_cast<unsigned>(sizes_.reduced_height), images},
                   kSpeedFilterThreads, filter);
    SpeedLocalMeanArgs mean{sizes_, p.local_mean.taps(), {}, scratch.low, scratch.reduced};
    std::copy(p.local_mean.tap.begin(), p.local_mean.tap.end(), std::begin(mean.tap));
    local_mean_.launch(stream, {groups(sizes_.reduced_width * sizes_.reduced_height, kSpeedLocalMeanThreads), images},
                       kSpeedLocalMeanThreads, mean);
    means_.launch(stream, {images}, kSpeedMeansThreads, {sizes_, scratch.reduced, scratch.means});
    covariance_.launch(stream, {groups(kOffsets * (kOffsets + 1) / 2, kSpeedPairs), images}, kSpeedCovarianceThreads,
                       {sizes_, scratch.reduced, scratch.means, scratch.covariance});
    matrices_.launch(stream, {2, images}, kSpeedMatricesThreads, {scratch.covariance, scratch.matrices});
    blocks_.launch(stream, {groups(p.sizes.blocks(), kSpeedBlocksThreads), planes}, kSpeedBlocksThreads,
                   {sizes_, p.weighting, p.noise, p.least_entropy, scratch.reduced, scratch.matrices,
                    pointer<const speed::Log2Entry>(log2_table_.get()), scratch.block_scores});
    total_.launch(
        stream, {planes}, kSpeedTotalThreads,
        {p.sizes.blocks(), scratch.matrices, scratch.block_scores, reinterpret_cast<SpeedRecord*>(memory.record)});
  }

 private:
  struct Scratch {
    float* low;
    float* reduced;
    float* means;
    float* covariance;
    SpeedMatrices* matrices;
    float* block_scores;
  };
  Scratch lay_out(Layout& layout) const {
    const size_t images = 2 * static_cast<size_t>(planes_);
    const size_t samples = static_cast<size_t>(sizes_.reduced_width) * static_cast<size_t>(sizes_.reduced_height);
    Scratch s{};
    s.low = layout.take<float>(images * samples);
    s.reduced = layout.take<float>(images * samples);
    s.means = layout.take<float>(images * kOffsets);
    s.covariance = layout.take<float>(images * kOffsets * kOffsets);
    s.matrices = layout.take<SpeedMatrices>(images);
    s.block_scores = layout.take<float>(static_cast<size_t>(planes_) * static_cast<size_t>(parameters_.sizes.blocks()));
    return s;
  }

  speed::Parameters parameters_;
  SpeedSizes sizes_;
  SpeedImages images_;
  int planes_;
  ResamplingBuffer columns_;
  ResamplingBuffer rows_;
  DeviceBuffer log2_table_;
  Kernel<SpeedFilterArgs> filter_;
  Kernel<SpeedLocalMeanArgs> local_mean_;
  Kernel<SpeedMeansArgs> means_;
  Kernel<SpeedCovarianceArgs> covariance_;
  Kernel<SpeedMatricesArgs> matrices_;
  Kernel<SpeedBlocksArgs> blocks_;
  Kernel<SpeedTotalArgs> total_;
};

}  // namespace

std::unique_ptr<FeatureKernels> make_speed_chroma_kernels(const FeatureConfig& config, Device& device) {
  return std::make_unique<SpeedKernels>(speed::chroma_parameters(config.options, config.geometry), SpeedImages::Chroma,
                                        2, config.geometry.depth == 8, device);
}

std::unique_ptr<FeatureKernels> make_speed_temporal_kernels(const FeatureConfig& config, Device& device) {
  return std::make_unique<SpeedKernels>(
      speed::temporal_parameters(config.options, config.geometry),
      config.options.get_bool("speed_use_ref_diff") ? SpeedImages::ChangesToReference : SpeedImages::Changes, 1,
      config.geometry.depth == 8, device);
}

}  // namespace qc::cuda
