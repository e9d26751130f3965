// Linear light of 8-bit samples, in tables.
#pragma once

namespace qc {

// Red depends on luma and Cr alone, blue on luma and Cb. Green, which depends on all three, has to be computed.
struct LightTables {
  double red[256][256];   // [Cr][luma]
  double blue[256][256];  // [Cb][luma]
};

// Filled at the first call.
const LightTables& light_tables();

}  // namespace qc
