// A stand-in for libcuda.so.1 that runs on the CPU, so that the executor and every kernel are tested on machines
// without a GPU. Work on a stream is put off until somebody waits for it, and then done one stream at a time, so that a
// missing dependency shows. Of a graph's operations, that run first which were captured last, as far as their
// dependencies allow it.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "cuda/driver/driver_api.h"
#include "emulation/launch.h"

namespace qc::cuda::abi {

struct CUctx_st {
  int device;
};

struct CUevent_st {
  Stream stream;
  size_t position = 0;  // operations of the stream before it
  bool captured = false;
  std::vector<size_t> nodes;  // if captured: what is to be done before
  int polls = 0;
};

struct CUgraph_st {
  struct Node {
    std::function<void()> run;
    std::vector<size_t> after;
  };
  std::vector<Node> nodes;
  std::map<Stream, std::vector<size_t>> last;  // what a stream's next operation has to wait for
};
struct CUgraphExec_st {
  std::vector<CUgraph_st::Node> nodes;
};
struct CUmod_st {};
struct CUfunc_st {
  const qc::device::emulation::Registration* kernel;
};

struct CUstream_st {
  struct Operation {
    std::function<void()> run;
    Stream wait_stream = nullptr;  // run when this stream has done
    size_t wait_position = 0;      // so many operations
  };
  std::deque<Operation> waiting;
  size_t done = 0;
  size_t enqueued = 0;
  CUgraph_st* capture = nullptr;
  bool captured_into = false;  // taken into another stream's capture
};

}  // namespace qc::cuda::abi

namespace abi = qc::cuda::abi;
namespace emulation = qc::device::emulation;

