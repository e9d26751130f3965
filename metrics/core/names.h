// Names of score columns (names-and-logs.md §2).
#pragma once

#include <string>
#include <vector>

#include "core/feature.h"

namespace qc {

// `log_name` with the options appended that differ from their defaults and are marked as part of names:
// integer_adm2 → integer_adm2_egl_1.
std::string templated_name(const OutputDef& output, const OptionSet& options);

// The name by which a model looks an output up: raw_name when no named option differs, else templated_name().
std::string lookup_name(const OutputDef& output, const OptionSet& options);

// `name` with every option appended by its full name that differs from its default but isn't part of names. Tells
// instances apart whose templated names are equal.
std::string distinguished_name(const std::string& name, const OptionSet& options);

}  // namespace qc
