#include "model/single_model.h"

#include <algorithm>
#include <array>

#include "core/error.h"
#include "core/feature.h"

namespace qc {
namespace {

using Type = JsonValue::Type;

constexpr size_t kMaxFeatures = 64;

const JsonValue* typed(const JsonValue& object, const char* key, Type type, const char* type_name) {
  const JsonValue* value = object.find(key);
  if (value && value->type != type) fail_invalid(std::string(key) + " is no " + type_name);
  return value;
}

const JsonValue& model_dict(const JsonValue& object) {
  if (object.type != Type::Object) fail_invalid("it is no JSON object");
  const JsonValue* dict = typed(object, "model_dict", Type::Object, "object");
  if (!dict) fail_invalid("it has no model_dict");
  return *dict;
}

const std::string& svm_text(const JsonValue& dict) {
  const JsonValue* model = typed(dict, "model", Type::String, "string");
  if (!model || model->text.empty()) fail_invalid("it has no libsvm text (the key model)");
  return model->text;
}

// An array of numbers, filled up with zeros to `count`.
std::vector<double> read_numbers(const JsonValue& dict, const char* key, size_t count) {
  std::vector<double> numbers;
  if (const JsonValue* array = typed(dict, key, Type::Array, "array")) {
    if (array->elements.size() > kMaxFeatures + 1) fail_invalid(std::string(key) + " has more than 65 numbers");
    for (const JsonValue& element : array->elements) {
      if (element.type != Type::Number) fail_invalid(std::string(key) + " has an element that is no number");
      numbers.push_back(element.number);
    }
  }
  numbers.resize(std::max(count, numbers.size()));
  return numbers;
}

// The text of an option's value, as options store it.
std::string option_text(const JsonValue& value) {
  switch (value.type) {
    case Type::Number:
      return canonical_number(value.text);
    case Type::Bool:
      return value.boolean ? "true" : "false";
    case Type::String:
      return value.text;
    default:
      fail_invalid("feature_opts_dicts has a value that is neither number, string, true nor false");
  }
}

void set_option(OptionList& options, const std::string& key, const std::string& value) {
  const auto place = std::lower_bound(options.begin(), options.end(), key,
                                      [](const auto& option, const std::string& k) { return option.first < k; });
  if (place != options.end() && place->first == key)
    place->second = value;
  else
    options.emplace(place, key, value);
}

// Options sorted by key.
OptionList read_options(const JsonValue& object) {
  if (object.type != Type::Object) fail_invalid("feature_opts_dicts has an element that is no object");
  OptionList options;
  for (const auto& [key, value] : object.members) {
    const std::string text = option_text(value);
    for (const auto& [known, known_text] : options)
      if (known == key && known_text != text) fail_invalid("feature_opts_dicts has two values of " + key);
    set_option(options, key, text);
  }
  return options;
}

// The feature that computes what a model calls `raw_name`, nullptr: none.
const FeatureDef* provider(const std::string& raw_name) {
  for (const RegistryEntry& entry : registry())
    for (const OutputDef& output : entry.definition->outputs)
      if (raw_name == output.raw_name) return entry.definition;
  return nullptr;
}

}  // namespace

SingleModel::SingleModel(const JsonValue& object, const ModelSpec& spec) : svm_(svm_text(model_dict(object))) {
  const JsonValue& dict = model_dict(object);
  if (const JsonValue* type = typed(dict, "model_type", Type::String, "string")) {
    type_ = type->text;
    if (type_ != "LIBSVMNUSVR" && type_ != "BOOTSTRAP_LIBSVMNUSVR" && type_ != "RESIDUEBOOTSTRAP_LIBSVMNUSVR")
      fail_invalid("its model_type '" + type_ +
                   "' is none of LIBSVMNUSVR, BOOTSTRAP_LIBSVMNUSVR, RESIDUEBOOTSTRAP_LIBSVMNUSVR");
  }
  const JsonValue* norm = typed(dict, "norm_type", Type::String, "string");
  if (!norm || (norm->text != "linear_rescale" && norm->text != "none"))
    fail_invalid("its norm_type is neither linear_rescale nor none");
  rescale_ = norm->text == "linear_rescale";
  read_features(dict);
  slopes_ = read_numbers(dict, "slopes", inputs_.size() + 1);
  intercepts_ = read_numbers(dict, "intercepts", inputs_.size() + 1);
  if (rescale_ && slopes_[0] == 0) fail_invalid("the slope of its score is 0");
  if (!spec.disable_clip) {
    if (const JsonValue* clip = typed(dict, "score_clip", Type::Array, "array")) {
      const auto& range = clip->elements;
      if (range.size() < 2 || range[0].type != Type::Number || range[1].type != Type::Number)
        fail_invalid("score_clip does not begin with two numbers");
      clip_ = {range[0].number, range[1].number};
    }
  }
  if (const JsonValue* transform = dict.find("score_transform")) {
    transform_ = ScoreTransform(*transform);
    if (spec.enable_transform) transform_.enable();
  }
  if (const JsonValue* parameter = typed(dict, "chroma_correction_parameter", Type::Number, "number")) {
    chroma_correction_ = parameter->number;
    if (*chroma_correction_ == 0) fail_invalid("chroma_correction_parameter is 0");
    find_chroma_features();
  }
  apply_overloads(spec);
}

void SingleModel::read_features(const JsonValue& dict) {
  const JsonValue* names = typed(dict, "feature_names", Type::Array, "array");
  if (!names || names->elements.empty()) fail_invalid("it has no feature_names");
  if (names->elements.size() > kMaxFeatures) fail_invalid("it has more than 64 features");
  for (const JsonValue& name : names->elements) {
    if (name.type != Type::String) fail_invalid("feature_names has an element that is no string");
    inputs_.push_back({name.text, {}});
  }
  const JsonValue* options = typed(dict, "feature_opts_dicts", Type::Array, "array");
  if (!options) return;
  if (options->elements.size() > kMaxFeatures) fail_invalid("feature_opts_dicts has more than 64 elements");
  for (size_t i = 0; i < options->elements.size(); ++i) {
    OptionList list = read_options(options->elements[i]);
    if (i < inputs_.size()) inputs_[i].options = std::move(list);
  }
}

void SingleModel::apply_overloads(const ModelSpec& spec) {
  for (const ModelSpec::Overload& overload : spec.overloads) {
    registry_index(overload.feature);
    bool used = false;
    for (ModelInput& input : inputs_) {
      const FeatureDef* def = provider(input.feature);
      if (!def || overload.feature != def->name) continue;
      set_option(input.options, overload.option, overload.value);
      used = true;
    }
    if (!used)
      fail_invalid("it does not use the feature " + overload.feature + ", so " + overload.option + " has no effect");
  }
}

void SingleModel::find_chroma_features() {
  const auto find = [&](const char* part) {
    size_t found = inputs_.size();
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (inputs_[i].feature.find(part) == std::string::npos) continue;
      if (found < inputs_.size()) fail_invalid(std::string("two of its features contain ") + part);
      found = i;
    }
    if (found == inputs_.size())
      fail_invalid(std::string("chroma_correction_parameter needs a feature that contains ") + part);
    if (rescale_ && slopes_[found + 1] == 0) fail_invalid("the slope of " + inputs_[found].feature + " is 0");
    return found;
  };
  adm3_ = find("adm3");
  speed_chroma_ = find("speed_chroma");
}

double SingleModel::raw_score(std::span<const double> features) const {
  std::array<double, kMaxFeatures> x;
  const size_t count = inputs_.size();
  for (size_t i = 0; i < count; ++i) x[i] = rescale_ ? slopes_[i + 1] * features[i] + intercepts_[i + 1] : features[i];
  if (chroma_correction_) {
    const auto denormalised = [&](size_t i) { return rescale_ ? (x[i] - intercepts_[i + 1]) / slopes_[i + 1] : x[i]; };
    const double p = *chroma_correction_;
    const size_t c = speed_chroma_;
    if (denormalised(c) == 0) {
      const double corrected = -p * denormalised(adm3_) + p;
      x[c] = rescale_ ? slopes_[c + 1] * corrected + intercepts_[c + 1] : corrected;
    }
  }
  const double y = svm_.predict({x.data(), count});
  return rescale_ ? (y - intercepts_[0]) / slopes_[0] : y;
}

double SingleModel::finished(double raw_score) const {
  double y = raw_score;
  if (transform_.enabled()) y = transform_(y);
  if (clip_) {
    if (y < clip_->first) y = clip_->first;
    if (y > clip_->second) y = clip_->second;
  }
  return y;
}

}  // namespace qc
