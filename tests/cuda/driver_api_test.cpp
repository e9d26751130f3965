// Compares cuda/driver/driver_api.h with the Toolkit's cuda.h, where there is one: all of it at compile time.
#include "cuda/driver/driver_api.h"

#include <cuda.h>

#include <cstddef>
#include <cstdio>
#include <type_traits>

namespace abi = qc::cuda::abi;

namespace {

static_assert(sizeof(abi::Device) == sizeof(CUdevice) && std::is_same_v<abi::DevicePtr, CUdeviceptr>);
static_assert(abi::kSuccess == int{CUDA_SUCCESS});
static_assert(abi::kErrorInvalidValue == int{CUDA_ERROR_INVALID_VALUE});
static_assert(abi::kErrorOutOfMemory == int{CUDA_ERROR_OUT_OF_MEMORY});
static_assert(abi::kErrorNoDevice == int{CUDA_ERROR_NO_DEVICE});
static_assert(abi::kErrorInvalidDevice == int{CUDA_ERROR_INVALID_DEVICE});
static_assert(abi::kErrorNotFound == int{CUDA_ERROR_NOT_FOUND});
static_assert(abi::kErrorNotReady == int{CUDA_ERROR_NOT_READY});
static_assert(abi::kErrorIllegalAddress == int{CUDA_ERROR_ILLEGAL_ADDRESS});
static_assert(abi::kErrorLaunchFailed == int{CUDA_ERROR_LAUNCH_FAILED});
static_assert(abi::kStreamNonBlocking == int{CU_STREAM_NON_BLOCKING});
static_assert(abi::kEventBlockingSync == int{CU_EVENT_BLOCKING_SYNC});
static_assert(abi::kEventDisableTiming == int{CU_EVENT_DISABLE_TIMING});
static_assert(abi::kMemHostAllocPortable == CU_MEMHOSTALLOC_PORTABLE);
static_assert(abi::kCaptureThreadLocal == int{CU_STREAM_CAPTURE_MODE_THREAD_LOCAL});
static_assert(abi::kAttributeMultiprocessorCount == int{CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT});
static_assert(abi::kAttributeComputeCapabilityMajor == int{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR});
static_assert(abi::kAttributeComputeCapabilityMinor == int{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR});
static_assert(abi::kMemoryHost == int{CU_MEMORYTYPE_HOST} && abi::kMemoryDevice == int{CU_MEMORYTYPE_DEVICE} &&
              abi::kMemoryUnified == int{CU_MEMORYTYPE_UNIFIED});
static_assert(abi::kProcAddressLegacyStream == int{CU_GET_PROC_ADDRESS_LEGACY_STREAM});

#define QC_SAME_MEMBER(ours, theirs)                                                \
  static_assert(offsetof(abi::Memcpy2D, ours) == offsetof(CUDA_MEMCPY2D, theirs) && \
                sizeof(abi::Memcpy2D::ours) == sizeof(CUDA_MEMCPY2D::theirs))
static_assert(sizeof(abi::Memcpy2D) == sizeof(CUDA_MEMCPY2D));
QC_SAME_MEMBER(src_x_bytes, srcXInBytes);
QC_SAME_MEMBER(src_y, srcY);
QC_SAME_MEMBER(src_type, srcMemoryType);
QC_SAME_MEMBER(src_host, srcHost);
QC_SAME_MEMBER(src_device, srcDevice);
QC_SAME_MEMBER(src_array, srcArray);
QC_SAME_MEMBER(src_pitch, srcPitch);
QC_SAME_MEMBER(dst_x_bytes, dstXInBytes);
QC_SAME_MEMBER(dst_y, dstY);
QC_SAME_MEMBER(dst_type, dstMemoryType);
QC_SAME_MEMBER(dst_host, dstHost);
QC_SAME_MEMBER(dst_device, dstDevice);
QC_SAME_MEMBER(dst_array, dstArray);
QC_SAME_MEMBER(dst_pitch, dstPitch);
QC_SAME_MEMBER(width_bytes, WidthInBytes);
QC_SAME_MEMBER(height, Height);

// Parameters agree if they are passed the same way: pointers as pointers, integers and enumerations by size.
template <class Ours, class Theirs>
constexpr bool kSameParameter = sizeof(Ours) == sizeof(Theirs) && std::is_pointer_v<Ours> == std::is_pointer_v<Theirs>;

template <class... Ours>
struct Parameters {
  template <class... Theirs>
  static constexpr bool agree(CUresult(CUDAAPI*)(Theirs...)) {
    if constexpr (sizeof...(Ours) != sizeof...(Theirs)) {
      return false;
    } else {
      return (kSameParameter<Ours, Theirs> && ...);
    }
  }
};

#define QC_SAME_ENTRY(name, ...) static_assert(Parameters<__VA_ARGS__>::agree(&::name), #name " differs from cuda.h");
QC_DRIVER_ENTRIES(QC_SAME_ENTRY)

}  // namespace

int main() {
  std::printf("driver_api.h agrees with cuda.h of CUDA %d.%d\n", CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10);
  return 0;
}
