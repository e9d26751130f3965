// Pictures in memory whose neighbourhood faults when it is touched, and features run on them.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/feature.h"

namespace unit {

// `bytes` bytes between two inaccessible pages, flush with the page after them or with the page before them.
class GuardedBytes {
 public:
  GuardedBytes(size_t bytes, bool flush_with_end) {
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t inner = (bytes + page - 1) / page * page;
    size_ = inner + 2 * page;
    map_ = static_cast<uint8_t*>(mmap(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (map_ == MAP_FAILED || mprotect(map_ + page, inner, PROT_READ | PROT_WRITE) != 0) std::abort();
    data_ = map_ + page + (flush_with_end ? inner - bytes : 0);
  }
  ~GuardedBytes() { munmap(map_, size_); }
  GuardedBytes(const GuardedBytes&) = delete;
  GuardedBytes& operator=(const GuardedBytes&) = delete;
  uint8_t* data() const { return data_; }

 private:
  uint8_t* map_;
  size_t size_;
  uint8_t* data_;
};

// How a picture lies in memory.
struct Layout {
  int shift = 0;             // unused low bits, which are filled with ones
  bool interleaved = false;  // chroma as in nv12
  int padding = 0;           // bytes between the rows
  bool bottom_up = false;    // negative strides
  bool flush_with_end = true;
};

using SampleFunction = std::function<uint32_t(int plane, int x, int y)>;

// A picture whose samples are those of a function.
class GuardedPicture {
 public:
  GuardedPicture(const qc::Geometry& g, const Layout& layout, const SampleFunction& sample)
      : format_{g.width, g.height, g.chroma, g.depth, g.depth == 8 ? 1 : 2, layout.shift, layout.interleaved,
                2,       2,        2,        -1} {
    const int stored_planes = g.planes() == 3 && layout.interleaved ? 2 : g.planes();
    for (int s = 0; s < stored_planes; ++s) {
      const int step = s == 1 && layout.interleaved ? 2 : 1;
      const size_t row_bytes =
          static_cast<size_t>(g.stored_width(s)) * static_cast<size_t>(step * format_.sample_bytes);
      const ptrdiff_t pitch = static_cast<ptrdiff_t>(row_bytes) + layout.padding;
      const int rows = g.stored_height(s);
      const size_t bytes = static_cast<size_t>(pitch) * static_cast<size_t>(rows - 1) + row_bytes;
      memory_.push_back(std::make_unique<GuardedBytes>(bytes, layout.flush_with_end));
      uint8_t* top = memory_.back()->data() + (layout.bottom_up ? pitch * (rows - 1) : 0);
      frame_.data[s] = top;
      frame_.stride[s] = layout.bottom_up ? -pitch : pitch;
      for (int y = 0; y < rows; ++y) {
        for (int i = 0; i < g.stored_width(s) * step; ++i) {
          const uint32_t value = sample(step == 2 ? 1 + i % 2 : s, i / step, y);
          uint8_t* to = top + y * frame_.stride[s] + i * format_.sample_bytes;
          if (format_.sample_bytes == 1) {
            *to = static_cast<uint8_t>(value);
          } else {
            const uint32_t word = value << layout.shift | ((1U << layout.shift) - 1);
            to[0] = static_cast<uint8_t>(word);
            to[1] = static_cast<uint8_t>(word >> 8);
          }
        }
      }
    }
  }
  const QCFormat& format() const { return format_; }
  const QCFrame& frame() const { return frame_; }
  qc::PictureView view() const { return qc::view_of(frame_, format_); }

 private:
  QCFormat format_;
  QCFrame frame_{};
  std::vector<std::unique_ptr<GuardedBytes>> memory_;
};

using Scores = std::map<std::string, double>;

// An instance of a feature without a session around it.
class FeatureRun final : private qc::ScoreSink {
 public:
  FeatureRun(const std::string& name, const qc::OptionList& options, const qc::Geometry& g)
      : definition_(*qc::registry()[qc::registry_index(name)].definition), options_(definition_.options), geometry_(g) {
    for (const auto& [key, value] : options) options_.set(key, value, name);
    const QCFormat format = {g.width, g.height, g.chroma, g.depth, g.depth == 8 ? 1 : 2, 0, 0, 2, 2, 2, -1};
    feature_ = definition_.create({options_, geometry_, format, format});
    kernel_ = feature_->make_cpu_kernel(cache_);
  }

  // The bytes of the record that the kernel leaves for a pair.
  std::vector<uint8_t> record(const qc::PairView& pair) {
    std::vector<std::max_align_t> memory(feature_->record_size() / sizeof(std::max_align_t) + 1);
    // Value-initialised elements need not have zeros in their padding.
    std::memset(memory.data(), 0, memory.size() * sizeof(std::max_align_t));
    const qc::Window window{0, &pair, {nullptr, nullptr}};
    cache_.next_frame();
    kernel_->run(window, memory.data());
    const auto* bytes = reinterpret_cast<const uint8_t*>(memory.data());
    return {bytes, bytes + feature_->record_size()};
  }

  // Scores of one frame. Outputs that the options switch off are left out.
  Scores score(const qc::PairView& pair) {
    const std::vector<uint8_t> bytes = record(pair);
    std::vector<std::max_align_t> memory(bytes.size() / sizeof(std::max_align_t) + 1);
    std::copy(bytes.begin(), bytes.end(), reinterpret_cast<uint8_t*>(memory.data()));
    scores_.clear();
    feature_->collect(frame_++, memory.data(), *this);
    return scores_;
  }

  // Values for all frames so far.
  Scores flush() {
    scores_.clear();
    feature_->flush(*this);
    return scores_;
  }

 private:
  void put(int64_t, int output, double value) override {
    const qc::OutputDef& def = definition_.outputs[static_cast<size_t>(output)];
    if (def.only_with && !options_.get_bool(def.only_with)) return;
    if (feature_->produces(output)) scores_[def.log_name] = value;
  }
  void aggregate(const std::string& name, double value) override { scores_[name] = value; }

  const qc::FeatureDef& definition_;
  qc::OptionSet options_;
  qc::Geometry geometry_;
  qc::FrameCache cache_;
  std::unique_ptr<qc::Feature> feature_;
  std::unique_ptr<qc::CpuKernel> kernel_;
  int64_t frame_ = 0;
  Scores scores_;
};

}  // namespace unit
