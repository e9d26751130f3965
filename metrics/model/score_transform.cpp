#include "model/score_transform.h"

#include <string>

#include "core/error.h"

namespace qc {
namespace {

using Type = JsonValue::Type;

constexpr size_t kMaxKnots = 10;

std::optional<double> optional_number(const JsonValue& object, const char* key) {
  const JsonValue* value = object.find(key);
  if (!value || value->type == Type::Null) return std::nullopt;
  if (value->type != Type::Number) fail_invalid(std::string("score_transform: ") + key + " is no number");
  return value->number;
}

bool is_true(const JsonValue& object, const char* key) {
  const JsonValue* value = object.find(key);
  if (!value) return false;
  if (value->type != Type::String)
    fail_invalid(std::string("score_transform: ") + key + " is no string (\"true\" switches it on)");
  return value->text == "true";
}

std::vector<std::pair<double, double>> read_knots(const JsonValue& array) {
  if (array.type != Type::Array) fail_invalid("score_transform: knots is no array");
  if (array.elements.size() > kMaxKnots) fail_invalid("score_transform: there are more than 10 knots");
  std::vector<std::pair<double, double>> knots;
  for (const JsonValue& point : array.elements) {
    if (point.type != Type::Array || point.elements.size() > 2)
      fail_invalid("score_transform: a knot is no array of two numbers");
    double xy[2] = {};
    for (size_t i = 0; i < point.elements.size(); ++i) {
      if (point.elements[i].type != Type::Number) fail_invalid("score_transform: a knot is no array of two numbers");
      xy[i] = point.elements[i].number;
    }
    knots.emplace_back(xy[0], xy[1]);
  }
  return knots;
}

}  // namespace

ScoreTransform::ScoreTransform(const JsonValue& object) {
  if (object.type != Type::Object) fail_invalid("score_transform is no object");
  if (const JsonValue* value = object.find("enabled")) {
    if (value->type != Type::Bool) fail_invalid("score_transform: enabled is neither true nor false");
    enabled_ = value->boolean;
  }
  polynomial_[0] = optional_number(object, "p0");
  polynomial_[1] = optional_number(object, "p1");
  polynomial_[2] = optional_number(object, "p2");
  if (const JsonValue* knots = object.find("knots"); knots && knots->type != Type::Null) {
    has_knots_ = true;
    knots_ = read_knots(*knots);
  }
  out_lte_in_ = is_true(object, "out_lte_in");
  out_gte_in_ = is_true(object, "out_gte_in");
}

double ScoreTransform::mapped(double x) const {
  if (knots_.size() < 2) return x;
  const size_t segments = knots_.size() - 1;
  double result = 0;
  for (size_t s = 0; s < segments; ++s) {
    const auto [x1, y1] = knots_[s];
    const auto [x2, y2] = knots_[s + 1];
    if (!(x1 < x2 && y1 <= y2)) break;
    double value = y1;
    if (y1 != y2) {
      const double slope = x1 == 0 ? (y2 - y1) / x2 : (y2 - y1) / (x2 - x1);
      const double offset = x1 == 0 ? y1 : y1 - x1 * slope;
      value = slope * x + offset;
    }
    if ((x1 <= x && x <= x2) || (s == 0 && x < x1) || (s == segments - 1 && x > x2)) result = value;
  }
  return result;
}

double ScoreTransform::operator()(double score) const {
  double out = score;
  if (polynomial_[0] || polynomial_[1] || polynomial_[2]) {
    out = 0;
    if (polynomial_[0]) out += *polynomial_[0];
    if (polynomial_[1]) out += *polynomial_[1] * score;
    if (polynomial_[2]) out += *polynomial_[2] * score * score;
  }
  if (has_knots_) out = mapped(out);
  if (out_lte_in_ && out > score) out = score;
  if (out_gte_in_ && out < score) out = score;
  return out;
}

}  // namespace qc
