// Scores pairs of raw or Y4M files from the command line.
#include "qualitycuda.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include "arguments.h"
#include "tool_error.h"
#include "video_file.h"

namespace tool {
namespace {

// Once processing has begun, failures end with the status that libvmaf's tool has: a negative errno, cut to a byte.
int exit_status(QCStatus status) {
  switch (status) {
    case QC_ERROR_MEMORY:
      return -ENOMEM & 0xff;
    case QC_ERROR_IO:
    case QC_ERROR_DEVICE:
      return -EIO & 0xff;
    default:
      return -EINVAL & 0xff;
  }
}

struct DestroyContext {
  void operator()(QCContext* ctx) const { qc_destroy(&ctx); }
};
using Context = std::unique_ptr<QCContext, DestroyContext>;

void print_line(void*, QCLogLevel level, const char* line) {
  if (level <= QC_LOG_INFO) std::fprintf(stderr, "qualitycuda: %s\n", line);
}

// A pair in flight: gives its pictures back to their files when the library has done with them.
struct PairInFlight {
  VideoFile& reference;
  VideoFile& distorted;
  Picture reference_picture;
  Picture distorted_picture;

  static void release(void* opaque) {
    const std::unique_ptr<PairInFlight> pair(static_cast<PairInFlight*>(opaque));
    pair->reference.release(pair->reference_picture);
    pair->distorted.release(pair->distorted_picture);
  }
};

std::string joined(const std::vector<std::string>& entries) {
  std::string text;
  for (const std::string& entry : entries) text += (text.empty() ? "" : "|") + entry;
  return text;
}

std::string format_text(const QCFormat& f) {
  return std::to_string(f.width) + "x" + std::to_string(f.height) + " 4:" + std::to_string(f.chroma / 10 % 10) + ":" +
         std::to_string(f.chroma % 10) + " of " + std::to_string(f.depth) + " bits";
}

void skip(VideoFile& file, uint32_t count) {
  Picture picture;
  for (uint32_t i = 0; i < count && file.next(picture); ++i) file.release(picture);
}

class Progress {
 public:
  explicit Progress(bool shown) : shown_(shown), start_(Clock::now()), last_(start_) {}
  void frame() {
    ++frames_;
    if (!shown_) return;
    const auto now = Clock::now();
    if (now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    print();
  }
  void end() {
    if (!shown_ || frames_ == 0) return;
    print();
    std::fputc('\n', stderr);
  }

 private:
  using Clock = std::chrono::steady_clock;
  void print() const {
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    std::fprintf(stderr, "\r%lld frames, %.2f frames/s ", static_cast<long long>(frames_),
                 seconds > 0 ? static_cast<double>(frames_) / seconds : 0.0);
  }
  bool shown_;
  Clock::time_point start_;
  Clock::time_point last_;
  int64_t frames_ = 0;
};

class Run {
 public:
  explicit Run(const Arguments& arguments)
      : arguments_(arguments),
        reference_(arguments.reference, arguments.raw),
        distorted_(arguments.distorted, arguments.raw) {}

  int score() {
    if (!arguments_.predict && arguments_.models.empty() && arguments_.features.empty())
      throw Error(kUsage, "with --no_prediction there is nothing to compute without --feature or --model");
    match_inputs();
    skip(reference_, arguments_.skip_reference);
    skip(distorted_, arguments_.skip_distorted);
    open();
    Progress progress(isatty(STDERR_FILENO) && !arguments_.quiet);
    stream(progress);
    progress.end();
    if (frames_ == 0) throw Error(exit_status(QC_ERROR_INVALID), "there is no frame to score");
    check(qc_finish_log(ctx_.get()));
    if (arguments_.output.empty() || (isatty(STDERR_FILENO) && !arguments_.quiet)) print_pooled();
    return 0;
  }

 private:
  void match_inputs() {
    const QCFormat& r = reference_.format();
    const QCFormat& d = distorted_.format();
    if (arguments_.common_depth && r.depth != d.depth) {
      const int depth = std::max(r.depth, d.depth);
      (r.depth < depth ? reference_ : distorted_).deepen(depth);
    }
    if (r.width != d.width || r.height != d.height || r.chroma != d.chroma || r.depth != d.depth)
      throw Error(kFailed,
                  "the inputs differ: the reference is " + format_text(r) + ", the distorted video " + format_text(d));
  }

  void set(const std::string& key, const std::string& value) {
    if (qc_set(ctx_.get(), key.c_str(), value.c_str()) < 0) throw Error(kUsage, qc_error(ctx_.get()));
  }

  void open() {
    QCContext* ctx = nullptr;
    if (qc_create(&ctx) < 0) throw Error(exit_status(QC_ERROR_MEMORY), "out of memory");
    ctx_.reset(ctx);
    qc_set_log_callback(ctx, print_line, nullptr);
    for (const auto& [key, value] : arguments_.options) set(key, value);
    // As libvmaf's tool: features alone do not switch off the default model.
    const bool implied = models_.empty() && arguments_.predict && !arguments_.features.empty();
    if (implied) models_ = {"version=vmaf_v0.6.1"};
    if (!arguments_.predict) set("no_prediction", "true");
    set("model", joined(models_));
    set("feature", joined(arguments_.features));
    set("log_path", arguments_.output);
    set("log_fmt", arguments_.log_format);
    if (qc_open(ctx, &reference_.format(), &distorted_.format(), nullptr) >= 0) return;
    const std::string error = qc_error(ctx);
    const bool about_model = implied && error.find("vmaf_v0.6.1") != std::string::npos;
    throw Error(kFailed, error + (about_model ? "; without --model, -n computes features alone" : ""));
  }

