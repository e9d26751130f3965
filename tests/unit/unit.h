// What the unit tests share: CMocka, and comparisons that print both sides.
#pragma once

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "core/error.h"

// Last, for cmocka.h defines macros such as fail(); it needs what stands before it.
// clang-format off
extern "C" {
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
}
// clang-format on

namespace unit {

inline void assert_text(const std::string& actual, const std::string& expected) {
  assert_string_equal(actual.c_str(), expected.c_str());
}

// Bits, so that -0 isn't 0 and a NaN equals itself.
inline void assert_same(double actual, double expected) {
  if (std::memcmp(&actual, &expected, sizeof actual) != 0) fail_msg("%.17g is not %.17g", actual, expected);
}

// `body` throws a qc::Error with this code whose message contains `part`.
template <class Body>
void assert_fails(QCStatus code, const char* part, Body&& body) {
  std::string message;
  QCStatus thrown = QC_OK;
  try {
    body();
  } catch (const qc::Error& e) {
    message = e.what();
    thrown = e.code();
  }
  if (thrown == QC_OK) fail_msg("no error; expected one with '%s'", part);
  if (message.find(part) == std::string::npos) fail_msg("'%s' does not contain '%s'", message.c_str(), part);
  assert_int_equal(thrown, code);
}

inline std::string file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The folder of test data that isn't part of the repository: $QC_SHARED, or ../shared beside the source tree.
inline std::string shared_folder() {
  if (const char* folder = std::getenv("QC_SHARED")) return folder;
  const char* top = std::getenv("srcdir");
  return std::string(top ? top : ".") + "/../shared";
}

// A folder of the running test's own, removed with what is in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    char name[] = "unit-test-XXXXXX";
    if (!mkdtemp(name)) std::abort();
    path_ = name;
  }
  ~TemporaryFolder();
  std::string path(const std::string& name) const { return path_ + "/" + name; }
  // Names of the files in it, sorted, separated by spaces.
  std::string listing() const;

 private:
  std::string path_;
};

}  // namespace unit
