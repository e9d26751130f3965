// The file under a log: complete or absent, never half-written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace qc {

// Text for a path. An ordinary file is written under a temporary name beside the path and gets its name from finish(),
// so that an earlier log stays until the new one is complete; an unfinished one is removed. Pipes, sockets and devices
// are written directly, as are "-" and /dev/stdout (the process's standard output), /dev/stderr and /dev/fd/N.
class LogFile {
 public:
  // Throws QC_ERROR_IO with the reason if the path can't be written.
  explicit LogFile(const std::string& path);
  ~LogFile();
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  void write(std::string_view text);
  // Text can be put in later.
  bool patchable() const { return !streamed_; }
  // Leaves room for text that fill() brings. Only when patchable(), at most one place a file.
  void leave_room(size_t width);
  // `text` is cut at the room's width.
  void fill(std::string_view text);
  // For readers that follow a pipe: hands over what was written. Does nothing for ordinary files.
  void hand_over();
  void finish();

 private:
  void open_stream(int fd);
  void open_temporary();
  void flush();
  [[noreturn]] void fail(int error) const;

  std::string path_;
  std::string target_;     // path_ with symbolic links resolved
  std::string temporary_;  // empty: there is none
  int fd_ = -1;
  bool streamed_ = false;
  std::string buffer_;
  int64_t flushed_ = 0;
  int64_t room_at_ = -1;
  size_t room_ = 0;
};

}  // namespace qc
