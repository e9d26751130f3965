#include "core/names.h"

#include <algorithm>
#include <string_view>

namespace qc {
namespace {

constexpr size_t kMaxName = 255;

// Indices of the options to append, sorted by full name.
std::vector<size_t> differing(const OptionSet& options, bool in_name) {
  std::vector<size_t> picked;
  for (size_t i = 0; i < options.table().size(); ++i)
    if ((options.table()[i].suffix != nullptr) == in_name && options.differs(i)) picked.push_back(i);
  std::sort(picked.begin(), picked.end(), [&](size_t a, size_t b) {
    return std::string_view(options.table()[a].name) < std::string_view(options.table()[b].name);
  });
  return picked;
}

void append(std::string& name, const char* suffix, const std::string& text) {
  name += '_';
  name += suffix;
  if (!text.empty()) name += '_' + text;
}

}  // namespace

std::string templated_name(const OutputDef& output, const OptionSet& options) {
  std::string name = output.log_name;
  if (output.templated)
    for (size_t i : differing(options, true)) append(name, options.table()[i].suffix, options.text(i));
  return name.substr(0, kMaxName);
}

std::string lookup_name(const OutputDef& output, const OptionSet& options) {
  if (!output.templated || differing(options, true).empty()) return output.raw_name;
  return templated_name(output, options);
}

std::string distinguished_name(const std::string& name, const OptionSet& options) {
  std::string result = name;
  for (size_t i : differing(options, false)) {
    const OptionDef& def = options.table()[i];
    const bool flag = def.type == QC_OPTION_BOOL;
    append(result, def.name, flag ? (options.get_bool(def.name) ? "true" : "false") : options.text(i));
  }
  return result;
}

}  // namespace qc
