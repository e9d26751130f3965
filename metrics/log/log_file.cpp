#include "log/log_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "core/error.h"

namespace qc {
namespace {

constexpr size_t kBufferSize = 1 << 16;
// Room in a file name of 255 bytes for what the temporary name appends.
constexpr size_t kMaxBaseName = 200;

// The open descriptor that `path` stands for, -1: none.
int descriptor_of(std::string_view path) {
  if (path == "-" || path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    const std::string_view number = path.substr(folder.size());
    int fd = -1;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), fd);
    if (error == std::errc() && end == number.data() + number.size()) return fd;
  }
  return -1;
}

std::string resolved(const std::string& path) {
  char* real = realpath(path.c_str(), nullptr);
  if (!real) return path;
  std::string result = real;
  free(real);
  return result;
}

}  // namespace

LogFile::LogFile(const std::string& path) : path_(path) {
  buffer_.reserve(kBufferSize);
  if (const int fd = descriptor_of(path); fd >= 0) {
    open_stream(fcntl(fd, F_DUPFD_CLOEXEC, 0));
    return;
  }
  struct stat info;
  if (stat(path.c_str(), &info) == 0) {
    if (S_ISDIR(info.st_mode)) fail(EISDIR);
    if (!S_ISREG(info.st_mode)) {
      open_stream(open(path.c_str(), O_WRONLY | O_CLOEXEC));
      return;
    }
    // Renaming would replace even a read-only file.
    if (access(path.c_str(), W_OK) != 0) fail(errno);
  }
  target_ = resolved(path);
  open_temporary();
}

LogFile::~LogFile() {
  if (fd_ >= 0) close(fd_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void LogFile::open_stream(int fd) {
  if (fd < 0) fail(errno);
  fd_ = fd;
  streamed_ = true;
}

void LogFile::open_temporary() {
  static std::atomic<unsigned> counter{0};
  const size_t slash = target_.rfind('/');
  const size_t base = slash == std::string::npos ? 0 : slash + 1;
  for (;;) {
    std::string name = target_.substr(0, base) + target_.substr(base, kMaxBaseName) + "." + std::to_string(getpid()) +
                       "-" + std::to_string(counter++) + ".partial";
    fd_ = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd_ >= 0) {
      temporary_ = std::move(name);
      return;
    }
    if (errno != EEXIST) fail(errno);
  }
}

void LogFile::write(std::string_view text) {
  if (buffer_.size() + text.size() > kBufferSize) flush();
  buffer_ += text;
}

void LogFile::leave_room(size_t width) {
  room_at_ = flushed_ + static_cast<int64_t>(buffer_.size());
  room_ = width;
  write(std::string(width, ' '));
}

void LogFile::fill(std::string_view text) {
  flush();
  text = text.substr(0, room_);
  if (pwrite(fd_, text.data(), text.size(), room_at_) != static_cast<ssize_t>(text.size())) fail(errno);
}

void LogFile::hand_over() {
  if (streamed_) flush();
}

void LogFile::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t count = ::write(fd_, rest.data(), rest.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(errno);
    rest.remove_prefix(static_cast<size_t>(count));
  }
  flushed_ += static_cast<int64_t>(buffer_.size());
  buffer_.clear();
}

void LogFile::finish() {
  flush();
  const int fd = fd_;
  fd_ = -1;
  // Some file systems report a full disk only here.
  if (close(fd) != 0) fail(errno);
  if (temporary_.empty()) return;
  if (rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
  temporary_.clear();
}

void LogFile::fail(int error) const { fail_io("the log '" + path_ + "' cannot be written: " + std::strerror(error)); }

}  // namespace qc
