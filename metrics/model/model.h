// VMAF models: libvmaf's JSON files and bootstrap collections, and prediction of a frame's score (model.md).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/options.h"

namespace qc {

// A feature that a model reads: its raw name and the options that the feature's instance needs, as canonical texts.
struct ModelInput {
  std::string feature;
  OptionList options;
};

// One entry of the option `model`.
struct ModelSpec {
  std::string path;     // of a file; not read if `version` is given
  std::string version;  // a file name without .json, looked up in the search path; wins over path
  std::string name = "vmaf";
  bool disable_clip = false;
  bool enable_transform = false;
  struct Overload {
    std::string feature;  // name of a feature (vif, adm, …)
    std::string option;
    std::string value;
  };
  std::vector<Overload> overloads;
};

// Parse the option `model`: entries separated by '|', each of key=value items separated by ':'. Throws on unknown keys
// and on two entries with one name.
std::vector<ModelSpec> parse_model_option(const std::string& text);

class Model {
 public:
  virtual ~Model() = default;
  // Inputs of the base model and all members, without repetition.
  virtual const std::vector<ModelInput>& inputs() const = 0;
  // Names of the scores. The first is the model's own score; a bootstrap collection adds N_0001 … N_00kk, N_bagging,
  // N_stddev, N_ci_p95_lo, N_ci_p95_hi.
  virtual const std::vector<std::string>& outputs() const = 0;
  // Scores of one frame. features[i] belongs to inputs()[i], scores[k] to outputs()[k].
  virtual void predict(std::span<const double> features, std::span<double> scores) const = 0;
};

// Read a model. `model_dir`: the option, searched first for `version`; then $QUALITYCUDA_MODEL_PATH, the install
// directory, and libvmaf's usual share folders. A missing model's message lists where it was looked for and what is
// there.
std::unique_ptr<Model> load_model(const ModelSpec& spec, const std::string& model_dir);

// True if `version` is found in the search path.
bool model_exists(const std::string& version, const std::string& model_dir);

}  // namespace qc
