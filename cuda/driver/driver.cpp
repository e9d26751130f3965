#include "cuda/driver/driver.h"

#include <dlfcn.h>

#include <atomic>

#include "core/error.h"

namespace qc::cuda {
namespace {

std::string& driver_file() {
  static std::string path = "libcuda.so.1";
  return path;
}

std::atomic<long> failure_countdown{0};
std::atomic<long> call_count{0};
std::atomic<int> failure_result{abi::kSuccess};

// cuGetErrorName and cuGetErrorString: bound with the rest, but they are no checked calls.
using ErrorText = abi::Result (*)(abi::Result, const char**);
ErrorText error_name = nullptr;
ErrorText error_string = nullptr;

constexpr const char* kRemedy = "; install NVIDIA's driver, or use backend=cpu";

class Loader {
 public:
  Loader() {
    // Never closed: its threads and exit handlers outlive every context.
    library_ = dlopen(driver_file().c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library_) fail_unsupported(std::string("CUDA needs NVIDIA's driver: ") + dlerror() + kRemedy);
    get_v2_ = reinterpret_cast<GetProcAddressV2>(dlsym(library_, "cuGetProcAddress_v2"));
    get_ = reinterpret_cast<GetProcAddress>(dlsym(library_, "cuGetProcAddress"));
    if (!get_v2_ && !get_) fail_unsupported(std::string("NVIDIA's driver is older than CUDA 11.4") + kRemedy);
  }

  void* find(const char* name) const {
    void* address = nullptr;
    int status = 0;
    const abi::Result result =
        get_v2_ ? get_v2_(name, &address, abi::kInterfaceVersion, abi::kProcAddressLegacyStream, &status)
                : get_(name, &address, abi::kInterfaceVersion, abi::kProcAddressLegacyStream);
    if (result != abi::kSuccess || !address)
      fail_unsupported(std::string("NVIDIA's driver has no ") + name + ": it is older than CUDA 11.4" + kRemedy);
    return address;
  }

 private:
  using GetProcAddress = abi::Result (*)(const char*, void**, int, uint64_t);
  using GetProcAddressV2 = abi::Result (*)(const char*, void**, int, uint64_t, int*);
  void* library_;
  GetProcAddressV2 get_v2_;
  GetProcAddress get_;
};

Driver load() {
  const Loader loader;
  Driver d;
  error_name = reinterpret_cast<ErrorText>(loader.find("cuGetErrorName"));
  error_string = reinterpret_cast<ErrorText>(loader.find("cuGetErrorString"));
#define QC_DRIVER_BIND(name, ...) d.name.bind(loader.find(#name));
  QC_DRIVER_ENTRIES(QC_DRIVER_BIND)
#undef QC_DRIVER_BIND
  d.cuInit(0);
  return d;
}

}  // namespace

void fail_driver(const char* call, abi::Result result) {
  std::string message = std::string(call) + " failed: ";
  const char* name = nullptr;
  const char* text = nullptr;
  if (error_name && error_name(result, &name) == abi::kSuccess && name) {
    message += name;
  } else {
    message += "error " + std::to_string(int{result});
  }
  if (error_string && error_string(result, &text) == abi::kSuccess && text) message += std::string(" (") + text + ")";
  throw Error(result == abi::kErrorOutOfMemory ? QC_ERROR_MEMORY : QC_ERROR_DEVICE, message);
}

void inject_failure(long countdown, abi::Result result) {
  failure_result = result;
  call_count = 0;
  failure_countdown = countdown;
}

long checked_calls() { return call_count; }

abi::Result injected_failure() {
  const long call = ++call_count;
  return call == failure_countdown ? static_cast<abi::Result>(failure_result.load()) : abi::kSuccess;
}

const Driver& driver() {
  static const Driver d = load();
  return d;
}

void set_driver_file(std::string path) { driver_file() = std::move(path); }

}  // namespace qc::cuda