namespace {

using abi::Result;

constexpr Result kInvalidContext = static_cast<Result>(201);
constexpr Result kInvalidHandle = static_cast<Result>(400);
constexpr int kDevices = 2;
constexpr size_t kDeviceBytes = size_t{1} << 30;

std::recursive_mutex mutex;
thread_local std::vector<abi::Context> current;
std::set<void*> live;  // every object that somebody must give back
std::map<void*, size_t> device_memory;
size_t device_bytes = 0;
abi::CUctx_st primary[kDevices] = {{0}, {1}};
int primary_users[kDevices] = {};
abi::CUstream_st legacy_stream;
// Streams that still exist or are referred to: kept, since operations of others may wait for them.
std::vector<std::unique_ptr<abi::CUstream_st>> streams;
std::vector<std::unique_ptr<abi::CUctx_st>> contexts;

abi::Stream resolve(abi::Stream s) { return s ? s : &legacy_stream; }

void run_until(abi::Stream s, size_t position) {
  while (s->done < position && !s->waiting.empty()) {
    auto operation = std::move(s->waiting.front());
    s->waiting.pop_front();
    ++s->done;
    if (operation.wait_stream) run_until(operation.wait_stream, operation.wait_position);
    if (operation.run) operation.run();
  }
}

void run_everything() {
  run_until(&legacy_stream, legacy_stream.enqueued);
  for (auto& s : streams) run_until(s.get(), s->enqueued);
}

abi::CUgraph_st* capturing = nullptr;

void run_nodes(const std::vector<abi::CUgraph_st::Node>& nodes) {
  std::vector<bool> done(nodes.size());
  for (size_t ran = 0; ran < nodes.size(); ++ran) {
    size_t next = nodes.size() - 1;
    while (done[next] || !std::all_of(nodes[next].after.begin(), nodes[next].after.end(),
                                      [&](size_t before) { return done[before]; }))
      --next;
    nodes[next].run();
    done[next] = true;
  }
}

Result enqueue(abi::Stream stream, std::function<void()> run) {
  if (current.empty()) return kInvalidContext;
  abi::Stream s = resolve(stream);
  if (s->capture || s->captured_into) {
    std::vector<size_t>& last = capturing->last[s];
    capturing->nodes.push_back({std::move(run), last});
    last = {capturing->nodes.size() - 1};
  } else {
    s->waiting.push_back({std::move(run)});
    ++s->enqueued;
  }
  return abi::kSuccess;
}

template <class T>
Result make(T*& out) {
  if (current.empty()) return kInvalidContext;
  out = new T;
  live.insert(out);
  return abi::kSuccess;
}

template <class T>
Result destroy(T* object) {
  if (!live.erase(object)) return kInvalidHandle;
  delete object;
  return abi::kSuccess;
}

#define QC_LOCKED const std::lock_guard lock(mutex)

Result cuInit(unsigned) { return abi::kSuccess; }
Result cuDriverGetVersion(int* v) { return *v = abi::kInterfaceVersion, abi::kSuccess; }
Result cuDeviceGetCount(int* n) { return *n = kDevices, abi::kSuccess; }
Result cuDeviceGet(abi::Device* d, int ordinal) {
  if (ordinal < 0 || ordinal >= kDevices) return abi::kErrorInvalidDevice;
  return *d = ordinal, abi::kSuccess;
}
Result cuDeviceGetName(char* name, int size, abi::Device) {
  std::snprintf(name, static_cast<size_t>(size), "emulated device");
  return abi::kSuccess;
}
Result cuDeviceGetAttribute(int* value, abi::DeviceAttribute a, abi::Device) {
  *value = a == abi::kAttributeMultiprocessorCount ? 2 : a == abi::kAttributeComputeCapabilityMajor ? 9 : 0;
  return abi::kSuccess;
}
Result cuDevicePrimaryCtxRetain(abi::Context* c, abi::Device d) {
  QC_LOCKED;
  ++primary_users[d];
  return *c = &primary[d], abi::kSuccess;
}
Result cuDevicePrimaryCtxRelease(abi::Device d) {
  QC_LOCKED;
  return primary_users[d]-- > 0 ? abi::kSuccess : kInvalidContext;
}
Result cuCtxPushCurrent(abi::Context c) { return current.push_back(c), abi::kSuccess; }
Result cuCtxPopCurrent(abi::Context* c) {
  if (current.empty()) return kInvalidContext;
  *c = current.back();
  return current.pop_back(), abi::kSuccess;
}
Result cuCtxGetDevice(abi::Device* d) {
  if (current.empty()) return kInvalidContext;
  return *d = current.back()->device, abi::kSuccess;
}

Result cuStreamCreate(abi::Stream* s, unsigned flags) {
  QC_LOCKED;
  if (current.empty()) return kInvalidContext;
  if (flags != abi::kStreamNonBlocking) return abi::kErrorInvalidValue;
  streams.push_back(std::make_unique<abi::CUstream_st>());
  *s = streams.back().get();
  live.insert(*s);
  return abi::kSuccess;
}
Result cuStreamDestroy(abi::Stream s) {
  QC_LOCKED;
  return live.erase(s) ? abi::kSuccess : kInvalidHandle;
}
Result cuStreamSynchronize(abi::Stream s) {
  QC_LOCKED;
  s = resolve(s);
  if (s->capture) return kInvalidHandle;
  run_until(s, s->enqueued);
  return abi::kSuccess;
}
Result cuStreamWaitEvent(abi::Stream stream, abi::Event e, unsigned) {
  QC_LOCKED;
  if (current.empty()) return kInvalidContext;
  abi::Stream s = resolve(stream);
  if (e->captured) {
    if (!capturing) return kInvalidHandle;
    if (!s->capture) s->captured_into = true;
    std::vector<size_t>& last = capturing->last[s];
    last.insert(last.end(), e->nodes.begin(), e->nodes.end());
    return abi::kSuccess;
  }
  if (s->capture || s->captured_into) return kInvalidHandle;
  s->waiting.push_back({nullptr, e->stream, e->position});
  ++s->enqueued;
  return abi::kSuccess;
}
Result cuStreamBeginCapture(abi::Stream s, abi::StreamCaptureMode) {
  QC_LOCKED;
  if (capturing) return kInvalidHandle;
  if (const Result r = make(capturing); r != abi::kSuccess) return r;
  s->capture = capturing;
  return abi::kSuccess;
}
Result cuStreamEndCapture(abi::Stream s, abi::Graph* g) {
  QC_LOCKED;
  if (!s->capture) return kInvalidHandle;
  *g = s->capture;
  s->capture = nullptr;
  capturing = nullptr;
  return abi::kSuccess;
}

Result cuEventCreate(abi::Event* e, unsigned) {
  QC_LOCKED;
  return make(*e);
}
Result cuEventDestroy(abi::Event e) {
  QC_LOCKED;
  return destroy(e);
}
Result cuEventRecord(abi::Event e, abi::Stream stream) {
  QC_LOCKED;
  if (current.empty()) return kInvalidContext;
  abi::Stream s = resolve(stream);
  e->captured = s->capture || s->captured_into;
  if (e->captured) e->nodes = capturing->last[s];
  e->stream = s;
  e->position = s->enqueued;
  e->polls = 0;
  return abi::kSuccess;
}
Result cuEventQuery(abi::Event e) {
  QC_LOCKED;
  if (!e->stream) return abi::kSuccess;
  if (e->stream->done < e->position && ++e->polls < 3) return abi::kErrorNotReady;
  run_until(e->stream, e->position);
  return abi::kSuccess;
}
Result cuEventSynchronize(abi::Event e) {
  QC_LOCKED;
  if (e->stream) run_until(e->stream, e->position);
  return abi::kSuccess;
}
Result cuEventElapsedTime(float* ms, abi::Event, abi::Event) { return *ms = 1.0F, abi::kSuccess; }

Result cuMemGetInfo(size_t* free, size_t* total) {
  QC_LOCKED;
  *free = kDeviceBytes - device_bytes;
  return *total = kDeviceBytes, abi::kSuccess;
}
Result cuMemAlloc(abi::DevicePtr* p, size_t bytes) {
  QC_LOCKED;
  if (current.empty()) return kInvalidContext;
  if (bytes == 0) return abi::kErrorInvalidValue;
  if (bytes > kDeviceBytes - device_bytes) return abi::kErrorOutOfMemory;
  void* memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  std::memset(memory, 0xab, bytes);
  device_memory[memory] = bytes;
  device_bytes += bytes;
  live.insert(memory);
  return *p = reinterpret_cast<abi::DevicePtr>(memory), abi::kSuccess;
}
Result cuMemFree(abi::DevicePtr p) {
  QC_LOCKED;
  run_everything();
  void* memory = reinterpret_cast<void*>(p);
  if (!live.erase(memory)) return abi::kErrorInvalidValue;
  device_bytes -= device_memory[memory];
  device_memory.erase(memory);
  std::free(memory);
  return abi::kSuccess;
}
Result cuMemHostAlloc(void** p, size_t bytes, unsigned) {
  QC_LOCKED;
  if (current.empty()) return kInvalidContext;
  *p = std::malloc(bytes);
  std::memset(*p, 0xcd, bytes);
  live.insert(*p);
  return abi::kSuccess;
}
Result cuMemFreeHost(void* p) {
  QC_LOCKED;
  run_everything();
  if (!live.erase(p)) return abi::kErrorInvalidValue;
  std::free(p);
  return abi::kSuccess;
}
Result cuMemcpyHtoDAsync(abi::DevicePtr to, const void* from, size_t bytes, abi::Stream s) {
  QC_LOCKED;
  return enqueue(s, [=] { std::memcpy(reinterpret_cast<void*>(to), from, bytes); });
}
Result cuMemcpyDtoHAsync(void* to, abi::DevicePtr from, size_t bytes, abi::Stream s) {
  QC_LOCKED;
  return enqueue(s, [=] { std::memcpy(to, reinterpret_cast<const void*>(from), bytes); });
}
Result cuMemcpyDtoDAsync(abi::DevicePtr to, abi::DevicePtr from, size_t bytes, abi::Stream s) {
  QC_LOCKED;
  return enqueue(s, [=] { std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes); });
}
Result cuMemcpy2DAsync(const abi::Memcpy2D* copy, abi::Stream s) {
  QC_LOCKED;
  const abi::Memcpy2D c = *copy;
  return enqueue(s, [=] {
    const auto* from = c.src_type == abi::kMemoryHost ? static_cast<const std::byte*>(c.src_host)
                                                      : reinterpret_cast<const std::byte*>(c.src_device);
    auto* to = c.dst_type == abi::kMemoryHost ? static_cast<std::byte*>(c.dst_host)
                                              : reinterpret_cast<std::byte*>(c.dst_device);
    for (size_t y = 0; y < c.height; ++y) std::memcpy(to + y * c.dst_pitch, from + y * c.src_pitch, c.width_bytes);
  });
}
Result cuMemsetD8Async(abi::DevicePtr p, unsigned char v, size_t bytes, abi::Stream s) {
  QC_LOCKED;
  return enqueue(s, [=] { std::memset(reinterpret_cast<void*>(p), v, bytes); });
}

