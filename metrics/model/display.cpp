#include "model/display.h"

#include <algorithm>
#include <cstdlib>

namespace qc {
namespace {

// A display of VMAF v1 models.
struct Display {
  int width;
  int height;
  // Between letterbox or pillarbox bars, or a little wider than 16:9 as cinema formats are.
  bool filled_by(int w, int h) const { return h == height || (w == width && h < height); }
};

constexpr Display display_of_height(int height) { return {height * 16 / 9, height}; }

std::string option_of(const std::vector<ModelInput>& inputs, const char* name) {
  for (const ModelInput& input : inputs)
    for (const auto& [key, value] : input.options)
      if (key == name) return value;
  return {};
}

std::string size_text(int width, int height) { return std::to_string(width) + "x" + std::to_string(height); }

int even(double size) { return static_cast<int>(size / 2 + 0.5) * 2; }

}  // namespace

std::string display_warning(const std::string& model, const std::vector<ModelInput>& inputs, int width, int height) {
  const std::string display_height = option_of(inputs, "adm_ref_display_height");
  if (display_height.empty()) return {};
  const Display display = display_of_height(std::atoi(display_height.c_str()));
  if (display.filled_by(width, height)) return {};
  const double scale = std::min(double(display.width) / width, double(display.height) / height);
  std::string text = "the model " + model + " is for pictures that fill a display of " +
                     size_text(display.width, display.height) + ", and these are " + size_text(width, height) +
                     ": insert scale=" + std::to_string(even(width * scale)) + ":" +
                     std::to_string(even(height * scale)) + ":flags=bicubic before both inputs";
  for (const int other : {1080, 2160})
    if (display_of_height(other).filled_by(width, height))
      text += ", or take a model for " + size_text(display_of_height(other).width, other);
  return text;
}

}  // namespace qc
