// Prints docs/reference.md: every option of a context and every feature with its options and outputs, from the
// library's own tables. `check` compares the committed page with it.
#include <cstdio>
#include <string>

#include "qualitycuda.h"

namespace {

std::string default_text(const QCOptionInfo& o) {
  char buffer[32];
  switch (o.type) {
    case QC_OPTION_BOOL:
      return o.default_value != 0 ? "true" : "false";
    case QC_OPTION_INT:
    case QC_OPTION_DOUBLE:
      std::snprintf(buffer, sizeof buffer, "%g", o.default_value);
      return buffer;
    case QC_OPTION_STRING:
      break;
  }
  return o.default_text ? o.default_text : "";
}

std::string range_text(const QCOptionInfo& o) {
  if (o.type == QC_OPTION_BOOL) return "true, false";
  if (o.type == QC_OPTION_STRING) return "text";
  char buffer[80];
  std::snprintf(buffer, sizeof buffer, "%g … %g", o.min, o.max);
  return buffer;
}

std::string escaped(const char* text) {
  std::string result;
  for (const char* c = text; *c; ++c) {
    if (*c == '|') result += '\\';
    result += *c;
  }
  return result;
}

void print_option(const QCOptionInfo& o, bool with_suffix) {
  std::printf("| `%s` |", o.name);
  if (with_suffix) std::printf(" %s |", o.alias ? ("`" + std::string(o.alias) + "`").c_str() : "");
  const std::string def = default_text(o);
  std::printf(" %s | %s | %s |\n", def.empty() ? "" : ("`" + def + "`").c_str(), range_text(o).c_str(),
              escaped(o.help).c_str());
}

}  // namespace

int main() {
  std::printf(
      "# Reference: options, features, outputs\n\n"
      "Made from the library's tables by `tools/reference`; `./check` fails when this page is out of date.\n\n"
      "## Options of the filter and of a library context\n\n"
      "| option | default | range | meaning |\n|---|---|---|---|\n");
  QCOptionInfo option;
  for (int i = 0; qc_option_info(i, &option) == QC_OK; ++i) print_option(option, false);
  std::printf(
      "\n## Features\n\n"
      "An option with an entry under *suffix* becomes part of the names of scores when it differs from its default, "
      "as in `integer_adm2_egl_1`.\n");
  QCFeatureInfo feature;
  for (int i = 0; qc_feature_info(i, &feature) == QC_OK; ++i) {
    std::printf("\n### %s\n\n%s.\n\n", feature.name, feature.summary);
    if (feature.option_count > 0) {
      std::printf("| option | suffix | default | range | meaning |\n|---|---|---|---|---|\n");
      for (int k = 0; qc_feature_option_info(i, k, &option) == QC_OK; ++k) print_option(option, true);
    } else {
      std::printf("No options.\n");
    }
    std::printf("\n| output | meaning |\n|---|---|\n");
    const char* name = nullptr;
    const char* help = nullptr;
    for (int k = 0; qc_feature_output_info(i, k, &name, &help) == QC_OK; ++k)
      std::printf("| `%s` | %s |\n", name, escaped(help).c_str());
  }
  return 0;
}
