// Compares the CUDA path with the CPU path over random pairs: every score of every frame must have the same bits.
//
//   parity [--feature NAME] [--pairs N] [--seed S] [--threads T] [--ssim-margin F] [--float-pairs yes]
//          [--cambi-ordered yes]
//          [--driver FILE] [--list yes]
//   parity --sessions N [--feature NAME] [--driver FILE]
//
// The second form opens, feeds and closes N sessions one after the other, in a CUDA context each, and fails if memory
// of the device or of the process is missing at the end.
//
// Each stream draws geometry, layouts and options from its own seed, which a difference is reported with: --seed S
// --pairs 1 repeats it. --ssim-margin makes the SSIM features doubt their means more (cuda/ssim/ssim.h),
// --float-pairs has their windows summed as on devices with slow float64,
// --cambi-ordered makes cambi order all of its sums. --driver names a library to use in place of libcuda.so.1
// (tests/emulation).
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <thread>

#include "cuda/cambi/cambi.h"
#include "cuda/driver/objects.h"
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

struct Memory {
  size_t device_free = 0;
  size_t resident = 0;
};

Memory memory_now() {
  Memory m;
  {
    cuda::abi::Device device = 0;
    cuda::driver().cuDeviceGet(&device, 0);
    const cuda::PrimaryContext context(device);
    const cuda::ContextScope scope(context.get());
    size_t total = 0;
    cuda::driver().cuMemGetInfo(&m.device_free, &total);
  }
  if (FILE* file = std::fopen("/proc/self/statm", "r")) {
    size_t pages = 0;
    size_t resident = 0;
    if (std::fscanf(file, "%zu %zu", &pages, &resident) == 2)
      m.resident = resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
    std::fclose(file);
  }
  return m;
}

// True if `sessions` sessions of a feature leave the memory as they found it. The driver's and the allocator's own
// caches have their sizes after a few of them.
bool sessions_leave_nothing(long sessions, int index, const std::string& name) {
  constexpr long kFirst = 10;
  constexpr size_t kSlack = size_t{4} << 20;  // of an allocator's caches
  Memory before;
  for (long n = 0; n < kFirst + sessions; ++n) {
    if (n == kFirst) before = memory_now();
    StreamPlan plan = draw_stream(1 + static_cast<uint64_t>(n % kFirst), index);
    plan.device_frames = false;
    run_stream(plan, name, Path::Cuda);
  }
  const Memory after = memory_now();
  const auto device = static_cast<long>(before.device_free) - static_cast<long>(after.device_free);
  const auto process = static_cast<long>(after.resident) - static_cast<long>(before.resident);
  std::printf("%-16s %ld sessions took %ld bytes of the device and %ld KiB of the process\n", name.c_str(), sessions,
              device, process / 1024);
  return device <= 0 && process < static_cast<long>(kSlack);
}

int run(int argc, char** argv) {
  Settings settings;
  long sessions = 0;
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
    } else if (key == "--float-pairs") {
      cuda::set_ssim_float_pairs(true);
    } else if (key == "--cambi-ordered") {
      cuda::set_cambi_always_ordered(true);
    } else if (key == "--sessions") {
      sessions = std::atol(value);
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
  // Sessions need not start the device anew, but for those that are to leave nothing of it.
  std::optional<cuda::PrimaryContext> held;
  if (sessions == 0 && !list) held.emplace(0);
  QCFeatureInfo info;
  for (int i = 0; qc_feature_info(i, &info) == QC_OK; ++i) {
    if (!info.has_cuda || (!settings.feature.empty() && settings.feature != info.name)) continue;
    if (list) {
      std::printf("%s\n", info.name);
      ++checked;
      continue;
    }
    differing += sessions > 0 ? !sessions_leave_nothing(sessions, i, info.name) : check_feature(settings, i, info.name);
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
