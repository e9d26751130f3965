#include "cuda/ssim/ssim.h"

#include <algorithm>
#include <atomic>
#include <span>
#include <tuple>
#include <vector>

#include "cuda/device_layout.h"
#include "cuda/images.h"
#include "cuda/math/ordered_summation.h"
#include "cuda/ssim/decimation.h"
#include "cuda/ssim/moment_ssim.h"
#include "cuda/ssim/windowed_ssim.h"
#include "ssim/ssim_arithmetic.h"

namespace qc::cuda {
namespace {

std::atomic<double> margin_factor{1.0};
std::atomic<bool> always_pairs{false};

bool use_pairs(const Device& device) { return always_pairs || device.slow_float64(); }

constexpr unsigned kAllTerms = (1U << kSsimTerms) - 1;

int divide_up(int a, int b) { return (a + b - 1) / b; }

float sample_scale(int depth) { return 1.0F / static_cast<float>(1 << (depth - 8)); }

// Blocks that a long kernel fills the GPU with. A place on each multiprocessor stays free, so that the decoder's short
// kernels need not wait for the end of one of its blocks.
template <class Args>
int blocks_at_once(const Kernel<Args>& kernel, int threads, const Device& device) {
  return std::max(1, kernel.resident_blocks(threads) - 1) * device.multiprocessors();
}

// Rows of positions a block, so that all blocks are resident at once, or nearly so: with more blocks the last ones
// would leave the GPU idle, and every block filters the rows above its first positions again. Few positions get short
// blocks.
int rows_per_block(int columns, int rows, int threads, int resident_blocks) {
  constexpr int kLeast = 8;
  const int across = divide_up(columns, threads);
  const int down = std::max(1, resident_blocks / across);
  const int even_rows = (divide_up(rows, down) + 1) / 2 * 2;
  return std::max(even_rows, kLeast);
}

// A pair of planes whose windowed SSIM is wanted, and what becomes of it.
struct Scale {
  int width;
  int height;
  unsigned wanted;  // bit i: SsimTerm i
  int rows_per_block = 0;

  int columns() const { return width - (ssim::kWindowTaps - 1); }
  int rows() const { return height - (ssim::kWindowTaps - 1); }
  bool any() const { return columns() > 0 && rows() > 0; }
  int blocks_across() const { return any() ? divide_up(columns(), kWindowThreads) : 0; }
  int blocks() const { return any() ? blocks_across() * divide_up(rows(), rows_per_block) : 0; }
  int64_t positions() const { return any() ? int64_t{columns()} * rows() : 0; }
};

// Sum and means of terms over the windows of one or several scales.
class WindowedKernels {
 public:
  enum Source { kLuma8, kLuma16, kPositive, kSigned };

  WindowedKernels(const Geometry& geometry, Device& device)
      : device_(device),
        sources_{windowed(device, kWindowedSsim8, kWindowedSsim8Pairs),
                 windowed(device, kWindowedSsim16, kWindowedSsim16Pairs),
                 windowed(device, kWindowedSsimPositive, kWindowedSsimPositivePairs),
                 windowed(device, kWindowedSsimSigned, kWindowedSsimSignedPairs)},
        means_(device.module(kWindowedSsimImage), kSsimMeans),
        ordered_mean_(device.module(kWindowedSsimImage), kOrderedMean),
        summation_(device),
        luma_(geometry.depth == 8 ? kLuma8 : kLuma16),
        scale_(sample_scale(geometry.depth)) {}

  Source luma() const { return luma_; }

  void add_scale(int width, int height, unsigned wanted) {
    Scale s{width, height, wanted};
    if (s.any())
      s.rows_per_block = rows_per_block(s.columns(), s.rows(), kWindowThreads,
                                        blocks_at_once(sources_[luma_], kWindowThreads, device_));
    scales_.push_back(s);
  }
  const std::vector<Scale>& scales() const { return scales_; }

