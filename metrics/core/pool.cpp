#include "core/pool.h"

#include <limits>
#include <string>

#include "core/error.h"

namespace qc {

void Pool::add(double score) {
  sum_ += score;
  inverse_sum_ += 1.0 / (score + 1.0);
  if (count_ == 0 || score < min_) min_ = score;
  if (count_ == 0 || score > max_) max_ = score;
  ++count_;
}

double Pool::value(QCPool method) const {
  if (count_ == 0) return std::numeric_limits<double>::quiet_NaN();
  const auto count = static_cast<double>(count_);
  switch (method) {
    case QC_POOL_MIN:
      return min_;
    case QC_POOL_MAX:
      return max_;
    case QC_POOL_HARMONIC_MEAN:
      return count / inverse_sum_ - 1.0;
    case QC_POOL_MEAN:
      break;
  }
  return sum_ / count;
}

QCPool parse_pool(const char* text) {
  const std::string name = text;
  if (name == "mean") return QC_POOL_MEAN;
  if (name == "harmonic_mean") return QC_POOL_HARMONIC_MEAN;
  if (name == "min") return QC_POOL_MIN;
  if (name == "max") return QC_POOL_MAX;
  fail_invalid("pool '" + name + "' is none of mean, harmonic_mean, min, max");
}

}  // namespace qc
