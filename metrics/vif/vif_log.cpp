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

constexpr LogPolynomial twice(LogPolynomial p) {
  for (int k = 0; k < kLogSegments; ++k) {
    p.reciprocal[kLogSegments + k] = p.reciprocal[k];
    p.slope[kLogSegments + k] = p.slope[k];
    p.constant[kLogSegments + k] = p.constant[k];
  }
  return p;
}

}  // namespace

const LogPolynomial kLogPolynomial = twice({{0x1.e1e1e2p-1f, 0x1.af286cp-1f, 0x1.861862p-1f, 0x1.642c86p-1f,
                                             0x1.47ae14p-1f, 0x1.2f684cp-1f, 0x1.1a7b96p-1f, 0x1.08421p-1f},
                                            {0x1.85517ep+13f, 0x1.05518cp+13f, 0x1.0aa312p+12f, 0x1.546266p+7f,
                                             -0x1.eab9d6p+11f, -0x1.f55ceap+12f, -0x1.7aae62p+13f, -0x1.faae72p+13f},
                                            {0x1.9cffdp+9f, 0x1.f106b6p+10f, 0x1.47ef18p+11f, 0x1.6182f6p+11f,
                                             0x1.4e3caep+11f, 0x1.150574p+11f, 0x1.76959ap+10f, 0x1.158f76p+9f},
                                            -0x1.71544p+14f,
                                            0x1.edb8ap+13f,
                                            -0x1.729c9cp+13f});

const uint16_t* log_table() {
  static const std::vector<uint16_t> table = make_table();
  return table.data();
}

const uint8_t* log_residuals() {
  static const std::vector<uint8_t> residuals = make_residuals();
  return residuals.data();
}

}  // namespace qc::vif
