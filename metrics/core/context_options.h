// Options of a context (qc_set), and the parsing of its feature list.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/options.h"

namespace qc {

std::span<const OptionDef> context_option_table();

// One entry of the option `feature`: the feature's name and its options, numbers canonicalised.
struct FeatureRequest {
  std::string name;
  OptionList options;
};

// Entries separated by '|', each "name=FEATURE" and OPTION=VALUE items separated by ':' ("FEATURE" alone, or
// "FEATURE=OPTION=VALUE:…" as on libvmaf's command line, is read too).
std::vector<FeatureRequest> parse_feature_option(const std::string& text);

}  // namespace qc
