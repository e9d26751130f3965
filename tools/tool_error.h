// How the command-line tools fail: an exit status and one sentence.
#pragma once

#include <stdexcept>
#include <string>

namespace tool {

// Exit statuses of libvmaf's command-line tool.
constexpr int kUsage = 1;
constexpr int kFailed = 255;

class Error : public std::runtime_error {
 public:
  Error(int status, const std::string& message) : std::runtime_error(message), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

}  // namespace tool
