#include "vif/vif_log.h"

#include <cmath>
#include <vector>

namespace qc::vif {
namespace {

// Rounding to float32 moves the boundary between two entries by half its spacing, 1/1024. No logarithm comes nearer to
// a boundary than 1.5e-5, so that any decent log2 gives this table.
std::vector<uint16_t> make_table() {
  std::vector<uint16_t> table(kLogEntries);
  for (int i = 0; i < kLogEntries; ++i)
    table[static_cast<size_t>(i)] =
        static_cast<uint16_t>(std::floor(2048.0 * std::log2(32768.0 + i) + 0.5 + 1.0 / 1024.0));
  return table;
}

std::vector<uint8_t> make_residuals() {
  std::vector<uint8_t> residuals(kLogEntries + 3);
  for (int i = 0; i < kLogEntries; ++i)
    residuals[static_cast<size_t>(i)] = static_cast<uint8_t>(log_table()[i] - 30720 - i / 16);
  return residuals;
}

}  // namespace

const uint16_t* log_table() {
  static const std::vector<uint16_t> table = make_table();
  return table.data();
}

const uint8_t* log_residuals() {
  static const std::vector<uint8_t> residuals = make_residuals();
  return residuals.data();
}

}  // namespace qc::vif
