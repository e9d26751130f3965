// Support vector regression with a radial basis function, as libsvm stores and evaluates it (model.md §3, §7.4).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace qc {

class Svm {
 public:
  // Parses libsvm's text. nu_svr and epsilon_svr with the rbf kernel are supported. Throws on anything else.
  explicit Svm(const std::string& text);

  // The regression's value; x[i] is the node with index i + 1.
  double predict(std::span<const double> x) const;

 private:
  struct Node {
    uint32_t index;  // counted from 0
    double value;    // not 0 in files that libsvm writes
  };
  double gamma_ = 0;
  double rho_ = 0;
  std::vector<double> coefficients_;
  std::vector<Node> nodes_;     // of all vectors, indices ascending within each
  std::vector<size_t> begins_;  // vector j has nodes_[begins_[j]] … nodes_[begins_[j + 1] - 1]
};

}  // namespace qc
