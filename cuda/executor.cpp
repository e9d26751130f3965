#include "cuda/executor.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <optional>
#include <string>

#include "core/error.h"
#include "cuda/device_layout.h"
#include "cuda/kernels.h"

namespace qc::cuda {
namespace {

constexpr int kDefaultInFlight = 4;
// Float32 operations in the time of one of float64: 2 on GPUs for computing centres, 32 or 64 on others.
constexpr int kSlowFloat64Ratio = 8;

size_t align(size_t bytes) { return (bytes + Layout::kAlign - 1) / Layout::kAlign * Layout::kAlign; }

// Layout of a copy of a picture: planes as in the caller's format, rows padded.
struct CopyLayout {
  struct Plane {
    size_t offset = 0;
    size_t stride = 0;
    size_t row_bytes = 0;
    size_t rows = 0;
  };
  Plane plane[3];
  int planes = 0;  // in memory: interleaved chroma counts once
  size_t bytes = 0;

  explicit CopyLayout(const QCFormat& format) {
    const Geometry g = geometry_of(format);
    planes = g.planes() == 1 ? 1 : format.interleaved_chroma ? 2 : 3;
    for (int p = 0; p < planes; ++p) {
      const int samples = g.stored_width(p) * (p > 0 && format.interleaved_chroma ? 2 : 1);
      plane[p].row_bytes = static_cast<size_t>(samples) * static_cast<size_t>(format.sample_bytes);
      plane[p].stride = align(plane[p].row_bytes);
      plane[p].rows = static_cast<size_t>(g.stored_height(p));
      plane[p].offset = bytes;
      bytes += plane[p].stride * plane[p].rows;
    }
  }

  // The same planes as `view`, in a copy at `base`.
  PictureView view_at(const PictureView& view, DevicePtr base) const {
    PictureView v = view;
    for (int p = 0; p < 3 && view.plane[p].data; ++p) {
      const int source = std::min(p, planes - 1);
      const size_t inside = p > source ? view.plane[p].bytes : 0;  // Cr lies beside Cb
      v.plane[p].data = pointer<const uint8_t>(base + plane[source].offset + inside);
      v.plane[p].stride = static_cast<int64_t>(plane[source].stride);
    }
    return v;
  }
};

// Which device a context belongs to.
abi::Device device_of(abi::Context context) {
  const ContextScope scope(context);
  abi::Device device = 0;
  driver().cuCtxGetDevice(&device);
  return device;
}

std::string device_name(abi::Device device) {
  char name[256] = "";
  driver().cuDeviceGetName(name, sizeof(name) - 1, device);
  return std::string(name) + " (CUDA device " + std::to_string(device) + ")";
}

abi::Device find_device(int ordinal) {
  int count = 0;
  driver().cuDeviceGetCount(&count);
  if (count == 0) fail_unsupported("there is no CUDA device; use backend=cpu");
  if (ordinal >= count)
    fail_invalid("cuda_device=" + std::to_string(ordinal) + ", but there " +
                 (count == 1 ? "is one CUDA device, 0" : "are CUDA devices 0 to " + std::to_string(count - 1)));
  abi::Device device = 0;
  driver().cuDeviceGet(&device, ordinal);
  return device;
}

// What a session needs of the callers' contexts: ours is that of the distorted input.
struct Source {
  abi::Context context = nullptr;
  abi::Stream stream = nullptr;
};

struct Slot {
  Stream stream;
  Event done;
  Event distorted_ready;
  Event reference_ready;  // of the reference's context, when that is another one
  DeviceBuffer memory;
  PinnedBuffer pinned;
  Graph graph[2];  // [0]: features of every frame, [1]: of scored frames
  std::unique_ptr<Job> job;
  PairView view;  // where the slot's kernels, and later slots', find its pictures
};

class CudaExecutor final : public Executor {
 public:
  explicit CudaExecutor(const ExecutorConfig& config);
  ~CudaExecutor() override;

  bool full() const override { return queue_.size() >= static_cast<size_t>(in_flight_); }
  void submit(std::unique_ptr<Job> job) override;
  std::unique_ptr<Job> finished(bool wait) override;

