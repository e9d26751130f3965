// Scores of a pair of clips, computed through the C API.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "golden/clip.h"

namespace qc::test {

// A score list in order.
using NamedScores = std::vector<std::pair<std::string, double>>;

struct Scores {
  QCStatus status = QC_OK;  // the first failure, or QC_OK
  std::string error;
  std::map<int64_t, NamedScores> frames;                   // scored frames
  std::map<std::string, std::map<QCPool, double>> pooled;  // columns that have pooled values
  NamedScores aggregates;
};

using ContextOptions = std::vector<std::pair<std::string, std::string>>;

Scores compute_scores(const Layout& reference, const Layout& distorted, int frames, const ContextOptions& options);

}  // namespace qc::test
