#include "parity/stream.h"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "core/error.h"
#include "cuda/driver/objects.h"

namespace qc::parity {
namespace {

bool same(double a, double b) { return (a != a && b != b) || std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b); }

// A table for float_adm's division=table, near the reciprocals as a processor's estimates are.
const std::string& estimates_file() {
  static const struct File {
    File() {
      const int descriptor = mkstemp(path.data());
      FILE* file = descriptor < 0 ? nullptr : fdopen(descriptor, "w");
      if (!file) throw Error(QC_ERROR_IO, "cannot write " + path);
      for (int i = 0; i < 4096; ++i)
        std::fprintf(file, "%d\n", std::min(4095, (2 * 4096 * 8192 / (8193 + 2 * i)) - 4096));
      std::fclose(file);
    }
    ~File() { unlink(path.c_str()); }
    std::string path = "/tmp/parity-estimates-XXXXXX";
  } file;
  return file.path;
}

// Size in either direction that pictures are resampled to at most.
constexpr int kMostResampled = 400;

std::string draw_one(Random& random, const std::vector<const char*>& values) {
  return values[static_cast<size_t>(draw(random, 0, static_cast<int>(values.size()) - 1))];
}

std::string draw_options(Random& random, int feature) {
  std::string text;
  QCOptionInfo option;
  for (int k = 0; qc_feature_option_info(feature, k, &option) == QC_OK; ++k) {
    if (draw(random, 0, 2) == 0) continue;
    std::string value;
    if (option.type == QC_OPTION_BOOL) value = draw(random, 0, 1) ? "true" : "false";
    if (option.type == QC_OPTION_INT) {
      const std::string_view name = option.name;
      const bool size = name.ends_with("_width") || name.ends_with("_height");
      const int most = static_cast<int>(size ? kMostResampled : option.max);
      value = std::to_string(draw(random, static_cast<int>(option.min), most));
    }
    if (option.type == QC_OPTION_DOUBLE && draw(random, 0, 1))
      value = std::to_string(option.min + std::min(10.0, option.max - option.min) * draw(random, 0, 1000) / 1000);
    // The filters' scales are few, and SpEED's prescaling by less than 1 leaves little of the pictures drawn here.
    const std::string name = option.name;
    if (name == "vif_kernelscale") value = draw_one(random, {"0.5", "0.667", "1.0005", "1.5", "2", "3.71134", "1"});
    if (name == "vif_prescale_method") value = draw_one(random, {"nearest", "bilinear", "bicubic", "lanczos4"});
    if (name == "speed_kernelscale") value = draw_one(random, {"0.5", "0.666667", "1.5", "2.4", "3.71134", "1.6"});
    if (name == "speed_prescale") value = draw_one(random, {"0.9", "1.0004", "1.3", "2", "1"});
    if (name == "speed_prescale_method") value = draw_one(random, {"nearest", "bilinear", "bicubic", "lanczos4"});
    if (name == "division" && draw(random, 0, 1)) value = "table:division_table=" + estimates_file();
    if (std::string_view(option.name).ends_with("eotf")) value = draw(random, 0, 1) ? "bt1886" : "pq";
    if (!value.empty()) text += std::string(":") + option.name + "=" + value;
  }
  return text;
}

// Smallest side of the pictures that a feature is defined for.
int least_side(const std::string& feature) {
  if (feature == "float_ms_ssim") return 176;
  // Enough for statistics that are not singular.
  if (feature == "speed_chroma") return 340;
  if (feature == "speed_temporal") return 170;
  return 1;
}

// Colours for the feature that looks at them. Both inputs are RGB or neither is.
void draw_colours(Random& random, Plan& plan) {
  const auto one_of = [&](std::initializer_list<int> codes) {
    return codes.begin()[draw(random, 0, static_cast<int>(codes.size()) - 1)];
  };
  const bool rgb = plan.reference.chroma == QC_CHROMA_444 && draw(random, 0, 2) != 0;
  for (QCFormat* f : {&plan.reference, &plan.distorted}) {
    f->matrix = rgb ? 0 : one_of({1, 2, 4, 5, 7, 9});
    f->full_range = one_of({-1, 0, 1});
    f->transfer = one_of({1, 2, 4, 8});
    f->primaries = one_of({1, 2, 6, 9});
  }
  plan.text += rgb ? ", RGB" : "";
}
// Smallest of the pictures' longer sides.
int least_long_side(const std::string& feature) { return feature == "cambi" ? 216 : 1; }

QCFrame host_frame(const Picture& p) {
  QCFrame f{};
  for (int i = 0; i < p.planes; ++i) {
    f.data[i] = p.memory.data() + p.offset[i];
    f.stride[i] = static_cast<ptrdiff_t>(p.stride[i]);
  }
  return f;
}

// A picture on its way to the device on the sender's stream.
struct DevicePicture {
  cuda::PinnedBuffer staging;
  cuda::DeviceBuffer memory;
  QCFrame frame{};

