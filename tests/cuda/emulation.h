// The stand-in for the driver that tests/emulation builds.
#pragma once

#include <unistd.h>

#include <string>

#include "cuda/driver/driver.h"

namespace qc::test {

// A group's set-up: the CUDA path uses the stand-in from here on.
inline int load_emulation(void**) {
  char folder[4096];
  if (!getcwd(folder, sizeof(folder))) return -1;
  cuda::set_driver_file(std::string(folder) + "/tests/emulation/libemulated_cuda.so");
  return 0;
}

}  // namespace qc::test
