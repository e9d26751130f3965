// Compares ssimulacra2 of RGB pictures with the original tool's scores, bit for bit: the clips in ../shared, converted
// to RGB as they were for the tool.
//
//     rgb [--shared DIR] [--pair NAME]... [--target NAME] [--most-pixels N]
//
// Exit status as `golden`. A picture that this machine's ffmpeg converts to other pixels than the tool got is not
// compared.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/targets.h"
#include "golden/clip.h"
#include "golden/golden_file.h"
#include "golden/scores.h"

namespace qc::test {
namespace {

struct Settings {
  std::string shared;
  std::vector<std::string> pairs;  // none: all
  long most_pixels = 1L << 30;
};

std::vector<uint8_t> output_of(const std::string& command) {
  std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  if (!pipe) throw std::runtime_error("cannot run: " + command);
  std::vector<uint8_t> bytes;
  uint8_t block[65536];
  for (size_t n; (n = std::fread(block, 1, sizeof block, pipe.get())) > 0;) bytes.insert(bytes.end(), block, block + n);
  if (pclose(pipe.release()) != 0) throw std::runtime_error("failed: " + command);
  return bytes;
}

// How the tool's pictures were made: the filter between the quotes of the golden's command, for frame `n`.
std::string conversion(const std::string& command, int n) {
  const size_t begin = command.find('"') + 1;
  std::string filter = command.substr(begin, command.find('"', begin) - begin);
  const std::string place = "N)";
  filter.replace(filter.find(place), place.size(), std::to_string(n) + ")");
  return filter;
}

std::string ffmpeg(const std::string& clip, const std::string& filter, const std::string& output) {
  const char* program = std::getenv("FFMPEG");
  return std::string(program ? program : "ffmpeg") + " -v error -nostdin -i '" + clip + "' -vf \"" + filter +
         "\" -frames:v 1 " + output + " -";
}

// Frame n of a clip as planes G, B, R. Nothing if its pixels are not those with this md5.
std::unique_ptr<Clip> rgb_picture(const std::string& clip, const QCFormat& format, const std::string& filter,
                                  const std::string& md5) {
  const std::vector<uint8_t> sum = output_of(ffmpeg(clip, filter, "-f md5"));
  if (std::string(sum.begin(), sum.end()).find(md5) == std::string::npos) return nullptr;
  auto picture = std::make_unique<Clip>();
  picture->format = format;
  picture->frames = 1;
  picture->bytes =
      output_of(ffmpeg(clip, filter + (format.depth == 8 ? ",format=gbrp" : ",format=gbrp16le"), "-f rawvideo"));
  if (picture->bytes.size() != picture->frame_bytes()) throw std::runtime_error(clip + ": not one picture");
  return picture;
}

int run(const Settings& settings) {
  int passed = 0, failed = 0, others = 0;
  std::ifstream file(settings.shared + "/clips/pairs.json");
  for (const auto& pair : nlohmann::json::parse(file)) {
    const std::string id = pair.at("id");
    const std::string golden = settings.shared + "/goldens/" + id + "/ssimulacra2_ref.json";
    const int width = pair.at("w"), height = pair.at("h");
    if (access(golden.c_str(), R_OK) != 0 || long{width} * height > settings.most_pixels) continue;
    if (!settings.pairs.empty() && std::find(settings.pairs.begin(), settings.pairs.end(), id) == settings.pairs.end())
      continue;
    std::ifstream golden_stream(golden);
    const auto json = nlohmann::json::parse(golden_stream);
    const std::string command = json.at("cmd");
    QCFormat format = planar_format(width, height, QC_CHROMA_444, command.find("rgb48") == std::string::npos ? 8 : 16);
    format.matrix = 0;
    for (const auto& frame : json.at("frames")) {
      const int n = frame.at("n");
      const std::string filter = conversion(command, n);
      const std::string clips = settings.shared + "/clips/";
      const auto reference =
          rgb_picture(clips + pair.at("ref").get<std::string>() + ".mkv", format, filter, frame.at("ref_rgb_md5"));
      const auto distorted =
          rgb_picture(clips + pair.at("dis").get<std::string>() + ".mkv", format, filter, frame.at("dis_rgb_md5"));
      if (!reference || !distorted) {
        ++others;
        continue;
      }
      const Scores ours = compute_scores({*reference, "planar"}, {*distorted, "planar"}, 1,
                                         {{"feature", "name=ssimulacra2"}, {"n_threads", "1"}});
      const std::string expected = frame.at("ssimulacra2");
      const std::string actual = ours.status == QC_OK ? exact(ours.frames.at(0).at(0).second) : ours.error;
      const bool same =
          ours.status == QC_OK && std::strtod(expected.c_str(), nullptr) == ours.frames.at(0).at(0).second;
      ++(same ? passed : failed);
      if (!same) std::printf("FAIL %s frame %d: ours %s, golden %s\n", id.c_str(), n, actual.c_str(), expected.c_str());
    }
  }
  if (others) std::printf("not compared: this ffmpeg makes other RGB pictures (%d frames)\n", others);
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed == 0 && passed + others > 0 ? 0 : 1;
}

int parse_and_run(int argc, char** argv) {
  Settings settings;
  const char* shared = std::getenv("QC_SHARED");
  const char* source = std::getenv("srcdir");
  settings.shared = shared ? shared : std::string(source ? source : ".") + "/../shared";
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    const std::string value = argv[i + 1];
    if (option == "--shared")
      settings.shared = value;
    else if (option == "--pair")
      settings.pairs.push_back(value);
    else if (option == "--most-pixels")
      settings.most_pixels = std::stol(value);
    else if (option != "--target")
      throw std::runtime_error("unknown option " + option);
    else if (!force_target(value))
      throw std::runtime_error("no target " + value + " on this machine");
  }
  if (access((settings.shared + "/clips/pairs.json").c_str(), R_OK) != 0) {
    std::printf("skipped: there are no clips and goldens in %s\n", settings.shared.c_str());
    return 77;
  }
  return run(settings);
}

}  // namespace
}  // namespace qc::test

int main(int argc, char** argv) {
  try {
    return qc::test::parse_and_run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "rgb: %s\n", e.what());
    return 1;
  }
}
