// Raw and YUV4MPEG2 video files as pictures of libqualitycuda.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "byte_source.h"
#include "qualitycuda.h"

namespace tool {

// Size and samples of a raw file. Chroma planes of odd sizes are rounded up, as FFmpeg's rawvideo has them.
struct RawLayout {
  int width;
  int height;
  QCChroma chroma;
  int depth;
};

// A picture that was read. Its planes are valid until release().
struct Picture {
  QCFrame frame{};
  uint8_t* buffer = nullptr;  // nullptr: the planes lie in the mapped file
};

class VideoFile {
 public:
  // With `raw`, a file that doesn't begin with YUV4MPEG2 is raw. Throws tool::Error.
  VideoFile(const std::string& path, const std::optional<RawLayout>& raw);

  const QCFormat& format() const { return format_; }
  // Give samples of `depth` bits, shifted left from the file's own depth. Before the first next().
  void deepen(int depth);
  // Reads the next picture. False at the end of the file; a picture that is cut off is an error.
  bool next(Picture& picture);
  // From any thread.
  void release(const Picture& picture);

 private:
  void read_header();
  void set_layout(const RawLayout& layout);
  bool start_frame();
  const uint8_t* stored_picture(uint8_t*& buffer);
  uint8_t* deepened(const uint8_t* stored);
  uint8_t* acquire();
  [[noreturn]] void fail(const std::string& what) const;

  std::string path_;
  ByteSource source_;
  bool y4m_ = false;
  QCFormat format_{};
  int file_depth_ = 8;
  size_t plane_samples_[3] = {};
  size_t stored_bytes_ = 0;   // of a picture in the file
  size_t skipped_bytes_ = 0;  // alpha plane after it
  int64_t frames_ = 0;

  std::mutex mutex_;
  std::vector<uint8_t*> free_;
  std::vector<std::unique_ptr<uint8_t[]>> buffers_;
};

}  // namespace tool
