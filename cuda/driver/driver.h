// The driver, loaded when CUDA is first asked for. Nothing of NVIDIA's is linked.
#pragma once

#include <string>

#include "cuda/driver/driver_api.h"

namespace qc::cuda {

// Throws qc::Error: QC_ERROR_MEMORY when memory is exhausted, QC_ERROR_DEVICE otherwise. The message names the call and
// the driver's name and description of the error.
[[noreturn]] void fail_driver(const char* call, abi::Result result);

// Makes calls fail, for tests: the `countdown`-th checked call from now on (1: the next one) does not reach the driver
// but gives `result`. 0 switches the injection off.
void inject_failure(long countdown, abi::Result result);
// Checked calls since the last inject_failure().
long checked_calls();

// The result to pretend, or kSuccess: called once for each checked call.
abi::Result injected_failure();

// One entry point.
template <class... Args>
class Entry {
 public:
  explicit constexpr Entry(const char* name) : name_(name) {}

  // Call, and throw on failure.
  void operator()(Args... args) const {
    if (const abi::Result result = attempt(args...); result != abi::kSuccess) fail_driver(name_, result);
  }
  // Call, and hand the result back.
  abi::Result attempt(Args... args) const {
    if (const abi::Result injected = injected_failure(); injected != abi::kSuccess) return injected;
    return function_(args...);
  }
  // Call to give something back: nothing can be done about a failure, and a device that was lost reports it everywhere.
  void release(Args... args) const { function_(args...); }

  const char* name() const { return name_; }
  void bind(void* address) { function_ = reinterpret_cast<Function>(address); }

 private:
  using Function = abi::Result (*)(Args...);
  const char* name_;
  Function function_ = nullptr;
};

struct Driver {
#define QC_DRIVER_MEMBER(name, ...) Entry<__VA_ARGS__> name{#name};
  QC_DRIVER_ENTRIES(QC_DRIVER_MEMBER)
#undef QC_DRIVER_MEMBER
};

// Loads and initialises the driver at the first call; later calls return the same one. Throws QC_ERROR_UNSUPPORTED if
// there is none or it is too old. Thread safe.
const Driver& driver();

// Another file than libcuda.so.1 to load, for tests. Only before the first driver().
void set_driver_file(std::string path);

}  // namespace qc::cuda
