// The one exception type of the library: a status code and one sentence for the user.
#pragma once

#include <stdexcept>
#include <string>

#include "qualitycuda.h"

namespace qc {

class Error : public std::runtime_error {
 public:
  Error(QCStatus code, const std::string& message) : std::runtime_error(message), code_(code) {}
  QCStatus code() const { return code_; }

 private:
  QCStatus code_;
};

// A bad option, model, format or call order.
[[noreturn]] inline void fail_invalid(const std::string& message) { throw Error(QC_ERROR_INVALID, message); }

// Valid, but not available in this build or on this machine, or not defined for this input.
[[noreturn]] inline void fail_unsupported(const std::string& message) { throw Error(QC_ERROR_UNSUPPORTED, message); }

// A file that cannot be read or written.
[[noreturn]] inline void fail_io(const std::string& message) { throw Error(QC_ERROR_IO, message); }

}  // namespace qc
