// Bytes of a file, mapped where that is possible, else read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tool {

// Regular files are mapped, so that pictures are read in place; pipes ("-" is the standard input) are read.
// Throws tool::Error when the file cannot be opened or read.
class ByteSource {
 public:
  explicit ByteSource(const std::string& path);
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  bool mapped() const { return map_ != nullptr; }
  bool at_end();
  // Up to `count` bytes that come next, without taking them. Fewer only at the end of the file. count <= 64 KiB.
  std::string peek(size_t count);
  // Takes bytes up to a newline, which is dropped. False if there is none within `longest` bytes.
  bool line(std::string& text, size_t longest);
  // Takes `count` bytes in place, nullptr if fewer are left. Only when mapped(). They stay valid as long as the source.
  const uint8_t* take(size_t count);
  // Takes `count` bytes. False if fewer are left.
  bool read(uint8_t* target, size_t count);

 private:
  void fill(size_t count);
  [[noreturn]] void fail(int error) const;

  std::string path_;
  int fd_ = -1;
  const uint8_t* map_ = nullptr;
  size_t size_ = 0;
  size_t at_ = 0;
  // What was read ahead from a pipe: ahead_[ahead_at_ …].
  std::vector<uint8_t> ahead_;
  size_t ahead_at_ = 0;
};

}  // namespace tool
