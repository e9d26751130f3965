#include "cuda/driver/objects.h"

namespace qc::cuda {

ContextScope::ContextScope(abi::Context context) { driver().cuCtxPushCurrent(context); }

ContextScope::~ContextScope() {
  abi::Context popped = nullptr;
  driver().cuCtxPopCurrent.release(&popped);
}

PrimaryContext::PrimaryContext(abi::Device device) : device_(device) {
  driver().cuDevicePrimaryCtxRetain(&context_, device);
}

PrimaryContext::~PrimaryContext() { driver().cuDevicePrimaryCtxRelease.release(device_); }

Stream Stream::create() {
  Stream s;
  driver().cuStreamCreate(&s.handle_, abi::kStreamNonBlocking);
  return s;
}

Event Event::create() {
  Event e;
  driver().cuEventCreate(&e.handle_, abi::kEventBlockingSync | abi::kEventDisableTiming);
  return e;
}

Event Event::create_timed() {
  Event e;
  driver().cuEventCreate(&e.handle_, 0);
  return e;
}

bool Event::done() const {
  const abi::Result result = driver().cuEventQuery.attempt(handle_);
  if (result == abi::kErrorNotReady) return false;
  if (result != abi::kSuccess) fail_driver(driver().cuEventQuery.name(), result);
  return true;
}

DeviceBuffer DeviceBuffer::allocate(size_t bytes) {
  DeviceBuffer b;
  if (bytes) driver().cuMemAlloc(&b.handle_, bytes);
  return b;
}

DeviceBuffer DeviceBuffer::upload(const void* data, size_t bytes) {
  DeviceBuffer buffer = allocate(bytes);
  const Stream stream = Stream::create();
  const Event done = Event::create();
  driver().cuMemcpyHtoDAsync(buffer.get(), data, bytes, stream.get());
  done.record(stream.get());
  done.wait();
  return buffer;
}

PinnedBuffer PinnedBuffer::allocate(size_t bytes) {
  PinnedBuffer b;
  if (bytes) driver().cuMemHostAlloc(&b.handle_, bytes, abi::kMemHostAllocPortable);
  return b;
}

Module Module::load(const Image& image) {
  Module m;
  driver().cuModuleLoadData(&m.handle_, image.data);
  return m;
}

Graph::Capture::Capture(abi::Stream stream) : stream_(stream) {
  driver().cuStreamBeginCapture(stream, abi::kCaptureThreadLocal);
}

Graph::Capture::~Capture() {
  if (!active_) return;
  abi::Graph graph = nullptr;
  driver().cuStreamEndCapture.release(stream_, &graph);
  if (graph) driver().cuGraphDestroy.release(graph);
}

Graph Graph::Capture::finish() {
  abi::Graph graph = nullptr;
  driver().cuStreamEndCapture(stream_, &graph);
  active_ = false;
  Graph g;
  const abi::Result result = driver().cuGraphInstantiateWithFlags.attempt(&g.handle_, graph, 0);
  driver().cuGraphDestroy.release(graph);
  if (result != abi::kSuccess) fail_driver(driver().cuGraphInstantiateWithFlags.name(), result);
  return g;
}

}  // namespace qc::cuda
