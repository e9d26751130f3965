#include "arguments.h"

#include <getopt.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <set>
#include <string_view>

#include "tool_error.h"

namespace tool {

const char* const kUsageText =
    "Usage: qualitycuda -r REFERENCE -d DISTORTED [options]\n"
    "\n"
    "Inputs are Y4M files, or raw files with all of -w -h -p -b; - is the standard input.\n"
    " -r, --reference PATH       reference video\n"
    " -d, --distorted PATH       distorted video\n"
    " -w, --width N              raw: columns\n"
    " -h, --height N             raw: rows\n"
    " -p, --pixel_format F       raw: 400, 420, 422 or 444\n"
    " -b, --bitdepth N           raw: 8, 9, 10, 12, 14 or 16\n"
    "     --frame_cnt N          score at most N pairs\n"
    "     --frame_skip_ref N     leave out the reference's first N frames\n"
    "     --frame_skip_dist N    leave out the distorted video's first N frames\n"
    "\n"
    "What to compute:\n"
    " -m, --model K=V:K=V...     version=NAME or path=FILE; name=NAME, disable_clip, enable_transform,\n"
    "                            FEATURE.OPTION=VALUE; may be repeated\n"
    "     --feature NAME=O=V:... a feature and its options; may be repeated\n"
    " -n, --no_prediction        no scores of models\n"
    "     --subsample N          score every N-th frame\n"
    "     --aom_ctc V            preset of AOM's common test conditions, v1.0 to v7.0\n"
    "     --nflx_ctc V           preset of Netflix's common test conditions, v1.0\n"
    "     --model_dir DIR        folder searched first for version=NAME\n"
    "\n"
    "How to compute it:\n"
    "     --threads N            worker threads, 0: one for each core\n"
    "     --backend B            auto, cpu or cuda\n"
    "     --frames_in_flight N   frame pairs computed at a time, 0: automatic\n"
    "\n"
    "Results:\n"
    " -o, --output PATH          log of all scores; - is the standard output\n"
    "     --xml --json --csv --sub  format of the log (xml)\n"
    "     --precision P          decimals in the log: a number, max or default\n"
    "     --pool METHOD          mean, harmonic_mean, min or max, for the printed results\n"
    " -q, --quiet                no progress and no results on a terminal\n"
    "\n"
    "     --list                 list features and their options\n"
    " -v, --version              print the version\n"
    "     --help                 print this text\n";

namespace {

[[noreturn]] void usage(const std::string& message) { throw Error(kUsage, message); }

// As C's strtoul with base 0 reads it: decimal, 0x… or 0….
uint32_t parse_unsigned(const char* option, const std::string& text) {
  char* end = nullptr;
  errno = 0;
  const unsigned long long value = std::strtoull(text.c_str(), &end, 0);
  if (text.empty() || text[0] == '-' || text[0] == '+' || *end != '\0' || errno != 0 || value > UINT32_MAX)
    usage(std::string("--") + option + ": '" + text + "' is not a number from 0 to 4294967295");
  return static_cast<uint32_t>(value);
}

// A bit mask; all bits may be written as -1.
void check_mask(const char* option, const std::string& text) {
  if (text != "-1") parse_unsigned(option, text);
}

// Pieces between separators that no backslash or quote protects, with their escapes.
std::vector<std::string> split_raw(const std::string& text, char separator) {
  std::vector<std::string> pieces(1);
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && !quoted && i + 1 < text.size()) {
      pieces.back() += c;
      pieces.back() += text[++i];
      continue;
    }
    if (c == '\'') quoted = !quoted;
    if (c == separator && !quoted)
      pieces.emplace_back();
    else
      pieces.back() += c;
  }
  return pieces;
}

void refuse_bars(const char* option, const std::string& text) {
  if (text.find('|') != std::string::npos) usage(std::string("--") + option + " '" + text + "': give one at a time");
}

std::string checked_model(const std::string& text) {
  refuse_bars("model", text);
  bool has_file = false;
  std::string entry;
  for (const std::string& item : split_raw(text, ':')) {
    const size_t equals = item.find('=');
    const std::string key = item.substr(0, equals);
    const bool flag = key == "disable_clip" || key == "enable_transform";
    if (equals == std::string::npos && !flag)
      usage("--model '" + text + "': '" + item + "' is neither KEY=VALUE nor disable_clip nor enable_transform");
    if (!flag && key != "path" && key != "version" && key != "name" && key.find('.') == std::string::npos)
      usage("--model '" + text + "': unknown key '" + key + "'");
    has_file |= key == "path" || key == "version";
    entry += (entry.empty() ? "" : ":") + item + (equals == std::string::npos ? "=true" : "");
  }
  if (!has_file) usage("--model '" + text + "' has neither version= nor path=");
  return entry;
}

