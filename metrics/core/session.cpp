#include "core/session.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <thread>

#include "core/context_options.h"
#include "core/error.h"
#include "core/names.h"
#include "model/display.h"
#if QC_CUDA
#include "cuda/executor.h"
#endif

namespace qc {
namespace {

constexpr const char* kDefaultModel = "vmaf_v0.6.1";

std::string size_text(const Geometry& g) { return std::to_string(g.width) + "x" + std::to_string(g.height); }

// 4:2:0 and the like.
std::string sampling_text(const Geometry& g) {
  std::string digits = std::to_string(g.chroma);
  return {digits[0], ':', digits[1], ':', digits[2]};
}

// Both inputs must agree; the message shows the filter that would make them.
void check_same(const Geometry& reference, const Geometry& distorted) {
  if (reference.width != distorted.width || reference.height != distorted.height)
    fail_invalid("the distorted input is " + size_text(distorted) + ", the reference " + size_text(reference) +
                 "; insert scale=" + std::to_string(reference.width) + ":" + std::to_string(reference.height) +
                 ":flags=bicubic before the distorted input");
  if (reference.chroma != distorted.chroma)
    fail_invalid("the distorted input is " + sampling_text(distorted) + ", the reference " + sampling_text(reference) +
                 "; insert format= before one of them");
  if (reference.depth != distorted.depth)
    fail_invalid("the distorted input has " + std::to_string(distorted.depth) + " bits a sample, the reference " +
                 std::to_string(reference.depth) + "; insert format= before one of them");
}

}  // namespace

Session::Session(Logger logger) : logger_(std::move(logger)), options_(context_option_table()) {}

Session::~Session() = default;

void Session::set(const std::string& key, const std::string& value) {
  if (opened_) fail_invalid("options must be set before the context is opened");
  options_.set(key, value, "qualitycuda");
}

void Session::open(const QCFormat& reference, const QCFormat& distorted, const QCDevice* device) {
  if (opened_) fail_invalid("the context is open already");
  check_format(reference, "reference");
  check_format(distorted, "distorted");
  reference_ = reference;
  distorted_ = distorted;
  geometry_ = geometry_of(reference);
  check_same(geometry_, geometry_of(distorted));
  if (is_rgb(reference) != is_rgb(distorted))
    fail_invalid(std::string("the ") + (is_rgb(reference) ? "reference" : "distorted") +
                 " input is RGB, the other one YUV; insert format= before one of them");
  if (geometry_.chroma != QC_CHROMA_400 && (geometry_.plane_width(1) < 1 || geometry_.plane_height(1) < 1))
    fail_invalid("a size of " + size_text(geometry_) + " leaves no chroma samples; the least is 2x2");

  pool_method_ = parse_pool(options_.get_string("pool").c_str());
  n_subsample_ = options_.get_int("n_subsample");

  std::string models = options_.get_string("model");
  if (models.empty() && options_.get_string("feature").empty()) {
    if (model_exists(kDefaultModel, options_.get_string("model_dir"))) {
      models = std::string("version=") + kDefaultModel;
    } else {
      logger_(QC_LOG_WARNING, std::string("no model file ") + kDefaultModel +
                                  ".json was found, so psnr and float_ssim are computed; models come from "
                                  "the model folder of https://github.com/Netflix/vmaf, see model_dir");
      options_.set("feature", "name=psnr|name=float_ssim", "qualitycuda");
    }
  }
  add_models(models);
  add_features();
  if (options_.get_bool("no_prediction")) {
    models_.clear();
    model_inputs_.clear();
  }
  make_columns();
  connect_models();
  layout_records();

  if (const std::string path = options_.get_string("log_path"); !path.empty()) {
    std::vector<std::string> names;
    for (const Column& column : columns_) names.push_back(column.name);
    log_ = open_log({path, options_.get_string("log_fmt"), parse_log_precision(options_.get_string("log_precision")),
                     geometry_.width, geometry_.height},
                    std::move(names));
  }
  executor_ = make_executor(device);
  start_ = std::chrono::steady_clock::now();
  opened_ = true;
}

bool Session::accepts_rgb() const {
  const std::vector<FeatureRequest> requests = parse_feature_option(options_.get_string("feature"));
  return options_.get_string("model").empty() && !requests.empty() &&
         std::all_of(requests.begin(), requests.end(), [](const FeatureRequest& request) {
           return registry()[registry_index(request.name)].definition->reads_rgb;
         });
}

// Those that are defined for RGB have to know how YUV becomes RGB.
bool Session::uses_colour() const {
  const std::vector<FeatureRequest> requests = parse_feature_option(options_.get_string("feature"));
  return std::any_of(requests.begin(), requests.end(), [](const FeatureRequest& request) {
    return registry()[registry_index(request.name)].definition->reads_rgb;
  });
}

void Session::add_models(const std::string& text) {
  if (text.empty()) return;
  for (const ModelSpec& spec : parse_model_option(text)) {
    models_.push_back({load_model(spec, options_.get_string("model_dir")), {}, {}});
    const std::string warning = display_warning(spec.version.empty() ? spec.path : spec.version,
                                                models_.back().model->inputs(), geometry_.width, geometry_.height);
    if (!warning.empty()) logger_(QC_LOG_WARNING, warning);
    auto& inputs = model_inputs_.emplace_back();
    for (const ModelInput& input : models_.back().model->inputs()) {
      bool found = false;
      for (size_t e = 0; e < registry().size() && !found; ++e) {
        const FeatureDef& def = *registry()[e].definition;
        for (const OutputDef& output : def.outputs) {
          if (input.feature != output.raw_name) continue;
          OptionSet options(def.options);
          for (const auto& [key, value] : input.options) options.set(key, value, def.name);
          const std::string name = lookup_name(output, options);
          inputs.emplace_back(name, add_instance(e, std::move(options)));
          found = true;
          break;
        }
      }
      if (!found)
        fail_unsupported("model " + spec.name + " needs the feature " + input.feature + ", which does not exist here");
    }
  }
}

void Session::add_features() {
  for (const FeatureRequest& request : parse_feature_option(options_.get_string("feature"))) {
    const size_t entry = registry_index(request.name);
    OptionSet options(registry()[entry].definition->options);
    for (const auto& [key, value] : request.options) options.set(key, value, request.name);
    add_instance(entry, std::move(options));
  }
}

// Equal instances are one. Returns the instance's index.
size_t Session::add_instance(size_t entry, OptionSet options) {
  const RegistryEntry& e = registry()[entry];
  if (is_rgb(reference_) && !e.definition->reads_rgb)
    fail_unsupported(std::string(e.definition->name) +
                     " is not defined for RGB pictures; insert format=yuv444p before both inputs");
  for (size_t i = 0; i < instances_.size(); ++i)
    if (instances_[i].entry == &e && instances_[i].options == options) return i;
  auto feature = e.definition->create({options, geometry_, reference_, distorted_});
  if (const std::string warning = feature->warning(); !warning.empty()) logger_(QC_LOG_WARNING, warning);
  instances_.push_back({&e, std::move(options), std::move(feature), {}, 0});
  history_ = std::max(history_, e.definition->history);
  return instances_.size() - 1;
}

// Columns in the order in which libvmaf's single-threaded run first stores them.
void Session::make_columns() {
  std::set<std::string> used;
  for (Instance& instance : instances_) instance.column.assign(instance.entry->definition->outputs.size(), -1);
  // Names first, in registration order, so that the first instance keeps the plain name.
  std::vector<std::vector<std::string>> names(instances_.size());
  for (size_t i = 0; i < instances_.size(); ++i) {
    const Instance& instance = instances_[i];
    const auto outputs = instance.entry->definition->outputs;
    for (size_t k = 0; k < outputs.size(); ++k) {
      const OutputDef& output = outputs[k];
      std::string& name = names[i].emplace_back();
      if (output.only_with && !instance.options.get_bool(output.only_with)) continue;
      if (!instance.feature->produces(static_cast<int>(k))) continue;
      name = templated_name(output, instance.options);
      if (used.count(name)) name = distinguished_name(name, instance.options);
      const std::string base = name;
      for (int n = 2; used.count(name); ++n) name = base + "_" + std::to_string(n);
      used.insert(name);
    }
  }
  for (Phase phase : {Phase::FirstFrame, Phase::LaterFrame, Phase::Flush}) {
    for (size_t i = 0; i < instances_.size(); ++i) {
      const auto outputs = instances_[i].entry->definition->outputs;
      for (size_t k = 0; k < outputs.size(); ++k) {
        if (names[i][k].empty()) continue;
        if (instances_[i].feature->phase(static_cast<int>(k), outputs[k].phase) != phase) continue;
        instances_[i].column[k] = static_cast<int>(columns_.size());
        columns_.push_back({names[i][k], QC_SCORE_FEATURE});
      }
    }
  }
  feature_columns_ = columns_.size();
  auto add_score = [&](LoadedModel& model, size_t k) {
    const std::string& name = model.model->outputs()[k];
    if (!used.insert(name).second) fail_invalid("two scores would be called " + name + "; give the model a name=");
    model.output[k] = static_cast<int>(columns_.size());
    columns_.push_back({name, k == 0 ? QC_SCORE_MODEL : QC_SCORE_BOOTSTRAP});
  };
  for (LoadedModel& model : models_) {
    model.output.resize(model.model->outputs().size());
    add_score(model, 0);
  }
  for (LoadedModel& model : models_)
    for (size_t k = 1; k < model.output.size(); ++k) add_score(model, k);
  pools_.resize(columns_.size());
}

void Session::connect_models() {
  for (size_t m = 0; m < models_.size(); ++m) {
    for (const auto& [name, i] : model_inputs_[m]) {
      const Instance& instance = instances_[i];
      const auto outputs = instance.entry->definition->outputs;
      for (size_t k = 0; k < outputs.size(); ++k) {
        if (lookup_name(outputs[k], instance.options) != name) continue;
        if (instance.column[k] < 0)
          fail_unsupported("a model needs " + name + ", which its feature's options switch off");
        models_[m].input.push_back(instance.column[k]);
        break;
      }
    }
  }
}

void Session::layout_records() {
  for (Instance& instance : instances_) {
    instance.record_offset = record_bytes_;
    constexpr size_t kAlign = 64;
    record_bytes_ += (instance.feature->record_size() + kAlign - 1) / kAlign * kAlign;
  }
}

std::unique_ptr<Executor> Session::make_executor(const QCDevice* device) {
  const std::string backend = options_.get_string("backend");
  if (backend != "auto" && backend != "cpu" && backend != "cuda")
    fail_invalid("backend '" + backend + "' is none of auto, cpu, cuda");
  const int in_flight = options_.get_int("frames_in_flight");
  if (device || backend == "cuda") {
    if (device && backend == "cpu")
      fail_invalid("backend=cpu cannot read frames in GPU memory; insert hwdownload before both inputs");
#if QC_CUDA
    return cuda::make_executor({instances_, geometry_, reference_, distorted_, history_, in_flight,
                                options_.get_int("cuda_device"), device, logger_});
#else
    fail_unsupported("this build of libqualitycuda has no CUDA path; insert hwdownload, or use backend=cpu");
#endif
  }
  int threads = options_.get_int("n_threads");
  if (threads == 0) threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  // One pair more than workers, so that none waits for the caller.
  return make_cpu_executor(instances_, threads, in_flight ? in_flight : threads + 1);
}

QCStatus Session::send(const QCPair* pair) {
  if (!opened_) fail_invalid("qc_send before qc_open");
  if (draining_) fail_invalid("qc_send after the end of the stream");
  if (!pair) {
    draining_ = true;
    previous_[0].reset();
    previous_[1].reset();
    return QC_OK;
  }
  if (executor_->full()) return QC_AGAIN;
  if (sent_ == 0)
    for (const Instance& instance : instances_)
      if (const std::string note = instance.feature->note(); !note.empty()) logger_(QC_LOG_INFO, note);
  auto job = std::make_unique<Job>();
  job->frame = sent_;
  job->scored = sent_ % n_subsample_ == 0;
  job->records.resize((record_bytes_ + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t));
  // Value-initialised elements need not have zeros in their padding.
  std::memset(job->records.data(), 0, job->records.size() * sizeof(std::max_align_t));
  const size_t columns = job->scored ? feature_columns_ : 0;
  pending_.push_back({pair->pts, pair->opaque, job->scored, false, columns, {}});
  pending_.back().scores.resize(columns_.size());
  const auto accepted = std::make_shared<Pair>(*pair, reference_, distorted_);
  job->pair = accepted;
  for (int i = 0; i < history_; ++i) job->previous[i] = previous_[i];
  if (history_ > 1) previous_[1] = previous_[0];
  if (history_ > 0) previous_[0] = job->pair;
  ++sent_;
  try {
    executor_->submit(std::move(job));
  } catch (...) {
    accepted->refuse();
    throw;
  }
  return QC_OK;
}

QCStatus Session::receive(QCResult& result) {
  if (!opened_) fail_invalid("qc_receive before qc_open");
  for (;;) {
    if (front_complete()) {
      deliver_front(result);
      return QC_OK;
    }
    const bool wait = draining_ || executor_->full();
    if (auto job = executor_->finished(wait)) {
      collect(std::move(job));
      continue;
    }
    if (!draining_) return QC_AGAIN;
    if (flushed_) return QC_EOF;
    flushed_ = true;
    if (sent_ == 0) return QC_EOF;
    for (const Instance& instance : instances_) {
      collecting_ = &instance;
      instance.feature->flush(*this);
    }
    for (const Pending& pending : pending_)
      if (pending.missing)
        throw Error(QC_ERROR_INTERNAL, "a feature left a frame without a score at the end of the stream");
  }
}

void Session::collect(std::unique_ptr<Job> job) {
  if (job->error) std::rethrow_exception(job->error);
  for (const Instance& instance : instances_) {
    if (!job->runs(instance)) continue;
    collecting_ = &instance;
    instance.feature->collect(job->frame, job->record(instance), *this);
  }
  pending_[static_cast<size_t>(job->frame - first_pending_)].collected = true;
}

void Session::put(int64_t frame, int output, double value) {
  const int column = collecting_->column[static_cast<size_t>(output)];
  // Frames that subsampling skips may have been delivered before a later frame completes their scores.
  if (column < 0 || frame < first_pending_) return;
  Pending& pending = pending_[static_cast<size_t>(frame - first_pending_)];
  if (!pending.scored) return;
  auto& score = pending.scores[static_cast<size_t>(column)];
  if (!score) --pending.missing;
  score = value;
}

void Session::aggregate(const std::string& name, double value) {
  std::string unique = name;
  auto taken = [&] {
    return std::any_of(aggregates_.begin(), aggregates_.end(), [&](const auto& a) { return a.first == unique; });
  };
  if (taken()) unique = distinguished_name(name, collecting_->options);
  const std::string base = unique;
  for (int n = 2; taken(); ++n) unique = base + "_" + std::to_string(n);
  aggregates_.emplace_back(unique, value);
}

bool Session::front_complete() const {
  return !pending_.empty() && pending_.front().collected && pending_.front().missing == 0;
}

void Session::predict(Pending& pending) {
  std::vector<double> features;
  std::vector<double> scores;
  for (const LoadedModel& model : models_) {
    features.clear();
    for (int column : model.input) features.push_back(*pending.scores[static_cast<size_t>(column)]);
    scores.resize(model.output.size());
    model.model->predict(features, scores);
    for (size_t k = 0; k < scores.size(); ++k) pending.scores[static_cast<size_t>(model.output[k])] = scores[k];
  }
}

void Session::deliver_front(QCResult& result) {
  Pending& pending = pending_.front();
  result_names_.clear();
  result_values_.clear();
  if (pending.scored) {
    predict(pending);
    for (size_t c = 0; c < columns_.size(); ++c) {
      if (!pending.scores[c]) continue;
      pools_[c].add(*pending.scores[c]);
      result_names_.push_back(columns_[c].name.c_str());
      result_values_.push_back(*pending.scores[c]);
    }
    if (log_) log_->frame(first_pending_, pending.scores);
    ++scored_frames_;
  }
  result = {first_pending_,       pending.pts,          pending.opaque, static_cast<int>(result_names_.size()),
            result_names_.data(), result_values_.data()};
  pending_.pop_front();
  ++first_pending_;
}

void Session::finish_log() {
  if (!log_) return;
  if (!flushed_ || !pending_.empty()) fail_invalid("qc_finish_log before the last result was received");
  if (scored_frames_ == 0) fail_invalid("no frame was scored, so no log is written");
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  const double fps = elapsed.count() > 0 ? static_cast<double>(sent_) / elapsed.count() : 0.0;
  log_->finish(pools_, scored_frames_, aggregates_, fps);
  log_.reset();
}

}  // namespace qc
