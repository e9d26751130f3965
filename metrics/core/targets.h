// Choice of the instruction set of the vector kernels, for tests.
#pragma once

#include <string>
#include <vector>

namespace qc {

// Names of the targets that this build and this machine have, best first, ending with "scalar".
std::vector<std::string> available_targets();

// Make every kernel of the process use the target called `name` ("" restores the choice by processor). False if it is
// not available. Not thread-safe: call it while no session runs.
bool force_target(const std::string& name);

}  // namespace qc
