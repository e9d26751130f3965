#include "video_file.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <sstream>
#include <string_view>

#include "tool_error.h"

namespace tool {
namespace {

constexpr std::string_view kMagic = "YUV4MPEG2";
constexpr size_t kLongestHeader = 4096;

bool parse(std::string_view text, int& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value > 0;
}

struct ColourSpace {
  QCChroma chroma = QC_CHROMA_420;
  int depth = 8;
  bool alpha = false;
};

// The value of a Y4M header's tag C. Chroma siting is ignored: nothing is resampled.
bool parse_colour_space(std::string_view text, ColourSpace& space) {
  space = {};
  if (text == "444alpha") {
    space.chroma = QC_CHROMA_444;
    space.alpha = true;
    return true;
  }
  if (text == "420jpeg" || text == "420mpeg2") return true;
  constexpr std::pair<std::string_view, QCChroma> kChroma[] = {
      {"420", QC_CHROMA_420}, {"422", QC_CHROMA_422}, {"444", QC_CHROMA_444}, {"mono", QC_CHROMA_400}};
  for (const auto& [name, chroma] : kChroma) {
    if (!text.starts_with(name)) continue;
    space.chroma = chroma;
    std::string_view rest = text.substr(name.size());
    if (rest.empty()) return true;
    if (chroma != QC_CHROMA_400) {
      if (rest[0] != 'p') return false;
      rest.remove_prefix(1);
    }
    return parse(rest, space.depth) && space.depth > 8 && space.depth <= 16;
  }
  return false;
}

}  // namespace

VideoFile::VideoFile(const std::string& path, const std::optional<RawLayout>& raw) : path_(path), source_(path) {
  y4m_ = source_.peek(kMagic.size()) == kMagic;
  if (y4m_)
    read_header();
  else if (raw)
    set_layout(*raw);
  else
    fail("is no Y4M file; a raw file needs --width, --height, --pixel_format and --bitdepth");
}

void VideoFile::fail(const std::string& what) const { throw Error(kFailed, "'" + path_ + "' " + what); }

void VideoFile::set_layout(const RawLayout& layout) {
  const auto rounded = [](int size, bool half) { return static_cast<size_t>(half ? (size + 1) / 2 : size); };
  const bool half_width = layout.chroma == QC_CHROMA_420 || layout.chroma == QC_CHROMA_422;
  plane_samples_[0] = static_cast<size_t>(layout.width) * static_cast<size_t>(layout.height);
  if (layout.chroma != QC_CHROMA_400)
    plane_samples_[1] = plane_samples_[2] =
        rounded(layout.width, half_width) * rounded(layout.height, layout.chroma == QC_CHROMA_420);
  file_depth_ = layout.depth;
  format_.width = layout.width;
  format_.height = layout.height;
  format_.chroma = layout.chroma;
  format_.depth = layout.depth;
  format_.sample_bytes = layout.depth > 8 ? 2 : 1;
  format_.matrix = format_.primaries = format_.transfer = 2;
  format_.full_range = -1;
  stored_bytes_ = (plane_samples_[0] + 2 * plane_samples_[1]) * static_cast<size_t>(format_.sample_bytes);
}

void VideoFile::read_header() {
  std::string header;
  if (!source_.line(header, kLongestHeader)) fail("has an endless Y4M header");
  std::istringstream tags(header.substr(kMagic.size()));
  RawLayout layout{0, 0, QC_CHROMA_420, 8};
  ColourSpace space;
  bool has_rate = false;
  int full_range = -1;
  for (std::string tag; tags >> tag;) {
    const std::string value = tag.substr(1);
    switch (tag[0]) {
      case 'W':
        if (!parse(value, layout.width)) fail("has a bad width in its Y4M header: " + tag);
        break;
      case 'H':
        if (!parse(value, layout.height)) fail("has a bad height in its Y4M header: " + tag);
        break;
      case 'F':
        has_rate = value.find(':') != std::string::npos;
        break;
      case 'I':
        if (value != "p" && value != "?") fail("is interlaced (" + tag + "); only progressive video is read");
        break;
      case 'C':
        if (!parse_colour_space(value, space)) fail("has the Y4M format " + tag + ", which is not read");
        break;
      case 'X':
        if (value == "COLORRANGE=FULL") full_range = 1;
        if (value == "COLORRANGE=LIMITED") full_range = 0;
        break;
      default:
        break;
    }
  }
  if (layout.width == 0 || layout.height == 0 || !has_rate) fail("lacks W, H or F in its Y4M header");
  layout.chroma = space.chroma;
  layout.depth = space.depth;
  set_layout(layout);
  format_.full_range = full_range;
  if (space.alpha) skipped_bytes_ = plane_samples_[0];
}

void VideoFile::deepen(int depth) {
  format_.depth = depth;
  format_.sample_bytes = depth > 8 ? 2 : 1;
}

// Takes a Y4M frame's header. False at the end of the file.
bool VideoFile::start_frame() {
  if (source_.at_end()) return false;
  if (!y4m_) return true;
  std::string header;
  if (!source_.line(header, kLongestHeader) || !header.starts_with("FRAME"))
    fail("has no FRAME header before frame " + std::to_string(frames_));
  return true;
}

// All buffers have one size, enough for a picture before and after deepening.
uint8_t* VideoFile::acquire() {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) {
    const size_t samples = plane_samples_[0] + 2 * plane_samples_[1];
    buffers_.push_back(std::make_unique<uint8_t[]>(samples * static_cast<size_t>(format_.sample_bytes)));
    return buffers_.back().get();
  }
  uint8_t* buffer = free_.back();
  free_.pop_back();
  return buffer;
}

