// Tables of estimated reciprocals: stored ones, and this processor's own.
#pragma once

#include <array>
#include <string>

#include "adm/reciprocal.h"

namespace qc {

using ReciprocalTable = std::array<uint32_t, kReciprocalEntries>;

// Reads a text file of 4096 entries. `#` starts a comment up to the end of the line. Throws if it is no such file.
ReciprocalTable read_reciprocal_table(const std::string& path);

// The table of this processor's RCPSS, compared with the instruction at the first call (some 50 ms). Throws on other
// processors, and on one whose estimates no such table describes.
const ReciprocalTable& host_reciprocal_table();

}  // namespace qc