 private:
  void find_contexts(const ExecutorConfig& config);
  void make_kernels(const ExecutorConfig& config);
  void make_slots(const ExecutorConfig& config);
  Slot make_slot();
  Graph capture(const Slot& slot, bool scored) const;
  void wait_for_inputs(const Slot& slot) const;
  void copy_to_pinned(const PictureView& view, const CopyLayout& layout, std::byte* to) const;
  void copy_reference(const Slot& slot, const PictureView& view) const;
  void start(Slot& slot);
  void read_records(Slot& slot);
  void drop_pictures(Job& job) const;
  SlotMemory memory_of(const Slot& slot, size_t instance) const;
  bool separate_reference() const { return reference_.context != distorted_.context; }

  const std::vector<Instance>& instances_;
  std::optional<PrimaryContext> primary_;
  Source reference_;
  Source distorted_;
  bool host_frames_;
  CopyLayout reference_layout_;
  CopyLayout distorted_layout_;
  int history_;
  int in_flight_ = 0;

  // Offsets within a slot's memory. What goes to the device lies together at the start, the same in pinned memory.
  size_t reference_offset_ = 0;
  size_t distorted_offset_ = 0;
  size_t upload_bytes_ = 0;
  // Records and reports of all instances lie together, the same in pinned memory.
  size_t records_offset_ = 0;
  size_t records_bytes_ = 0;
  std::vector<size_t> record_offset_;  // within them
  std::vector<size_t> report_offset_;
  std::vector<size_t> scratch_offset_;
  size_t slot_bytes_ = 0;
  size_t pinned_bytes_ = 0;
  size_t pinned_records_offset_ = 0;

