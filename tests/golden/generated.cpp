// Compares the library's scores of generated clips with what libvmaf gave for them (generated/*.json), bit for bit:
// with every instruction set that this machine has, and with other memory layouts and several threads.
//
//     generated [--target NAME] [--scene NAME]
//
// Runs of float_adm need the estimates of reciprocals that libvmaf took from its processor: they are compared where
// $QC_SHARED, else ../shared beside the source tree, has them.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <stdexcept>

#include "core/targets.h"
#include "generator/scenes.h"
#include "golden/availability.h"
#include "golden/golden_file.h"

namespace qc::test {
namespace {

struct Variant {
  std::string target;
  std::string layout;
  int threads;
};

struct Tally {
  int passed = 0;
  int failed = 0;
  std::map<std::string, int> skipped;
};

std::string source_folder() {
  const char* source = std::getenv("srcdir");
  return source ? source : ".";
}

std::string goldens_folder() { return source_folder() + "/tests/golden/generated/"; }

// "" if there is none.
std::string estimates() {
  const char* shared = std::getenv("QC_SHARED");
  const std::string path = (shared ? shared : source_folder() + "/../shared") + std::string("/spec/rcpss_amd_zen.txt");
  return access(path.c_str(), R_OK) == 0 ? path : "";
}

void check_scene(const Scene& scene, const Variant& variant, Tally& tally) {
  const Clip reference_samples = reference_clip(scene);
  const Clip distorted_samples = distorted_clip(scene);
  const Layout reference(reference_samples, variant.layout);
  const Layout distorted(distorted_samples, variant.layout);
  const std::string table = estimates();
  for (const Golden& golden : load_goldens(goldens_folder() + scene.name + ".json")) {
    if (const std::string reason = why_not_comparable(golden, reference_samples.format, ""); !reason.empty()) {
      ++tally.skipped[reason];
      continue;
    }
    if (golden.feature.compare(0, 9, "float_adm") == 0 && table.empty()) {
      ++tally.skipped["no estimates of reciprocals"];
      continue;
    }
    ContextOptions options = golden.options();
    divide_as_peer(options, table);
    options.emplace_back("n_threads", std::to_string(variant.threads));
    const Comparison comparison = compare(golden, compute_scores(reference, distorted, scene.frames, options));
    if (comparison.lines.empty() && comparison.values > 0) {
      ++tally.passed;
      continue;
    }
    ++tally.failed;
    std::printf("FAIL %s %s (%s, %s): %zu differences\n", scene.name, golden.run.c_str(), variant.target.c_str(),
                variant.layout.c_str(), comparison.lines.size());
    for (size_t i = 0; i < comparison.lines.size() && i < 3; ++i) std::printf("    %s\n", comparison.lines[i].c_str());
  }
}

int run(int argc, char** argv) {
  std::vector<Variant> variants;
  std::string only_scene;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    if (option == "--target")
      variants.push_back({argv[i + 1], "planar", 1});
    else if (option == "--scene")
      only_scene = argv[i + 1];
    else
      throw std::runtime_error("unknown option " + option);
  }
  if (variants.empty()) {
    for (const std::string& target : available_targets()) variants.push_back({target, "planar", 1});
    variants.push_back({available_targets().front(), "semiplanar", 3});
    variants.push_back({available_targets().front(), "bottom-up", 2});
  }
  Tally tally;
  for (const Variant& variant : variants) {
    if (!force_target(variant.target)) throw std::runtime_error("no target " + variant.target + " on this machine");
    for (const Scene& scene : scenes())
      if (only_scene.empty() || only_scene == scene.name) check_scene(scene, variant, tally);
  }
  for (const auto& [reason, count] : tally.skipped) std::printf("not compared: %s (%d runs)\n", reason.c_str(), count);
  std::printf("%d passed, %d failed\n", tally.passed, tally.failed);
  return tally.failed == 0 && tally.passed > 0 ? 0 : 1;
}

}  // namespace
}  // namespace qc::test

int main(int argc, char** argv) {
  try {
    return qc::test::run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "generated: %s\n", e.what());
    return 1;
  }
}
