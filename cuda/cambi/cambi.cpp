#include "cuda/cambi/cambi.h"

#include <algorithm>
#include <climits>
#include <optional>
#include <string>
#include <vector>

#include "cambi/cambi_parameters.h"
#include "cambi/heatmap.h"
#include "core/error.h"
#include "cuda/cambi/cambi_contrasts.h"
#include "cuda/cambi/cambi_levels.h"
#include "cuda/cambi/cambi_pooling.h"
#include "cuda/cambi/top_summation.h"
#include "cuda/device_layout.h"
#include "cuda/images.h"

namespace qc::cuda {
namespace {

bool always_ordered = false;

// Rows of a block go with the window, whose rows must be counted first, but a plane should fill the device.
constexpr int kLeastBand = 16;
constexpr int kMostBand = 128;

// Of a plane for each multiprocessor, if there are fewer strips' bands: then several blocks have the levels of each
// between them.
constexpr int kBlocks = 2;
constexpr int kMostParts = 8;

constexpr unsigned kRangeBlocks = 256;

int divide_up(int a, int b) { return (a + b - 1) / b; }

struct Report {
  uint32_t exceeded;  // a sample exceeds its depth
  uint32_t ordered[2][kCambiScales];
};

template <class T>
DeviceBuffer upload(const std::vector<T>& data) {
  if (data.empty()) return {};
  DeviceBuffer buffer = DeviceBuffer::allocate(data.size() * sizeof(T));
  const Stream stream = Stream::create();
  const Event done = Event::create();
  driver().cuMemcpyHtoDAsync(buffer.get(), data.data(), data.size() * sizeof(T), stream.get());
  done.record(stream.get());
  done.wait();
  return buffer;
}

// By index, which is the level less `base`.
std::vector<uint8_t> first_differences(const cambi::Parameters& p, int base, int indices) {
  std::vector<uint8_t> table(static_cast<size_t>(indices), static_cast<uint8_t>(p.differences + 1));
  for (int i = 0; i < indices; ++i)
    if (i + base >= 0 && i + base < cambi::kLevels)
      table[static_cast<size_t>(i)] = static_cast<uint8_t>(p.first_difference[i + base]);
  return table;
}

class CambiKernels final : public FeatureKernels {
 public:
  CambiKernels(const FeatureConfig& config, Device& device)
      : parameters_(cambi::parameters_of(config.options, config.geometry)),
        depth_(config.geometry.depth),
        multiprocessors_(device.multiprocessors()),
        base_(parameters_.first_level - parameters_.differences),
        indices_(std::max(0, parameters_.last_level - parameters_.first_level + 1 + 2 * parameters_.differences)),
        first_difference_(upload(first_differences(parameters_, base_, indices_))),
        reciprocals_(upload(parameters_.reciprocals)),
        levels_(device.module(kCambiLevelsImage), depth_ == 8 ? kCambiLevels8 : kCambiLevels16),
        range_(device.module(kCambiLevelsImage), kCambiRange),
        filter_(device.module(kCambiLevelsImage), kCambiFilter),
        wide_(std::max(parameters_.distorted.window, parameters_.reference.window) / 2 > kCambiWidePad),
        contrasts_(device.module(kCambiContrastsImage), wide_ ? kCambiWideContrasts : kCambiContrasts),
        class_counts_(device.module(kCambiPoolingImage), kCambiClassCounts),
        choice_(device.module(kCambiPoolingImage), kCambiChoice),
        sums_(device.module(kCambiPoolingImage), kCambiSums),
        total_(device.module(kCambiPoolingImage), kCambiTotal),
        top_summation_(device) {
    add_picture(parameters_.distorted, config.distorted, false);
    if (parameters_.full_reference) add_picture(parameters_.reference, config.reference, true);
    if (const std::string& folder = config.options.get_string("heatmaps_path"); !folder.empty())
      heatmaps_ = std::make_unique<cambi::HeatmapFiles>(folder, parameters_);
  }

  size_t scratch_bytes() const override {
    Buffers buffers;
    return lay_out(nullptr, buffers);
  }
  size_t report_bytes() const override { return sizeof(Report); }

