#include "core/context_options.h"

#include "core/error.h"

namespace qc {
namespace {

constexpr int kMaxInt = 2147483647;

constexpr OptionDef kTable[] = {
    string_option("model", nullptr, "",
                  "models to score, separated by '|': version=NAME or path=FILE, with name=, disable_clip=true, "
                  "enable_transform=true and FEATURE.OPTION=VALUE items separated by ':'"),
    string_option("feature", nullptr, "",
                  "features to compute, separated by '|': name=FEATURE and OPTION=VALUE items separated by ':'"),
    bool_option("no_prediction", nullptr, false, "compute the features of models without the models' scores"),
    string_option("pool", nullptr, "mean", "how frames are pooled in the summary: mean, harmonic_mean, min or max"),
    int_option("n_threads", nullptr, 0, 0, 1024, "worker threads of the CPU path, 0: one for each core"),
    int_option("n_subsample", nullptr, 1, 1, kMaxInt, "score only every n-th frame"),
    string_option("log_path", nullptr, "", "file for the scores of every frame"),
    string_option("log_fmt", nullptr, "xml", "format of the log: xml, json, csv or sub"),
    string_option("log_precision", nullptr, "default",
                  "decimals in the log: a number, max (shortest text that reads back to the same double) or default"),
    string_option("model_dir", nullptr, "", "folder searched first for version=NAME models"),
    string_option("backend", nullptr, "auto", "where to compute: auto (where the frames are), cpu or cuda"),
    int_option("cuda_device", nullptr, 0, 0, 255, "GPU for frames in host memory with backend=cuda"),
    int_option("frames_in_flight", nullptr, 0, 0, 64, "frame pairs computed at a time, 0: automatic"),
};

}  // namespace

std::span<const OptionDef> context_option_table() { return kTable; }

std::vector<FeatureRequest> parse_feature_option(const std::string& text) {
  std::vector<FeatureRequest> requests;
  size_t begin = 0;
  while (begin <= text.size() && !text.empty()) {
    const size_t end = std::min(text.find('|', begin), text.size());
    const std::string entry = text.substr(begin, end - begin);
    begin = end + 1;
    FeatureRequest request;
    for (const std::string& item : split_escaped(entry, ':')) {
      size_t equals = item.find('=');
      std::string key = item.substr(0, equals);
      std::string value = equals == std::string::npos ? "" : item.substr(equals + 1);
      if (key == "name") {
        request.name = value;
      } else if (request.name.empty()) {
        request.name = key;
        if (equals != std::string::npos) {
          equals = value.find('=');
          if (equals == std::string::npos) fail_invalid("feature '" + entry + "': '" + value + "' has no '='");
          request.options.emplace_back(value.substr(0, equals), canonical_number(value.substr(equals + 1)));
        }
      } else if (equals == std::string::npos) {
        fail_invalid("feature '" + entry + "': '" + item + "' is not OPTION=VALUE");
      } else {
        request.options.emplace_back(key, canonical_number(value));
      }
    }
    if (request.name.empty()) fail_invalid("an entry of the feature list is empty: '" + text + "'");
    requests.push_back(std::move(request));
  }
  return requests;
}

}  // namespace qc