  std::optional<Device> device_;
  std::vector<std::unique_ptr<FeatureKernels>> kernels_;
  std::vector<Slot> slots_;
  size_t next_slot_ = 0;
  std::deque<Slot*> queue_;         // in flight, oldest first
  Slot* newest_[kMaxHistory] = {};  // slots of the latest frames
};

CudaExecutor::CudaExecutor(const ExecutorConfig& config)
    : instances_(config.instances),
      host_frames_(config.device == nullptr),
      reference_layout_(config.reference),
      distorted_layout_(config.distorted),
      history_(config.history) {
  find_contexts(config);
  const ContextScope scope(distorted_.context);
  try {
    make_kernels(config);
    make_slots(config);
  } catch (...) {
    slots_.clear();
    kernels_.clear();
    device_.reset();
    throw;
  }
}

CudaExecutor::~CudaExecutor() {
  try {
    const ContextScope scope(distorted_.context);
    for (const Slot& slot : slots_) driver().cuStreamSynchronize.release(slot.stream.get());
    queue_.clear();
    slots_.clear();
    kernels_.clear();
    device_.reset();
  } catch (const Error&) {
    // The context is gone, and everything in it.
  }
}

void CudaExecutor::find_contexts(const ExecutorConfig& config) {
  if (host_frames_) {
    primary_.emplace(find_device(config.device_ordinal));
    reference_.context = distorted_.context = primary_->get();
    return;
  }
  reference_ = {static_cast<abi::Context>(config.device->reference_context),
                static_cast<abi::Stream>(config.device->reference_stream)};
  distorted_ = {static_cast<abi::Context>(config.device->distorted_context),
                static_cast<abi::Stream>(config.device->distorted_stream)};
  if (!reference_.context || !distorted_.context) fail_invalid("qc_open was given a device without a CUDA context");
  if (!separate_reference()) return;
  const abi::Device r = device_of(reference_.context);
  const abi::Device d = device_of(distorted_.context);
  if (r != d)
    fail_invalid("the reference is on " + device_name(r) + ", the distorted input on " + device_name(d) +
                 "; decode or upload both on one of them");
}

void CudaExecutor::make_kernels(const ExecutorConfig& config) {
  abi::Device device = 0;
  driver().cuCtxGetDevice(&device);
  device_.emplace(device);
  std::string missing;
  for (const Instance& instance : instances_)
    if (!instance.entry->make_cuda_kernels)
      missing += std::string(missing.empty() ? "" : ", ") + instance.entry->definition->name;
  if (!missing.empty())
    fail_unsupported("no CUDA path yet for: " + missing +
                     (host_frames_ ? "; use backend=cpu" : "; insert hwdownload before both inputs"));
  for (const Instance& instance : instances_)
    kernels_.push_back(instance.entry->make_cuda_kernels(
        {instance.options, config.geometry, config.reference, config.distorted}, *device_));
}

void CudaExecutor::make_slots(const ExecutorConfig& config) {
  size_t offset = align(sizeof(FrameParameters));
  if (host_frames_) {
    reference_offset_ = offset;
    offset += align(reference_layout_.bytes);
    distorted_offset_ = offset;
    offset += align(distorted_layout_.bytes);
  }
  upload_bytes_ = offset;
  if (separate_reference()) {
    reference_offset_ = offset;
    offset += align(reference_layout_.bytes);
  }
  records_offset_ = offset;
  for (size_t i = 0; i < kernels_.size(); ++i) {
    record_offset_.push_back(records_bytes_);
    report_offset_.push_back(records_bytes_ + align(instances_[i].feature->record_size()));
    records_bytes_ = report_offset_.back() + align(kernels_[i]->report_bytes());
  }
  pinned_records_offset_ = upload_bytes_;
  pinned_bytes_ = pinned_records_offset_ + records_bytes_;
  offset += records_bytes_;
  for (const auto& kernels : kernels_) {
    scratch_offset_.push_back(offset);
    offset += align(kernels->scratch_bytes());
  }
  slot_bytes_ = offset;

  // A slot's pictures are read by the frames after it, so they outlive its own frame by `history_`.
  const int wanted = config.in_flight ? config.in_flight : kDefaultInFlight;
  size_t free = 0;
  size_t total = 0;
  driver().cuMemGetInfo(&free, &total);
  const size_t usable = free / 2 / slot_bytes_;
  const int count = std::clamp<int>(static_cast<int>(std::min<size_t>(usable, 1024)), 1 + history_, wanted + history_);
  for (int i = 0; i < count; ++i) {
    try {
      slots_.push_back(make_slot());
    } catch (const Error& e) {
      if (e.code() != QC_ERROR_MEMORY || i < 1 + history_) throw;
      break;
    }
  }
  in_flight_ = static_cast<int>(slots_.size()) - history_;
  if (in_flight_ < wanted)
    config.logger(QC_LOG_VERBOSE, "device memory suffices for " + std::to_string(in_flight_) + " of " +
                                      std::to_string(wanted) + " frames in flight");
}

Slot CudaExecutor::make_slot() {
  Slot slot;
  slot.memory = DeviceBuffer::allocate(slot_bytes_);
  slot.pinned = PinnedBuffer::allocate(pinned_bytes_);
  slot.stream = Stream::create();
  slot.done = Event::create();
  if (!host_frames_) slot.distorted_ready = Event::create();
  if (separate_reference()) {
    const ContextScope scope(reference_.context);
    slot.reference_ready = Event::create();
  }
  // Later frames may need the copies of pictures that are not scored themselves.
  bool unscored = history_ > 0 && (host_frames_ || separate_reference());
  for (const Instance& i : instances_) unscored = unscored || i.entry->definition->every_frame;
  if (unscored) slot.graph[0] = capture(slot, false);
  slot.graph[1] = capture(slot, true);
  return slot;
}

// Parameters (and pictures) in, kernels side by side, records out.
Graph CudaExecutor::capture(const Slot& slot, bool scored) const {
  std::vector<const Instance*> running;
  for (const Instance& i : instances_)
    if (scored || i.entry->definition->every_frame) running.push_back(&i);
  std::vector<Stream> branches;
  std::vector<Event> joins;
  for (size_t i = 1; i < running.size(); ++i) {
    branches.push_back(Stream::create());
    joins.push_back(Event::create());
  }
  const Event fork = Event::create();
  const abi::Stream main = slot.stream.get();
  const DevicePtr base = slot.memory.get();
  return Graph::capture(slot.stream, [&] {
    driver().cuMemcpyHtoDAsync(base, slot.pinned.bytes(), upload_bytes_, main);
    driver().cuMemsetD8Async(base + records_offset_, 0, records_bytes_, main);
    fork.record(main);
    for (size_t i = 0; i < running.size(); ++i) {
      const size_t k = static_cast<size_t>(running[i] - instances_.data());
      const abi::Stream branch = i == 0 ? main : branches[i - 1].get();
      if (i > 0) driver().cuStreamWaitEvent(branch, fork.get(), 0);
      kernels_[k]->enqueue(branch, memory_of(slot, k));
      if (i > 0) {
        joins[i - 1].record(branch);
        driver().cuStreamWaitEvent(main, joins[i - 1].get(), 0);
      }
    }
    driver().cuMemcpyDtoHAsync(slot.pinned.bytes() + pinned_records_offset_, base + records_offset_, records_bytes_,
                               main);
  });
}

void CudaExecutor::wait_for_inputs(const Slot& slot) const {
  slot.distorted_ready.record(distorted_.stream);
  driver().cuStreamWaitEvent(slot.stream.get(), slot.distorted_ready.get(), 0);
  if (separate_reference()) {
    const ContextScope scope(reference_.context);
    slot.reference_ready.record(reference_.stream);
  } else if (reference_.stream != distorted_.stream) {
    // The wait above holds the event's state of that moment, so the event can be used again.
    slot.distorted_ready.record(reference_.stream);
    driver().cuStreamWaitEvent(slot.stream.get(), slot.distorted_ready.get(), 0);
  }
  if (separate_reference()) driver().cuStreamWaitEvent(slot.stream.get(), slot.reference_ready.get(), 0);
}

void CudaExecutor::copy_to_pinned(const PictureView& view, const CopyLayout& layout, std::byte* to) const {
  for (int p = 0; p < layout.planes; ++p) {
    const CopyLayout::Plane& plane = layout.plane[p];
    for (size_t y = 0; y < plane.rows; ++y)
      std::memcpy(to + plane.offset + y * plane.stride,
                  view.plane[p].data + static_cast<int64_t>(y) * view.plane[p].stride, plane.row_bytes);
  }
}

// Memory of another context of the same device is read by a copy, which the driver promises to work, and not by
// kernels.
void CudaExecutor::copy_reference(const Slot& slot, const PictureView& view) const {
  for (int p = 0; p < reference_layout_.planes; ++p) {
    const CopyLayout::Plane& plane = reference_layout_.plane[p];
    abi::Memcpy2D copy{};
    copy.src_type = abi::kMemoryUnified;
    copy.src_device = reinterpret_cast<DevicePtr>(view.plane[p].data);
    copy.src_pitch = static_cast<size_t>(view.plane[p].stride);
    copy.dst_type = abi::kMemoryDevice;
    copy.dst_device = slot.memory.get() + reference_offset_ + plane.offset;
    copy.dst_pitch = plane.stride;
    copy.width_bytes = plane.row_bytes;
    copy.height = plane.rows;
    driver().cuMemcpy2DAsync(&copy, slot.stream.get());
  }
}

void CudaExecutor::drop_pictures(Job& job) const {
  job.pair.reset();
  for (auto& previous : job.previous) previous.reset();
}

void CudaExecutor::submit(std::unique_ptr<Job> job) {
  const ContextScope scope(distorted_.context);
  Slot& slot = slots_[next_slot_];
  next_slot_ = (next_slot_ + 1) % slots_.size();
  slot.job = std::move(job);
  queue_.push_back(&slot);
  try {
    start(slot);
  } catch (...) {
    slot.job->error = std::current_exception();
  }
  for (int i = history_ - 1; i > 0; --i) newest_[i] = newest_[i - 1];
  if (history_ > 0) newest_[0] = &slot;
}

void CudaExecutor::start(Slot& slot) {
  Job& job = *slot.job;
  const PairView& view = job.pair->view;
  const DevicePtr base = slot.memory.get();
  slot.view = view;
  if (host_frames_ || separate_reference())
    slot.view.reference = reference_layout_.view_at(view.reference, base + reference_offset_);
  if (host_frames_) slot.view.distorted = distorted_layout_.view_at(view.distorted, base + distorted_offset_);

  FrameParameters parameters{};
  parameters.current = slot.view;
  for (int i = 0; i < history_ && job.previous[i]; ++i) {
    parameters.previous[i] = newest_[i]->view;
    parameters.previous_count = i + 1;
  }
  std::memcpy(slot.pinned.bytes(), &parameters, sizeof(parameters));

  if (host_frames_) {
    copy_to_pinned(view.reference, reference_layout_, slot.pinned.bytes() + reference_offset_);
    copy_to_pinned(view.distorted, distorted_layout_, slot.pinned.bytes() + distorted_offset_);
    drop_pictures(job);
  } else {
    wait_for_inputs(slot);
    if (separate_reference()) copy_reference(slot, view.reference);
  }
  // Copies of earlier pictures are made by the graphs of their slots.
  if (host_frames_ || separate_reference())
    for (int i = 0; i < parameters.previous_count; ++i)
      driver().cuStreamWaitEvent(slot.stream.get(), newest_[i]->done.get(), 0);
  const Graph& graph = slot.graph[job.scored ? 1 : 0];
  if (graph) graph.launch(slot.stream.get());
  slot.done.record(slot.stream.get());
}

SlotMemory CudaExecutor::memory_of(const Slot& slot, size_t i) const {
  const DevicePtr base = slot.memory.get();
  return {pointer<const FrameParameters>(base), pointer<std::byte>(base + records_offset_ + record_offset_[i]),
          pointer<std::byte>(base + records_offset_ + report_offset_[i]),
          pointer<std::byte>(base + scratch_offset_[i])};
}

// Of a slot that is done, but for what its reports still ask for.
void CudaExecutor::read_records(Slot& slot) {
  Job& job = *slot.job;
  const abi::Stream stream = slot.stream.get();
  std::byte* records = slot.pinned.bytes() + pinned_records_offset_;
  for (size_t i = 0; i < instances_.size(); ++i) {
    if (!job.runs(instances_[i])) continue;
    std::byte* record = records + record_offset_[i];
    const std::byte* report = records + report_offset_[i];
    const size_t bytes = instances_[i].feature->record_size();
    const SlotMemory memory = memory_of(slot, i);
    kernels_[i]->observe(stream, memory, job.frame);
    if (kernels_[i]->unfinished(record, report)) {
      kernels_[i]->finish(stream, memory, record, report);
      driver().cuMemcpyDtoHAsync(record, reinterpret_cast<DevicePtr>(memory.record), bytes, stream);
      driver().cuStreamSynchronize(stream);
    }
    std::memcpy(job.record(instances_[i]), record, bytes);
  }
}

std::unique_ptr<Job> CudaExecutor::finished(bool wait) {
  if (queue_.empty()) return nullptr;
  Slot& slot = *queue_.front();
  const ContextScope scope(distorted_.context);
  if (!slot.job->error) {
    try {
      if (wait) {
        slot.done.wait();
      } else if (!slot.done.done()) {
        return nullptr;
      }
      read_records(slot);
    } catch (...) {
      slot.job->error = std::current_exception();
    }
  }
  // Whatever part of a failed frame's work did start must not outlive its pictures.
  if (slot.job->error) driver().cuStreamSynchronize.release(slot.stream.get());
  queue_.pop_front();
  drop_pictures(*slot.job);
  return std::move(slot.job);
}

}  // namespace

Device::Device(abi::Device device) {
  driver().cuDeviceGetAttribute(&multiprocessors_, abi::kAttributeMultiprocessorCount, device);
  int ratio = 0;
  driver().cuDeviceGetAttribute(&ratio, abi::kAttributeSingleToDoubleRatio, device);
  slow_float64_ = ratio >= kSlowFloat64Ratio;
}

const Module& Device::module(const Image& image) {
  auto [entry, added] = modules_.try_emplace(image.data);
  if (!entry->second) entry->second = Module::load(image);
  return entry->second;
}

std::unique_ptr<Executor> make_executor(const ExecutorConfig& config) { return std::make_unique<CudaExecutor>(config); }

}  // namespace qc::cuda
