// The command line of the tool qualitycuda: that of libvmaf's vmaf, and a few options more.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "video_file.h"

namespace tool {

struct Arguments {
  std::string reference;
  std::string distorted;
  std::optional<RawLayout> raw;
  // Each in the syntax of the library's options of these names.
  std::vector<std::string> models;
  std::vector<std::string> features;
  std::string output;
  std::string log_format = "xml";
  uint32_t frame_count = 0;  // 0: all
  uint32_t skip_reference = 0;
  uint32_t skip_distorted = 0;
  bool predict = true;
  bool quiet = false;
  bool common_depth = false;  // inputs may differ in depth; the shallower one is shifted left
  // Further options of the library: names and values.
  std::vector<std::pair<std::string, std::string>> options;
  // What to do instead of scoring.
  enum class Mode { Score, Version, Help, List } mode = Mode::Score;
};

// Throws tool::Error with status kUsage.
Arguments parse_arguments(int argc, char** argv);

// Name of the score of an entry of `models`, and what stands for the model in printed results: its version or path.
std::string model_name(const std::string& entry);
std::string model_label(const std::string& entry);

extern const char* const kUsageText;

}  // namespace tool
