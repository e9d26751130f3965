#include "byte_source.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "tool_error.h"

namespace tool {
namespace {

constexpr size_t kReadAhead = 1 << 16;
constexpr size_t kPage = 4096;

}  // namespace

ByteSource::ByteSource(const std::string& path) : path_(path) {
  fd_ = path == "-" ? dup(STDIN_FILENO) : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd_ < 0) fail(errno);
  struct stat info;
  if (fstat(fd_, &info) != 0) fail(errno);
  if (S_ISDIR(info.st_mode)) fail(EISDIR);
  if (!S_ISREG(info.st_mode) || info.st_size == 0 || lseek(fd_, 0, SEEK_CUR) != 0) return;
  size_ = static_cast<size_t>(info.st_size);
  void* map = mmap(nullptr, size_, PROT_READ, MAP_SHARED, fd_, 0);
  if (map == MAP_FAILED) return;
  map_ = static_cast<const uint8_t*>(map);
  madvise(map, size_, MADV_SEQUENTIAL);
}

ByteSource::~ByteSource() {
  if (map_) munmap(const_cast<uint8_t*>(map_), size_);
  if (fd_ >= 0) close(fd_);
}

void ByteSource::fail(int error) const {
  throw Error(kFailed, "'" + path_ + "' cannot be read: " + std::strerror(error));
}

// Makes `count` bytes available in ahead_, fewer at the end of the file.
void ByteSource::fill(size_t count) {
  if (ahead_.size() - ahead_at_ >= count) return;
  ahead_.erase(ahead_.begin(), ahead_.begin() + static_cast<std::ptrdiff_t>(ahead_at_));
  ahead_at_ = 0;
  size_t filled = ahead_.size();
  ahead_.resize(kReadAhead);
  while (filled < count) {
    const ssize_t got = ::read(fd_, ahead_.data() + filled, ahead_.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(errno);
    if (got == 0) break;
    filled += static_cast<size_t>(got);
  }
  ahead_.resize(filled);
}

bool ByteSource::at_end() {
  if (map_) return at_ == size_;
  fill(1);
  return ahead_.size() == ahead_at_;
}

std::string ByteSource::peek(size_t count) {
  if (map_) return {reinterpret_cast<const char*>(map_) + at_, std::min(count, size_ - at_)};
  fill(count);
  return {reinterpret_cast<const char*>(ahead_.data()) + ahead_at_, std::min(count, ahead_.size() - ahead_at_)};
}

bool ByteSource::line(std::string& text, size_t longest) {
  text = peek(longest);
  const size_t end = text.find('\n');
  if (end == std::string::npos) return false;
  text.resize(end);
  (map_ ? at_ : ahead_at_) += end + 1;
  return true;
}

const uint8_t* ByteSource::take(size_t count) {
  if (size_ - at_ < count) return nullptr;
  const uint8_t* bytes = map_ + at_;
#ifdef MADV_POPULATE_READ
  // Page in at once, and learn of a failing disk here instead of by a signal. Older kernels don't know this.
  const size_t lead = at_ % kPage;
  if (madvise(const_cast<uint8_t*>(bytes) - lead, count + lead, MADV_POPULATE_READ) != 0 && errno == EFAULT) fail(EIO);
#endif
  at_ += count;
  return bytes;
}

bool ByteSource::read(uint8_t* target, size_t count) {
  if (count == 0) return true;
  if (map_) {
    const uint8_t* bytes = take(count);
    if (!bytes) return false;
    std::memcpy(target, bytes, count);
    return true;
  }
  const size_t from_ahead = std::min(count, ahead_.size() - ahead_at_);
  std::copy_n(ahead_.data() + ahead_at_, from_ahead, target);
  ahead_at_ += from_ahead;
  for (size_t filled = from_ahead; filled < count;) {
    const ssize_t got = ::read(fd_, target + filled, count - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(errno);
    if (got == 0) return false;
    filled += static_cast<size_t>(got);
  }
  return true;
}

}  // namespace tool
