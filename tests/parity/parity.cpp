// Compares the CUDA path with the CPU path over random pairs: every score of every frame must have the same bits.
//
//   parity [--feature NAME] [--pairs N] [--seed S] [--threads T] [--ssim-margin F] [--cambi-ordered yes]
//          [--driver FILE] [--list yes]
//
// Each stream draws geometry, layouts and options from its own seed, which a difference is reported with: --seed S
// --pairs 1 repeats it. --ssim-margin makes the SSIM features doubt their means more (cuda/ssim/ssim.h),
// --cambi-ordered makes cambi order all of its sums. --driver names a library to use in place of libcuda.so.1
// (tests/emulation).
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "cuda/cambi/cambi.h"
#include "cuda/driver/driver.h"
#include "cuda/ssim/ssim.h"
#include "parity/stream.h"

namespace qc::parity {
namespace {

struct Settings {
  std::string feature;
  long pairs = 1000;
  uint64_t seed = 1;
  int threads = 1;
};

constexpr long kMostReports = 10;

// Returns the number of streams that differ.
long check_feature(const Settings& settings, int index, const std::string& name) {
  std::atomic<long> pairs{0};
  std::atomic<uint64_t> next_seed{settings.seed};
  std::atomic<long> differing{0};
  std::atomic<long> refused{0};
  std::mutex print;
  auto work = [&] {
    while (pairs < settings.pairs && differing < kMostReports) {
      const StreamPlan s = draw_stream(next_seed++, index);
      const Outcome cpu = run_stream(s, name, Path::Cpu);
      const Outcome cuda = run_stream(s, name, Path::Cuda);
      pairs += s.frames;
      if (cpu.status < 0) ++refused;
      const std::string text = difference(cpu, cuda);
      if (text.empty()) continue;
      ++differing;
      const std::lock_guard lock(print);
      std::printf("%s: --seed %llu, %s, options '%s', %s memory, in flight %d: %s\n", name.c_str(),
                  static_cast<unsigned long long>(s.seed), s.plan.text.c_str(), s.options.c_str(),
                  s.device_frames ? "device" : "host", s.in_flight, text.c_str());
    }
  };
  auto guarded_work = [&] {
    try {
      work();
    } catch (const std::exception& e) {
      differing += kMostReports;
      const std::lock_guard lock(print);
      std::printf("%s: %s\n", name.c_str(), e.what());
    }
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < settings.threads; ++t) threads.emplace_back(guarded_work);
  for (std::thread& t : threads) t.join();
  std::printf("%-16s %8ld pairs, seeds %llu to %llu, %ld streams refused by both, %ld differ\n", name.c_str(),
              pairs.load(), static_cast<unsigned long long>(settings.seed),
              static_cast<unsigned long long>(next_seed - 1), refused.load(), differing.load());
  std::fflush(stdout);
  return differing;
}

int run(int argc, char** argv) {
  Settings settings;
  bool list = false;
  for (int i = 1; i < argc; i += 2) {
    const std::string key = argv[i];
    const char* value = i + 1 < argc ? argv[i + 1] : "";
    if (key == "--feature") {
      settings.feature = value;
    } else if (key == "--pairs") {
      settings.pairs = std::atol(value);
    } else if (key == "--seed") {
      settings.seed = std::strtoull(value, nullptr, 10);
    } else if (key == "--threads") {
      settings.threads = std::atoi(value);
    } else if (key == "--ssim-margin") {
      cuda::set_ssim_margin_factor(std::atof(value));
    } else if (key == "--cambi-ordered") {
      cuda::set_cambi_always_ordered(true);
    } else if (key == "--list") {
      list = true;
    } else if (key == "--driver") {
      cuda::set_driver_file(value);
    } else {
      std::fprintf(stderr, "parity: unknown option %s\n", key.c_str());
      return 2;
    }
  }
  long differing = 0;
  int checked = 0;
  QCFeatureInfo info;
  for (int i = 0; qc_feature_info(i, &info) == QC_OK; ++i) {
    if (!info.has_cuda || (!settings.feature.empty() && settings.feature != info.name)) continue;
    if (list) {
      std::printf("%s\n", info.name);
      ++checked;
      continue;
    }
    differing += check_feature(settings, i, info.name);
    ++checked;
  }
  if (checked == 0) {
    std::fprintf(stderr, "parity: no such feature has a CUDA path\n");
    return 2;
  }
  return differing ? 1 : 0;
}

}  // namespace
}  // namespace qc::parity

int main(int argc, char** argv) {
  try {
    return qc::parity::run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "parity: %s\n", e.what());
    return 2;
  }
}
