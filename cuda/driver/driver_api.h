// The part of NVIDIA's driver API that the library uses: types, values and entry points, declared here so that no
// toolkit header is needed to build (tests/unit/test_driver_api.cpp compares them with cuda.h where there is one).
// Names and values are those of the CUDA Driver API reference.
#pragma once

#include <cstddef>
#include <cstdint>

namespace qc::cuda::abi {

using Device = int;
using DevicePtr = unsigned long long;
using Context = struct CUctx_st*;
using Module = struct CUmod_st*;
using Function = struct CUfunc_st*;
using Stream = struct CUstream_st*;
using Event = struct CUevent_st*;
using Graph = struct CUgraph_st*;
using GraphExec = struct CUgraphExec_st*;

// CUresult values that the library tells apart.
enum Result : int {
  kSuccess = 0,
  kErrorInvalidValue = 1,
  kErrorOutOfMemory = 2,
  kErrorNoDevice = 100,
  kErrorInvalidDevice = 101,
  kErrorNotFound = 500,
  kErrorNotReady = 600,
  kErrorIllegalAddress = 700,
  kErrorLaunchFailed = 719,
};

constexpr unsigned kStreamNonBlocking = 1;
constexpr unsigned kEventBlockingSync = 1;
constexpr unsigned kEventDisableTiming = 2;
constexpr unsigned kMemHostAllocPortable = 1;

enum StreamCaptureMode : int { kCaptureThreadLocal = 1 };

enum DeviceAttribute : int {
  kAttributeMultiprocessorCount = 16,
  kAttributeComputeCapabilityMajor = 75,
  kAttributeComputeCapabilityMinor = 76,
  kAttributeSingleToDoubleRatio = 87,
};

enum MemoryType : int { kMemoryHost = 1, kMemoryDevice = 2, kMemoryUnified = 4 };

// CUDA_MEMCPY2D_v2
struct Memcpy2D {
  size_t src_x_bytes, src_y;
  MemoryType src_type;
  const void* src_host;
  DevicePtr src_device;
  void* src_array;
  size_t src_pitch;
  size_t dst_x_bytes, dst_y;
  MemoryType dst_type;
  void* dst_host;
  DevicePtr dst_device;
  void* dst_array;
  size_t dst_pitch;
  size_t width_bytes, height;
};

constexpr uint64_t kProcAddressLegacyStream = 1;

// The interface version that entry points are asked for: CUDA 11.4, the first with all of them.
constexpr int kInterfaceVersion = 11040;

}  // namespace qc::cuda::abi

// X(entry point, parameter types…)
#define QC_DRIVER_ENTRIES(X)                                                                                          \
  X(cuInit, unsigned)                                                                                                 \
  X(cuDriverGetVersion, int*)                                                                                         \
  X(cuDeviceGetCount, int*)                                                                                           \
  X(cuDeviceGet, abi::Device*, int)                                                                                   \
  X(cuDeviceGetName, char*, int, abi::Device)                                                                         \
  X(cuDeviceGetAttribute, int*, abi::DeviceAttribute, abi::Device)                                                    \
  X(cuDevicePrimaryCtxRetain, abi::Context*, abi::Device)                                                             \
  X(cuDevicePrimaryCtxRelease, abi::Device)                                                                           \
  X(cuCtxPushCurrent, abi::Context)                                                                                   \
  X(cuCtxPopCurrent, abi::Context*)                                                                                   \
  X(cuCtxGetDevice, abi::Device*)                                                                                     \
  X(cuStreamCreate, abi::Stream*, unsigned)                                                                           \
  X(cuStreamDestroy, abi::Stream)                                                                                     \
  X(cuStreamSynchronize, abi::Stream)                                                                                 \
  X(cuStreamWaitEvent, abi::Stream, abi::Event, unsigned)                                                             \
  X(cuStreamBeginCapture, abi::Stream, abi::StreamCaptureMode)                                                        \
  X(cuStreamEndCapture, abi::Stream, abi::Graph*)                                                                     \
  X(cuEventCreate, abi::Event*, unsigned)                                                                             \
  X(cuEventDestroy, abi::Event)                                                                                       \
  X(cuEventRecord, abi::Event, abi::Stream)                                                                           \
  X(cuEventQuery, abi::Event)                                                                                         \
  X(cuEventSynchronize, abi::Event)                                                                                   \
  X(cuEventElapsedTime, float*, abi::Event, abi::Event)                                                               \
  X(cuMemGetInfo, size_t*, size_t*)                                                                                   \
  X(cuMemAlloc, abi::DevicePtr*, size_t)                                                                              \
  X(cuMemFree, abi::DevicePtr)                                                                                        \
  X(cuMemHostAlloc, void**, size_t, unsigned)                                                                         \
  X(cuMemFreeHost, void*)                                                                                             \
  X(cuMemcpyHtoDAsync, abi::DevicePtr, const void*, size_t, abi::Stream)                                              \
  X(cuMemcpyDtoHAsync, void*, abi::DevicePtr, size_t, abi::Stream)                                                    \
  X(cuMemcpyDtoDAsync, abi::DevicePtr, abi::DevicePtr, size_t, abi::Stream)                                           \
  X(cuMemcpy2DAsync, const abi::Memcpy2D*, abi::Stream)                                                               \
  X(cuMemsetD8Async, abi::DevicePtr, unsigned char, size_t, abi::Stream)                                              \
  X(cuModuleLoadData, abi::Module*, const void*)                                                                      \
  X(cuModuleUnload, abi::Module)                                                                                      \
  X(cuModuleGetFunction, abi::Function*, abi::Module, const char*)                                                    \
  X(cuLaunchKernel, abi::Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, abi::Stream, \
    void**, void**)                                                                                                   \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor, int*, abi::Function, int, size_t)                                    \
  X(cuGraphInstantiateWithFlags, abi::GraphExec*, abi::Graph, unsigned long long)                                     \
  X(cuGraphLaunch, abi::GraphExec, abi::Stream)                                                                       \
  X(cuGraphDestroy, abi::Graph)                                                                                       \
  X(cuGraphExecDestroy, abi::GraphExec)
