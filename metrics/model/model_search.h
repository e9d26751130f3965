// Where models called by version=NAME are found.
#pragma once

#include <string>
#include <vector>

namespace qc {

// The folders in order: model_dir, those of $QUALITYCUDA_MODEL_PATH, the install directory, libvmaf's usual ones.
std::vector<std::string> model_folders(const std::string& model_dir);

// Path of NAME.json in the first folder, or folder in it, that has the file; "" if none has.
std::string find_model(const std::string& version, const std::string& model_dir);

// One sentence for a model that isn't found: where it was looked for and what is there.
std::string missing_model_text(const std::string& version, const std::string& model_dir);

}  // namespace qc
