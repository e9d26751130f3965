#include "core/targets.h"

#include "core/simd.h"
#include "hwy/highway.h"

namespace qc {
namespace {

struct Target {
  const char* name;
  int64_t bit;
};

constexpr Target kTargets[] = {
    {"avx512", HWY_AVX3},
    {"avx2", HWY_AVX2},
    {"sse4", HWY_SSE4},
    {"neon", HWY_NEON},
    {"scalar", HWY_SCALAR | HWY_EMU128},
};

bool is_scalar(const Target& target) { return (target.bit & HWY_SCALAR) != 0; }

bool available(const Target& target) {
  return (HWY_TARGETS & target.bit) != 0 && (is_scalar(target) || (hwy::SupportedTargets() & target.bit) != 0);
}

}  // namespace

std::vector<std::string> available_targets() {
  std::vector<std::string> names;
  for (const Target& target : kTargets)
    if (available(target)) names.emplace_back(target.name);
  return names;
}

bool force_target(const std::string& name) {
  if (name.empty()) {
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    return true;
  }
  for (const Target& target : kTargets) {
    if (name != target.name || !available(target)) continue;
    hwy::GetChosenTarget().Update(target.bit);
    return true;
  }
  return false;
}

}  // namespace qc
