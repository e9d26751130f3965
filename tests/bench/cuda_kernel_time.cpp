// Times the CUDA kernels of features on one GPU, a frame's graph at a time, next to what moving the frames' bytes
// takes.
//
//   cuda_kernel_time [WIDTH HEIGHT DEPTH [FEATURE[:OPTION=VALUE…][|FEATURE…]…]]
//
// Features of one argument, with "|" between them, run side by side.
// Pictures are nv12-like (8 bits) or p010-like, as decoders leave them; cambi, which passes over noise, gets smooth
// ones with bands. Enough pairs are rotated that the second-level cache does not hold them.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/context_options.h"
#include "core/error.h"
#include "cuda/kernels.h"

namespace qc::cuda {
namespace {

constexpr size_t kCacheBytes = size_t{256} << 20;
constexpr int kRounds = 20;

QCFormat decoder_format(int width, int height, int depth) {
  QCFormat f{};
  f.width = width;
  f.height = height;
  f.chroma = QC_CHROMA_420;
  f.depth = depth;
  f.sample_bytes = depth == 8 ? 1 : 2;
  f.shift = depth == 8 ? 0 : 16 - depth;
  f.interleaved_chroma = 1;
  f.matrix = f.primaries = f.transfer = 2;
  f.full_range = -1;
  return f;
}

// Natural-looking enough that no kernel meets only special values: a smooth pattern with noise, or bands of levels that
// cross each other, dark enough to be seen, with a speck here and there.
std::vector<uint8_t> make_picture(const QCFormat& f, size_t stride, bool banded, std::mt19937& random) {
  const int peak = (1 << f.depth) - 1;
  const int rows = f.height + f.height / 2;
  std::vector<uint8_t> bytes(stride * static_cast<size_t>(rows));
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < f.width; ++x) {
      const auto noise = static_cast<int>(random() >> 27);
      const int level = banded ? 30 + (x + 2 * y) / 40 % 60 + (2 * x - y + 2 * f.height) / 100 % 30 + noise / 31
                               : (x * y / 64 + 3 * x + 5 * y) / 8 % 200 + noise;
      const int v = std::clamp(level << (f.depth - 8), 0, peak) << f.shift;
      uint8_t* p = &bytes[static_cast<size_t>(y) * stride + static_cast<size_t>(x * f.sample_bytes)];
      p[0] = static_cast<uint8_t>(v);
      if (f.sample_bytes == 2) p[1] = static_cast<uint8_t>(v >> 8);
    }
  return bytes;
}

struct Pairs {
  std::vector<DeviceBuffer> pictures;
  DeviceBuffer parameters;
  int count = 0;
  double bytes = 0;  // of one pair
};

Pairs make_pairs(const QCFormat& f, bool banded, abi::Stream stream) {
  Pairs pairs;
  const size_t stride = (static_cast<size_t>(f.width * f.sample_bytes) + 511) / 512 * 512;
  const size_t bytes = stride * static_cast<size_t>(f.height + f.height / 2);
  pairs.count = static_cast<int>(std::clamp<size_t>(kCacheBytes / (2 * bytes), 2, 64));
  pairs.bytes = 2.0 * 1.5 * f.width * f.height * f.sample_bytes;
  std::mt19937 random(1);
  std::vector<FrameParameters> parameters(static_cast<size_t>(pairs.count));
  const std::vector<uint8_t> pictures[2] = {make_picture(f, stride, banded, random),
                                            make_picture(f, stride, banded, random)};
  for (FrameParameters& p : parameters) {
    PictureView* views[2] = {&p.current.reference, &p.current.distorted};
    for (int i = 0; i < 2; ++i) {
      pairs.pictures.push_back(DeviceBuffer::allocate(bytes));
      const DevicePtr base = pairs.pictures.back().get();
      driver().cuMemcpyHtoDAsync(base, pictures[i].data(), bytes, stream);
      QCFrame frame{};
      frame.data[0] = pointer<const void>(base);
      frame.data[1] = pointer<const void>(base + stride * static_cast<size_t>(f.height));
      frame.stride[0] = frame.stride[1] = static_cast<ptrdiff_t>(stride);
      *views[i] = view_of(frame, f);
    }
  }
  // Every pair follows the two before it.
  for (size_t i = 0; i < parameters.size(); ++i) {
    FrameParameters& p = parameters[i];
    p.previous_count = kMaxHistory;
    for (size_t k = 0; k < kMaxHistory; ++k)
      p.previous[k] = parameters[(i + parameters.size() - k - 1) % parameters.size()].current;
  }
  pairs.parameters = DeviceBuffer::allocate(parameters.size() * sizeof(FrameParameters));
  driver().cuMemcpyHtoDAsync(pairs.parameters.get(), parameters.data(), parameters.size() * sizeof(FrameParameters),
                             stream);
  driver().cuStreamSynchronize(stream);
  return pairs;
}

// Median microseconds of a launch of `graph`, which does something `count` times, by that count.
double time_graph(const Graph& graph, int count, abi::Stream stream) {
  const Event begin = Event::create_timed();
  const Event end = Event::create_timed();
  std::vector<double> rounds;
  for (int round = 0; round < kRounds; ++round) {
    begin.record(stream);
    graph.launch(stream);
    end.record(stream);
    end.wait();
    float ms = 0;
    driver().cuEventElapsedTime(&ms, begin.get(), end.get());
    if (round > 2) rounds.push_back(1000.0 * static_cast<double>(ms) / count);
  }
  std::nth_element(rounds.begin(), rounds.begin() + static_cast<long>(rounds.size() / 2), rounds.end());
  return rounds[rounds.size() / 2];
}

// Bytes read and written per microsecond by a large copy.
double copy_bandwidth(const Stream& stream) {
  constexpr size_t kBytes = size_t{1} << 30;
  const DeviceBuffer from = DeviceBuffer::allocate(kBytes);
  const DeviceBuffer to = DeviceBuffer::allocate(kBytes);
  driver().cuMemsetD8Async(from.get(), 1, kBytes, stream.get());
  constexpr int kCopies = 8;
  const Graph graph = Graph::capture(stream, [&] {
    for (int i = 0; i < kCopies; ++i) driver().cuMemcpyDtoDAsync(to.get(), from.get(), kBytes, stream.get());
  });
  return 2.0 * kBytes / time_graph(graph, kCopies, stream.get());
}

// A feature and memory for a frame of it.
struct TimedFeature {
  std::unique_ptr<Feature> feature;
  std::unique_ptr<FeatureKernels> kernels;
  DeviceBuffer record;
  DeviceBuffer report;
  DeviceBuffer scratch;

