// What a feature is: a definition (a table), a configured instance (its host half), and kernels that turn pictures into
// records, on the CPU here and on the device in cuda/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <typeindex>
#include <unordered_map>
#include <vector>

#include "core/format.h"
#include "core/options.h"

namespace qc {

namespace cuda {
class Device;
class FeatureKernels;
}  // namespace cuda

// When libvmaf's single-threaded run first stores an output: it decides the column order of logs.
enum class Phase {
  FirstFrame,
  LaterFrame,
  Flush,
};

struct OutputDef {
  const char* raw_name;   // the name that models list
  const char* log_name;   // the name in logs
  bool templated;         // options that differ from their defaults are appended to the name
  const char* only_with;  // a bool option that must be true for this output to exist, nullptr: always
  Phase phase;
  const char* help;
};

class Feature;

struct FeatureConfig {
  const OptionSet& options;
  const Geometry& geometry;
  const QCFormat& reference;  // colour description of each input
  const QCFormat& distorted;
};

struct FeatureDef {
  const char* name;
  const char* summary;
  const char* source;  // paper or specification of the method
  std::span<const OptionDef> options;
  std::span<const OutputDef> outputs;
  int history;       // earlier pairs whose pictures a frame's kernel reads (0, 1 or 2), whatever the options
  bool every_frame;  // runs on frames that subsampling skips, too
  // Throws if the geometry or a combination of options is not defined for this feature.
  std::unique_ptr<Feature> (*create)(const FeatureConfig& config);
  // Defined for RGB pictures (QCFormat::matrix 0), too, and so follows the colour description of YUV ones.
  bool reads_rgb = false;
};

// Receives the scores of a feature instance. `output` indexes the definition's outputs.
class ScoreSink {
 public:
  virtual ~ScoreSink() = default;
  virtual void put(int64_t frame, int output, double value) = 0;
  // A value for the whole stream, such as apsnr_y.
  virtual void aggregate(const std::string& name, double value) = 0;
};

// Per-worker storage for intermediates that several features of one frame share: each type T exists once a worker,
// persists (with its buffers) from frame to frame, and checks `frame()` to see whether its content is this frame's.
class FrameCache {
 public:
  template <class T>
  T& get() {
    auto& entry = entries_[std::type_index(typeid(T))];
    if (!entry) entry = std::make_shared<T>();
    return *static_cast<T*>(entry.get());
  }
  // A number that is different for every frame that this worker handles.
  uint64_t frame() const { return frame_; }
  void next_frame() { ++frame_; }

 private:
  uint64_t frame_ = 0;
  std::unordered_map<std::type_index, std::shared_ptr<void>> entries_;
};

// The pictures that a frame's kernel may read.
struct Window {
  int64_t frame;
  const PairView* current;
  const PairView* previous[2];  // [0]: one frame earlier, [1]: two; nullptr before the start or beyond `history`
};

// Computes the record of one frame on the CPU. One instance a worker thread, so it owns its scratch buffers.
class CpuKernel {
 public:
  virtual ~CpuKernel() = default;
  // Fills `record` (record_size() bytes, zeroed before the call, aligned for any type).
  virtual void run(const Window& window, void* record) = 0;
};

// A configured instance of a feature: its host half, the same for the CPU and the CUDA path. Kernels reduce the
// pictures of a frame to a small record (sums, counts); collect() turns records into scores.
class Feature {
 public:
  virtual ~Feature() = default;
  // Bytes of a record: trivially copyable, the same layout on host and device.
  virtual size_t record_size() const = 0;
  // False for an output that this instance never puts, whatever `only_with` says (chroma of gray pictures, say).
  virtual bool produces(int output) const {
    (void)output;
    return true;
  }
  // When libvmaf first stores an output, if options move it from where the definition says.
  virtual Phase phase(int output, Phase defined) const {
    (void)output;
    return defined;
  }
  // A sentence for the user about a doubtful combination of options, "" if there is nothing to say.
  virtual std::string warning() const { return {}; }
  // A sentence about what this instance took for granted where the inputs don't say, "" likewise.
  virtual std::string note() const { return {}; }
  // A kernel for one worker. `cache` is that worker's and outlives the kernel.
  virtual std::unique_ptr<CpuKernel> make_cpu_kernel(FrameCache& cache) const = 0;
  // Called once a frame that the feature ran on, in frame order, never concurrently. With `frame` go 0, 1, 2, … or the
  // multiples of n_subsample. May put scores of this and of earlier frames.
  virtual void collect(int64_t frame, const void* record, ScoreSink& sink) = 0;
  // Called once after the last frame, if there was any. Every output of every frame must have been put after it.
  virtual void flush(ScoreSink& sink) { (void)sink; }
};

// Feature kernels on the device: see cuda/kernels.h. Null for a feature without a CUDA path.
using MakeCudaKernels = std::unique_ptr<cuda::FeatureKernels> (*)(const FeatureConfig& config, cuda::Device& device);

struct RegistryEntry {
  const FeatureDef* definition;
  MakeCudaKernels make_cuda_kernels;
};

// All features, in libvmaf's registry order.
std::span<const RegistryEntry> registry();

// Position of the feature called `name`. Throws, with a suggestion, if there is none.
size_t registry_index(std::string_view name);

}  // namespace qc
