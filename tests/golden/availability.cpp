#include "golden/availability.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "core/context_options.h"
#include "core/feature.h"
#include "model/model.h"

namespace qc::test {
namespace {

const FeatureDef* find_feature(const std::string& name) {
  for (const RegistryEntry& entry : registry())
    if (name == entry.definition->name) return entry.definition;
  return nullptr;
}

bool is_libvmaf(const Golden& golden) { return golden.peer.find("Netflix") != std::string::npos; }

// An option that the fork alone has, such as enable_chroma of vif, or "".
std::string foreign_option(const Golden& golden, const FeatureDef& feature) {
  if (is_libvmaf(golden)) return "";
  for (const FeatureRequest& request : parse_feature_option(golden.feature))
    for (const auto& [key, value] : request.options)
      if (std::none_of(feature.options.begin(), feature.options.end(),
                       [&name = key](const OptionDef& option) { return name == option.name; }))
        return key;
  return "";
}

bool output_exists(const std::string& raw_name) {
  for (const RegistryEntry& entry : registry())
    for (const OutputDef& output : entry.definition->outputs)
      if (raw_name == output.raw_name) return true;
  return false;
}

// Raw names of the features that a model file (and the members of a collection) needs.
void collect_inputs(const nlohmann::json& json, std::set<std::string>& names) {
  for (const auto& [key, value] : json.items()) {
    if (key == "feature_names")
      for (const auto& name : value) names.insert(name.get<std::string>());
    else if (value.is_object())
      collect_inputs(value, names);
  }
}

// Below 33 samples libvmaf's integer adm reads in front of its buffers (adm.md, section 11).
bool adm_undefined(const QCFormat& format) { return format.width < 33 || format.height < 33; }

// Below 17 samples libvmaf's float_adm takes what the scale before left in memory (float_adm.md, section 9).
bool float_adm_undefined(const QCFormat& format) { return format.width < 17 || format.height < 17; }

// Below 16 samples libvmaf's float_vif reads outside its arrays (float_vif.md, section 8).
bool float_vif_undefined(const QCFormat& format) { return format.width < 16 || format.height < 16; }

// The fork rounds the chroma of odd sizes up, libvmaf and we round it down: only features without chroma, or that
// take whole planes by definition, are comparable.
bool chroma_differs(const Golden& golden, const QCFormat& format, const std::string& feature) {
  if (is_libvmaf(golden)) return false;
  const bool odd = (format.chroma == QC_CHROMA_420 && (format.width % 2 || format.height % 2)) ||
                   (format.chroma == QC_CHROMA_422 && format.width % 2);
  return odd && feature != "ssim" && feature != "ssimulacra2" && feature != "motion_v2";
}

}  // namespace

std::string why_not_comparable(const Golden& golden, const QCFormat& format, const std::string& model_dir) {
  if (!golden.feature.empty()) {
    const std::string name = golden.feature.substr(0, golden.feature.find('='));
    const FeatureDef* feature = find_feature(name);
    if (!feature) return "no feature " + name;
    if (const std::string option = foreign_option(golden, *feature); !option.empty())
      return "an option of the fork: " + name + " " + option;
    if (name == "adm" && adm_undefined(format) && !golden.peer_failed) return "the peer reads outside its buffers: adm";
    if (name == "float_adm" && float_adm_undefined(format)) return "the peer takes leftovers of memory: float_adm";
    if (name == "float_vif" && float_vif_undefined(format) && !golden.peer_failed)
      return "the peer reads outside its arrays: float_vif";
    if (chroma_differs(golden, format, name)) return "the fork rounds odd chroma up: " + name;
  }
  if (!golden.model.empty()) {
    constexpr std::string_view kKey = "version=";
    if (golden.model.compare(0, kKey.size(), kKey) != 0) return "no version: " + golden.model;
    const std::string version = golden.model.substr(kKey.size(), golden.model.find(':') - kKey.size());
    if (!model_exists(version, model_dir)) return "no model " + version;
    std::ifstream file(model_dir + "/" + version + ".json");
    if (!file) return "no model file " + version;
    std::set<std::string> inputs;
    collect_inputs(nlohmann::json::parse(file), inputs);
    for (const std::string& name : inputs) {
      if (!output_exists(name)) return "no feature " + name + ", needed by models";
      if (name.find("integer_") != std::string::npos && name.find("adm") != std::string::npos &&
          adm_undefined(format) && !golden.peer_failed)
        return "the peer reads outside its buffers: models with adm";
      if (name == "VMAF_feature_adm2_score" && float_adm_undefined(format))
        return "the peer takes leftovers of memory: models with float_adm";
      if (name.find("VMAF_feature_vif") == 0 && float_vif_undefined(format) && !golden.peer_failed)
        return "the peer reads outside its arrays: models with float_vif";
    }
  }
  return "";
}

void divide_as_peer(ContextOptions& options, const std::string& table) {
  for (auto& [key, value] : options) {
    const bool feature = key == "feature" && value.compare(0, 9, "float_adm") == 0;
    const bool model = key == "model" && value.find("version=vmaf_float_") != std::string::npos;
    const std::string prefix = model ? "float_adm." : "";
    if (feature) value += value.size() == 9 ? "=" : ":";
    if (model) value += ":";
    if (feature || model) value += prefix + "division=table:" + prefix + "division_table=" + table;
  }
}

}  // namespace qc::test
