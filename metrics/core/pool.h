// Pooling of a column's scores over frames, one frame after the other (model.md §9).
#pragma once

#include <cstdint>

#include "qualitycuda.h"

namespace qc {

class Pool {
 public:
  void add(double score);
  int64_t count() const { return count_; }
  // NaN when no score was added.
  double value(QCPool method) const;

 private:
  int64_t count_ = 0;
  double sum_ = 0;
  double inverse_sum_ = 0;
  double min_ = 0;
  double max_ = 0;
};

// "mean", "harmonic_mean", "min" or "max"; throws for anything else.
QCPool parse_pool(const char* text);

}  // namespace qc
