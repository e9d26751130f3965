// The device half of a feature. Each folder beside this one holds a feature family's kernels (.cu) and the factory that
// launches them (.cpp); metrics/core/registry.cpp names the factories.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

#include "core/feature.h"
#include "cuda/device/frame.h"
#include "cuda/driver/objects.h"

namespace qc::cuda {

// The GPU and context that a session computes in, and the machine code loaded into it.
class Device {
 public:
  // `context` must be current here and whenever the object is used.
  explicit Device(abi::Device device);
  int multiprocessors() const { return multiprocessors_; }
  // Float64 arithmetic is so much slower than that of float32 that several float32 operations are to be preferred.
  bool slow_float64() const { return slow_float64_; }
  // Loaded at the first call for `image`.
  const Module& module(const Image& image);

 private:
  int multiprocessors_ = 0;
  bool slow_float64_ = false;
  std::map<const void*, Module> modules_;
};

// Where a slot's kernels find their data: addresses in device memory that stay the same for the slot's life.
struct SlotMemory {
  const FrameParameters* frame;
  std::byte* record;   // record_size() bytes, zeroed before the kernels run
  std::byte* report;   // report_bytes(), zeroed likewise
  std::byte* scratch;  // scratch_bytes(), 256-byte aligned; contents are undefined at the start of a frame
};

// A configured instance's kernels, for all slots of a session.
class FeatureKernels {
 public:
  virtual ~FeatureKernels() = default;
  // Device memory that one frame in flight needs beyond its record.
  virtual size_t scratch_bytes() const { return 0; }
  // Put one frame's work on `stream`. Called once a slot: the stream is being captured into a graph that is launched
  // for each of the slot's frames, so the work must not depend on a frame's contents except through the slot's memory.
  virtual void enqueue(abi::Stream stream, const SlotMemory& memory) const = 0;

  // For what a feature gives beside scores, such as maps: called once the kernels of a frame are done, before finish(),
  // while the frame still has its slot.
  virtual void observe(abi::Stream stream, const SlotMemory& memory, int64_t frame) {
    (void)stream;
    (void)memory;
    (void)frame;
  }

  // For work that few frames need, such as a sum whose order turns out to matter. The kernels of enqueue() leave a
  // report for the host beside the record; where unfinished() finds that more is to be done, finish() puts it on
  // `stream` while the frame still has its slot, and the record is read again. `record` and `report` are copies in host
  // memory.
  virtual size_t report_bytes() const { return 0; }
  virtual bool unfinished(const std::byte* record, const std::byte* report) const {
    (void)record;
    (void)report;
    return false;
  }
  virtual void finish(abi::Stream stream, const SlotMemory& memory, const std::byte* record, const std::byte* report) {
    (void)stream;
    (void)memory;
    (void)record;
    (void)report;
  }
};

// The device address as a pointer, for kernel arguments.
template <class T>
T* pointer(DevicePtr p) {
  return reinterpret_cast<T*>(p);
}

}  // namespace qc::cuda