Result cuModuleLoadData(abi::Module* m, const void* image) {
  QC_LOCKED;
  if (!image) return abi::kErrorInvalidValue;
  return make(*m);
}
Result cuModuleUnload(abi::Module m) {
  QC_LOCKED;
  return destroy(m);
}
Result cuModuleGetFunction(abi::Function* f, abi::Module, const char* name) {
  QC_LOCKED;
  static std::map<std::string, abi::CUfunc_st> functions;
  const auto* kernel = emulation::find_kernel(name);
  if (!kernel) return abi::kErrorNotFound;
  abi::CUfunc_st& function = functions[name];
  function.kernel = kernel;
  return *f = &function, abi::kSuccess;
}
Result cuLaunchKernel(abi::Function f, unsigned x, unsigned y, unsigned z, unsigned threads, unsigned threads_y,
                      unsigned threads_z, unsigned shared, abi::Stream s, void** arguments, void**) {
  QC_LOCKED;
  if (!x || !y || !z || y > 65535 || z > 65535 || threads_y != 1 || threads_z != 1 || shared)
    return abi::kErrorInvalidValue;
  const auto* begin = static_cast<const std::byte*>(arguments[0]);
  std::vector<std::byte> args(begin, begin + f->kernel->args_bytes);
  return enqueue(s, [=, kernel = f->kernel] {
    const unsigned grid[3] = {x, y, z};
    emulation::launch(*kernel, grid, threads, args.data());
  });
}