  void enqueue(abi::Stream stream, const SlotMemory& memory) const override {
    auto* report = reinterpret_cast<Report*>(memory.report);
    for (const Picture& picture : pictures_) {
      if (picture.can_exceed)
        range_.launch(stream, {kRangeBlocks}, kCambiRangeThreads,
                      {memory.frame, picture.reference ? 1 : 0, &report->exceeded});
    }
    if (indices_ == 0) return;  // no level has visible steps: all sums are 0
    Buffers b;
    lay_out(memory.scratch, b);
    const Branch zeroing(stream);
    driver().cuMemsetD8Async(reinterpret_cast<DevicePtr>(b.selections), 0, planes() * sizeof(CambiSelection),
                             zeroing.stream());
    if (pictures_.size() > 1) {
      const Branch branch(stream);
      make_levels(branch.stream(), memory, 1, b);
      make_levels(stream, memory, 0, b);
      branch.join();
    } else {
      make_levels(stream, memory, 0, b);
    }
    int blocks = 0;
    int chunks = 0;
    const CambiPlanes all = planes_of(memory, b, blocks, chunks);
    contrasts_.launch(stream, {static_cast<unsigned>(blocks)}, static_cast<unsigned>(columns()),
                      {all, pointer<const uint8_t>(first_difference_.get()), pointer<const float>(reciprocals_.get()),
                       indices_, parameters_.differences});
    zeroing.join();
    const Grid by_chunk{static_cast<unsigned>(chunks)};
    const Grid by_plane{static_cast<unsigned>(planes())};
    class_counts_.launch(stream, by_chunk, kCambiPoolThreads, {all});
    choice_.launch(stream, by_plane, kCambiChoiceThreads, {all});
    sums_.launch(stream, by_chunk, kCambiPoolThreads, {all});
    total_.launch(stream, by_plane, kCambiChoiceThreads, {all});
  }

  void observe(abi::Stream stream, const SlotMemory& memory, int64_t frame) override {
    if (!heatmaps_) return;
    Buffers b;
    lay_out(memory.scratch, b);
    for (int s = 0; s < kCambiScales; ++s) {
      std::vector<float> contrasts(parameters_.distorted.scales[s].pixels());
      if (indices_ > 0) {
        driver().cuMemcpyDtoHAsync(contrasts.data(), reinterpret_cast<DevicePtr>(b.contrasts[0][s]),
                                   contrasts.size() * sizeof(float), stream);
        driver().cuStreamSynchronize(stream);
      }
      heatmaps_->write(frame, s, contrasts.data());
    }
  }

  bool unfinished(const std::byte*, const std::byte* report) const override {
    const auto& r = *reinterpret_cast<const Report*>(report);
    if (r.exceeded || (always_ordered && indices_ > 0)) return true;
    return std::any_of(&r.ordered[0][0], &r.ordered[0][0] + 2 * kCambiScales, [](uint32_t o) { return o != 0; });
  }

  void finish(abi::Stream stream, const SlotMemory& memory, const std::byte*, const std::byte* report) override {
    const auto& r = *reinterpret_cast<const Report*>(report);
    if (r.exceeded) fail_invalid("cambi: a sample exceeds the greatest value of " + std::to_string(depth_) + " bits");
    Buffers b;
    lay_out(memory.scratch, b);
    auto* record = reinterpret_cast<CambiRecord*>(memory.record);
    for (size_t i = 0; i < pictures_.size(); ++i) {
      for (int s = 0; s < kCambiScales; ++s) {
        if (!r.ordered[i][s] && !always_ordered) continue;
        const cambi::Scale& scale = pictures_[i].parameters->scales[s];
        top_summation_.enqueue(stream, b.contrasts[i][s], static_cast<uint32_t>(scale.pixels()),
                               static_cast<uint32_t>(scale.pooled), &record->top_sum[i][s]);
      }
    }
  }

 private:
  struct Picture {
    const cambi::PictureParameters* parameters;
    bool reference;
    bool can_exceed;  // the format has room for samples that exceed its depth
    int strips[kCambiScales];
    int pitch[kCambiScales];
    int band[kCambiScales];
    int parts[kCambiScales];
    DeviceBuffer columns;
    DeviceBuffer rows;
  };
  struct Buffers {
    CambiSelection* selections;
    uint16_t* image[2][2];  // of a picture: those of even and of odd scales
    uint16_t* indices[2][kCambiScales];
    uint32_t* contrasts[2][kCambiScales];
  };

  void add_picture(const cambi::PictureParameters& p, const QCFormat& format, bool reference) {
    Picture picture{};
    picture.parameters = &p;
    picture.reference = reference;
    picture.can_exceed = format.sample_bytes == 2 && format.shift == 0 && depth_ < 16;
    picture.columns = upload(p.columns);
    picture.rows = upload(p.rows);
    const int pad = p.window / 2;
    const int core = columns() - 2 * pad;
    for (int s = 0; s < kCambiScales; ++s) {
      const cambi::Scale& scale = p.scales[s];
      picture.strips[s] = divide_up(scale.width, core);
      picture.pitch[s] = divide_up(scale.width, kCambiAlign) * kCambiAlign;
      int& band = picture.band[s];
      band = std::clamp(pad * pad / 8, kLeastBand, kMostBand);
      while (band > kLeastBand && picture.strips[s] * divide_up(scale.height, band) < kBlocks * multiprocessors_)
        band = std::max(band / 2, kLeastBand);
      const int blocks = picture.strips[s] * divide_up(scale.height, picture.band[s]);
      picture.parts[s] = std::clamp(kBlocks * multiprocessors_ / blocks, 1, kMostParts);
    }
    pictures_.push_back(std::move(picture));
  }

  // That a block counts, and its threads.
  int columns() const { return wide_ ? kCambiWideColumns : kCambiColumns; }
  size_t planes() const { return pictures_.size() * kCambiScales; }

