#include "stress/sessions.h"

#include <atomic>

namespace qc::test {
namespace {

// Destroyed even if an allocation of the test itself fails.
struct Context {
  QCContext* ctx = nullptr;
  ~Context() { qc_destroy(&ctx); }
};

void count_release(void* counter) { ++*static_cast<std::atomic<int>*>(counter); }

// True unless `status` is an error, which the outcome then remembers.
bool note(StreamOutcome& outcome, QCStatus status, const char* call) {
  if (status >= 0) return true;
  if (outcome.status == QC_OK) {
    outcome.status = status;
    outcome.call = call;
  }
  return false;
}

bool receive(QCContext* ctx, StreamOutcome& outcome) {
  for (;;) {
    QCResult result;
    const QCStatus status = qc_receive(ctx, &result);
    if (status != QC_OK) return note(outcome, status, "qc_receive");
    outcome.values.insert(outcome.values.end(), result.values, result.values + result.count);
  }
}

void stream(QCContext* ctx, const Clip& reference, const Clip& distorted, int frames, const StreamPlan& plan,
            std::atomic<int>& released, StreamOutcome& outcome) {
  const auto set = [&](const char* key, const std::string& value) {
    return note(outcome, qc_set(ctx, key, value.c_str()), "qc_set");
  };
  if (!set("feature", plan.features) || !set("n_threads", std::to_string(plan.threads))) return;
  if (!plan.log.empty() && (!set("log_path", plan.log) || !set("log_fmt", "json"))) return;
  if (!note(outcome, qc_open(ctx, &reference.format, &distorted.format, nullptr), "qc_open")) return;
  for (int n = 0; n < frames; ++n) {
    if (n == plan.stop_after) return;
    QCPair pair{};
    pair.reference = reference.frame(n % reference.frames);
    pair.distorted = distorted.frame(n % distorted.frames);
    pair.release = count_release;
    pair.release_opaque = &released;
    for (;;) {
      const QCStatus status = qc_send(ctx, &pair);
      if (!note(outcome, status, "qc_send")) return;
      if (status == QC_OK) break;
      if (!receive(ctx, outcome)) return;
    }
    ++outcome.sent;
  }
  if (!note(outcome, qc_send(ctx, nullptr), "qc_send") || !receive(ctx, outcome)) return;
  note(outcome, qc_finish_log(ctx), "qc_finish_log");
}

}  // namespace

std::string all_features(const QCFormat& format) {
  std::string list;
  QCFeatureInfo feature;
  for (int i = 0; qc_feature_info(i, &feature) == QC_OK; ++i) {
    QCContext* ctx = nullptr;
    if (qc_create(&ctx) == QC_OK && qc_set(ctx, "feature", feature.name) == QC_OK &&
        qc_open(ctx, &format, &format, nullptr) == QC_OK)
      list += (list.empty() ? "" : "|") + std::string(feature.name);
    qc_destroy(&ctx);
  }
  return list;
}

StreamOutcome run_stream(const Clip& reference, const Clip& distorted, int frames, const StreamPlan& plan) {
  StreamOutcome outcome;
  std::atomic<int> released = 0;
  {
    Context context;
    if (note(outcome, qc_create(&context.ctx), "qc_create"))
      stream(context.ctx, reference, distorted, frames, plan, released, outcome);
  }
  outcome.released = released;
  return outcome;
}

}  // namespace qc::test
