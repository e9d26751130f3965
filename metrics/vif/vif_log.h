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

// What remains, without a table, for processors that are slow to gather: with x = 1 + i / 32768 in segment k (the
// leading three bits of i) and t = fma(x, reciprocal[k], -1),
//   log_table()[i] = 30720 + (i + p) / 16, p = ((((c4 t + c3) t + c2) t + slope[k]) t + constant[k], cut to an integer,
// where each step is a fused multiply-add in float32. c2 … c4 are those of 32768 log2(1 + t) but for what the
// polynomial's end at the fourth power asks; the others were chosen so that every entry is right, by the widest margin.
// Whether they are is tested for all of them.
constexpr int kLogSegments = 8;
struct LogPolynomial {
  // Each twice, for vectors of up to 16 lanes.
  alignas(64) float reciprocal[2 * kLogSegments];
  alignas(64) float slope[2 * kLogSegments];
  alignas(64) float constant[2 * kLogSegments];
  float c2;
  float c3;
  float c4;
};
extern const LogPolynomial kLogPolynomial;

}  // namespace qc::vif
