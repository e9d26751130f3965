// Whether this build can compute a golden's run.
#pragma once

#include <string>

#include "golden/golden_file.h"

namespace qc::test {

// Why the run cannot be compared: a feature or model that does not exist here, or a peer whose pictures differ from
// ours by definition. "" if it can.
std::string why_not_comparable(const Golden& golden, const QCFormat& format, const std::string& model_dir);

// The peer's float_adm divides by way of its processor's estimated reciprocals: lets ours take them from `table`
// (float_adm's division_table).
void divide_as_peer(ContextOptions& options, const std::string& table);

}  // namespace qc::test