void VideoFile::release(const Picture& picture) {
  if (!picture.buffer) return;
  const std::lock_guard lock(mutex_);
  free_.push_back(picture.buffer);
}

// The picture's bytes as the file has them: in place, or in `buffer`.
const uint8_t* VideoFile::stored_picture(uint8_t*& buffer) {
  const uint8_t* bytes = nullptr;
  if (source_.mapped()) {
    bytes = source_.take(stored_bytes_);
    if (bytes && (reinterpret_cast<uintptr_t>(bytes) % (file_depth_ > 8 ? 2 : 1)) != 0) {
      buffer = acquire();
      std::memcpy(buffer, bytes, stored_bytes_);
      bytes = buffer;
    }
  } else {
    buffer = acquire();
    if (source_.read(buffer, stored_bytes_)) bytes = buffer;
  }
  std::vector<uint8_t> skipped(skipped_bytes_);
  if (!bytes || !source_.read(skipped.data(), skipped.size())) fail("ends within frame " + std::to_string(frames_));
  return bytes;
}

// A copy of the picture with samples of format_.depth bits.
uint8_t* VideoFile::deepened(const uint8_t* stored) {
  const size_t samples = plane_samples_[0] + 2 * plane_samples_[1];
  const int shift = format_.depth - file_depth_;
  uint8_t* buffer = acquire();
  auto* target = reinterpret_cast<uint16_t*>(buffer);
  if (file_depth_ == 8) {
    for (size_t i = 0; i < samples; ++i) target[i] = static_cast<uint16_t>(stored[i] << shift);
  } else {
    const auto* source = reinterpret_cast<const uint16_t*>(stored);
    for (size_t i = 0; i < samples; ++i) target[i] = static_cast<uint16_t>(source[i] << shift);
  }
  return buffer;
}

bool VideoFile::next(Picture& picture) {
  picture = {};
  if (!start_frame()) return false;
  const uint8_t* bytes = stored_picture(picture.buffer);
  if (format_.depth != file_depth_) {
    const Picture stored = picture;
    picture.buffer = deepened(bytes);
    bytes = picture.buffer;
    release(stored);
  }
  ++frames_;
  const auto sample = static_cast<size_t>(format_.sample_bytes);
  const bool half = format_.chroma == QC_CHROMA_420 || format_.chroma == QC_CHROMA_422;
  const int chroma_width = half ? (format_.width + 1) / 2 : format_.width;
  for (int p = 0; p < (format_.chroma == QC_CHROMA_400 ? 1 : 3); ++p) {
    picture.frame.data[p] = bytes;
    picture.frame.stride[p] = (p > 0 ? chroma_width : format_.width) * format_.sample_bytes;
    bytes += plane_samples_[p] * sample;
  }
  return true;
}

}  // namespace tool
