// Frame-level parallelism: every worker computes all features of a frame, so that its pictures stay in that core's
// cache.
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>

#include "core/error.h"
#include "core/executor.h"

namespace qc {
namespace {

class CpuExecutor final : public Executor {
 public:
  CpuExecutor(const std::vector<Instance>& instances, int threads, int in_flight)
      : instances_(instances), in_flight_(in_flight) {
    try {
      for (int i = 0; i < threads; ++i) workers_.emplace_back([this] { work(); });
    } catch (const std::system_error& e) {
      stop();
      throw Error(QC_ERROR_MEMORY, "cannot start " + std::to_string(threads) + " worker threads: " + e.what());
    } catch (...) {
      stop();
      throw;
    }
  }

  ~CpuExecutor() override { stop(); }

  bool full() const override {
    std::lock_guard lock(mutex_);
    return queue_.size() >= static_cast<size_t>(in_flight_);
  }

  void submit(std::unique_ptr<Job> job) override {
    {
      std::lock_guard lock(mutex_);
      queue_.push_back({std::move(job), State::Waiting});
    }
    wake_workers_.notify_one();
  }

  std::unique_ptr<Job> finished(bool wait) override {
    std::unique_lock lock(mutex_);
    if (queue_.empty()) return nullptr;
    if (wait) job_done_.wait(lock, [this] { return queue_.front().state == State::Done; });
    if (queue_.front().state != State::Done) return nullptr;
    std::unique_ptr<Job> job = std::move(queue_.front().job);
    queue_.pop_front();
    return job;
  }

 private:
  enum class State { Waiting, Running, Done };
  struct Entry {
    std::unique_ptr<Job> job;
    State state;
  };

  void stop() {
    {
      std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_workers_.notify_all();
    for (std::thread& worker : workers_) worker.join();
  }

  void work() {
    FrameCache cache;
    std::vector<std::unique_ptr<CpuKernel>> kernels;
    std::unique_lock lock(mutex_);
    for (;;) {
      Entry* entry = nullptr;
      wake_workers_.wait(lock, [&] { return stop_ || (entry = next_waiting()) != nullptr; });
      if (stop_) return;
      entry->state = State::Running;
      Job& job = *entry->job;
      lock.unlock();
      cache.next_frame();
      try {
        compute(job, kernels, cache);
      } catch (...) {
        job.error = std::current_exception();
      }
      job.pair.reset();
      for (auto& previous : job.previous) previous.reset();
      lock.lock();
      // The deque may have lost entries at its front meanwhile, which leaves references to the others valid.
      entry->state = State::Done;
      job_done_.notify_all();
    }
  }

  Entry* next_waiting() {
    for (Entry& entry : queue_)
      if (entry.state == State::Waiting) return &entry;
    return nullptr;
  }

  void compute(Job& job, std::vector<std::unique_ptr<CpuKernel>>& kernels, FrameCache& cache) const {
    kernels.resize(instances_.size());
    // All kernels first: they tell the shared intermediates what they need.
    for (size_t i = 0; i < instances_.size(); ++i)
      if (!kernels[i]) kernels[i] = instances_[i].feature->make_cpu_kernel(cache);
    const Window window{
        job.frame,
        &job.pair->view,
        {job.previous[0] ? &job.previous[0]->view : nullptr, job.previous[1] ? &job.previous[1]->view : nullptr}};
    for (size_t i = 0; i < instances_.size(); ++i)
      if (job.runs(instances_[i])) kernels[i]->run(window, job.record(instances_[i]));
  }

  const std::vector<Instance>& instances_;
  const int in_flight_;
  mutable std::mutex mutex_;
  std::condition_variable wake_workers_;
  std::condition_variable job_done_;
  std::deque<Entry> queue_;
  bool stop_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace

std::unique_ptr<Executor> make_cpu_executor(const std::vector<Instance>& instances, int threads, int in_flight) {
  return std::make_unique<CpuExecutor>(instances, threads, in_flight);
}

}  // namespace qc
