// Several contexts at a time, each with several workers: the scores must be those of one thread, and a context must
// survive being destroyed at any moment. Meant for ThreadSanitizer, run by `make check` as well.
#include <algorithm>
#include <bit>
#include <cstdio>
#include <thread>

#include "stress/sessions.h"

namespace qc::test {
namespace {

bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](double x, double y) { return std::bit_cast<uint64_t>(x) == std::bit_cast<uint64_t>(y); });
}

int run() {
  constexpr int kFrames = 9;
  const Scene scene{"", 178, 176, QC_CHROMA_420, 8, 3, Texture::Cut, Distortion::Blocks};
  const Clip reference = reference_clip(scene);
  const Clip distorted = distorted_clip(scene);
  StreamPlan plan;
  plan.features = all_features(reference.format);
  const StreamOutcome expected = run_stream(reference, distorted, kFrames, plan);
  if (expected.status != QC_OK || expected.values.empty()) {
    std::printf("%s failed with %d\n", expected.call.c_str(), expected.status);
    return 1;
  }
  std::vector<StreamPlan> plans;
  for (int threads : {1, 2, 3, 5}) {
    for (int stop_after : {-1, 0, 1, 4}) {
      plan.threads = threads;
      plan.stop_after = stop_after;
      plans.push_back(plan);
    }
  }
  std::vector<StreamOutcome> outcomes(plans.size());
  std::vector<std::thread> callers;
  constexpr size_t kCallers = 3;
  for (size_t caller = 0; caller < kCallers; ++caller)
    callers.emplace_back([&, caller] {
      for (size_t i = caller; i < plans.size(); i += kCallers)
        outcomes[i] = run_stream(reference, distorted, kFrames, plans[i]);
    });
  for (std::thread& caller : callers) caller.join();
  int failed = 0;
  for (size_t i = 0; i < plans.size(); ++i) {
    const StreamOutcome& outcome = outcomes[i];
    const bool whole = plans[i].stop_after < 0;
    const bool good = outcome.status == QC_OK && outcome.released == outcome.sent &&
                      (!whole || (outcome.sent == kFrames && same(outcome.values, expected.values)));
    if (good) continue;
    ++failed;
    std::printf("FAIL %d threads, stop after %d: status %d of %s, %d sent, %d released, %zu values of %zu\n",
                plans[i].threads, plans[i].stop_after, outcome.status, outcome.call.c_str(), outcome.sent,
                outcome.released, outcome.values.size(), expected.values.size());
  }
  std::printf("%d passed, %d failed\n", static_cast<int>(plans.size()) - failed, failed);
  return failed ? 1 : 0;
}

}  // namespace
}  // namespace qc::test

int main() { return qc::test::run(); }
