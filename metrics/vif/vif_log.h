// The logarithm of vif: a table of 2048 * log2 (vif.md §5).
#pragma once

#include <cstdint>

namespace qc::vif {

constexpr int kLogEntries = 32768;

// Entry i is 2048 * log2(32768 + i) as libvmaf rounds it: through float32, then half away from zero.
const uint16_t* log_table();

// log_table()[i] = 30720 + i / 16 + log_residuals()[i]: what remains fits a byte, so that the table is small. Three
// more bytes can be read after the last entry.
const uint8_t* log_residuals();

}  // namespace qc::vif
