// Runs the kernels of frames in flight on a GPU.
//
// Every frame in flight has a slot: a stream, a block of device memory, and the frame's whole chain of kernels as a
// CUDA graph, captured once. A frame's graph starts after what the callers' streams hold at the time of submission, and
// frames in different slots overlap. Records come back through pinned memory. Pictures are released, from the host,
// when the slot's event has completed; so whoever reuses them afterwards needs no further ordering.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/executor.h"

namespace qc::cuda {

struct ExecutorConfig {
  const std::vector<Instance>& instances;  // outlive the executor
  const Geometry& geometry;
  const QCFormat& reference;
  const QCFormat& distorted;
  int history;             // earlier pairs that kernels read
  int in_flight;           // frames at a time, 0: automatic. Fewer if device memory does not suffice
  int device_ordinal;      // the GPU for pictures in host memory
  const QCDevice* device;  // where the pictures are; nullptr: in host memory
  std::function<void(QCLogLevel, const std::string&)> logger;
};

// Throws if there is no driver or no such GPU, if the inputs are on different GPUs, if a feature has no CUDA path, or
// if device memory does not suffice for a single frame.
std::unique_ptr<Executor> make_executor(const ExecutorConfig& config);

}  // namespace qc::cuda