  QCStatus check(QCStatus status) {
    if (status < 0) throw Error(exit_status(status), qc_error(ctx_.get()));
    return status;
  }

  // Reads a pair. False when one of the videos has ended.
  bool read(PairInFlight& pair) {
    if (arguments_.frame_count > 0 && frames_ == arguments_.frame_count) return false;
    const bool has_reference = reference_.next(pair.reference_picture);
    const bool has_distorted = distorted_.next(pair.distorted_picture);
    if (has_reference && has_distorted) return true;
    if (has_reference != has_distorted)
      std::fprintf(stderr, "qualitycuda: the %s ended first, after %lld frames\n",
                   has_reference ? "distorted video" : "reference", static_cast<long long>(frames_));
    if (has_reference) reference_.release(pair.reference_picture);
    if (has_distorted) distorted_.release(pair.distorted_picture);
    return false;
  }

  void stream(Progress& progress) {
    QCResult result;
    for (;;) {
      auto pair = std::make_unique<PairInFlight>(PairInFlight{reference_, distorted_, {}, {}});
      if (!read(*pair)) break;
      const QCPair sent = {pair->reference_picture.frame,
                           pair->distorted_picture.frame,
                           frames_,
                           nullptr,
                           PairInFlight::release,
                           pair.get()};
      while (check(qc_send(ctx_.get(), &sent)) == QC_AGAIN)
        if (check(qc_receive(ctx_.get(), &result)) == QC_OK) progress.frame();
      pair.release();
      ++frames_;
      while (check(qc_receive(ctx_.get(), &result)) == QC_OK) progress.frame();
    }
    check(qc_send(ctx_.get(), nullptr));
    while (check(qc_receive(ctx_.get(), &result)) == QC_OK) progress.frame();
  }

  // False if there is no column of that name.
  bool pooled(const std::string& name, double& value) const {
    for (int i = 0; i < qc_score_count(ctx_.get()); ++i)
      if (name == qc_score_name(ctx_.get(), i))
        return qc_pooled(ctx_.get(), i, qc_pool_method(ctx_.get()), &value) == QC_OK;
    return false;
  }

  void print_pooled() const {
    double value = 0;
    for (const std::string& entry : models_) {
      const std::string name = model_name(entry);
      if (!pooled(name, value)) continue;
      std::fprintf(stderr, "%s: %f", model_label(entry).c_str(), value);
      double low = 0;
      double high = 0;
      double deviation = 0;
      if (pooled(name + "_ci_p95_lo", low) && pooled(name + "_ci_p95_hi", high) && pooled(name + "_stddev", deviation))
        std::fprintf(stderr, ", ci.p95: [%f, %f], stddev: %f", low, high, deviation);
      std::fputc('\n', stderr);
    }
    if (!models_.empty() && arguments_.features.empty()) return;
    for (int i = 0; i < qc_score_count(ctx_.get()); ++i)
      if (qc_pooled(ctx_.get(), i, qc_pool_method(ctx_.get()), &value) == QC_OK &&
          (models_.empty() || qc_score_kind(ctx_.get(), i) == QC_SCORE_FEATURE))
        std::fprintf(stderr, "%s: %f\n", qc_score_name(ctx_.get(), i), value);
  }

  const Arguments& arguments_;
  VideoFile reference_;
  VideoFile distorted_;
  std::vector<std::string> models_ = arguments_.models;
  int64_t frames_ = 0;
  Context ctx_;  // last: it may hold pictures of the files
};

void print_option(const QCOptionInfo& o) {
  std::printf("    %s", o.name);
  switch (o.type) {
    case QC_OPTION_BOOL:
      std::printf("=%s", o.default_value != 0 ? "true" : "false");
      break;
    case QC_OPTION_INT:
    case QC_OPTION_DOUBLE:
      std::printf("=%g (%g to %g)", o.default_value, o.min, o.max);
      break;
    case QC_OPTION_STRING:
      std::printf("=%s", o.default_text ? o.default_text : "");
      break;
  }
  std::printf("  %s\n", o.help);
}

void list_features() {
  QCFeatureInfo feature;
  for (int i = 0; qc_feature_info(i, &feature) == QC_OK; ++i) {
    std::printf("%s  %s%s\n", feature.name, feature.summary, feature.has_cuda ? " (CPU, CUDA)" : " (CPU)");
    QCOptionInfo o;
    for (int k = 0; qc_feature_option_info(i, k, &o) == QC_OK; ++k) print_option(o);
    const char* name = nullptr;
    const char* help = nullptr;
    for (int k = 0; qc_feature_output_info(i, k, &name, &help) == QC_OK; ++k)
      std::printf("    -> %s  %s\n", name, help);
  }
}

int run(int argc, char** argv) {
  const Arguments arguments = parse_arguments(argc, argv);
  switch (arguments.mode) {
    case Arguments::Mode::Version:
      std::fprintf(stderr, "%s\n", qc_version());
      return 0;
    case Arguments::Mode::Help:
      std::fputs(kUsageText, stdout);
      return 0;
    case Arguments::Mode::List:
      list_features();
      return 0;
    case Arguments::Mode::Score:
      break;
  }
  return Run(arguments).score();
}

}  // namespace
}  // namespace tool

int main(int argc, char** argv) {
  try {
    return tool::run(argc, argv);
  } catch (const tool::Error& e) {
    std::fprintf(stderr, "qualitycuda: %s\n", e.what());
    if (e.status() == tool::kUsage) std::fputs("qualitycuda --help lists the options\n", stderr);
    return e.status();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "qualitycuda: %s\n", e.what());
    return tool::kFailed;
  }
}
