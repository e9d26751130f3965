// Logs, byte for byte in libvmaf's layouts.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <limits>
#include <thread>

#include "log/writer.h"
#include "unit.h"

namespace {

using namespace qc;
using unit::assert_text;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
using Row = std::vector<std::optional<double>>;
using Aggregates = std::vector<std::pair<std::string, double>>;

void numbers(void**) {
  const auto is = [](double value, const char* text) { assert_text(format_score(value, -1), text); };
  is(0.01, "0.010000");
  is(1e-6, "0.000001");
  is(1e-7, "0.0000001000000000");
  is(1.0000001, "1.0000001000000001");
  is(9.9999999e-6, "0.000010");
  is(1e-300, "0.0000000000000000");
  is(-3.25, "-3.250000");
  is(123.00000095367431640625, "123.0000009536743164");
  is(0.999999999, "1.000000");
  is(0, "0.000000");
  is(-0.0, "-0.000000");
  is(97, "97.000000");
  is(kInf, "inf");
  is(-kInf, "-inf");
  is(kNan, "nan");
  is(-kNan, "-nan");
  is(3e9, "3000000000.000000");
  is(3e9 + 1e-6, "3000000000.000001");
  is(2147483648.5, "2147483648.500000");
  is(2147483647.0000002, "2147483647.0000002384185791");
}

void numbers_of_chosen_precision(void**) {
  assert_text(format_score(82.845222936444685, 2), "82.85");
  assert_text(format_score(82.845222936444685, 0), "83");
  assert_text(format_score(1e-7, 6), "0.000000");
  assert_text(format_score(std::numeric_limits<double>::max(), 20).substr(0, 12), "179769313486");
  // The shortest text that reads back.
  assert_text(format_score(82.845222936444685, -2), "82.84522293644469");
  assert_text(format_score(0.1, -2), "0.1");
  assert_text(format_score(97, -2), "97");
  assert_text(format_score(1e-300, -2), "1e-300");
  assert_text(format_score(kInf, -2), "inf");
  assert_text(format_score(-kNan, -2), "-nan");
  for (double value : {1.0 / 3, 82.845222936444685, 4.3366705109194772, 5e-324, 1.7976931348623157e308})
    unit::assert_same(std::strtod(format_score(value, -2).c_str(), nullptr), value);
}

void precision_option(void**) {
  assert_int_equal(parse_log_precision(""), -1);
  assert_int_equal(parse_log_precision("default"), -1);
  assert_int_equal(parse_log_precision("max"), -2);
  assert_int_equal(parse_log_precision("0"), 0);
  assert_int_equal(parse_log_precision("20"), 20);
  for (const char* text : {"21", "-1", "6x", " 6", "maximum", "1.5"})
    unit::assert_fails(QC_ERROR_INVALID, "is none of default, max, or a number of decimals",
                       [&] { parse_log_precision(text); });
}

std::vector<Pool> pools_of(const std::vector<std::pair<int64_t, Row>>& frames, size_t columns) {
  std::vector<Pool> pools(columns);
  for (const auto& [index, row] : frames)
    for (size_t c = 0; c < columns; ++c)
      if (row[c]) pools[c].add(*row[c]);
  return pools;
}

// The text of a log with these contents.
std::string log_text(const char* format, const std::vector<std::string>& columns,
                     const std::vector<std::pair<int64_t, Row>>& frames, const Aggregates& aggregates = {},
                     int decimals = -1) {
  const unit::TemporaryFolder folder;
  const std::string path = folder.path("log");
  auto log = open_log({path, format, decimals, 576, 324}, columns);
  for (const auto& [index, row] : frames) log->frame(index, row);
  log->finish(pools_of(frames, columns.size()), static_cast<int64_t>(frames.size()), aggregates, 12.345);
  assert_text(folder.listing(), "log");
  return unit::file_text(path);
}

const std::vector<std::string> kColumns = {"psnr_y", "vmaf"};
const std::vector<std::pair<int64_t, Row>> kFrames = {{0, {42.875047, 97.428042642610308}}, {1, {38, 1e-7}}};
const Aggregates kAggregates = {{"apsnr_y", 39.356264}, {"apsnr_cb", -kInf}};

void xml(void**) {
  assert_text(log_text("xml", kColumns, kFrames, kAggregates),
              "<VMAF version=\"" QC_VERSION
              "\">\n"
              "  <params qualityWidth=\"576\" qualityHeight=\"324\" />\n"
              "  <fyi fps=\"12.35\" />           \n"
              "  <frames>\n"
              "    <frame frameNum=\"0\" psnr_y=\"42.875047\" vmaf=\"97.428043\" />\n"
              "    <frame frameNum=\"1\" psnr_y=\"38.000000\" vmaf=\"0.0000001000000000\" />\n"
              "  </frames>\n"
              "  <pooled_metrics>\n"
              "    <metric name=\"psnr_y\" min=\"38.000000\" max=\"42.875047\" mean=\"40.437523\" "
              "harmonic_mean=\"40.294138\" />\n"
              "    <metric name=\"vmaf\" min=\"0.0000001000000000\" max=\"97.428043\" mean=\"48.714021\" "
              "harmonic_mean=\"0.979885\" />\n"
              "  </pooled_metrics>\n"
              "  <aggregate_metrics apsnr_y=\"39.356264\" apsnr_cb=\"-inf\" />\n"
              "</VMAF>\n");
}

void xml_without_scores(void**) {
  // A column that lacks a score has no pooled values; a frame that lacks all has no line.
  assert_text(log_text("xml", kColumns, {{0, {std::nullopt, std::nullopt}}, {1, {std::nullopt, kInf}}}),
              "<VMAF version=\"" QC_VERSION
              "\">\n"
              "  <params qualityWidth=\"576\" qualityHeight=\"324\" />\n"
              "  <fyi fps=\"12.35\" />           \n"
              "  <frames>\n"
              "    <frame frameNum=\"1\" vmaf=\"inf\" />\n"
              "  </frames>\n"
              "  <pooled_metrics>\n"
              "    <metric name=\"psnr_y\" />\n"
              "    <metric name=\"vmaf\" />\n"
              "  </pooled_metrics>\n"
              "  <aggregate_metrics />\n"
              "</VMAF>\n");
}

void json(void**) {
  assert_text(log_text("json", kColumns, kFrames, kAggregates),
              "{\n"
              "  \"version\": \"" QC_VERSION
              "\",\n"
              "  \"fps\": 12.35,           \n"
              "  \"frames\": [\n"
              "    {\n"
              "      \"frameNum\": 0,\n"
              "      \"metrics\": {\n"
              "        \"psnr_y\": 42.875047,\n"
              "        \"vmaf\": 97.428043\n"
              "      }\n"
              "    },\n"
              "    {\n"
              "      \"frameNum\": 1,\n"
              "      \"metrics\": {\n"
              "        \"psnr_y\": 38.000000,\n"
              "        \"vmaf\": 0.0000001000000000\n"
              "      }\n"
              "    }\n"
              "  ],\n"
              "  \"pooled_metrics\": {\n"
              "    \"psnr_y\": {\n"
              "      \"min\": 38.000000,\n"
              "      \"max\": 42.875047,\n"
              "      \"mean\": 40.437523,\n"
              "      \"harmonic_mean\": 40.294138\n"
              "    },\n"
              "    \"vmaf\": {\n"
              "      \"min\": 0.0000001000000000,\n"
              "      \"max\": 97.428043,\n"
              "      \"mean\": 48.714021,\n"
              "      \"harmonic_mean\": 0.979885\n"
              "    }\n"
              "  },\n"
              "  \"aggregate_metrics\": {\n"
              "    \"apsnr_y\": 39.356264,\n"
              "    \"apsnr_cb\": null\n"
              "  }\n"
              "}\n");
}

// Frame 0 has no score (libvmaf writes invalid JSON then); a null ends its line as libvmaf has it.
void json_nulls(void**) {
  const std::vector<std::string> columns = {"a", "b", "c"};
  assert_text(log_text("json", columns, {{1, {kInf, 1, kNan}}, {2, {kInf, std::nullopt, -kInf}}}),
              "{\n"
              "  \"version\": \"" QC_VERSION
              "\",\n"
              "  \"fps\": 12.35,           \n"
              "  \"frames\": [\n"
              "    {\n"
              "      \"frameNum\": 1,\n"
              "      \"metrics\": {\n"
              "        \"a\": null,        \"b\": 1.000000,\n"
              "        \"c\": null      }\n"
              "    },\n"
              "    {\n"
              "      \"frameNum\": 2,\n"
              "      \"metrics\": {\n"
              "        \"a\": null,        \"c\": null      }\n"
              "    }\n"
              "  ],\n"
              "  \"pooled_metrics\": {\n"
              "    \"a\": {\n"
              "      \"min\": null,\n"
              "      \"max\": null,\n"
              "      \"mean\": null,\n"
              "      \"harmonic_mean\": null\n"
              "    },\n"
              "    \"b\": {\n"
              "    },\n"
              "    \"c\": {\n"
              "      \"min\": null,\n"
              "      \"max\": null,\n"
              "      \"mean\": null,\n"
              "      \"harmonic_mean\": null\n"
              "    }\n"
              "  },\n"
              "  \"aggregate_metrics\": {\n"
              "  }\n"
              "}\n");
}

void csv(void**) {
  assert_text(log_text("csv", {"a", "b", "c"}, {{0, {1, std::nullopt, kInf}}, {4, {kNan, 0.25, 1e-7}}}, kAggregates),
              "Frame,a,b,c,\n"
              "0,1.000000,,inf,\n"
              "4,nan,0.250000,0.0000001000000000,\n");
}

void sub(void**) {
  assert_text(log_text("sub", {"a", "b"}, {{0, {1, std::nullopt}}, {4, {2, 0.25}}}, kAggregates),
              "{0}{1}frame: 0|a: 1.000000|\n"
              "{4}{5}frame: 4|a: 2.000000|b: 0.250000|\n");
}

void precision_reaches_all_numbers(void**) {
  assert_text(log_text("csv", {"a"}, {{0, {1.0 / 3}}}, {}, -2), "Frame,a,\n0,0.3333333333333333,\n");
  assert_text(log_text("csv", {"a"}, {{0, {1.0 / 3}}}, {}, 3), "Frame,a,\n0,0.333,\n");
  const std::string text = log_text("json", {"a"}, {{0, {1.0 / 3}}}, {{"b", 0.1}}, -2);
  assert_non_null(strstr(text.c_str(), "\"mean\": 0.3333333333333333,"));
  assert_non_null(strstr(text.c_str(), "\"b\": 0.1\n"));
}

void odd_names_stay_well_formed(void**) {
  const std::string name = "my \"model\", <1>";
  assert_non_null(strstr(log_text("json", {name}, {{0, {1}}}).c_str(), R"("my \"model\", <1>": 1.000000)"));
  assert_non_null(strstr(log_text("xml", {name}, {{0, {1}}}).c_str(), R"(my__model____1_="1.000000")"));
  assert_non_null(
      strstr(log_text("xml", {name}, {{0, {1}}}).c_str(), R"(<metric name="my &quot;model&quot;, &lt;1&gt;")"));
  assert_text(log_text("csv", {name}, {{0, {1}}}), "Frame,\"my \"\"model\"\", <1>\",\n0,1.000000,\n");
}

void unknown_format(void**) {
  const unit::TemporaryFolder folder;
  unit::assert_fails(QC_ERROR_INVALID, "log_fmt 'yaml' is none of xml, json, csv, sub", [&] {
    open_log({folder.path("log"), "yaml", -1, 1, 1}, {"a"});
  });
  assert_text(folder.listing(), "");
}

void an_unfinished_log_leaves_nothing(void**) {
  const unit::TemporaryFolder folder;
  std::ofstream(folder.path("old")) << "earlier log";
  {
    auto fresh = open_log({folder.path("fresh"), "csv", -1, 1, 1}, {"a"});
    auto old = open_log({folder.path("old"), "csv", -1, 1, 1}, {"a"});
    const Row row = {1};
    fresh->frame(0, row);
    old->frame(0, row);
  }
  assert_text(folder.listing(), "old");
  assert_text(unit::file_text(folder.path("old")), "earlier log");
}

void a_finished_log_replaces_the_earlier(void**) {
  const unit::TemporaryFolder folder;
  std::ofstream(folder.path("log")) << std::string(10000, 'x');
  symlink("log", folder.path("link").c_str());
  auto log = open_log({folder.path("link"), "csv", -1, 1, 1}, {"a"});
  log->frame(0, Row{1});
  log->finish(std::vector<Pool>(1), 1, {}, 1);
  assert_text(folder.listing(), "link log");
  assert_text(unit::file_text(folder.path("log")), "Frame,a,\n0,1.000000,\n");
  struct stat info;
  assert_int_equal(lstat(folder.path("link").c_str(), &info), 0);
  assert_true(S_ISLNK(info.st_mode));
}

void unwritable_paths(void**) {
  const unit::TemporaryFolder folder;
  const auto refused = [](const std::string& path, const char* reason) {
    unit::assert_fails(QC_ERROR_IO, reason, [&] { open_log({path, "xml", -1, 1, 1}, {"a"}); });
    unit::assert_fails(QC_ERROR_IO, path.c_str(), [&] { open_log({path, "xml", -1, 1, 1}, {"a"}); });
  };
  refused(folder.path("absent/log"), "No such file or directory");
  refused(folder.path("."), "Is a directory");
  std::ofstream(folder.path("file")) << "text";
  refused(folder.path("file/log"), "Not a directory");
  if (geteuid() != 0) {
    chmod(folder.path("file").c_str(), 0444);
    refused(folder.path("file"), "Permission denied");
  }
}

void a_full_disk_is_reported(void**) {
  if (access("/dev/full", W_OK) != 0) skip();
  auto log = open_log({"/dev/full", "csv", -1, 1, 1}, {"a"});
  unit::assert_fails(QC_ERROR_IO, "No space left on device", [&] { log->frame(0, Row{1}); });
}

// A reader of a pipe gets each frame as soon as it is scored; the speed isn't known then.
void pipes(void**) {
  const unit::TemporaryFolder folder;
  const std::string path = folder.path("fifo");
  assert_int_equal(mkfifo(path.c_str(), 0600), 0);
  std::string text;
  std::thread reader([&] { text = unit::file_text(path); });
  auto log = open_log({path, "json", -1, 1, 1}, {"a"});
  log->frame(0, Row{1});
  std::vector<Pool> pools(1);
  pools[0].add(1);
  log->finish(pools, 1, {}, 10);
  reader.join();
  assert_non_null(strstr(text.c_str(), "  \"fps\": null,\n  \"frames\": [\n"));
  assert_text(text.substr(text.size() - 6), "  }\n}\n");
  assert_text(folder.listing(), "fifo");
}

void standard_output(void**) {
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  const int saved = dup(STDOUT_FILENO);
  assert_true(saved >= 0);
  for (const char* path : {"-", "/dev/stdout", "/dev/fd/1"}) {
    fflush(stdout);
    dup2(ends[1], STDOUT_FILENO);
    auto log = open_log({path, "csv", -1, 1, 1}, {"a"});
    log->frame(7, Row{1});
    log->finish(std::vector<Pool>(1), 1, {}, 1);
    log.reset();
    dup2(saved, STDOUT_FILENO);
    char text[64] = {};
    assert_int_equal(read(ends[0], text, sizeof text), 21);
    assert_string_equal(text, "Frame,a,\n7,1.000000,\n");
  }
  close(saved);
  close(ends[0]);
  close(ends[1]);
}

void long_names_of_files(void**) {
  const unit::TemporaryFolder folder;
  const std::string name(250, 'n');
  auto log = open_log({folder.path(name), "csv", -1, 1, 1}, {"a"});
  log->frame(0, Row{1});
  log->finish(std::vector<Pool>(1), 1, {}, 1);
  assert_text(folder.listing(), name);
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(numbers),
      cmocka_unit_test(numbers_of_chosen_precision),
      cmocka_unit_test(precision_option),
      cmocka_unit_test(xml),
      cmocka_unit_test(xml_without_scores),
      cmocka_unit_test(json),
      cmocka_unit_test(json_nulls),
      cmocka_unit_test(csv),
      cmocka_unit_test(sub),
      cmocka_unit_test(precision_reaches_all_numbers),
      cmocka_unit_test(odd_names_stay_well_formed),
      cmocka_unit_test(unknown_format),
      cmocka_unit_test(an_unfinished_log_leaves_nothing),
      cmocka_unit_test(a_finished_log_replaces_the_earlier),
      cmocka_unit_test(unwritable_paths),
      cmocka_unit_test(a_full_disk_is_reported),
      cmocka_unit_test(pipes),
      cmocka_unit_test(standard_output),
      cmocka_unit_test(long_names_of_files),
  };
  return cmocka_run_group_tests_name("logs", tests, nullptr, nullptr);
}
