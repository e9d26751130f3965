// One model of a file: features, normalisation, support vector machine, transform and clipping (model.md §2, §7).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/json_value.h"
#include "model/model.h"
#include "model/score_transform.h"
#include "model/svm.h"

namespace qc {

class SingleModel {
 public:
  // Reads an object that has the key model_dict, with the flags and overloads of `spec`. Throws on a model that cannot
  // be evaluated.
  SingleModel(const JsonValue& object, const ModelSpec& spec);

  // Features in the order of the machine's inputs.
  const std::vector<ModelInput>& inputs() const { return inputs_; }
  // LIBSVMNUSVR and so on, "" if the file doesn't say.
  const std::string& type() const { return type_; }

  // The score before transform and clipping.
  double raw_score(std::span<const double> features) const;
  // Transform, then clipping, as far as the model has them.
  double finished(double raw_score) const;

 private:
  void read_features(const JsonValue& dict);
  void apply_overloads(const ModelSpec& spec);
  void find_chroma_features();

  std::string type_;
  bool rescale_ = false;
  std::vector<ModelInput> inputs_;
  std::vector<double> slopes_;      // [0]: of the score, [i + 1]: of input i
  std::vector<double> intercepts_;  // likewise
  std::optional<std::pair<double, double>> clip_;
  ScoreTransform transform_;
  std::optional<double> chroma_correction_;
  size_t adm3_ = 0;
  size_t speed_chroma_ = 0;
  Svm svm_;
};

}  // namespace qc
