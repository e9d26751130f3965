// Finding and running emulated kernels.
#pragma once

#include "emulation/device.h"

namespace qc::device::emulation {

// Null if there is no kernel of that name.
const Registration* find_kernel(const char* name);

// Runs all blocks, in order. Not reentrant, and for one thread at a time.
void launch(const Registration& kernel, const unsigned grid[3], unsigned threads, const void* args);

}  // namespace qc::device::emulation
