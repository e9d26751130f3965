// Allocations that fail: the n-th call of operator new throws, alone or with all later ones, for n from 1 until a
// stream gets through undisturbed. Every failure must come out as QC_ERROR_MEMORY, with all pairs handed back, and
// nothing may be left (run under AddressSanitizer for that).
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "stress/sessions.h"

namespace {

// Counts down with every allocation while positive; failing starts at zero.
std::atomic<long> allocations_left = -1;
std::atomic<bool> all_later_fail = false;
std::atomic<bool> has_failed = false;

void* allocate(std::size_t size, std::size_t alignment) {
  if (allocations_left >= 0) {
    const long left = allocations_left.fetch_sub(1);
    if (left <= 0) allocations_left = 0;
    if (left == 0 || (left < 0 && all_later_fail)) {
      has_failed = true;
      if (!all_later_fail) allocations_left = -1;
      throw std::bad_alloc();
    }
  }
  void* memory = nullptr;
  if (posix_memalign(&memory, alignment, size ? size : 1) != 0) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size, alignof(std::max_align_t)); }
void* operator new[](std::size_t size) { return allocate(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t a) { return allocate(size, static_cast<std::size_t>(a)); }
void* operator new[](std::size_t size, std::align_val_t a) { return allocate(size, static_cast<std::size_t>(a)); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace qc::test {
namespace {

// 1 if the failures of one kind are all well behaved, with the numbers in what it prints.
int check(const Clip& reference, const Clip& distorted, const StreamPlan& plan, bool later) {
  constexpr int kFrames = 4;
  int failed = 0;
  int tried = 0;
  for (long n = 0;; n += n < 400 ? 1 : 1 + n / 100) {
    all_later_fail = later;
    has_failed = false;
    allocations_left = n;
    StreamOutcome outcome;
    bool threw = false;
    try {
      outcome = run_stream(reference, distorted, kFrames, plan);
    } catch (const std::bad_alloc&) {
      threw = true;  // the test's own allocation
    }
    allocations_left = -1;
    if (!has_failed) {
      if (outcome.status != QC_OK) ++failed;
      break;
    }
    ++tried;
    if (threw) continue;
    // An allocation that is not needed for the result may fail without consequence.
    const bool good =
        (outcome.status == QC_OK || outcome.status == QC_ERROR_MEMORY) && outcome.released == outcome.sent;
    if (good) continue;
    ++failed;
    std::printf("FAIL allocation %ld%s: status %d of %s, %d sent, %d released\n", n, later ? " and all later" : "",
                outcome.status, outcome.call.c_str(), outcome.sent, outcome.released);
  }
  unlink(plan.log.c_str());
  std::printf("%d passed, %d failed\n", tried - failed, failed);
  return failed == 0 && tried > 0;
}

int run() {
  const Scene scene{"", 176, 176, QC_CHROMA_420, 8, 2, Texture::Waves, Distortion::Noise};
  const Clip reference = reference_clip(scene);
  const Clip distorted = distorted_clip(scene);
  StreamPlan plan;
  plan.features = all_features(reference.format);
  plan.threads = 2;
  plan.log = "allocation-test.json";
  const bool once = check(reference, distorted, plan, false);
  const bool later = check(reference, distorted, plan, true);
  return once && later ? 0 : 1;
}

}  // namespace
}  // namespace qc::test

int main() { return qc::test::run(); }