std::string checked_feature(const std::string& text) {
  refuse_bars("feature", text);
  const size_t equals = text.find('=');
  if (equals == std::string::npos) return "name=" + text;
  for (const std::string& item : split_raw(text.substr(equals + 1), ':'))
    if (item.find('=') == std::string::npos) usage("--feature '" + text + "': '" + item + "' is not OPTION=VALUE");
  return "name=" + text.substr(0, equals) + ":" + text.substr(equals + 1);
}

void add_aom_ctc(const std::string& version, Arguments& a) {
  const std::vector<std::string> known = {"v1.0", "v2.0", "v3.0", "v4.0", "v5.0", "v6.0", "v7.0"};
  const auto found = std::find(known.begin(), known.end(), version);
  if (found == known.end()) usage("--aom_ctc '" + version + "' is none of v1.0 to v7.0");
  const auto number = found - known.begin() + 1;
  a.models.insert(a.models.end(), {"version=vmaf_v0.6.1", "version=vmaf_v0.6.1neg:name=vmaf_neg"});
  a.features.insert(a.features.end(),
                    {"name=psnr:reduced_hbd_peak=true:enable_apsnr=true:min_sse=0.5", "name=ciede",
                     std::string("name=float_ssim:") + (number == 7 ? "scale=1:" : "") + "enable_db=true:clip_db=true",
                     "name=float_ms_ssim:enable_db=true:clip_db=true", "name=psnr_hvs"});
  if (number >= 3) a.features.emplace_back("name=cambi");
  if (number >= 6) a.common_depth = true;
}

void add_nflx_ctc(const std::string& version, Arguments& a) {
  if (version != "v1.0") usage("--nflx_ctc '" + version + "' is not v1.0");
  a.models.insert(a.models.end(), {"version=vmaf_4k_v0.6.1", "version=vmaf_4k_v0.6.1neg:name=vmaf_neg"});
  a.features.insert(a.features.end(), {"name=psnr:enable_chroma=true:enable_apsnr=true",
                                       "name=float_ssim:enable_db=true:clip_db=true", "name=cambi"});
}

QCChroma parse_chroma(const std::string& text) {
  if (text == "400") return QC_CHROMA_400;
  if (text == "420") return QC_CHROMA_420;
  if (text == "422") return QC_CHROMA_422;
  if (text == "444") return QC_CHROMA_444;
  usage("--pixel_format '" + text + "' is none of 400, 420, 422, 444");
}

int parse_depth(const std::string& text) {
  const uint32_t depth = parse_unsigned("bitdepth", text);
  for (uint32_t known : {8, 9, 10, 12, 14, 16})
    if (depth == known) return static_cast<int>(depth);
  usage("--bitdepth '" + text + "' is none of 8, 9, 10, 12, 14, 16");
}

int parse_size(const char* option, const std::string& text) {
  const uint32_t size = parse_unsigned(option, text);
  if (size == 0 || size > 32768) usage(std::string("--") + option + " " + text + " is outside 1 to 32768");
  return static_cast<int>(size);
}

enum LongOption {
  kXml = 256,
  kJson,
  kCsv,
  kSub,
  kFeature,
  kThreads,
  kSubsample,
  kCpumask,
  kGpumask,
  kFrameCount,
  kSkipReference,
  kSkipDistorted,
  kAomCtc,
  kNflxCtc,
  kPrecision,
  kBackend,
  kModelDir,
  kFramesInFlight,
  kPool,
  kList,
  kHelp,
};

constexpr option kLong[] = {
    {"reference", required_argument, nullptr, 'r'},
    {"distorted", required_argument, nullptr, 'd'},
    {"width", required_argument, nullptr, 'w'},
    {"height", required_argument, nullptr, 'h'},
    {"pixel_format", required_argument, nullptr, 'p'},
    {"bitdepth", required_argument, nullptr, 'b'},
    {"model", required_argument, nullptr, 'm'},
    {"output", required_argument, nullptr, 'o'},
    {"no_prediction", no_argument, nullptr, 'n'},
    {"quiet", no_argument, nullptr, 'q'},
    {"version", no_argument, nullptr, 'v'},
    {"xml", no_argument, nullptr, kXml},
    {"json", no_argument, nullptr, kJson},
    {"csv", no_argument, nullptr, kCsv},
    {"sub", no_argument, nullptr, kSub},
    {"feature", required_argument, nullptr, kFeature},
    {"threads", required_argument, nullptr, kThreads},
    {"subsample", required_argument, nullptr, kSubsample},
    {"cpumask", required_argument, nullptr, kCpumask},
    {"gpumask", required_argument, nullptr, kGpumask},
    {"frame_cnt", required_argument, nullptr, kFrameCount},
    {"frame_skip_ref", required_argument, nullptr, kSkipReference},
    {"frame_skip_dist", required_argument, nullptr, kSkipDistorted},
    {"aom_ctc", required_argument, nullptr, kAomCtc},
    {"nflx_ctc", required_argument, nullptr, kNflxCtc},
    {"precision", required_argument, nullptr, kPrecision},
    {"backend", required_argument, nullptr, kBackend},
    {"model_dir", required_argument, nullptr, kModelDir},
    {"frames_in_flight", required_argument, nullptr, kFramesInFlight},
    {"pool", required_argument, nullptr, kPool},
    {"list", no_argument, nullptr, kList},
    {"help", no_argument, nullptr, kHelp},
    {nullptr, 0, nullptr, 0},
};

