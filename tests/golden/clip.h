// Raw video held in memory, and its pictures as the library takes them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "qualitycuda.h"

namespace qc::test {

// Planar samples of all frames, one after the other, as `ffmpeg -f rawvideo` writes them: chroma of odd sizes is
// rounded up.
struct Clip {
  QCFormat format{};
  int frames = 0;
  std::vector<uint8_t> bytes;

  size_t plane_bytes(int plane) const;
  size_t frame_bytes() const;
  // Borrowed planes of frame n.
  QCFrame frame(int n) const;
};

// A planar format with low-aligned samples and unspecified colours.
QCFormat planar_format(int width, int height, QCChroma chroma, int depth);

// The same samples in another memory layout: "planar", "semiplanar" (nv12, p010, ...: interleaved chroma, samples at
// the container's top), or "bottom-up" (rows from the last to the first, with negative strides and odd padding). Throws
// for others.
class Layout {
 public:
  Layout(const Clip& clip, const std::string& name);
  const QCFormat& format() const { return format_; }
  QCFrame frame(int n) const;

 private:
  const Clip& clip_;
  QCFormat format_{};
  std::vector<std::vector<uint8_t>> planes_;  // three a frame, empty: the clip's own memory is used
  std::vector<QCFrame> frames_;
};

// Decode a file with $FFMPEG (default: ffmpeg). Throws if it fails or does not give `frames` frames.
Clip decode_clip(const std::string& path, const QCFormat& format, int frames);

}  // namespace qc::test
