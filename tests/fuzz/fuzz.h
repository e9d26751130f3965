// What the fuzzers share: reading their input, and running a small stream through the C API.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "qualitycuda.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace qc::fuzz {

// Takes numbers from the front of the fuzzer's input; zeros after its end.
class Input {
 public:
  Input(const uint8_t* data, size_t size) : data_(data), size_(size) {}
  uint8_t byte() { return size_ ? (--size_, *data_++) : uint8_t{0}; }
  // Between low and high.
  int number(int low, int high);
  // What is left, as text without zeros and slashes (so that no path leads out of the working folder).
  std::string text();
  const uint8_t* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  const uint8_t* data_;
  size_t size_;
};

using Options = std::vector<std::pair<std::string, std::string>>;

// Score `frames` pairs of `format`, their samples repeating the bytes of `samples`. Planes are exactly as large as they
// must be, so that a read beyond them is caught. Aborts if the library breaks a promise: an error without a sentence, a
// result out of order, a pair that is not released, a frame that is lost.
void run_stream(const Options& options, const QCFormat& format, int frames, Input samples);

// A luma-only or planar 8-bit format.
QCFormat plain_format(int width, int height, QCChroma chroma);

// A folder that is removed at exit.
const std::string& working_folder();

}  // namespace qc::fuzz
