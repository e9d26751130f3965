// What happens to a model's raw score: polynomial, piecewise linear mapping, rectification (model.md §2.1, §7.6).
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "model/json_value.h"

namespace qc {

class ScoreTransform {
 public:
  ScoreTransform() = default;
  // Reads the object `score_transform` of a model. Throws on values of a wrong type.
  explicit ScoreTransform(const JsonValue& object);

  bool enabled() const { return enabled_; }
  void enable() { enabled_ = true; }
  double operator()(double score) const;

 private:
  double mapped(double x) const;

  bool enabled_ = false;
  std::optional<double> polynomial_[3];
  bool has_knots_ = false;
  std::vector<std::pair<double, double>> knots_;
  bool out_lte_in_ = false;
  bool out_gte_in_ = false;
};

}  // namespace qc