  DevicePicture(const Picture& p, cuda::abi::Stream stream)
      : staging(cuda::PinnedBuffer::allocate(p.memory.size())), memory(cuda::DeviceBuffer::allocate(p.memory.size())) {
    std::memcpy(staging.bytes(), p.memory.data(), p.memory.size());
    cuda::driver().cuMemcpyHtoDAsync(memory.get(), staging.bytes(), p.memory.size(), stream);
    for (int i = 0; i < p.planes; ++i) {
      frame.data[i] = reinterpret_cast<const void*>(memory.get() + p.offset[i]);
      frame.stride[i] = static_cast<ptrdiff_t>(p.stride[i]);
    }
  }
};

struct DevicePair {
  DevicePicture reference;
  DevicePicture distorted;
};
using HostPair = std::pair<Picture, Picture>;

template <class T>
QCPair lend(T* pictures, const QCFrame& reference, const QCFrame& distorted) {
  QCPair pair{};
  pair.reference = reference;
  pair.distorted = distorted;
  pair.release_opaque = pictures;
  pair.release = [](void* p) { delete static_cast<T*>(p); };
  return pair;
}

}  // namespace

StreamPlan draw_stream(uint64_t seed, int index) {
  QCFeatureInfo info;
  qc_feature_info(index, &info);
  const int defined_from = least_side(info.name);
  Random random(seed);
  StreamPlan s{};
  s.seed = seed;
  const int least = std::max(defined_from, draw(random, 0, 3) ? 11 : 1);
  const int least_long = least_long_side(info.name);
  const int most = std::max({defined_from + 50, least_long + 50, draw(random, 0, 7) ? 70 : 420});
  do {
    s.plan = draw_plan(random, least, most, {8, 8, 10, 12, 16});
  } while (std::max(s.plan.reference.width, s.plan.reference.height) < least_long);
  if (std::strcmp(info.name, "ssimulacra2") == 0) draw_colours(random, s.plan);
  s.options = draw_options(random, index);
  s.frames = draw(random, 1, most > 100 ? 6 : 48);
  s.subsample = draw(random, 0, 5) ? 1 : draw(random, 2, 4);
  s.in_flight = draw(random, 0, 6);
  s.device_frames = draw(random, 0, 1);
  return s;
}

