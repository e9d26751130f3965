// Goldens: what a peer scored, and the comparison with our scores.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "golden/scores.h"

namespace qc::test {

struct Golden {
  std::string run;
  std::string peer;
  bool peer_failed = false;
  std::string feature;  // of the peer's command line, as the option `feature` takes it
  std::string model;
  int subsample = 1;
  std::set<std::string> unstable;  // names whose values the peer takes from memory that it never wrote
  std::map<int64_t, NamedScores> frames;
  std::map<std::string, std::map<QCPool, double>> pooled;
  NamedScores aggregates;

  ContextOptions options() const;
};

// Read a file of one run. Throws if it is no golden.
Golden load_golden(const std::string& path);
// Names that any of the files lists as unstable.
std::set<std::string> unstable_names(const std::vector<std::string>& paths);
// Add `names` to a golden's unstable ones. A model's scores are unstable if a feature among its frames' scores is.
void mark_unstable(Golden& golden, const std::set<std::string>& names);
// Read a file of several runs, as the repository's own goldens are stored.
std::vector<Golden> load_goldens(const std::string& path);

struct Comparison {
  int64_t values = 0;              // that were compared
  std::vector<std::string> lines;  // one a difference
};

// Every value of the golden against ours, as bits. NaNs are equal. A score that only the golden has is a difference;
// one that only we have is too if `complete`.
Comparison compare(const Golden& golden, const Scores& ours, bool complete = true);

// Scores of a JSON log. `null`, which stands for every value that is not finite, is left out.
Scores load_log(const std::string& path);

// 17 significant digits: tells all doubles apart.
std::string exact(double value);

}  // namespace qc::test
