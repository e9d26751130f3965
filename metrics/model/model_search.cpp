#include "model/model_search.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "core/options.h"
#include "model/model.h"

namespace qc {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEnvironment = "QUALITYCUDA_MODEL_PATH";

// The folder and those in it, sorted: libvmaf keeps newer families of models in folders of their own.
std::vector<fs::path> with_subfolders(const fs::path& folder) {
  std::vector<fs::path> folders = {folder};
  std::error_code ignored;
  for (fs::directory_iterator it(folder, ignored), end; it != end; it.increment(ignored))
    if (it->is_directory(ignored)) folders.push_back(it->path());
  std::sort(folders.begin() + 1, folders.end());
  return folders;
}

std::vector<std::string> models_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const fs::path& sub : with_subfolders(folder))
    for (fs::directory_iterator it(sub, ignored), end; it != end; it.increment(ignored))
      if (it->path().extension() == ".json") names.push_back(it->path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

std::vector<std::string> model_folders(const std::string& model_dir) {
  std::vector<std::string> folders;
  if (!model_dir.empty()) folders.push_back(model_dir);
  if (const char* path = std::getenv(kEnvironment)) {
    std::string rest = path;
    while (!rest.empty()) {
      const size_t end = std::min(rest.find(':'), rest.size());
      if (end > 0) folders.push_back(rest.substr(0, end));
      rest.erase(0, end + 1);
    }
  }
  for (const char* folder :
       {QC_MODEL_DIR, "/usr/local/share/model", "/usr/local/share/vmaf/model", "/usr/local/share/libvmaf/model",
        "/usr/share/model", "/usr/share/vmaf/model", "/usr/share/libvmaf/model"})
    folders.emplace_back(folder);
  return folders;
}

std::string find_model(const std::string& version, const std::string& model_dir) {
  if (version.empty() || version.find('/') != std::string::npos) return "";
  for (const std::string& folder : model_folders(model_dir)) {
    for (const fs::path& sub : with_subfolders(folder)) {
      const fs::path file = sub / (version + ".json");
      std::error_code ignored;
      if (fs::is_regular_file(file, ignored)) return file.string();
    }
  }
  return "";
}

std::string missing_model_text(const std::string& version, const std::string& model_dir) {
  std::string text = "no model is called '" + version + "'";
  if (version.find('/') != std::string::npos) return text + "; for a file use path=";
  std::vector<std::string> all;
  std::string places;
  for (const std::string& folder : model_folders(model_dir)) {
    const std::vector<std::string> names = models_in(folder);
    all.insert(all.end(), names.begin(), names.end());
    places += (places.empty() ? "" : ", ") + folder;
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored)) {
      places += " (not there)";
    } else if (names.empty()) {
      places += " (no models)";
    } else {
      places += " (";
      for (const std::string& name : names) places += (&name == &names[0] ? "" : " ") + name;
      places += ")";
    }
  }
  const std::string near = nearest_name(version, all);
  if (!near.empty()) text += "; did you mean '" + near + "'?";
  text += (near.empty() ? "; looked in: " : " Looked in: ") + places;
  if (all.empty())
    text += ". Models come from the folder model of https://github.com/Netflix/vmaf; model_dir or " +
            std::string(kEnvironment) + " says where they are";
  return text;
}

bool model_exists(const std::string& version, const std::string& model_dir) {
  return !find_model(version, model_dir).empty();
}

}  // namespace qc
