// Compares the library's scores with the goldens of real clips, bit for bit. Runs are spread over processes, so that a
// crash in one of them is a failure of that run alone.
//
//     golden [--shared DIR] [--pair NAME]... [--run PREFIX]... [--target NAME] [--threads N] [--jobs N]
//            [--layout planar|semiplanar|bottom-up] [--backend cpu|cuda] [--complete] [--lines N] [--verbose]
//     golden [--shared DIR] --log FILE --pair NAME --run NAME...
//     golden --list-targets | --list-features
//
// DIR (default: $QC_SHARED, else ../shared beside the source tree) has clips/, goldens/ and models/. Exit status: 0 if
// all that is comparable agrees, 1 otherwise, 77 if DIR is absent. --complete makes a feature or model that this build
// lacks a failure.
#include <dirent.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "core/targets.h"
#include "golden/availability.h"
#include "golden/clip.h"
#include "golden/golden_file.h"

namespace qc::test {
namespace {

struct Settings {
  std::string shared;
  std::vector<std::string> pairs;  // names, none: all
  std::vector<std::string> runs;   // prefixes, none: all
  std::string layout = "planar";
  std::string backend;  // empty: the library's choice
  std::string log;
  int threads = 1;
  int jobs = 1;
  size_t lines = 3;
  bool complete = false;
  bool verbose = false;
};

struct PairInfo {
  std::string id;
  std::string reference;
  std::string distorted;
  QCFormat format;
  int frames;
};

bool exists(const std::string& path) { return access(path.c_str(), R_OK) == 0; }

std::vector<PairInfo> read_pairs(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<PairInfo> pairs;
  for (const auto& p : nlohmann::json::parse(file)) {
    const int chroma = std::stoi(p.at("p").get<std::string>());
    pairs.push_back({p.at("id"), p.at("ref"), p.at("dis"),
                     planar_format(p.at("w"), p.at("h"), static_cast<QCChroma>(chroma), p.at("b")), p.at("frames")});
  }
  return pairs;
}

// Names of a pair's runs. RUN.C (the portable path) replaces RUN where it exists; *_ref runs are of tools that take
// other pictures than the clips' own.
std::vector<std::string> list_runs(const std::string& folder) {
  std::vector<std::string> names;
  std::unique_ptr<DIR, int (*)(DIR*)> dir(opendir(folder.c_str()), closedir);
  if (!dir) throw std::runtime_error("cannot list " + folder);
  while (const dirent* entry = readdir(dir.get())) {
    const std::string file = entry->d_name;
    if (file.size() < 6 || file.substr(file.size() - 5) != ".json") continue;
    const std::string run = file.substr(0, file.size() - 5);
    if (run.size() > 4 && run.substr(run.size() - 4) == "_ref") continue;
    names.push_back(run);
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool selected(const std::string& run, const std::vector<std::string>& prefixes) {
  return prefixes.empty() || std::any_of(prefixes.begin(), prefixes.end(),
                                         [&](const std::string& p) { return run.compare(0, p.size(), p) == 0; });
}

// Outcome of a run, passed from a worker process to the main one as a line of text "KIND values note".
enum class Outcome { Passed, Failed, PeerFailsWeScore, PeerFailsWeRefuse, Skipped };

struct Tally {
  std::map<Outcome, int> count;
  std::map<std::string, int> skipped;  // reason and number of runs
  int64_t values = 0;
  std::vector<std::string> failures;
  double seconds = 0;
};

// State that worker processes of one pair share.
struct Shared {
  std::atomic<int> next;
  std::atomic<int> current[64];
};

// A session that stays open: while a process has one on a GPU, others need not start the device anew.
class OpenSession {
 public:
  explicit OpenSession(const std::string& backend) {
    if (backend != "cuda") return;
    const QCFormat format = planar_format(16, 16, QC_CHROMA_420, 8);
    if (qc_create(&context_) != QC_OK) throw std::runtime_error("qc_create failed");
    if (qc_set(context_, "feature", "name=psnr") != QC_OK || qc_set(context_, "backend", "cuda") != QC_OK ||
        qc_open(context_, &format, &format, nullptr) != QC_OK) {
      const std::string error = qc_error(context_);
      qc_destroy(&context_);
      throw std::runtime_error(error);
    }
  }
  ~OpenSession() { qc_destroy(&context_); }
  OpenSession(const OpenSession&) = delete;
  OpenSession& operator=(const OpenSession&) = delete;

 private:
  QCContext* context_ = nullptr;
};

class PairRunner {
 public:
  PairRunner(const Settings& settings, const PairInfo& pair)
      : settings_(settings), pair_(pair), goldens_(settings.shared + "/goldens/" + pair.id) {
    std::vector<std::string> files;
    for (const std::string& run : list_runs(goldens_)) {
      files.push_back(golden_path(run));
      // RUN.C (the portable path) replaces RUN where it exists.
      if (selected(run, settings.runs) && !exists(golden_path(run + ".C"))) runs_.push_back(run);
    }
    unstable_ = unstable_names(files);
    if (runs_.empty()) return;
    const std::string clips = settings.shared + "/clips/";
    reference_clip_ = decode_clip(clips + pair.reference + ".mkv", pair.format, pair.frames);
    distorted_clip_ = decode_clip(clips + pair.distorted + ".mkv", pair.format, pair.frames);
    reference_ = std::make_unique<Layout>(reference_clip_, settings.layout);
    distorted_ = std::make_unique<Layout>(distorted_clip_, settings.layout);
  }

  void run(Tally& tally) {
    void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("mmap failed");
    shared_ = new (memory) Shared;
    shared_->next = 0;
    // A worker that died is replaced until no run is left.
    while (shared_->next < static_cast<int>(runs_.size())) run_workers(tally);
    munmap(memory, sizeof(Shared));
  }

 private:
  void run_workers(Tally& tally) {
    struct Worker {
      pid_t pid;
      FILE* output;
    };
    std::vector<Worker> workers;
    std::fflush(nullptr);
    for (int w = 0; w < settings_.jobs; ++w) {
      FILE* output = std::tmpfile();
      if (!output) throw std::runtime_error("cannot make a temporary file");
      shared_->current[w] = -1;
      const pid_t pid = fork();
      if (pid < 0) throw std::runtime_error("fork failed");
      if (pid == 0) {
        work(w, output);
        std::fflush(nullptr);
        _exit(0);
      }
      workers.push_back({pid, output});
    }
    for (size_t w = 0; w < workers.size(); ++w) {
      int status = 0;
      waitpid(workers[w].pid, &status, 0);
      std::rewind(workers[w].output);
      read_output(workers[w].output, tally);
      std::fclose(workers[w].output);
      if (status == 0) continue;
      const int run = shared_->current[w];
      const std::string what = WIFSIGNALED(status) ? std::string("ended by signal ") + strsignal(WTERMSIG(status))
                                                   : "ended with status " + std::to_string(WEXITSTATUS(status));
      if (run < 0) throw std::runtime_error("a worker " + what + " between two runs");
      add(tally, Outcome::Failed, pair_.id + " " + runs_[static_cast<size_t>(run)] + ": " + what);
    }
  }

  static void add(Tally& tally, Outcome outcome, const std::string& text) {
    ++tally.count[outcome];
    if (outcome == Outcome::Failed) tally.failures.push_back(text);
    if (outcome == Outcome::Skipped) ++tally.skipped[text];
  }

  void read_output(FILE* output, Tally& tally) const {
    char line[4096];
    while (std::fgets(line, sizeof line, output)) {
      int outcome = 0;
      long values = 0;
      int used = 0;
      if (std::sscanf(line, "@%d %ld %n", &outcome, &values, &used) == 2) {
        std::string text = line + used;
        if (!text.empty() && text.back() == '\n') text.pop_back();
        tally.values += values;
        add(tally, static_cast<Outcome>(outcome), text);
      } else {
        std::string text = line;
        if (!text.empty() && text.back() == '\n') text.pop_back();
        tally.failures.push_back(text);
      }
    }
  }

  void work(int worker, FILE* output) {
    const OpenSession held(settings_.backend);
    for (;;) {
      const int run = shared_->next++;
      if (run >= static_cast<int>(runs_.size())) break;
      shared_->current[worker] = run;
      const auto start = std::chrono::steady_clock::now();
      try {
        run_one(runs_[static_cast<size_t>(run)], output);
      } catch (const std::exception& e) {
        report(output, Outcome::Failed, 0, pair_.id + " " + runs_[static_cast<size_t>(run)] + ": " + e.what());
      }
      if (settings_.verbose) {
        const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
        std::printf("%8.3f s  %s %s\n", time.count(), pair_.id.c_str(), runs_[static_cast<size_t>(run)].c_str());
        std::fflush(stdout);
      }
      shared_->current[worker] = -1;
    }
  }

  static void report(FILE* output, Outcome outcome, int64_t values, const std::string& text) {
    std::fprintf(output, "@%d %ld %s\n", static_cast<int>(outcome), static_cast<long>(values), text.c_str());
    std::fflush(output);
  }

  std::string golden_path(const std::string& run) const { return goldens_ + "/" + run + ".json"; }

  void run_one(const std::string& run, FILE* output) {
    Golden golden = load_golden(golden_path(run));
    mark_unstable(golden, unstable_);
    const std::string models = settings_.shared + "/models";
    if (const std::string reason = why_not_comparable(golden, pair_.format, models); !reason.empty())
      return report(output, Outcome::Skipped, 0, reason);
    ContextOptions options = golden.options();
    divide_as_peer(options, settings_.shared + "/spec/rcpss_amd_zen.txt");
    options.emplace_back("model_dir", models);
    options.emplace_back("n_threads", std::to_string(settings_.threads));
    if (!settings_.backend.empty()) options.emplace_back("backend", settings_.backend);
    const Scores ours = compute_scores(*reference_, *distorted_, pair_.frames, options);
    if (golden.peer_failed)
      return report(output, ours.status == QC_OK ? Outcome::PeerFailsWeScore : Outcome::PeerFailsWeRefuse, 0,
                    pair_.id + " " + run + ": " + ours.error);
    const Comparison comparison = compare(golden, ours);
    if (comparison.lines.empty()) return report(output, Outcome::Passed, comparison.values, run);
    const size_t differences = comparison.lines.size();
    report(output, Outcome::Failed, comparison.values,
           pair_.id + " " + run + ": " + std::to_string(differences) + " differences");
    for (size_t i = 0; i < std::min(differences, settings_.lines); ++i)
      std::fprintf(output, "    %s %s: %s\n", pair_.id.c_str(), run.c_str(), comparison.lines[i].c_str());
    std::fflush(output);
  }

  const Settings& settings_;
  const PairInfo& pair_;
  const std::string goldens_;
  std::vector<std::string> runs_;
  std::set<std::string> unstable_;
  Clip reference_clip_;
  Clip distorted_clip_;
  std::unique_ptr<Layout> reference_;
  std::unique_ptr<Layout> distorted_;
  Shared* shared_ = nullptr;
};

std::string default_shared() {
  if (const char* path = std::getenv("QC_SHARED")) return path;
  const char* source = std::getenv("srcdir");
  return std::string(source ? source : ".") + "/../shared";
}

int run_all(const Settings& settings) {
  Tally tally;
  for (const PairInfo& pair : read_pairs(settings.shared + "/clips/pairs.json")) {
    if (!settings.pairs.empty() &&
        std::find(settings.pairs.begin(), settings.pairs.end(), pair.id) == settings.pairs.end())
      continue;
    PairRunner(settings, pair).run(tally);
    if (settings.verbose)
      std::printf("%s: until here %d passed, %d failed\n", pair.id.c_str(), tally.count[Outcome::Passed],
                  tally.count[Outcome::Failed]);
    std::fflush(stdout);
  }
  for (const std::string& line : tally.failures) std::printf("%s%s\n", line[0] == ' ' ? "" : "FAIL ", line.c_str());
  for (const auto& [reason, count] : tally.skipped) std::printf("not compared: %s (%d runs)\n", reason.c_str(), count);
  std::printf("where the peer fails: we score %d runs, refuse %d\n", tally.count[Outcome::PeerFailsWeScore],
              tally.count[Outcome::PeerFailsWeRefuse]);
  std::printf("%lld values compared\n", static_cast<long long>(tally.values));
  int failed = tally.count[Outcome::Failed];
  if (settings.complete)
    for (const auto& [reason, count] : tally.skipped)
      if (reason.compare(0, 3, "no ") == 0) failed += count;
  std::printf("%d passed, %d failed\n", tally.count[Outcome::Passed], failed);
  return failed == 0 && tally.count[Outcome::Passed] > 0 ? 0 : 1;
}

// The scores of a log against runs of one pair. The log may hold scores of other runs as well.
int compare_log(const Settings& settings) {
  if (settings.pairs.size() != 1 || settings.runs.empty())
    throw std::runtime_error("--log needs one --pair, and --run");
  const Scores logged = load_log(settings.log);
  int failed = 0;
  int64_t values = 0;
  for (const std::string& run : settings.runs) {
    const Golden golden = load_golden(settings.shared + "/goldens/" + settings.pairs[0] + "/" + run + ".json");
    const Comparison comparison = compare(golden, logged, false);
    for (const std::string& line : comparison.lines) std::printf("FAIL %s %s\n", run.c_str(), line.c_str());
    failed += !comparison.lines.empty() || comparison.values == 0;
    values += comparison.values;
  }
  std::printf("%lld values compared\n", static_cast<long long>(values));
  std::printf("%d passed, %d failed\n", static_cast<int>(settings.runs.size()) - failed, failed);
  return failed ? 1 : 0;
}

int parse_and_run(int argc, char** argv) {
  Settings settings;
  settings.shared = default_shared();
  settings.jobs = static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, 64U));
  std::string target;
  for (int i = 1; i < argc; ++i) {
    std::string option = argv[i];
    std::string value;
    if (option == "--list-targets") {
      for (const std::string& name : available_targets()) std::printf("%s\n", name.c_str());
      return 0;
    }
    if (option == "--list-features") {
      QCFeatureInfo feature;
      for (int k = 0; qc_feature_info(k, &feature) == QC_OK; ++k) std::printf("%s\n", feature.name);
      return 0;
    }
    if (option == "--complete" || option == "--verbose") {
      (option == "--complete" ? settings.complete : settings.verbose) = true;
      continue;
    }
    if (const size_t equals = option.find('='); equals != std::string::npos) {
      value = option.substr(equals + 1);
      option.resize(equals);
    } else if (i + 1 < argc) {
      value = argv[++i];
    } else {
      throw std::runtime_error("unknown option, or no value: " + option);
    }
    if (option == "--shared")
      settings.shared = value;
    else if (option == "--pair")
      settings.pairs.push_back(value);
    else if (option == "--run")
      settings.runs.push_back(value);
    else if (option == "--target")
      target = value;
    else if (option == "--threads")
      settings.threads = std::stoi(value);
    else if (option == "--jobs")
      settings.jobs = std::clamp(std::stoi(value), 1, 64);
    else if (option == "--log")
      settings.log = value;
    else if (option == "--layout")
      settings.layout = value;
    else if (option == "--backend")
      settings.backend = value;
    else if (option == "--lines")
      settings.lines = std::stoul(value);
    else
      throw std::runtime_error("unknown option " + option);
  }
  if (!exists(settings.shared + "/clips/pairs.json")) {
    std::printf("skipped: there are no clips and goldens in %s\n", settings.shared.c_str());
    return 77;
  }
  if (!target.empty() && !force_target(target)) throw std::runtime_error("no target " + target + " on this machine");
  return settings.log.empty() ? run_all(settings) : compare_log(settings);
}

}  // namespace
}  // namespace qc::test

int main(int argc, char** argv) {
  try {
    return qc::test::parse_and_run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "golden: %s\n", e.what());
    return 1;
  }
}
