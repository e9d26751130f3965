#include "model/svm.h"

#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "core/error.h"

namespace qc {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

[[noreturn]] void bad(const std::string& what) { fail_invalid("its libsvm text " + what); }

// The next word; removes it from `text`. "" at the end.
std::string_view word(std::string_view& text, std::string_view separators = kSpace) {
  const size_t begin = text.find_first_not_of(separators);
  if (begin == std::string_view::npos) {
    text = {};
    return {};
  }
  const size_t end = std::min(text.find_first_of(separators, begin), text.size());
  const std::string_view found = text.substr(begin, end - begin);
  text.remove_prefix(end);
  return found;
}

template <class T>
T parse(std::string_view text, const char* what) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    bad(std::string("has a bad ") + what + ": '" + std::string(text) + "'");
  if constexpr (std::is_floating_point_v<T>)
    if (!std::isfinite(value)) bad(std::string("has a bad ") + what + ": '" + std::string(text) + "'");
  return value;
}

std::string_view line(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string_view found = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return found;
}

struct Header {
  std::string_view svm_type;
  std::string_view kernel_type;
  std::optional<double> gamma;
  std::optional<double> rho;
  std::optional<int> classes;
  std::optional<int> vectors;
};

// Header words with their values up to the word SV.
Header parse_header(std::string_view& text) {
  Header h;
  const std::set<std::string_view> types = {"c_svc", "nu_svc", "one_class", "epsilon_svr", "nu_svr"};
  const std::set<std::string_view> kernels = {"linear", "polynomial", "rbf", "sigmoid", "precomputed"};
  for (;;) {
    const std::string_view key = word(text);
    if (key == "SV") return h;
    if (key.empty()) bad("ends before its support vectors");
    if (key == "svm_type") {
      h.svm_type = word(text);
      if (!types.count(h.svm_type)) bad("has an unknown svm_type: '" + std::string(h.svm_type) + "'");
    } else if (key == "kernel_type") {
      h.kernel_type = word(text);
      if (!kernels.count(h.kernel_type)) bad("has an unknown kernel_type: '" + std::string(h.kernel_type) + "'");
    } else if (key == "gamma") {
      h.gamma = parse<double>(word(text), "gamma");
    } else if (key == "degree") {
      parse<int>(word(text), "degree");
    } else if (key == "coef0") {
      parse<double>(word(text), "coef0");
    } else if (key == "nr_class") {
      h.classes = parse<int>(word(text), "nr_class");
      if (h.classes != 2) bad("has " + std::to_string(*h.classes) + " classes; a regression has 2");
    } else if (key == "total_sv") {
      h.vectors = parse<int>(word(text), "total_sv");
      if (*h.vectors < 1) bad("has no support vectors");
    } else if (key == "rho" || key == "probA" || key == "probB") {
      if (!h.classes) bad("has " + std::string(key) + " before nr_class");
      const auto value = parse<double>(word(text), "number");
      if (key == "rho") h.rho = value;
    } else if (key == "label" || key == "nr_sv") {
      if (!h.classes) bad("has " + std::string(key) + " before nr_class");
      for (int i = 0; i < *h.classes; ++i) parse<int>(word(text), "number");
    } else {
      bad("has an unknown word: '" + std::string(key.substr(0, 80)) + "'");
    }
  }
}

}  // namespace

Svm::Svm(const std::string& full_text) {
  std::string_view text = full_text;
  const Header h = parse_header(text);
  if (h.svm_type != "nu_svr" && h.svm_type != "epsilon_svr")
    fail_unsupported("its svm_type is '" + std::string(h.svm_type) + "'; nu_svr and epsilon_svr are supported");
  if (h.kernel_type != "rbf")
    fail_unsupported("its kernel_type is '" + std::string(h.kernel_type) + "'; only rbf is supported");
  if (!h.gamma || !h.rho || !h.vectors) bad("lacks one of gamma, rho, total_sv");
  gamma_ = *h.gamma;
  rho_ = *h.rho;
  line(text);  // the rest of the line of SV
  begins_.push_back(0);
  for (int j = 0; j < *h.vectors; ++j) {
    std::string_view vector = line(text);
    const std::string_view coefficient = word(vector);
    if (coefficient.empty())
      bad("has " + std::to_string(j) + " support vectors instead of " + std::to_string(*h.vectors));
    coefficients_.push_back(parse<double>(coefficient, "coefficient"));
    int previous = 0;
    for (;;) {
      const std::string_view entry = word(vector);
      if (entry.empty()) break;
      const size_t colon = entry.find(':');
      if (colon == std::string_view::npos) bad("has a node without a colon: '" + std::string(entry) + "'");
      const int index = parse<int>(entry.substr(0, colon), "node index");
      if (index <= previous) bad("has node indices that don't ascend from 1");
      previous = index;
      nodes_.push_back({static_cast<uint32_t>(index - 1), parse<double>(entry.substr(colon + 1), "node value")});
    }
    begins_.push_back(nodes_.size());
  }
}

double Svm::predict(std::span<const double> x) const {
  double result = 0;
  for (size_t j = 0; j < coefficients_.size(); ++j) {
    const Node* node = nodes_.data() + begins_[j];
    const Node* const end = nodes_.data() + begins_[j + 1];
    double squares = 0;
    for (uint32_t i = 0; i < x.size(); ++i) {
      const bool present = node != end && node->index == i;
      const double difference = present ? x[i] - node->value : x[i];
      if (present) ++node;
      squares += difference * difference;
    }
    for (; node != end; ++node) squares += node->value * node->value;
    result += coefficients_[j] * std::exp(-gamma_ * squares);
  }
  return result - rho_;
}

}  // namespace qc
