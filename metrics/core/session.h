// A scoring session: features and models of one stream, frames in flight, results in order, pooling and the log.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/executor.h"
#include "core/options.h"
#include "core/pool.h"
#include "log/writer.h"
#include "model/model.h"
#include "qualitycuda.h"

namespace qc {

using Logger = std::function<void(QCLogLevel, const std::string&)>;

struct Column {
  std::string name;
  QCScoreKind kind;
};

class Session final : private ScoreSink {
 public:
  explicit Session(Logger logger);
  ~Session() override;

  void set(const std::string& key, const std::string& value);
  void open(const QCFormat& reference, const QCFormat& distorted, const QCDevice* device);
  QCStatus send(const QCPair* pair);
  QCStatus receive(QCResult& result);
  void finish_log();

  // True if every feature that the options ask for is defined for RGB pictures.
  bool accepts_rgb() const;
  // True if any of them looks at the colour description of the inputs.
  bool uses_colour() const;

  const std::vector<Column>& columns() const { return columns_; }
  const std::vector<Pool>& pools() const { return pools_; }
  int64_t scored_frames() const { return scored_frames_; }
  const std::vector<std::pair<std::string, double>>& aggregates() const { return aggregates_; }
  QCPool pool_method() const { return pool_method_; }

 private:
  // A frame whose scores are still coming in.
  struct Pending {
    int64_t pts;
    void* opaque;
    bool scored;
    bool collected;  // its job's records have gone to the features
    size_t missing;  // columns of features without a score
    std::vector<std::optional<double>> scores;
  };
  // A model and where its inputs and outputs are among the columns.
  struct LoadedModel {
    std::unique_ptr<Model> model;
    std::vector<int> input;
    std::vector<int> output;
  };

  void put(int64_t frame, int output, double value) override;
  void aggregate(const std::string& name, double value) override;

  void add_models(const std::string& text);
  void add_features();
  size_t add_instance(size_t entry, OptionSet options);
  void make_columns();
  void connect_models();
  void layout_records();
  std::unique_ptr<Executor> make_executor(const QCDevice* device);
  void collect(std::unique_ptr<Job> job);
  bool front_complete() const;
  void deliver_front(QCResult& result);
  void predict(Pending& pending);

  Logger logger_;
  OptionSet options_;
  QCFormat reference_{};
  QCFormat distorted_{};
  Geometry geometry_;
  std::vector<Instance> instances_;
  std::vector<LoadedModel> models_;
  std::vector<std::vector<std::pair<std::string, size_t>>> model_inputs_;  // lookup name and instance, a model each
  std::vector<Column> columns_;
  size_t feature_columns_ = 0;
  std::vector<Pool> pools_;
  std::vector<std::pair<std::string, double>> aggregates_;
  QCPool pool_method_ = QC_POOL_MEAN;
  size_t record_bytes_ = 0;
  int history_ = 0;
  int64_t n_subsample_ = 1;

  bool opened_ = false;
  bool draining_ = false;
  bool flushed_ = false;
  int64_t sent_ = 0;
  int64_t scored_frames_ = 0;
  std::shared_ptr<Pair> previous_[2];
  const Instance* collecting_ = nullptr;
  std::deque<Pending> pending_;
  int64_t first_pending_ = 0;
  std::vector<const char*> result_names_;
  std::vector<double> result_values_;
  std::chrono::steady_clock::time_point start_;
  std::unique_ptr<LogWriter> log_;
  std::unique_ptr<Executor> executor_;  // last: its jobs refer to the instances
};

}  // namespace qc
