// Option tables and option values. Parsing, help, documentation and score names all come from the tables.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "qualitycuda.h"

namespace qc {

struct OptionDef {
  const char* name;
  // How the option appears in score names when it differs from its default; nullptr: it doesn't.
  const char* suffix;
  QCOptionType type;
  double default_value;  // bool (0, 1), int, double
  double min;
  double max;
  const char* help;
  const char* default_text = nullptr;  // string
};

// Short forms for the tables.
constexpr OptionDef bool_option(const char* name, const char* suffix, bool def, const char* help) {
  return {name, suffix, QC_OPTION_BOOL, def ? 1.0 : 0.0, 0, 1, help, nullptr};
}
constexpr OptionDef int_option(const char* name, const char* suffix, int def, int min, int max, const char* help) {
  return {name, suffix, QC_OPTION_INT, double(def), double(min), double(max), help, nullptr};
}
constexpr OptionDef double_option(const char* name, const char* suffix, double def, double min, double max,
                                  const char* help) {
  return {name, suffix, QC_OPTION_DOUBLE, def, min, max, help, nullptr};
}
constexpr OptionDef string_option(const char* name, const char* suffix, const char* def, const char* help) {
  return {name, suffix, QC_OPTION_STRING, 0, 0, 0, help, def};
}

using OptionList = std::vector<std::pair<std::string, std::string>>;

// Values of a table's options. Starts with the defaults.
class OptionSet {
 public:
  explicit OptionSet(std::span<const OptionDef> table);

  // Parse `text`: true or false, a whole number, a number, or any text. `owner` names the table's owner in messages.
  // Throws on an unknown name (the message suggests the nearest one), text that is no value of the type, or a value out
  // of range.
  void set(std::string_view name, std::string_view text, std::string_view owner);

  bool get_bool(std::string_view name) const;
  int get_int(std::string_view name) const;
  double get_double(std::string_view name) const;
  const std::string& get_string(std::string_view name) const;

  std::span<const OptionDef> table() const { return table_; }
  // True if option i of the table differs from its default.
  bool differs(size_t i) const;
  // The value of option i as it appears in score names: nothing for bool, %d, %g or the text.
  std::string text(size_t i) const;

  bool operator==(const OptionSet& other) const { return values_ == other.values_; }

 private:
  using Value = std::variant<bool, int, double, std::string>;
  size_t index(std::string_view name) const;
  std::span<const OptionDef> table_;
  std::vector<Value> values_;
};

// A numeric text as libvmaf's command line, filter and model reader store it: through float32 to six significant
// digits. Text that is not a number stays as it is.
std::string canonical_number(std::string_view text);

// The candidate nearest to `name` by edit distance, "" if none is near.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

// Split at `separator`, removing one level of backslashes and single quotes, as FFmpeg's av_get_token does.
std::vector<std::string> split_escaped(std::string_view text, char separator);

}  // namespace qc