  SsimPartialSums* take_sums(Layout& layout, size_t i) const {
    return layout.take<SsimPartialSums>(static_cast<size_t>(scales_[i].blocks()));
  }

  WindowedPlane plane(size_t i, const float* x, const float* y, SsimPartialSums* sums) const {
    const Scale& s = scales_[i];
    return {x, y, s.width, s.height, s.rows_per_block, s.blocks_across(), s.blocks(), s.wanted, sums};
  }

  void sum(abi::Stream stream, Source source, const FrameParameters* frame,
           std::span<const WindowedPlane> planes) const {
    WindowedSsimArgs args{};
    args.frame = frame;
    args.scale = scale_;
    unsigned blocks = 0;
    for (const WindowedPlane& p : planes) {
      if (p.blocks == 0) continue;
      args.plane[args.planes++] = p;
      blocks += static_cast<unsigned>(p.blocks);
    }
    if (blocks) sources_[source].launch(stream, {blocks}, kWindowThreads, args);
  }

  // `sums`, of each scale, become `means`, and `uncertain` says which of them need order.
  void means(abi::Stream stream, std::span<SsimPartialSums* const> sums, SsimMeans* means, uint32_t* uncertain) const {
    SsimMeansArgs args{};
    for (size_t i = 0; i < scales_.size(); ++i) {
      const Scale& s = scales_[i];
      // ssim.md: |sum in order - exact sum| <= 1.01 * n * 2^-53 * magnitudes. Any other order: instead of n the longest
      // chain of additions, here a thread's, a block's, those over blocks, and the last block's.
      const int chain = s.rows_per_block + 10 + divide_up(s.blocks(), kMeansThreads) + 10;
      const double margin = 1.05 * (static_cast<double>(s.positions()) + chain) * margin_factor;
      args.plane[i] = {s.columns(), s.rows(), s.blocks(), sums[i], margin, s.wanted, means + i, uncertain + i};
    }
    means_.launch(stream, {static_cast<unsigned>(scales_.size())}, kMeansThreads, args);
  }

  // Mean `term` of scale i again, by the sum in order. For one frame at a time.
  void order(abi::Stream stream, Source source, const FrameParameters* frame, const WindowedPlane& plane, size_t i,
             SsimTerm term, SsimMeans* means) {
    const Scale& s = scales_[i];
    const int64_t count = s.positions();
    const auto lay_out = [](Layout& layout, int64_t n) {
      double* terms = layout.take<double>(static_cast<size_t>(n));
      double* result = layout.take<double>(1);
      return std::tuple(terms, result, layout.take<std::byte>(OrderedSummation::scratch_bytes(n)));
    };
    if (!order_memory_) {
      int64_t most = 0;
      for (const Scale& each : scales_) most = std::max(most, each.positions());
      Layout size(nullptr);
      lay_out(size, most);
      order_memory_ = DeviceBuffer::allocate(size.bytes());
    }
    Layout layout(pointer<std::byte>(order_memory_.get()));
    const auto [terms, result, scratch] = lay_out(layout, count);
    WindowedSsimArgs args{};
    args.frame = frame;
    args.scale = scale_;
    args.planes = 1;
    args.plane[0] = plane;
    args.terms = terms;
    args.term = term;
    sources_[source].launch(stream, {static_cast<unsigned>(plane.blocks)}, kWindowThreads, args);
    summation_.enqueue(stream, terms, count, scratch, result);
    ordered_mean_.launch(stream, {1}, 32, {result, s.columns(), s.rows(), &means->ssim + term});
  }

 private:
  static Kernel<WindowedSsimArgs> windowed(Device& device, const KernelName<WindowedSsimArgs>& wide,
                                           const KernelName<WindowedSsimArgs>& pairs) {
    return {device.module(kWindowedSsimImage), use_pairs(device) ? pairs : wide};
  }

