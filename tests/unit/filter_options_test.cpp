// FFmpeg's filter has an option table of its own, in C: names, defaults, ranges and help must be those of the library.
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "qualitycuda.h"
#include "unit.h"

namespace {

struct FilterOption {
  std::string help;
  std::string type;          // STRING, INT or BOOL
  std::string default_text;  // of the table's entry, without quotes
  std::string min, max;
  std::vector<std::string> constants;  // in the order of their values
};

std::string source() {
  std::ifstream file(FILTER_SOURCE);
  assert_true(file.good());
  return {std::istreambuf_iterator<char>(file), {}};
}

// Adjacent string literals as the compiler joins them.
std::string joined(const std::string& literals) {
  static const std::regex literal(R"re("([^"]*)")re");
  std::string text;
  for (std::sregex_iterator i(literals.begin(), literals.end(), literal), end; i != end; ++i) text += (*i)[1];
  return text;
}

std::map<std::string, FilterOption> filter_options() {
  const std::string text = source();
  const size_t begin = text.find("qualitycuda_options[] = {");
  const size_t end = text.find("{ NULL }", begin);
  assert_true(begin != std::string::npos && end != std::string::npos);
  const std::string table = text.substr(begin, end - begin);

  std::map<std::string, FilterOption> options;
  std::string last;
  static const std::regex entry(
      R"re(\{ "(\w+)", ((?:"[^"]*"\s*)+),\s*OFFSET\(\w+\), AV_OPT_TYPE_(\w+), \{ \.\w+ = ([^}]*) \}, ([^,]+), ([^,]+), FLAGS)re"
      R"re(|CONST\("(\w+)",\s*"[^"]*",\s*(\d+), "(\w+)"\))re");
  for (std::sregex_iterator i(table.begin(), table.end(), entry), stop; i != stop; ++i) {
    const std::smatch& m = *i;
    if (m[1].matched) {
      last = m[1];
      options[last] = {joined(m[2]), m[3], m[4], m[5], m[6], {}};
      continue;
    }
    FilterOption& option = options.at(m[9]);
    assert_string_equal(m[9].str().c_str(), last.c_str());
    assert_int_equal(std::stoul(m[8]), option.constants.size());
    option.constants.push_back(m[7]);
  }
  return options;
}

// The texts that the filter hands to the library for the constants' values.
std::vector<std::string> forwarded_names(const std::string& option) {
  const std::string text = source();
  std::smatch m;
  assert_true(std::regex_search(text, m, std::regex(option + R"re(_names\[\] = \{([^}]*)\};)re")));
  const std::string list = m[1];
  static const std::regex literal(R"re("([^"]*)")re");
  std::vector<std::string> names;
  for (std::sregex_iterator i(list.begin(), list.end(), literal), end; i != end; ++i) names.push_back((*i)[1]);
  return names;
}

double number(const std::string& text) { return text == "INT_MAX" ? 2147483647.0 : std::strtod(text.c_str(), nullptr); }

void same_as_the_library(void**) {
  std::map<std::string, FilterOption> options = filter_options();
  QCOptionInfo info;
  for (int i = 0; qc_option_info(i, &info) == QC_OK; ++i) {
    const auto found = options.find(info.name);
    if (found == options.end()) fail_msg("the filter has no option %s", info.name);
    const FilterOption& option = found->second;
    assert_string_equal(option.help.c_str(), info.help);
    if (!option.constants.empty()) {
      assert_int_equal(info.type, QC_OPTION_STRING);
      assert_string_equal(option.constants.at(std::stoul(option.default_text)).c_str(), info.default_text);
      assert_true(option.constants == forwarded_names(info.name));
      // The help names them all.
      for (const std::string& name : option.constants) assert_true(option.help.find(name) != std::string::npos);
    } else if (info.type == QC_OPTION_STRING) {
      assert_string_equal(option.type.c_str(), "STRING");
      const std::string text = option.default_text == "NULL" ? "" : joined(option.default_text);
      assert_string_equal(text.c_str(), info.default_text);
    } else {
      assert_true(info.type == QC_OPTION_INT || info.type == QC_OPTION_BOOL);
      assert_string_equal(option.type.c_str(), info.type == QC_OPTION_INT ? "INT" : "BOOL");
      assert_true(number(option.default_text) == info.default_value);
      assert_true(number(option.min) == (info.type == QC_OPTION_INT ? info.min : 0));
      assert_true(number(option.max) == (info.type == QC_OPTION_INT ? info.max : 1));
    }
    options.erase(found);
  }
  // What the library does not know is the filter's own.
  assert_int_equal(options.size(), 1);
  assert_int_equal(options.count("depth"), 1);
}

// Each option of the library is handed on.
void all_are_forwarded(void**) {
  const std::string text = source();
  QCOptionInfo info;
  for (int i = 0; qc_option_info(i, &info) == QC_OK; ++i)
    assert_true(
        std::regex_search(text, std::regex(std::string(R"re(set_(text|number)\(ctx, ")re") + info.name + "\", ")));
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(same_as_the_library),
      cmocka_unit_test(all_are_forwarded),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
