// Models as sessions use them: a single one, or a bootstrap collection with its base.
#include "model/model.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/error.h"
#include "model/model_search.h"
#include "model/single_model.h"

namespace qc {
namespace {

// A model of a file and where its features are among the inputs of the whole.
struct Member {
  SingleModel model;
  std::vector<size_t> input;
};

class LoadedModel : public Model {
 public:
  const std::vector<ModelInput>& inputs() const final { return inputs_; }
  const std::vector<std::string>& outputs() const final { return outputs_; }

 protected:
  Member connect(SingleModel model) {
    std::vector<size_t> input;
    for (const ModelInput& needed : model.inputs()) {
      const auto found = std::find_if(inputs_.begin(), inputs_.end(), [&](const ModelInput& known) {
        return known.feature == needed.feature && known.options == needed.options;
      });
      input.push_back(static_cast<size_t>(found - inputs_.begin()));
      if (found == inputs_.end()) inputs_.push_back(needed);
    }
    return {std::move(model), std::move(input)};
  }

  static double raw_score(const Member& member, std::span<const double> features) {
    std::array<double, 64> own;
    for (size_t i = 0; i < member.input.size(); ++i) own[i] = features[member.input[i]];
    return member.model.raw_score({own.data(), member.input.size()});
  }

  std::vector<ModelInput> inputs_;
  std::vector<std::string> outputs_;
};

class PlainModel final : public LoadedModel {
 public:
  PlainModel(SingleModel model, const std::string& name) : model_(connect(std::move(model))) { outputs_ = {name}; }

  void predict(std::span<const double> features, std::span<double> scores) const override {
    scores[0] = model_.model.finished(raw_score(model_, features));
  }

 private:
  Member model_;
};

// Value below which p percent of the sorted scores lie, interpolated.
double percentile(const std::vector<double>& sorted, double p) {
  const double place = p * static_cast<double>(sorted.size() - 1) / 100;
  const double below = std::floor(place);
  const double above = std::ceil(place);
  if (below == above) return sorted[static_cast<size_t>(below)];
  return sorted[static_cast<size_t>(below)] * (above - place) + sorted[static_cast<size_t>(above)] * (place - below);
}

class BootstrapModel final : public LoadedModel {
 public:
  BootstrapModel(SingleModel base, std::vector<SingleModel> members, const std::string& name)
      : base_(connect(std::move(base))) {
    outputs_ = {name};
    for (SingleModel& member : members) {
      members_.push_back(connect(std::move(member)));
      char number[16];
      std::snprintf(number, sizeof number, "_%04zu", members_.size());
      outputs_.push_back(name + number);
    }
    for (const char* suffix : {"_bagging", "_stddev", "_ci_p95_lo", "_ci_p95_hi"}) outputs_.push_back(name + suffix);
  }

  void predict(std::span<const double> features, std::span<double> scores) const override {
    scores[0] = base_.model.finished(raw_score(base_, features));
    std::vector<double> raw;
    double sum = 0;
    for (const Member& member : members_) {
      const double score = raw_score(member, features);
      raw.push_back(score);
      scores[raw.size()] = member.model.finished(score);
      sum += score;
    }
    const auto count = static_cast<double>(raw.size());
    const double mean = sum / count;
    double squares = 0;
    for (double score : raw) squares += (score - mean) * (score - mean);
    const double deviation = std::sqrt(squares / count);
    std::sort(raw.begin(), raw.end());
    const SingleModel& first = members_[0].model;
    // The transform's slope around the mean carries the deviation over.
    constexpr double kStep = 0.01;
    const double slope = (first.finished(mean + kStep) - first.finished(mean - kStep)) / (2.0 * kStep);
    const std::span<double> summary = scores.subspan(members_.size() + 1);
    summary[0] = first.finished(mean);
    summary[1] = deviation * slope;
    summary[2] = first.finished(percentile(raw, 2.5));
    summary[3] = first.finished(percentile(raw, 97.5));
  }

 private:
  Member base_;
  std::vector<Member> members_;
};

std::unique_ptr<Model> build(const JsonValue& root, const ModelSpec& spec) {
  if (root.type != JsonValue::Type::Object) fail_invalid("it is no JSON object");
  if (root.find("model_dict")) return std::make_unique<PlainModel>(SingleModel(root, spec), spec.name);
  // Keys count from "0"; what doesn't continue the sequence is skipped.
  std::vector<SingleModel> members;
  for (const auto& [key, value] : root.members)
    if (key == std::to_string(members.size())) members.emplace_back(value, spec);
  if (members.empty()) fail_invalid("it has no model_dict, nor is it a collection of models");
  if (members.size() < 2) fail_invalid("it is a collection with only one model");
  SingleModel base = std::move(members.front());
  members.erase(members.begin());
  const std::string& type = members.front().type();
  if (type != "BOOTSTRAP_LIBSVMNUSVR" && type != "RESIDUEBOOTSTRAP_LIBSVMNUSVR")
    fail_invalid("it is a collection of the model_type '" + type + "', which is not a bootstrap type");
  for (const SingleModel& member : members)
    if (member.type() != type) fail_invalid("it is a collection whose models differ in model_type");
  return std::make_unique<BootstrapModel>(std::move(base), std::move(members), spec.name);
}

std::string file_text(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) fail_io("the model '" + path + "' is a folder");
  std::ifstream file(path, std::ios::binary);
  if (!file) fail_io("the model '" + path + "' cannot be read: " + std::strerror(errno));
  std::ostringstream text;
  text << file.rdbuf();
  if (!file && !file.eof()) fail_io("the model '" + path + "' cannot be read");
  return text.str();
}

}  // namespace

std::unique_ptr<Model> load_model(const ModelSpec& spec, const std::string& model_dir) {
  std::string path = spec.path;
  if (!spec.version.empty()) {
    path = find_model(spec.version, model_dir);
    if (path.empty()) fail_io(missing_model_text(spec.version, model_dir));
  }
  if (path.ends_with(".pkl")) fail_unsupported("the model '" + path + "' is a pickle; models are read from JSON files");
  const std::string text = file_text(path);
  try {
    return build(parse_json(text), spec);
  } catch (const Error& e) {
    throw Error(e.code(), "the model '" + path + "' cannot be used: " + e.what());
  }
}

}  // namespace qc
