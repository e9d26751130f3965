#include "golden/clip.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>

#include "core/format.h"

namespace qc::test {
namespace {

std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

size_t plane_samples(const QCFormat& format, int plane) {
  const Geometry g = geometry_of(format);
  return static_cast<size_t>(g.stored_width(plane)) * static_cast<size_t>(g.stored_height(plane));
}

}  // namespace

QCFormat planar_format(int width, int height, QCChroma chroma, int depth) {
  QCFormat format{};
  format.width = width;
  format.height = height;
  format.chroma = chroma;
  format.depth = depth;
  format.sample_bytes = depth > 8 ? 2 : 1;
  format.matrix = format.primaries = format.transfer = 2;
  format.full_range = -1;
  return format;
}

size_t Clip::plane_bytes(int plane) const {
  return plane_samples(format, plane) * static_cast<size_t>(format.sample_bytes);
}

size_t Clip::frame_bytes() const {
  size_t sum = 0;
  for (int p = 0; p < geometry_of(format).planes(); ++p) sum += plane_bytes(p);
  return sum;
}

QCFrame Clip::frame(int n) const {
  QCFrame frame{};
  const Geometry g = geometry_of(format);
  const uint8_t* data = bytes.data() + static_cast<size_t>(n) * frame_bytes();
  for (int p = 0; p < g.planes(); ++p) {
    frame.data[p] = data;
    frame.stride[p] = static_cast<ptrdiff_t>(g.stored_width(p)) * format.sample_bytes;
    data += plane_bytes(p);
  }
  return frame;
}

Layout::Layout(const Clip& clip, const std::string& name) : clip_(clip), format_(clip.format) {
  if (name == "planar") return;
  const Geometry g = geometry_of(format_);
  const auto bytes = static_cast<size_t>(format_.sample_bytes);
  const bool semiplanar = name == "semiplanar";
  if (!semiplanar && name != "bottom-up") throw std::runtime_error("unknown layout " + name);
  if (semiplanar) {
    format_.shift = format_.sample_bytes * 8 - format_.depth;
    format_.interleaved_chroma = g.planes() == 3;
  }
  for (int n = 0; n < clip.frames; ++n) {
    const QCFrame source = clip.frame(n);
    QCFrame& target = frames_.emplace_back();
    for (int p = 0; p < g.planes(); ++p) {
      const auto width = static_cast<size_t>(g.stored_width(p));
      const auto height = static_cast<size_t>(g.stored_height(p));
      const bool interleaved = semiplanar && p > 0;
      const size_t pad = bytes * 3;
      const size_t pitch = width * bytes * (interleaved ? 2 : 1) + (semiplanar ? 0 : pad);
      if (!interleaved || p == 1) planes_.emplace_back(pitch * height);
      std::vector<uint8_t>& plane = planes_.back();
      for (size_t y = 0; y < height; ++y) {
        const size_t row = semiplanar ? y : height - 1 - y;
        const uint8_t* in = static_cast<const uint8_t*>(source.data[p]) + static_cast<size_t>(source.stride[p]) * y;
        for (size_t x = 0; x < width; ++x) {
          uint32_t sample = bytes == 1 ? in[x] : static_cast<uint32_t>(in[2 * x] | in[2 * x + 1] << 8);
          sample <<= format_.shift;
          uint8_t* out = plane.data() + row * pitch + (interleaved ? 2 * x + static_cast<size_t>(p - 1) : x) * bytes;
          out[0] = static_cast<uint8_t>(sample);
          if (bytes == 2) out[1] = static_cast<uint8_t>(sample >> 8);
        }
      }
      if (interleaved && p == 2) continue;
      target.data[p] = semiplanar ? plane.data() : plane.data() + (height - 1) * pitch;
      target.stride[p] = semiplanar ? static_cast<ptrdiff_t>(pitch) : -static_cast<ptrdiff_t>(pitch);
    }
  }
}

QCFrame Layout::frame(int n) const { return frames_.empty() ? clip_.frame(n) : frames_[static_cast<size_t>(n)]; }

Clip decode_clip(const std::string& path, const QCFormat& format, int frames) {
  Clip clip{format, frames, {}};
  clip.bytes.resize(clip.frame_bytes() * static_cast<size_t>(frames));
  const char* program = std::getenv("FFMPEG");
  const std::string command = shell_quoted(program ? program : "ffmpeg") + " -v error -nostdin -i " +
                              shell_quoted(path) + " -map 0:v:0 -fps_mode passthrough -f rawvideo -";
  std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  if (!pipe) throw std::runtime_error("cannot run: " + command);
  const size_t got = std::fread(clip.bytes.data(), 1, clip.bytes.size(), pipe.get());
  const bool more = std::fgetc(pipe.get()) != EOF;
  const int status = pclose(pipe.release());
  if (status != 0) throw std::runtime_error("failed: " + command);
  if (got != clip.bytes.size() || more)
    throw std::runtime_error(path + " does not decode to " + std::to_string(frames) + " frames of the expected size");
  return clip;
}

}  // namespace qc::test
