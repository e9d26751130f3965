// Option values, option lists and their errors.
#include "core/options.h"

#include "core/context_options.h"
#include "core/feature.h"
#include "unit.h"

namespace {

using namespace qc;

constexpr OptionDef kTable[] = {
    bool_option("enable_chroma", nullptr, true, ""), bool_option("enable_mse", nullptr, false, ""),
    int_option("scale", nullptr, 0, 0, 10, ""),      int_option("width", nullptr, 0, 180, 7680, ""),
    double_option("gain", "g", 100, 1, 100, ""),     string_option("method", nullptr, "nearest", ""),
};

OptionSet with(const char* name, const char* text) {
  OptionSet set(kTable);
  set.set(name, text, "demo");
  return set;
}

void refused(const char* name, const char* text, const char* part) {
  unit::assert_fails(QC_ERROR_INVALID, part, [&] { with(name, text); });
}

void defaults(void**) {
  const OptionSet set(kTable);
  assert_true(set.get_bool("enable_chroma"));
  assert_false(set.get_bool("enable_mse"));
  assert_int_equal(set.get_int("width"), 0);  // a default may lie outside of the range
  unit::assert_same(set.get_double("gain"), 100);
  unit::assert_text(set.get_string("method"), "nearest");
  for (size_t i = 0; i < set.table().size(); ++i) assert_false(set.differs(i));
}

void values(void**) {
  assert_false(with("enable_chroma", "false").get_bool("enable_chroma"));
  assert_int_equal(with("scale", "10").get_int("scale"), 10);
  assert_int_equal(with("scale", "0").get_int("scale"), 0);
  unit::assert_same(with("gain", "1.5").get_double("gain"), 1.5);
  unit::assert_same(with("gain", "1e1").get_double("gain"), 10);
  unit::assert_text(with("method", "bi=linear").get_string("method"), "bi=linear");
  assert_true(with("gain", "1.5").differs(4));
  assert_false(with("gain", "100").differs(4));
  unit::assert_text(with("gain", "1.23456789").text(4), "1.23457");
  unit::assert_text(with("scale", "3").text(2), "3");
  assert_true(with("gain", "1.5") == with("gain", "1.50"));
  assert_false(with("gain", "1.5") == with("gain", "1.6"));
}

void bad_values(void**) {
  refused("enable_chroma", "1", "demo: option enable_chroma: '1' is neither true nor false");
  refused("enable_chroma", "", "neither true nor false");
  refused("scale", "11", "demo: option scale: 11 is outside 0 to 10");
  refused("scale", "-1", "-1 is outside 0 to 10");
  refused("scale", "1.5", "'1.5' is not a whole number");
  refused("scale", "", "'' is not a number");
  refused("scale", "2x", "'2x' is not a number");
  refused("gain", "abc", "'abc' is not a number");
  refused("gain", "nan", "'nan' is not a number");
  refused("gain", "inf", "inf is outside 1 to 100");
  refused("width", "0", "0 is outside 180 to 7680");
}

void unknown_options_suggest(void**) {
  refused("enable_croma", "true", "demo has no option 'enable_croma'; did you mean 'enable_chroma'?");
  refused("gian", "2", "did you mean 'gain'?");
  unit::assert_fails(QC_ERROR_INVALID, "ciede has no option 'x'; it has none at all",
                     [] { OptionSet({}).set("x", "1", "ciede"); });
}

void canonical_numbers(void**) {
  unit::assert_text(canonical_number("1.0"), "1");
  unit::assert_text(canonical_number("0.7"), "0.7");
  unit::assert_text(canonical_number("1080"), "1080");
  unit::assert_text(canonical_number("1.12345678"), "1.12346");
  unit::assert_text(canonical_number("1000000"), "1e+06");
  unit::assert_text(canonical_number(".0"), "0");
  unit::assert_text(canonical_number("0x10"), "16");
  unit::assert_text(canonical_number("1e39"), "inf");
  unit::assert_text(canonical_number("1.5 "), "1.5");
  unit::assert_text(canonical_number("1.5x"), "1.5x");
  unit::assert_text(canonical_number("true"), "true");
  unit::assert_text(canonical_number(""), "");
}

void nearest_names(void**) {
  unit::assert_text(nearest_name("psrn", {"ssim", "psnr", "vif"}), "psnr");
  unit::assert_text(nearest_name("float_sim", {"float_ssim", "float_ms_ssim"}), "float_ssim");
  unit::assert_text(nearest_name("completely_else", {"vif", "adm"}), "");
}

void escapes(void**) {
  const auto parts = split_escaped(R"(a\:b:'c:d'e:\'g\':)", ':');
  assert_int_equal(parts.size(), 4);
  unit::assert_text(parts[0], "a:b");
  unit::assert_text(parts[1], "c:de");
  unit::assert_text(parts[2], "'g'");
  unit::assert_text(parts[3], "");
}

void feature_lists(void**) {
  const auto list = parse_feature_option("name=psnr:enable_apsnr=true:min_sse=0.50|name=ciede");
  assert_int_equal(list.size(), 2);
  unit::assert_text(list[0].name, "psnr");
  assert_int_equal(list[0].options.size(), 2);
  unit::assert_text(list[0].options[0].first, "enable_apsnr");
  unit::assert_text(list[0].options[0].second, "true");
  unit::assert_text(list[0].options[1].second, "0.5");
  unit::assert_text(list[1].name, "ciede");
  assert_true(list[1].options.empty());
  assert_true(parse_feature_option("").empty());
}

void feature_lists_of_the_command_line(void**) {
  const auto list = parse_feature_option("psnr=enable_apsnr=true:min_sse=1|vif");
  assert_int_equal(list.size(), 2);
  unit::assert_text(list[0].name, "psnr");
  unit::assert_text(list[0].options[0].first, "enable_apsnr");
  unit::assert_text(list[0].options[1].first, "min_sse");
  unit::assert_text(list[1].name, "vif");
}

void feature_lists_with_escapes(void**) {
  const auto list = parse_feature_option(R"(name=cambi:heatmaps_path=C\:\\maps:full_ref=true)");
  assert_int_equal(list.size(), 1);
  unit::assert_text(list[0].options[0].second, R"(C:\maps)");
  unit::assert_text(list[0].options[1].first, "full_ref");
}

void bad_feature_lists(void**) {
  const auto bad = [](const char* text, const char* part) {
    unit::assert_fails(QC_ERROR_INVALID, part, [&] { parse_feature_option(text); });
  };
  bad("name=psnr|", "an entry of the feature list is empty");
  bad("|name=psnr", "an entry of the feature list is empty");
  bad("name=psnr:enable_mse", "'enable_mse' is not OPTION=VALUE");
  bad("psnr=enable_mse", "'enable_mse' has no '='");
  unit::assert_fails(QC_ERROR_INVALID, "there is no feature 'psrn'; did you mean 'psnr'?",
                     [] { registry_index("psrn"); });
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(defaults),
      cmocka_unit_test(values),
      cmocka_unit_test(bad_values),
      cmocka_unit_test(unknown_options_suggest),
      cmocka_unit_test(canonical_numbers),
      cmocka_unit_test(nearest_names),
      cmocka_unit_test(escapes),
      cmocka_unit_test(feature_lists),
      cmocka_unit_test(feature_lists_of_the_command_line),
      cmocka_unit_test(feature_lists_with_escapes),
      cmocka_unit_test(bad_feature_lists),
  };
  return cmocka_run_group_tests_name("options", tests, nullptr, nullptr);
}
