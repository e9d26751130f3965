// Owners of what the driver hands out. All of them are made, used and destroyed with their context current, except
// where a comment says otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "cuda/device/kernel_name.h"
#include "cuda/driver/driver.h"

namespace qc::cuda {

using DevicePtr = abi::DevicePtr;

// Makes a context current for the life of this object.
class ContextScope {
 public:
  explicit ContextScope(abi::Context context);
  ~ContextScope();
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;
};

// A device's primary context, retained. Needs no current context.
class PrimaryContext {
 public:
  explicit PrimaryContext(abi::Device device);
  ~PrimaryContext();
  PrimaryContext(const PrimaryContext&) = delete;
  PrimaryContext& operator=(const PrimaryContext&) = delete;
  abi::Context get() const { return context_; }

 private:
  abi::Device device_;
  abi::Context context_ = nullptr;
};

// Common part of the owners below: a handle that is released once.
template <class Derived, class Handle>
class Owner {
 public:
  Owner() = default;
  Owner(Owner&& other) noexcept : handle_(std::exchange(other.handle_, Handle{})) {}
  Owner& operator=(Owner&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Owner() {
    if (handle_) Derived::release(handle_);
  }
  Handle get() const { return handle_; }
  explicit operator bool() const { return handle_ != Handle{}; }

 protected:
  Handle handle_{};
};

// A stream that does not synchronise with the legacy default stream.
class Stream : public Owner<Stream, abi::Stream> {
 public:
  static Stream create();
  static void release(abi::Stream s) { driver().cuStreamDestroy.release(s); }
};

class Event : public Owner<Event, abi::Event> {
 public:
  // Host waits for it sleep.
  static Event create();
  static Event create_timed();
  static void release(abi::Event e) { driver().cuEventDestroy.release(e); }
  void record(abi::Stream stream) const { driver().cuEventRecord(handle_, stream); }
  // True once the work recorded before it is done; throws if that work failed.
  bool done() const;
  void wait() const { driver().cuEventSynchronize(handle_); }
};

class DeviceBuffer : public Owner<DeviceBuffer, DevicePtr> {
 public:
  static DeviceBuffer allocate(size_t bytes);
  // With a copy of `data` in it.
  static DeviceBuffer upload(const void* data, size_t bytes);
  static void release(DevicePtr p) { driver().cuMemFree.release(p); }
};

// Page-locked host memory.
class PinnedBuffer : public Owner<PinnedBuffer, void*> {
 public:
  static PinnedBuffer allocate(size_t bytes);
  static void release(void* p) { driver().cuMemFreeHost.release(p); }
  std::byte* bytes() const { return static_cast<std::byte*>(handle_); }
};

// Machine code embedded in the library: a fatbin, or PTX as text.
struct Image {
  const void* data;
};

class Module : public Owner<Module, abi::Module> {
 public:
  static Module load(const Image& image);
  static void release(abi::Module m) { driver().cuModuleUnload.release(m); }
};

struct Grid {
  unsigned x = 1;
  unsigned y = 1;
  unsigned z = 1;
};

template <class Args>
class Kernel {
 public:
  Kernel() = default;
  Kernel(const Module& module, const KernelName<Args>& name) {
    driver().cuModuleGetFunction(&function_, module.get(), name.name);
  }
  void launch(abi::Stream stream, Grid grid, unsigned threads, const Args& args) const {
    void* parameters[] = {const_cast<Args*>(&args)};
    driver().cuLaunchKernel(function_, grid.x, grid.y, grid.z, threads, 1, 1, 0, stream, parameters, nullptr);
  }
  // Blocks of this many threads that a multiprocessor holds at a time.
  int resident_blocks(int threads) const {
    int blocks = 0;
    driver().cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function_, threads, 0);
    return blocks;
  }

 private:
  abi::Function function_ = nullptr;
};

// A second stream beside one that is being captured, from this object's creation to join(): work on both may overlap.
// The driver objects are only needed while capturing.
class Branch {
 public:
  explicit Branch(abi::Stream main) : main_(main), stream_(Stream::create()), event_(Event::create()) {
    event_.record(main);
    driver().cuStreamWaitEvent(stream_.get(), event_.get(), 0);
  }
  abi::Stream stream() const { return stream_.get(); }
  void join() const {
    event_.record(stream_.get());
    driver().cuStreamWaitEvent(main_, event_.get(), 0);
  }

 private:
  abi::Stream main_;
  Stream stream_;
  Event event_;
};

// Work captured from a stream, to be launched again and again.
class Graph : public Owner<Graph, abi::GraphExec> {
 public:
  // Captures what `enqueue` puts on `stream`, which then runs nothing itself.
  template <class Enqueue>
  static Graph capture(const Stream& stream, Enqueue&& enqueue) {
    Capture capture(stream.get());
    enqueue();
    return capture.finish();
  }
  static void release(abi::GraphExec g) { driver().cuGraphExecDestroy.release(g); }
  void launch(abi::Stream stream) const { driver().cuGraphLaunch(handle_, stream); }

 private:
  // Ends the capture whatever happens, since a capturing stream could not be used or waited for.
  class Capture {
   public:
    explicit Capture(abi::Stream stream);
    ~Capture();
    Graph finish();

   private:
    abi::Stream stream_;
    bool active_ = true;
  };
};

}  // namespace qc::cuda
