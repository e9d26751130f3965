#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include "core/format.h"
#include "fuzz/fuzz.h"

namespace qc::fuzz {
namespace {

void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "broken promise: %s\n", what);
  std::abort();
}

// A picture whose planes are allocated one by one.
struct Picture {
  std::unique_ptr<uint8_t[]> memory[3];
  QCFrame frame{};

  Picture(const QCFormat& format, Input& samples, const Input& again) {
    const Geometry g = geometry_of(format);
    const int planes = g.planes() == 1 ? 1 : format.interleaved_chroma ? 2 : 3;
    for (int p = 0; p < planes; ++p) {
      const size_t columns = static_cast<size_t>(g.stored_width(p)) * (p && format.interleaved_chroma ? 2 : 1);
      const size_t pitch = columns * static_cast<size_t>(format.sample_bytes);
      const auto rows = static_cast<size_t>(g.stored_height(p));
      memory[p] = std::make_unique<uint8_t[]>(pitch * rows);
      for (size_t i = 0; i < columns * rows; ++i) {
        if (samples.size() < 2) samples = again;
        if (format.sample_bytes == 1) {
          memory[p][i] = samples.byte();
          continue;
        }
        const uint32_t wide = static_cast<uint32_t>(samples.byte()) << 8 | samples.byte();
        const auto sample = static_cast<uint16_t>((wide & ((1U << format.depth) - 1)) << format.shift);
        std::memcpy(&memory[p][2 * i], &sample, 2);
      }
      frame.data[p] = memory[p].get();
      frame.stride[p] = static_cast<ptrdiff_t>(pitch);
    }
  }
};

// Releases its pair's memory when the library says that it is done.
struct Owner {
  Picture reference;
  Picture distorted;
  int* released;

  static void release(void* self) {
    auto* owner = static_cast<Owner*>(self);
    ++*owner->released;
    delete owner;
  }
};

class Stream {
 public:
  Stream() { require(qc_create(&ctx_) == QC_OK && ctx_, "qc_create succeeds"); }
  ~Stream() {
    qc_destroy(&ctx_);
    require(released_ == sent_, "every pair is released once");
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  bool open(const Options& options, const QCFormat& format) {
    for (const auto& [key, value] : options)
      if (!ok(qc_set(ctx_, key.c_str(), value.c_str()))) return false;
    return ok(qc_open(ctx_, &format, &format, nullptr));
  }

  bool send(const QCFormat& format, Input& samples, const Input& again) {
    auto owner =
        std::make_unique<Owner>(Owner{Picture(format, samples, again), Picture(format, samples, again), &released_});
    QCPair pair{};
    pair.reference = owner->reference.frame;
    pair.distorted = owner->distorted.frame;
    pair.pts = sent_;
    pair.release = Owner::release;
    pair.release_opaque = owner.get();
    for (;;) {
      const QCStatus status = qc_send(ctx_, &pair);
      if (!ok(status)) return false;
      if (status == QC_OK) break;
      if (!receive()) return false;
    }
    owner.release();
    ++sent_;
    return true;
  }

  void finish() {
    if (!ok(qc_send(ctx_, nullptr)) || !receive()) return;
    require(received_ == sent_, "every frame has a result");
    for (int i = 0; i < qc_score_count(ctx_); ++i) {
      require(qc_score_name(ctx_, i) != nullptr, "every column has a name");
      double value = 0;
      for (QCPool pool : {QC_POOL_MIN, QC_POOL_MAX, QC_POOL_MEAN, QC_POOL_HARMONIC_MEAN})
        static_cast<void>(qc_pooled(ctx_, i, pool, &value));
    }
    if (sent_ > 0) ok(qc_finish_log(ctx_));
  }

 private:
  bool ok(QCStatus status) const {
    if (status >= 0) return true;
    require(qc_error(ctx_)[0] != '\0', "an error has a sentence");
    require(status != QC_ERROR_INTERNAL, qc_error(ctx_));
    return false;
  }

  bool receive() {
    for (;;) {
      QCResult result;
      const QCStatus status = qc_receive(ctx_, &result);
      if (status != QC_OK) return ok(status);
      require(result.frame == received_ && result.pts == received_, "results come in order");
      ++received_;
    }
  }

  QCContext* ctx_ = nullptr;
  int sent_ = 0;
  int received_ = 0;
  int released_ = 0;
};

}  // namespace

int Input::number(int low, int high) {
  const int wide = byte() << 8 | byte();
  return low + wide % (high - low + 1);
}

std::string Input::text() {
  std::string text;
  while (size_) {
    const char c = static_cast<char>(byte());
    if (c != '\0') text += c == '/' ? '_' : c;
  }
  return text;
}

QCFormat plain_format(int width, int height, QCChroma chroma) {
  QCFormat format{};
  format.width = width;
  format.height = height;
  format.chroma = chroma;
  format.depth = 8;
  format.sample_bytes = 1;
  format.matrix = format.primaries = format.transfer = 2;
  format.full_range = -1;
  return format;
}

void run_stream(const Options& options, const QCFormat& format, int frames, Input samples) {
  static constexpr uint8_t kSample[] = {40, 90, 200, 17, 3, 128, 77, 251};
  const Input again = samples.size() >= 2 ? samples : Input(kSample, sizeof kSample);
  Stream stream;
  if (!stream.open(options, format)) return;
  for (int n = 0; n < frames; ++n)
    if (!stream.send(format, samples, again)) return;
  stream.finish();
}

const std::string& working_folder() {
  struct Folder {
    std::string path = (std::filesystem::temp_directory_path() / "qualitycuda-fuzz-XXXXXX").string();
    Folder() { require(mkdtemp(path.data()) != nullptr, "a temporary folder can be made"); }
    ~Folder() {
      std::error_code ignored;
      std::filesystem::remove_all(path, ignored);
    }
  };
  static const Folder folder;
  return folder.path;
}

}  // namespace qc::fuzz
