// The option `model`, as FFmpeg's libvmaf filter has it (cli-and-filter-options.md §7.1).
#include <set>

#include "core/error.h"
#include "model/model.h"

namespace qc {
namespace {

bool parse_flag(const std::string& entry, const std::string& key, const std::string& value) {
  if (value != "true" && value != "false")
    fail_invalid("model '" + entry + "': " + key + "='" + value + "' is neither true nor false");
  return value == "true";
}

ModelSpec parse_entry(const std::string& entry) {
  ModelSpec spec;
  for (const std::string& item : split_escaped(entry, ':')) {
    const size_t equals = item.find('=');
    const std::string key = item.substr(0, equals);
    const bool flag = key == "disable_clip" || key == "enable_transform";
    if (equals == std::string::npos && !flag) fail_invalid("model '" + entry + "': '" + item + "' is not KEY=VALUE");
    const std::string value = equals == std::string::npos ? "true" : item.substr(equals + 1);
    if (key == "version") {
      spec.version = value;
    } else if (key == "path") {
      spec.path = value;
    } else if (key == "name") {
      if (value.empty()) fail_invalid("model '" + entry + "': its name is empty");
      spec.name = value;
    } else if (key == "disable_clip") {
      spec.disable_clip = parse_flag(entry, key, value);
    } else if (key == "enable_transform") {
      spec.enable_transform = parse_flag(entry, key, value);
    } else if (const size_t dot = key.find('.'); dot != std::string::npos) {
      spec.overloads.push_back({key.substr(0, dot), key.substr(dot + 1), canonical_number(value)});
    } else {
      std::string message = "model '" + entry + "' has the unknown key '" + key + "'";
      const std::string near = nearest_name(key, {"version", "path", "name", "disable_clip", "enable_transform"});
      message += near.empty() ? "; an option of a feature is FEATURE.OPTION=VALUE" : "; did you mean '" + near + "'?";
      fail_invalid(message);
    }
  }
  if (spec.version.empty() && spec.path.empty())
    fail_invalid("model '" + entry + "' has neither version=NAME nor path=FILE");
  return spec;
}

}  // namespace

std::vector<ModelSpec> parse_model_option(const std::string& text) {
  std::vector<ModelSpec> specs;
  std::set<std::string> names;
  size_t begin = 0;
  while (begin <= text.size() && !text.empty()) {
    const size_t end = std::min(text.find('|', begin), text.size());
    specs.push_back(parse_entry(text.substr(begin, end - begin)));
    begin = end + 1;
    if (!names.insert(specs.back().name).second)
      fail_invalid("two models are called " + specs.back().name + "; give one of them another name=");
  }
  return specs;
}

}  // namespace qc