  SlotMemory memory(const FrameParameters* frame) const {
    return {frame, pointer<std::byte>(record.get()), pointer<std::byte>(report.get()),
            pointer<std::byte>(scratch.get())};
  }
};

// Those of a request that have kernels.
std::vector<TimedFeature> make_features(const std::string& request, const QCFormat& f, Device& device,
                                        abi::Stream stream) {
  std::vector<TimedFeature> features;
  for (const FeatureRequest& parsed : parse_feature_option(request)) {
    const RegistryEntry& entry = registry()[registry_index(parsed.name)];
    if (!entry.make_cuda_kernels) continue;
    OptionSet options(entry.definition->options);
    for (const auto& [key, value] : parsed.options) options.set(key, value, parsed.name);
    const Geometry geometry = geometry_of(f);
    const FeatureConfig config{options, geometry, f, f};
    TimedFeature t{entry.definition->create(config), entry.make_cuda_kernels(config, device), {}, {}, {}};
    t.record = DeviceBuffer::allocate(t.feature->record_size());
    t.report = DeviceBuffer::allocate(t.kernels->report_bytes());
    t.scratch = DeviceBuffer::allocate(t.kernels->scratch_bytes());
    driver().cuMemsetD8Async(t.record.get(), 0, t.feature->record_size(), stream);
    features.push_back(std::move(t));
  }
  return features;
}

void time_features(const std::string& request, const std::string& title, const QCFormat& f, Device& device,
                   const Stream& stream, const Pairs& pairs, double bandwidth) {
  const std::vector<TimedFeature> features = make_features(request, f, device, stream.get());
  if (features.empty()) return;
  const auto* parameters = pointer<const FrameParameters>(pairs.parameters.get());
  const Graph graph = Graph::capture(stream, [&] {
    for (int i = 0; i < pairs.count; ++i) {
      // A frame's features side by side, as the executor has them.
      std::vector<std::unique_ptr<Branch>> branches;
      for (size_t k = 1; k < features.size(); ++k) branches.push_back(std::make_unique<Branch>(stream.get()));
      for (size_t k = 0; k < features.size(); ++k)
        features[k].kernels->enqueue(k == 0 ? stream.get() : branches[k - 1]->stream(),
                                     features[k].memory(parameters + i));
      for (const auto& branch : branches) branch->join();
    }
  });
  const double us = time_graph(graph, pairs.count, stream.get());
  std::printf("%-28s %5dx%-5d %2d bit %9.1f us, bytes alone %6.1f us, ratio %.2f\n", title.c_str(), f.width, f.height,
              f.depth, us, pairs.bytes / bandwidth, us / (pairs.bytes / bandwidth));
}

void run(int argc, char** argv) {
  const int width = argc > 3 ? std::atoi(argv[1]) : 3840;
  const int height = argc > 3 ? std::atoi(argv[2]) : 2160;
  const int depth = argc > 3 ? std::atoi(argv[3]) : 8;
  struct Request {
    std::string features;
    std::string title;
  };
  std::vector<Request> requests;
  for (int i = 4; i < argc; ++i) requests.push_back({argv[i], argv[i]});
  if (requests.empty()) {
    std::string all;
    for (const RegistryEntry& entry : registry()) {
      requests.push_back({entry.definition->name, entry.definition->name});
      all += (all.empty() ? "" : "|") + std::string(entry.definition->name);
    }
    requests.push_back({"float_ssim:scale=1", "float_ssim:scale=1"});
    // cambi as VMAF v1 has it.
    const std::string cambi = "cambi:cambi_high_res_speedup=1080:cambi_vis_lum_threshold=0.06";
    requests.push_back({cambi, "cambi of VMAF v1"});
    requests.push_back({"vif|adm|motion", "features of VMAF v0"});
    requests.push_back({"adm|speed_chroma|motion|" + cambi, "features of VMAF v1"});
    requests.push_back({all, "all features"});
  }
  abi::Device gpu = 0;
  driver().cuDeviceGet(&gpu, 0);
  const PrimaryContext context(gpu);
  const ContextScope scope(context.get());
  const Stream stream = Stream::create();
  Device device(gpu);
  const double bandwidth = copy_bandwidth(stream);
  std::printf("copy bandwidth %.2f TB/s\n", bandwidth / 1e6);
  const QCFormat format = decoder_format(width, height, depth);
  const Pairs noisy = make_pairs(format, false, stream.get());
  const Pairs banded = make_pairs(format, true, stream.get());
  for (const Request& r : requests)
    time_features(r.features, r.title, format, device, stream,
                  r.features.find("cambi") != std::string::npos ? banded : noisy, bandwidth);
}

}  // namespace
}  // namespace qc::cuda

int main(int argc, char** argv) {
  try {
    qc::cuda::run(argc, argv);
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "cuda_kernel_time: %s\n", e.what());
    return 1;
  }
}
