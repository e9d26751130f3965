// Runs the kernels of frames that are in flight: on worker threads (cpu_executor.cpp) or on a GPU (cuda/executor.cpp).
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <vector>

#include "core/feature.h"

namespace qc {

// One configured instance of a feature within a session.
struct Instance {
  const RegistryEntry* entry;
  OptionSet options;
  std::unique_ptr<Feature> feature;
  std::vector<int> column;   // column of each of the definition's outputs, -1: not produced
  size_t record_offset = 0;  // where this instance's record lies in Job::records
};

// A frame on its way: pictures in, records out.
struct Job {
  int64_t frame = 0;
  bool scored = true;                 // false: only features that run on every frame are computed
  std::shared_ptr<Pair> pair;         // reset when the pictures are no longer read
  std::shared_ptr<Pair> previous[2];  // only as many as the features' history needs
  std::vector<std::max_align_t> records;
  std::exception_ptr error;

  std::byte* record(const Instance& i) { return reinterpret_cast<std::byte*>(records.data()) + i.record_offset; }
  bool runs(const Instance& i) const { return scored || i.entry->definition->every_frame; }
};

class Executor {
 public:
  virtual ~Executor() = default;
  // True if submit() would have to wait for a place.
  virtual bool full() const = 0;
  // Start a job. Only when !full().
  virtual void submit(std::unique_ptr<Job> job) = 0;
  // The oldest job, once finished, in order of submission. Null if none is in flight, or if the oldest is unfinished
  // and `wait` is false. A failure of the kernels is in Job::error.
  virtual std::unique_ptr<Job> finished(bool wait) = 0;
};

// `threads` workers; at most `in_flight` unfinished jobs.
std::unique_ptr<Executor> make_cpu_executor(const std::vector<Instance>& instances, int threads, int in_flight);

}  // namespace qc