  const Device& device_;
  Kernel<WindowedSsimArgs> sources_[4];
  Kernel<SsimMeansArgs> means_;
  Kernel<OrderedMeanArgs> ordered_mean_;
  OrderedSummation summation_;
  Source luma_;
  float scale_;
  std::vector<Scale> scales_;
  DeviceBuffer order_memory_;
};

class FloatSsimKernels final : public FeatureKernels {
 public:
  FloatSsimKernels(const FeatureConfig& config, Device& device)
      : windows_(config.geometry, device),
        decimation_(device.module(kDecimationImage), kBoxDecimation),
        factor_(config.options.get_int("scale")),
        sample_scale_(sample_scale(config.geometry.depth)) {
    const Geometry& g = config.geometry;
    if (factor_ == 0) factor_ = ssim::automatic_scale(g.width, g.height);
    const auto side = [&](int size) { return factor_ == 1 ? size : ssim::decimated_size(size, factor_); };
    windows_.add_scale(side(g.width), side(g.height),
                       config.options.get_bool("enable_lcs") ? kAllTerms : 1U << kProductTerm);
  }

  size_t scratch_bytes() const override {
    Layout layout(nullptr);
    lay_out(layout);
    return layout.bytes();
  }
  size_t report_bytes() const override { return sizeof(uint32_t); }

  void enqueue(abi::Stream stream, const SlotMemory& memory) const override {
    Layout layout(memory.scratch);
    const Buffers buffers = lay_out(layout);
    const Scale& s = windows_.scales()[0];
    if (factor_ > 1 && s.any()) {
      const Grid grid{static_cast<unsigned>(divide_up(s.width, kBoxThreads)), static_cast<unsigned>(s.height), 2};
      decimation_.launch(stream, grid, kBoxThreads,
                         {memory.frame, sample_scale_, factor_, {buffers.x, buffers.y}, s.width, s.height});
    }
    const WindowedPlane plane = windows_.plane(0, buffers.x, buffers.y, buffers.sums);
    windows_.sum(stream, source(), memory.frame, {&plane, 1});
    windows_.means(stream, {&buffers.sums, 1}, means(memory), reinterpret_cast<uint32_t*>(memory.report));
  }
  bool unfinished(const std::byte*, const std::byte* report) const override {
    return *reinterpret_cast<const uint32_t*>(report) != 0;
  }
  void finish(abi::Stream stream, const SlotMemory& memory, const std::byte*, const std::byte* report) override {
    Layout layout(memory.scratch);
    const Buffers buffers = lay_out(layout);
    const WindowedPlane plane = windows_.plane(0, buffers.x, buffers.y, buffers.sums);
    for (int t = 0; t < kSsimTerms; ++t)
      if ((*reinterpret_cast<const uint32_t*>(report) >> t) & 1)
        windows_.order(stream, source(), memory.frame, plane, 0, static_cast<SsimTerm>(t), means(memory));
  }

 private:
  struct Buffers {
    float* x;  // null: windows over luma itself
    float* y;
    SsimPartialSums* sums;
  };
  Buffers lay_out(Layout& layout) const {
    const Scale& s = windows_.scales()[0];
    const size_t samples = static_cast<size_t>(s.width) * static_cast<size_t>(s.height);
    Buffers b{};
    if (factor_ > 1) {
      b.x = layout.take<float>(samples);
      b.y = layout.take<float>(samples);
    }
    b.sums = windows_.take_sums(layout, 0);
    return b;
  }
  static SsimMeans* means(const SlotMemory& memory) {
    return &reinterpret_cast<FloatSsimRecord*>(memory.record)->means;
  }
  WindowedKernels::Source source() const { return factor_ > 1 ? WindowedKernels::kPositive : windows_.luma(); }

