#include "core/options.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>

#include "core/error.h"

namespace qc {
namespace {

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

std::string number(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%g", value);
  return buffer;
}

double parse_number(const std::string& text, const std::string& what) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || std::isnan(value)) fail_invalid(what + ": " + quoted(text) + " is not a number");
  return value;
}

void check_range(double value, const OptionDef& def, const std::string& what) {
  if (value < def.min || value > def.max)
    fail_invalid(what + ": " + number(value) + " is outside " + number(def.min) + " to " + number(def.max));
}

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substituted = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({substituted, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

OptionSet::OptionSet(std::span<const OptionDef> table) : table_(table) {
  values_.reserve(table.size());
  for (const OptionDef& def : table) switch (def.type) {
      case QC_OPTION_BOOL:
        values_.emplace_back(def.default_value != 0);
        break;
      case QC_OPTION_INT:
        values_.emplace_back(static_cast<int>(def.default_value));
        break;
      case QC_OPTION_DOUBLE:
        values_.emplace_back(def.default_value);
        break;
      case QC_OPTION_STRING:
        values_.emplace_back(std::string(def.default_text ? def.default_text : ""));
        break;
    }
}

size_t OptionSet::index(std::string_view name) const {
  for (size_t i = 0; i < table_.size(); ++i)
    if (name == table_[i].name) return i;
  throw Error(QC_ERROR_INTERNAL, "no option is called " + quoted(name));
}

void OptionSet::set(std::string_view name, std::string_view text, std::string_view owner) {
  const std::string value(text);
  for (size_t i = 0; i < table_.size(); ++i) {
    const OptionDef& def = table_[i];
    if (name != def.name) continue;
    const std::string what = std::string(owner) + ": option " + def.name;
    switch (def.type) {
      case QC_OPTION_BOOL:
        if (value != "true" && value != "false")
          fail_invalid(what + ": " + quoted(value) + " is neither true nor false");
        values_[i] = value == "true";
        return;
      case QC_OPTION_INT: {
        const double parsed = parse_number(value, what);
        if (parsed != std::trunc(parsed)) fail_invalid(what + ": " + quoted(value) + " is not a whole number");
        check_range(parsed, def, what);
        values_[i] = static_cast<int>(parsed);
        return;
      }
      case QC_OPTION_DOUBLE: {
        const double parsed = parse_number(value, what);
        check_range(parsed, def, what);
        values_[i] = parsed;
        return;
      }
      case QC_OPTION_STRING:
        values_[i] = value;
        return;
    }
  }
  std::vector<std::string> names;
  for (const OptionDef& def : table_) names.emplace_back(def.name);
  std::string message = std::string(owner) + " has no option " + quoted(name);
  if (const std::string near = nearest_name(name, names); !near.empty())
    message += "; did you mean " + quoted(near) + "?";
  else if (names.empty())
    message += "; it has none at all";
  fail_invalid(message);
}

bool OptionSet::get_bool(std::string_view name) const { return std::get<bool>(values_[index(name)]); }
int OptionSet::get_int(std::string_view name) const { return std::get<int>(values_[index(name)]); }
double OptionSet::get_double(std::string_view name) const { return std::get<double>(values_[index(name)]); }
const std::string& OptionSet::get_string(std::string_view name) const {
  return std::get<std::string>(values_[index(name)]);
}

bool OptionSet::differs(size_t i) const { return values_[i] != OptionSet(table_.subspan(i, 1)).values_[0]; }

std::string OptionSet::text(size_t i) const {
  switch (table_[i].type) {
    case QC_OPTION_BOOL:
      break;
    case QC_OPTION_INT:
      return std::to_string(std::get<int>(values_[i]));
    case QC_OPTION_DOUBLE:
      return number(std::get<double>(values_[i]));
    case QC_OPTION_STRING:
      return std::get<std::string>(values_[i]);
  }
  return "";
}

std::string canonical_number(std::string_view text) {
  const std::string value(text);
  float parsed = 0;
  char rest = 0;
  if (std::sscanf(value.c_str(), "%f %c", &parsed, &rest) != 1) return value;
  return number(static_cast<double>(parsed));
}

std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
  std::string best;
  size_t best_distance = std::max<size_t>(2, name.size() / 2) + 1;
  for (const std::string& candidate : candidates) {
    const size_t distance = edit_distance(name, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::vector<std::string> split_escaped(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  bool quoted_part = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted_part) {
      if (c == '\'')
        quoted_part = false;
      else
        parts.back() += c;
    } else if (c == '\\' && i + 1 < text.size()) {
      parts.back() += text[++i];
    } else if (c == '\'') {
      quoted_part = true;
    } else if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

}  // namespace qc
