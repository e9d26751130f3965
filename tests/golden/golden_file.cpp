#include "golden/golden_file.h"

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

namespace qc::test {
namespace {

using Json = nlohmann::ordered_json;

double number(const Json& text) {
  const std::string s = text.get<std::string>();
  char* end = nullptr;
  const double value = std::strtod(s.c_str(), &end);
  if (s.empty() || *end) throw std::runtime_error("'" + s + "' is not a number");
  return value;
}

void parse_command(const std::string& command, Golden& golden) {
  std::istringstream words(command);
  for (std::string word; words >> word;) {
    if (word == "--feature")
      words >> golden.feature;
    else if (word == "-m" || word == "--model")
      words >> golden.model;
    else if (word == "--subsample")
      words >> golden.subsample;
  }
  if (golden.feature.empty() && golden.model.empty())
    throw std::runtime_error("no --feature and no --model in: " + command);
}

constexpr std::pair<const char*, QCPool> kPools[] = {
    {"min", QC_POOL_MIN}, {"max", QC_POOL_MAX}, {"mean", QC_POOL_MEAN}, {"harmonic_mean", QC_POOL_HARMONIC_MEAN}};

Golden parse_golden(const Json& json) {
  Golden golden;
  golden.run = json.at("run");
  golden.peer = json.at("peer");
  golden.peer_failed = json.value("rc", 0) != 0;
  parse_command(json.at("cmd"), golden);
  if (json.contains("unstable"))
    for (const Json& name : json["unstable"]) golden.unstable.insert(name.get<std::string>());
  for (const Json& frame : json.at("frames")) {
    NamedScores& scores = golden.frames[frame.at("n").get<int64_t>()];
    for (const auto& [name, value] : frame.items())
      if (name != "n") scores.emplace_back(name, number(value));
  }
  if (json.contains("pooled"))
    for (const auto& [name, values] : json["pooled"].items())
      for (const auto& [method, pool] : kPools)
        if (values.contains(method)) golden.pooled[name][pool] = number(values[method]);
  if (json.contains("aggregate"))
    for (const auto& [name, value] : json["aggregate"].items()) golden.aggregates.emplace_back(name, number(value));
  return golden;
}

Json read_json(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  return Json::parse(file);
}

bool same_bits(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
}

const double* find(const NamedScores& scores, const std::string& name) {
  for (const auto& [n, value] : scores)
    if (n == name) return &value;
  return nullptr;
}

// Appends the differences of two lists of one place (a frame, or the aggregates).
void compare_lists(const Golden& golden, const std::string& where, const NamedScores& theirs, const NamedScores& ours,
                   bool complete, Comparison& result) {
  for (const auto& [name, value] : theirs) {
    if (golden.unstable.count(name)) continue;
    ++result.values;
    const double* our = find(ours, name);
    if (!our)
      result.lines.push_back(where + " " + name + ": we have none, golden " + exact(value));
    else if (!same_bits(*our, value))
      result.lines.push_back(where + " " + name + ": ours " + exact(*our) + ", golden " + exact(value));
  }
  if (!complete) return;
  for (const auto& [name, value] : ours)
    if (!find(theirs, name))
      result.lines.push_back(where + " " + name + ": ours " + exact(value) + ", golden has none");
}

bool is_model_score(const std::string& name) { return name.compare(0, 4, "vmaf") == 0; }

}  // namespace

std::string exact(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

ContextOptions Golden::options() const {
  ContextOptions list;
  if (!feature.empty()) list.emplace_back("feature", feature);
  if (!model.empty()) list.emplace_back("model", model);
  list.emplace_back("n_subsample", std::to_string(subsample));
  return list;
}

std::set<std::string> unstable_names(const std::vector<std::string>& paths) {
  std::set<std::string> names;
  for (const std::string& path : paths) {
    const Json json = read_json(path);
    if (json.contains("unstable"))
      for (const Json& name : json["unstable"]) names.insert(name.get<std::string>());
  }
  return names;
}

void mark_unstable(Golden& golden, const std::set<std::string>& names) {
  bool input = false;
  for (const auto& [n, scores] : golden.frames) {
    for (const auto& [name, value] : scores) {
      if (is_model_score(name) || !names.count(name)) continue;
      golden.unstable.insert(name);
      input = true;
    }
  }
  if (!input) return;
  for (const auto& [n, scores] : golden.frames)
    for (const auto& [name, value] : scores)
      if (is_model_score(name)) golden.unstable.insert(name);
}

Golden load_golden(const std::string& path) { return parse_golden(read_json(path)); }

std::vector<Golden> load_goldens(const std::string& path) {
  std::vector<Golden> goldens;
  const Json json = read_json(path);
  for (const Json& run : json.at("runs")) goldens.push_back(parse_golden(run));
  return goldens;
}

Comparison compare(const Golden& golden, const Scores& ours, bool complete) {
  Comparison result;
  if (ours.status != QC_OK) {
    result.lines.push_back("failed (" + std::to_string(ours.status) + "): " + ours.error);
    return result;
  }
  static const NamedScores kNone;
  for (const auto& [n, theirs] : golden.frames) {
    const auto frame = ours.frames.find(n);
    compare_lists(golden, "frame " + std::to_string(n), theirs, frame == ours.frames.end() ? kNone : frame->second,
                  complete, result);
  }
  for (const auto& [n, scores] : ours.frames)
    if (!golden.frames.count(n)) result.lines.push_back("frame " + std::to_string(n) + ": golden has none");
  for (const auto& [name, pools] : golden.pooled) {
    if (golden.unstable.count(name)) continue;
    const auto column = ours.pooled.find(name);
    for (const auto& [method, pool] : kPools) {
      const auto their = pools.find(pool);
      if (their == pools.end()) continue;
      ++result.values;
      const std::string what = std::string("pooled ") + method + " " + name + ": ";
      if (column == ours.pooled.end())
        result.lines.push_back(what + "we have none, golden " + exact(their->second));
      else if (const double our = column->second.at(pool); !same_bits(our, their->second))
        result.lines.push_back(what + "ours " + exact(our) + ", golden " + exact(their->second));
    }
  }
  compare_lists(golden, "aggregate", golden.aggregates, ours.aggregates, complete, result);
  return result;
}

Scores load_log(const std::string& path) {
  const Json json = read_json(path);
  Scores scores;
  for (const Json& frame : json.at("frames")) {
    NamedScores& list = scores.frames[frame.at("frameNum").get<int64_t>()];
    for (const auto& [name, value] : frame.at("metrics").items())
      if (value.is_number()) list.emplace_back(name, value.get<double>());
  }
  for (const auto& [name, values] : json.at("pooled_metrics").items())
    for (const auto& [method, pool] : kPools)
      if (values.contains(method) && values[method].is_number())
        scores.pooled[name][pool] = values[method].get<double>();
  for (const auto& [name, value] : json.at("aggregate_metrics").items())
    if (value.is_number()) scores.aggregates.emplace_back(name, value.get<double>());
  return scores;
}

}  // namespace qc::test