  WindowedKernels windows_;
  Kernel<BoxDecimationArgs> decimation_;
  int factor_;
  float sample_scale_;
};

class FloatMsSsimKernels final : public FeatureKernels {
 public:
  FloatMsSsimKernels(const FeatureConfig& config, Device& device)
      : windows_(config.geometry, device),
        luma_decimation_(config.geometry.depth == 8 ? low_pass(device, kLumaLowPass8, kLumaLowPass8Pairs)
                                                    : low_pass(device, kLumaLowPass16, kLumaLowPass16Pairs)),
        plane_decimation_(low_pass(device, kPlaneLowPass, kPlaneLowPassPairs)),
        sample_scale_(sample_scale(config.geometry.depth)) {
    int width = config.geometry.width;
    int height = config.geometry.height;
    for (int i = 0; i < ssim::kScales; ++i) {
      // Only the last scale's luminance counts for the score.
      const bool luminance = config.options.get_bool("enable_lcs") || i == ssim::kScales - 1;
      windows_.add_scale(width, height, luminance ? kAllTerms : 1U << kContrastTerm | 1U << kStructureTerm);
      width = ssim::decimated_size(width, 2);
      height = ssim::decimated_size(height, 2);
    }
  }

  size_t scratch_bytes() const override {
    Layout layout(nullptr);
    lay_out(layout);
    return layout.bytes();
  }
  size_t report_bytes() const override { return ssim::kScales * sizeof(uint32_t); }

  void enqueue(abi::Stream stream, const SlotMemory& memory) const override {
    Layout layout(memory.scratch);
    const Buffers b = lay_out(layout);
    WindowedPlane planes[ssim::kScales];
    for (size_t i = 0; i < ssim::kScales; ++i) planes[i] = windows_.plane(i, b.x[i], b.y[i], b.sums[i]);
    // The small scales' kernels don't fill the GPU, so they run beside those of luma.
    const Branch small(stream);
    for (int i = 1; i < ssim::kScales; ++i) {
      const Scale& in = windows_.scales()[static_cast<size_t>(i) - 1];
      const Scale& out = windows_.scales()[static_cast<size_t>(i)];
      const int rows = i == 1 ? kLowPassRows<kLumaLowPassStep> : kLowPassRows<kPlaneLowPassStep>;
      const Grid grid{static_cast<unsigned>(divide_up(out.width, kLowPassColumns)),
                      static_cast<unsigned>(divide_up(out.height, rows)), 2};
      (i == 1 ? luma_decimation_ : plane_decimation_)
          .launch(small.stream(), grid, kLowPassThreads,
                  {memory.frame, sample_scale_, {b.x[i - 1], b.y[i - 1]}, in.width, in.height, {b.x[i], b.y[i]}});
    }
    windows_.sum(small.stream(), WindowedKernels::kSigned, memory.frame, {planes + 1, ssim::kScales - 1});
    windows_.sum(stream, windows_.luma(), memory.frame, {planes, 1});
    small.join();
    windows_.means(stream, b.sums, means(memory), reinterpret_cast<uint32_t*>(memory.report));
  }
  bool unfinished(const std::byte*, const std::byte* report) const override {
    const auto* uncertain = reinterpret_cast<const uint32_t*>(report);
    return std::any_of(uncertain, uncertain + ssim::kScales, [](uint32_t u) { return u != 0; });
  }
  void finish(abi::Stream stream, const SlotMemory& memory, const std::byte*, const std::byte* report) override {
    Layout layout(memory.scratch);
    const Buffers b = lay_out(layout);
    for (size_t i = 0; i < ssim::kScales; ++i) {
      const uint32_t uncertain = reinterpret_cast<const uint32_t*>(report)[i];
      const WindowedPlane plane = windows_.plane(i, b.x[i], b.y[i], b.sums[i]);
      for (int t = 0; t < kSsimTerms; ++t)
        if ((uncertain >> t) & 1)
          windows_.order(stream, i == 0 ? windows_.luma() : WindowedKernels::kSigned, memory.frame, plane, i,
                         static_cast<SsimTerm>(t), means(memory) + i);
    }
  }