struct RawOptions {
  std::optional<int> width;
  std::optional<int> height;
  std::optional<QCChroma> chroma;
  std::optional<int> depth;
};

void parse_one(int key, const std::string& value, Arguments& a, RawOptions& raw) {
  switch (key) {
    case 'r':
      a.reference = value;
      break;
    case 'd':
      a.distorted = value;
      break;
    case 'w':
      raw.width = parse_size("width", value);
      break;
    case 'h':
      raw.height = parse_size("height", value);
      break;
    case 'p':
      raw.chroma = parse_chroma(value);
      break;
    case 'b':
      raw.depth = parse_depth(value);
      break;
    case 'm':
      a.models.push_back(checked_model(value));
      break;
    case 'o':
      a.output = value;
      break;
    case 'n':
      a.predict = false;
      break;
    case 'q':
      a.quiet = true;
      break;
    case 'v':
      a.mode = Arguments::Mode::Version;
      break;
    case 'c':  // libvmaf's tool reads an argument and ignores it
      break;
    case kXml:
      a.log_format = "xml";
      break;
    case kJson:
      a.log_format = "json";
      break;
    case kCsv:
      a.log_format = "csv";
      break;
    case kSub:
      a.log_format = "sub";
      break;
    case kFeature:
      a.features.push_back(checked_feature(value));
      break;
    case kThreads:
      a.options.emplace_back("n_threads", std::to_string(parse_unsigned("threads", value)));
      break;
    case kSubsample:
      a.options.emplace_back("n_subsample", std::to_string(std::max(1U, parse_unsigned("subsample", value))));
      break;
    case kCpumask:
      check_mask("cpumask", value);
      break;
    case kGpumask:
      check_mask("gpumask", value);
      break;
    case kFrameCount:
      a.frame_count = parse_unsigned("frame_cnt", value);
      break;
    case kSkipReference:
      a.skip_reference = parse_unsigned("frame_skip_ref", value);
      break;
    case kSkipDistorted:
      a.skip_distorted = parse_unsigned("frame_skip_dist", value);
      break;
    case kAomCtc:
      add_aom_ctc(value, a);
      break;
    case kNflxCtc:
      add_nflx_ctc(value, a);
      break;
    case kPrecision:
      a.options.emplace_back("log_precision", value);
      break;
    case kBackend:
      a.options.emplace_back("backend", value);
      break;
    case kModelDir:
      a.options.emplace_back("model_dir", value);
      break;
    case kFramesInFlight:
      a.options.emplace_back("frames_in_flight", value);
      break;
    case kPool:
      a.options.emplace_back("pool", value);
      break;
    case kList:
      a.mode = Arguments::Mode::List;
      break;
    case kHelp:
      a.mode = Arguments::Mode::Help;
      break;
    default:  // getopt has complained
      usage("that is no option");
  }
}

// The value of the last item KEY=VALUE.
std::string item_of(const std::string& entry, std::string_view key) {
  std::string value;
  for (const std::string& item : split_raw(entry, ':'))
    if (item.starts_with(std::string(key) + "=")) value = item.substr(key.size() + 1);
  return value;
}

}  // namespace

std::string model_name(const std::string& entry) {
  const std::string name = item_of(entry, "name");
  return name.empty() ? "vmaf" : name;
}

std::string model_label(const std::string& entry) {
  const std::string version = item_of(entry, "version");
  return version.empty() ? item_of(entry, "path") : version;
}

Arguments parse_arguments(int argc, char** argv) {
  Arguments a;
  RawOptions raw;
  for (int key; (key = getopt_long(argc, argv, "r:d:w:h:p:b:m:o:c:nqv", kLong, nullptr)) != -1;)
    parse_one(key, optarg ? optarg : "", a, raw);
  if (a.mode != Arguments::Mode::Score) return a;
  if (optind < argc) usage(std::string("'") + argv[optind] + "' belongs to no option");
  if (a.reference.empty()) usage("the reference is missing: -r PATH");
  if (a.distorted.empty()) usage("the distorted video is missing: -d PATH");
  if (raw.width || raw.height || raw.chroma || raw.depth) {
    if (!raw.width || !raw.height || !raw.chroma || !raw.depth)
      usage("raw files need all of --width, --height, --pixel_format and --bitdepth");
    a.raw = {*raw.width, *raw.height, *raw.chroma, *raw.depth};
  }
  std::set<std::string> names;
  for (const std::string& entry : a.models)
    if (!names.insert(model_name(entry)).second)
      usage("two models are called " + model_name(entry) + "; give one of them another name=");
  return a;
}

}  // namespace tool