  // Returns the bytes needed.
  size_t lay_out(std::byte* base, Buffers& b) const {
    if (indices_ == 0) return 0;
    Layout layout(base);
    b = {};
    b.selections = layout.take<CambiSelection>(planes());
    for (size_t i = 0; i < pictures_.size(); ++i) {
      const Picture& picture = pictures_[i];
      const cambi::Scale* scale = picture.parameters->scales;
      const auto samples = [&](int s) {
        return static_cast<size_t>(picture.pitch[s]) * static_cast<size_t>(scale[s].height);
      };
      for (int s = 0; s < 2; ++s) b.image[i][s] = layout.take<uint16_t>(samples(s));
      for (int s = 0; s < kCambiScales; ++s) {
        b.indices[i][s] = layout.take<uint16_t>(samples(s));
        b.contrasts[i][s] = layout.take<uint32_t>(scale[s].pixels());
      }
    }
    return layout.bytes();
  }

  void make_levels(abi::Stream stream, const SlotMemory& memory, size_t i, const Buffers& b) const {
    const Picture& picture = pictures_[i];
    const cambi::PictureParameters& p = *picture.parameters;
    levels_.launch(stream,
                   {static_cast<unsigned>(divide_up(p.width, kCambiLevelsColumns)),
                    static_cast<unsigned>(divide_up(p.height, kCambiLevelsBlockRows))},
                   kCambiLevelsThreads,
                   {memory.frame, picture.reference ? 1 : 0, pointer<const int>(picture.columns.get()),
                    pointer<const int>(picture.rows.get()), p.width, p.height, parameters_.smoothed ? 1 : 0,
                    p.mask_threshold, parameters_.half_size ? 2 : 1, b.image[i][0], picture.pitch[0]});
    for (int s = 0; s < kCambiScales; ++s) {
      const cambi::Scale& scale = p.scales[s];
      const bool last = s + 1 == kCambiScales;
      filter_.launch(
          stream,
          {static_cast<unsigned>(divide_up(scale.width, kCambiFilterColumns)),
           static_cast<unsigned>(divide_up(scale.height, kCambiFilterBlockRows))},
          kCambiFilterThreads,
          {b.image[i][s % 2], scale.width, scale.height, picture.pitch[s], last ? nullptr : b.image[i][(s + 1) % 2],
           last ? 0 : picture.pitch[s + 1], b.indices[i][s], base_, indices_});
    }
  }

  CambiPlanes planes_of(const SlotMemory& memory, const Buffers& b, int& blocks, int& chunks) const {
    auto* record = reinterpret_cast<CambiRecord*>(memory.record);
    auto* report = reinterpret_cast<Report*>(memory.report);
    CambiPlanes all{};
    for (CambiPlane& plane : all.plane) plane.first_block = plane.first_chunk = INT_MAX;
    size_t n = 0;
    for (size_t i = 0; i < pictures_.size(); ++i) {
      const Picture& picture = pictures_[i];
      for (int s = 0; s < kCambiScales; ++s) {
        const cambi::Scale& scale = picture.parameters->scales[s];
        all.plane[n] = {b.indices[i][s],
                        b.contrasts[i][s],
                        b.selections + n,
                        &record->top_sum[i][s],
                        &report->ordered[i][s],
                        static_cast<uint32_t>(scale.pooled),
                        scale.width,
                        scale.height,
                        picture.pitch[s],
                        picture.parameters->window / 2,
                        picture.strips[s],
                        picture.band[s],
                        picture.parts[s],
                        blocks,
                        chunks};
        blocks += picture.strips[s] * divide_up(scale.height, picture.band[s]) * picture.parts[s];
        chunks += static_cast<int>((scale.pixels() + kCambiChunk - 1) / kCambiChunk);
        ++n;
      }
    }
    return all;
  }

  cambi::Parameters parameters_;
  int depth_;
  int multiprocessors_;
  int base_;     // level of the index 0
  int indices_;  // levels that pixels are counted for, 0: no level has visible steps
  DeviceBuffer first_difference_;
  DeviceBuffer reciprocals_;
  std::vector<Picture> pictures_;
  Kernel<CambiLevelsArgs> levels_;
  Kernel<CambiRangeArgs> range_;
  Kernel<CambiFilterArgs> filter_;
  bool wide_;
  Kernel<CambiContrastArgs> contrasts_;
  Kernel<CambiPoolArgs> class_counts_;
  Kernel<CambiPoolArgs> choice_;
  Kernel<CambiPoolArgs> sums_;
  Kernel<CambiPoolArgs> total_;
  TopSummation top_summation_;
  std::unique_ptr<cambi::HeatmapFiles> heatmaps_;
};

}  // namespace

void set_cambi_always_ordered(bool always) { always_ordered = always; }

std::unique_ptr<FeatureKernels> make_cambi_kernels(const FeatureConfig& config, Device& device) {
  return std::make_unique<CambiKernels>(config, device);
}

}  // namespace qc::cuda
