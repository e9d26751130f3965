// A stream with every feature, for tests that disturb it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generator/scenes.h"
#include "qualitycuda.h"

namespace qc::test {

// All features that score this format, as the option `feature` takes them.
std::string all_features(const QCFormat& format);

struct StreamOutcome {
  QCStatus status = QC_OK;  // of the first call that failed
  std::string call;         // its name
  std::vector<double> values;
  int sent = 0;      // pairs that were taken
  int released = 0;  // pairs that were handed back, once the context is destroyed
};

struct StreamPlan {
  std::string features;
  std::string log;  // a path, "": no log
  int threads = 1;
  int stop_after = -1;  // destroy the context after that many pairs, -1: score them all
};

// The clips are scored over and over until `frames` pairs are sent.
StreamOutcome run_stream(const Clip& reference, const Clip& distorted, int frames, const StreamPlan& plan);

}  // namespace qc::test