 private:
  static Kernel<LowPassDecimationArgs> low_pass(Device& device, const KernelName<LowPassDecimationArgs>& wide,
                                                const KernelName<LowPassDecimationArgs>& pairs) {
    return {device.module(kDecimationImage), use_pairs(device) ? pairs : wide};
  }
  struct Buffers {
    float* x[ssim::kScales] = {};  // [0]: null, luma itself
    float* y[ssim::kScales] = {};
    SsimPartialSums* sums[ssim::kScales] = {};
  };
  Buffers lay_out(Layout& layout) const {
    Buffers b;
    for (size_t i = 0; i < ssim::kScales; ++i) {
      const Scale& s = windows_.scales()[i];
      const size_t samples = static_cast<size_t>(s.width) * static_cast<size_t>(s.height);
      if (i > 0) {
        b.x[i] = layout.take<float>(samples);
        b.y[i] = layout.take<float>(samples);
      }
      b.sums[i] = windows_.take_sums(layout, i);
    }
    return b;
  }
  static SsimMeans* means(const SlotMemory& memory) {
    return reinterpret_cast<FloatMsSsimRecord*>(memory.record)->scale;
  }

  WindowedKernels windows_;
  Kernel<LowPassDecimationArgs> luma_decimation_;
  Kernel<LowPassDecimationArgs> plane_decimation_;
  float sample_scale_;
};

class SsimKernels final : public FeatureKernels {
 public:
  SsimKernels(const FeatureConfig& config, Device& device)
      : wide_(config.geometry.depth > 12),
        terms_(device.module(kMomentSsimImage),
               wide_ ? kWideMomentSsim : (config.geometry.depth == 8 ? kByteMomentSsim : kMomentSsim)),
        summation_(device),
        width_(config.geometry.width),
        height_(config.geometry.height),
        depth_(config.geometry.depth),
        rows_per_block_(rows_per_block(width_, height_, threads(), blocks_at_once(terms_, threads(), device))) {}

  size_t scratch_bytes() const override {
    Layout layout(nullptr);
    lay_out(layout);
    return layout.bytes();
  }
  void enqueue(abi::Stream stream, const SlotMemory& memory) const override {
    Layout layout(memory.scratch);
    const auto [terms, scratch] = lay_out(layout);
    const Grid grid{static_cast<unsigned>(divide_up(width_, threads())),
                    static_cast<unsigned>(divide_up(height_, rows_per_block_))};
    terms_.launch(stream, grid, static_cast<unsigned>(threads()), {memory.frame, depth_, rows_per_block_, terms});
    summation_.enqueue(stream, terms, count(), scratch, &reinterpret_cast<SsimRecord*>(memory.record)->sum);
  }

 private:
  int threads() const { return wide_ ? kWideMomentThreads : kMomentThreads; }
  int64_t count() const { return int64_t{width_} * height_; }
  std::pair<double*, std::byte*> lay_out(Layout& layout) const {
    double* terms = layout.take<double>(static_cast<size_t>(count()));
    return {terms, layout.take<std::byte>(OrderedSummation::scratch_bytes(count()))};
  }

  bool wide_;
  Kernel<MomentSsimArgs> terms_;
  OrderedSummation summation_;
  int width_;
  int height_;
  int depth_;
  int rows_per_block_;
};

}  // namespace

void set_ssim_margin_factor(double factor) { margin_factor = factor; }
void set_ssim_float_pairs(bool always) { always_pairs = always; }

std::unique_ptr<FeatureKernels> make_ssim_kernels(const FeatureConfig& config, Device& device) {
  return std::make_unique<SsimKernels>(config, device);
}

std::unique_ptr<FeatureKernels> make_float_ssim_kernels(const FeatureConfig& config, Device& device) {
  return std::make_unique<FloatSsimKernels>(config, device);
}

std::unique_ptr<FeatureKernels> make_float_ms_ssim_kernels(const FeatureConfig& config, Device& device) {
  return std::make_unique<FloatMsSsimKernels>(config, device);
}

}  // namespace qc::cuda
