// The score of a pair of planes, or of their changes in time, with vectors.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "speed/speed_plain.h"

namespace qc::speed {

// Buffers of a worker. They keep their memory from frame to frame.
struct Scratch {
  std::vector<float> source_rows;  // converted to float, the latest that the prescaling asked for
  std::vector<int> source_row_numbers;
  std::vector<float> scaled_rows;  // under the antialiasing filter
  std::vector<uint8_t> samples;    // of an interleaved or msb-aligned row
  std::vector<float> filtered_row;
  std::vector<float> low;
  std::vector<float> columns;
  std::vector<float> reduced;
  std::vector<double> deviations;
  std::vector<double> products;
  std::vector<float> blocks;
  std::vector<float> solutions;
  Statistics statistics[2];
  std::vector<float> entropies[2];
};

SpeedScore speed_score(const Parameters& parameters, const Source& reference, const Source& distorted,
                       Scratch& scratch);

}  // namespace qc::speed