Result cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, abi::Function, int, size_t) {
  return *blocks = 2, abi::kSuccess;
}
Result cuGraphInstantiateWithFlags(abi::GraphExec* e, abi::Graph g, unsigned long long) {
  QC_LOCKED;
  const Result r = make(*e);
  if (r == abi::kSuccess) (*e)->nodes = g->nodes;
  return r;
}
Result cuGraphLaunch(abi::GraphExec g, abi::Stream s) {
  QC_LOCKED;
  return enqueue(s, [nodes = g->nodes] { run_nodes(nodes); });
}
Result cuGraphDestroy(abi::Graph g) {
  QC_LOCKED;
  return destroy(g);
}
Result cuGraphExecDestroy(abi::GraphExec g) {
  QC_LOCKED;
  return destroy(g);
}

Result cuGetErrorName(Result r, const char** text) {
  *text = r == abi::kErrorOutOfMemory ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_EMULATED";
  return abi::kSuccess;
}
Result cuGetErrorString(Result r, const char** text) {
  *text = r == abi::kErrorOutOfMemory ? "out of memory" : "emulated";
  return abi::kSuccess;
}

}  // namespace

extern "C" {

qc::cuda::abi::Result cuGetProcAddress_v2(const char* symbol, void** address, int, uint64_t flags, int*) {
  static const std::map<std::string, void*> table = {
#define QC_EMULATED_ENTRY(name, ...) {#name, reinterpret_cast<void*>(static_cast<Result (*)(__VA_ARGS__)>(&name))},
      QC_DRIVER_ENTRIES(QC_EMULATED_ENTRY)
#undef QC_EMULATED_ENTRY
          {"cuGetErrorName", reinterpret_cast<void*>(&cuGetErrorName)},
      {"cuGetErrorString", reinterpret_cast<void*>(&cuGetErrorString)},
  };
  const auto entry = table.find(symbol);
  *address = entry == table.end() || flags != abi::kProcAddressLegacyStream ? nullptr : entry->second;
  return *address ? abi::kSuccess : abi::kErrorNotFound;
}

// For tests: objects that were made and not given back, primary contexts' users included.
long emulated_live_objects() {
  QC_LOCKED;
  return static_cast<long>(live.size()) + primary_users[0] + primary_users[1];
}

// For tests: contexts left current on this thread.
long emulated_current_contexts() { return static_cast<long>(current.size()); }

// For tests: another context on a device, for the rest of the process.
void* emulated_context(int device) {
  QC_LOCKED;
  contexts.push_back(std::make_unique<abi::CUctx_st>(abi::CUctx_st{device}));
  return contexts.back().get();
}
}
