#include "golden/scores.h"

#include <memory>

namespace qc::test {
namespace {

class Run {
 public:
  explicit Run(Scores& scores) : scores_(scores) { check(qc_create(&ctx_)); }
  ~Run() { qc_destroy(&ctx_); }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  QCContext* context() { return ctx_; }

  // True unless this or an earlier call failed.
  bool check(QCStatus status) {
    if (status < 0 && scores_.status == QC_OK) {
      scores_.status = status;
      scores_.error = qc_error(ctx_);
    }
    return scores_.status == QC_OK;
  }

  // Take results until there is none; true unless it failed.
  bool receive_all() {
    for (;;) {
      QCResult result;
      const QCStatus status = qc_receive(ctx_, &result);
      if (status != QC_OK) return check(status);
      if (result.count == 0) continue;
      NamedScores& frame = scores_.frames[result.frame];
      for (int i = 0; i < result.count; ++i) frame.emplace_back(result.names[i], result.values[i]);
    }
  }

 private:
  Scores& scores_;
  QCContext* ctx_ = nullptr;
};

}  // namespace

Scores compute_scores(const Layout& reference, const Layout& distorted, int frames, const ContextOptions& options) {
  Scores scores;
  Run run(scores);
  if (scores.status != QC_OK) return scores;
  for (const auto& [key, value] : options)
    if (!run.check(qc_set(run.context(), key.c_str(), value.c_str()))) return scores;
  if (!run.check(qc_open(run.context(), &reference.format(), &distorted.format(), nullptr))) return scores;
  for (int n = 0; n < frames; ++n) {
    QCPair pair{};
    pair.reference = reference.frame(n);
    pair.distorted = distorted.frame(n);
    for (;;) {
      const QCStatus status = qc_send(run.context(), &pair);
      if (!run.check(status)) return scores;
      if (status == QC_OK) break;
      if (!run.receive_all()) return scores;
    }
  }
  if (!run.check(qc_send(run.context(), nullptr)) || !run.receive_all()) return scores;
  for (int i = 0; i < qc_score_count(run.context()); ++i) {
    for (QCPool method : {QC_POOL_MIN, QC_POOL_MAX, QC_POOL_MEAN, QC_POOL_HARMONIC_MEAN}) {
      double value = 0;
      if (qc_pooled(run.context(), i, method, &value) == QC_OK)
        scores.pooled[qc_score_name(run.context(), i)][method] = value;
    }
  }
  for (int i = 0; i < qc_aggregate_count(run.context()); ++i)
    scores.aggregates.emplace_back(qc_aggregate_name(run.context(), i), qc_aggregate_value(run.context(), i));
  return scores;
}

}  // namespace qc::test
