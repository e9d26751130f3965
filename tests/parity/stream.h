// One random stream, run on the CPU or on the device.
#pragma once

#include "parity/frames.h"

namespace qc::parity {

// All that is drawn from a seed.
struct StreamPlan {
  uint64_t seed;
  Plan plan;
  std::string options;  // ":OPTION=VALUE" items
  int frames;
  int subsample;
  int in_flight;
  bool device_frames;  // the CUDA path gets pictures in device memory
};

// What a stream gave: a failure, or scores and aggregates.
struct Outcome {
  QCStatus status = QC_OK;
  std::string error;
  std::vector<std::string> names;
  std::vector<std::vector<double>> frames;
  std::vector<double> aggregates;
};

// A stream for the feature at `index` of qc_feature_info.
StreamPlan draw_stream(uint64_t seed, int index);

enum class Path { Cpu, Cuda };
Outcome run_stream(const StreamPlan& stream, const std::string& feature, Path path);

// "" if the outcomes agree in every bit (NaNs are equal), or what differs.
std::string difference(const Outcome& cpu, const Outcome& cuda);

}  // namespace qc::parity