Outcome run_stream(const StreamPlan& s, const std::string& feature, Path path) {
  Outcome outcome;
  QCContext* ctx = nullptr;
  if (qc_create(&ctx) != QC_OK) throw Error(QC_ERROR_MEMORY, "qc_create failed");
  auto set = [&](const char* key, const std::string& value) {
    if (qc_set(ctx, key, value.c_str()) != QC_OK) throw Error(QC_ERROR_INVALID, qc_error(ctx));
  };
  set("feature", "name=" + feature + s.options);
  set("n_subsample", std::to_string(s.subsample));
  set("n_threads", "1");
  std::optional<cuda::PrimaryContext> context;
  std::optional<cuda::ContextScope> scope;
  cuda::Stream stream;
  QCDevice device{};
  const bool device_frames = path == Path::Cuda && s.device_frames;
  if (path == Path::Cuda) {
    set("backend", "cuda");
    set("frames_in_flight", std::to_string(s.in_flight));
  }
  if (device_frames) {
    context.emplace(0);
    scope.emplace(context->get());
    stream = cuda::Stream::create();
    device = {context->get(), stream.get(), context->get(), stream.get()};
  }
  auto receive = [&] {
    QCResult result;
    while ((outcome.status = qc_receive(ctx, &result)) == QC_OK) {
      outcome.frames.emplace_back(result.values, result.values + result.count);
      if (outcome.names.empty()) outcome.names.assign(result.names, result.names + result.count);
    }
    return outcome.status >= 0;
  };
  outcome.status = qc_open(ctx, &s.plan.reference, &s.plan.distorted, device_frames ? &device : nullptr);
  Random random(s.seed + 1);
  Picture reference;
  Picture distorted;
  bool good = outcome.status == QC_OK;
  for (int i = 0; good && i < s.frames; ++i) {
    draw_pair(random, s.plan, reference, distorted);
    QCPair pair;
    if (device_frames) {
      auto* pictures = new DevicePair{{reference, stream.get()}, {distorted, stream.get()}};
      pair = lend(pictures, pictures->reference.frame, pictures->distorted.frame);
    } else {
      auto* pictures = new HostPair(reference, distorted);
      pair = lend(pictures, host_frame(pictures->first), host_frame(pictures->second));
    }
    while ((outcome.status = qc_send(ctx, &pair)) == QC_AGAIN && receive()) {
    }
    if (outcome.status != QC_OK) pair.release(pair.release_opaque);
    good = outcome.status == QC_OK && receive();
  }
  if (good) {
    outcome.status = qc_send(ctx, nullptr);
    receive();
  }
  if (outcome.status < 0) outcome.error = qc_error(ctx);
  for (int i = 0; i < qc_aggregate_count(ctx); ++i) outcome.aggregates.push_back(qc_aggregate_value(ctx, i));
  qc_destroy(&ctx);
  return outcome;
}

std::string difference(const Outcome& cpu, const Outcome& cuda) {
  if (cpu.status != cuda.status || cpu.error != cuda.error)
    return "CPU: status " + std::to_string(cpu.status) + " " + cpu.error + ", CUDA: " + std::to_string(cuda.status) +
           " " + cuda.error;
  if (cpu.names != cuda.names || cpu.frames.size() != cuda.frames.size()) return "other columns or frames";
  auto text = [](double v) {
    char t[64];
    std::snprintf(t, sizeof(t), "%.17g (%a)", v, v);
    return std::string(t);
  };
  for (size_t f = 0; f < cpu.frames.size(); ++f) {
    if (cpu.frames[f].size() != cuda.frames[f].size()) return "frame " + std::to_string(f) + " has other scores";
    for (size_t c = 0; c < cpu.frames[f].size(); ++c)
      if (!same(cpu.frames[f][c], cuda.frames[f][c]))
        return "frame " + std::to_string(f) + " " + cpu.names[c] + ": CPU " + text(cpu.frames[f][c]) + ", CUDA " +
               text(cuda.frames[f][c]);
  }
  if (cpu.aggregates.size() != cuda.aggregates.size()) return "other aggregates";
  for (size_t i = 0; i < cpu.aggregates.size(); ++i)
    if (!same(cpu.aggregates[i], cuda.aggregates[i]))
      return "aggregate " + std::to_string(i) + ": CPU " + text(cpu.aggregates[i]) + ", CUDA " +
             text(cuda.aggregates[i]);
  return "";
}

}  // namespace qc::parity
