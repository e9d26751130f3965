// Pictures of raw and Y4M files as the command-line tool reads them.
#include "video_file.h"

#include <sys/stat.h>

#include <numeric>
#include <thread>

#include "tool_error.h"
#include "unit.h"

namespace {

using tool::Picture;
using tool::RawLayout;
using tool::VideoFile;

// Bytes 0, 1, 2, … modulo 251.
std::string counted(size_t count, int first = 0) {
  std::string bytes(count, '\0');
  for (size_t i = 0; i < count; ++i) bytes[i] = static_cast<char>((first + static_cast<int>(i)) % 251);
  return bytes;
}

void write(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

template <class T>
T sample(const Picture& picture, int plane, int x, int y) {
  const auto* row = static_cast<const uint8_t*>(picture.frame.data[plane]) + y * picture.frame.stride[plane];
  T value;
  std::memcpy(&value, row + static_cast<size_t>(x) * sizeof value, sizeof value);
  return value;
}

void planes_of_raw_files(void**) {
  const unit::TemporaryFolder folder;
  write(folder.path("v"), counted(5 * 3 + 2 * 3 * 2) + counted(27, 100));
  VideoFile file(folder.path("v"), RawLayout{5, 3, QC_CHROMA_420, 8});
  assert_int_equal(file.format().width, 5);
  assert_int_equal(file.format().sample_bytes, 1);
  Picture first;
  Picture second;
  assert_true(file.next(first));
  assert_true(file.next(second));
  assert_int_equal(sample<uint8_t>(first, 0, 4, 2), 14);
  assert_int_equal(sample<uint8_t>(first, 1, 0, 0), 15);
  assert_int_equal(sample<uint8_t>(first, 1, 2, 1), 20);
  assert_int_equal(sample<uint8_t>(first, 2, 2, 1), 26);
  assert_int_equal(sample<uint8_t>(second, 2, 2, 1), 126);
  Picture none;
  assert_false(file.next(none));
  file.release(first);
  file.release(second);
}

void layouts(void**) {
  const unit::TemporaryFolder folder;
  const struct {
    QCChroma chroma;
    size_t samples;
    int chroma_stride;
  } cases[] = {{QC_CHROMA_400, 15, 0}, {QC_CHROMA_420, 27, 3}, {QC_CHROMA_422, 33, 3}, {QC_CHROMA_444, 45, 5}};
  for (const auto& c : cases) {
    write(folder.path("v"), counted(2 * c.samples));
    VideoFile file(folder.path("v"), RawLayout{5, 3, c.chroma, 12});
    Picture picture;
    assert_true(file.next(picture));
    assert_int_equal(picture.frame.stride[0], 10);
    assert_int_equal(picture.frame.stride[1], 2 * c.chroma_stride);
    assert_int_equal(sample<uint16_t>(picture, 0, 0, 1), 10 + 256 * 11);
    assert_false(file.next(picture));
  }
}

void headers(void**) {
  const unit::TemporaryFolder folder;
  const auto format = [&](const std::string& tags) {
    write(folder.path("v"), "YUV4MPEG2 " + tags + "\n");
    return VideoFile(folder.path("v"), std::nullopt).format();
  };
  const std::string size = "W6 H4 F25:1 Ip ";
  assert_int_equal(format(size).chroma, QC_CHROMA_420);
  assert_int_equal(format(size).depth, 8);
  assert_int_equal(format(size).full_range, -1);
  assert_int_equal(format(size + "C422p10 XYSCSS=422P10 XCOLORRANGE=LIMITED").depth, 10);
  assert_int_equal(format(size + "C422p10 XYSCSS=422P10 XCOLORRANGE=LIMITED").full_range, 0);
  assert_int_equal(format(size + "C444p16").chroma, QC_CHROMA_444);
  assert_int_equal(format(size + "C444p16").sample_bytes, 2);
  assert_int_equal(format(size + "Cmono").chroma, QC_CHROMA_400);
  assert_int_equal(format(size + "Cmono12").depth, 12);
  for (const char* bad : {"W6 H4 F25:1 C420p17", "W6 H4 F25:1 C420x10", "W6 H4 F25:1 C411", "W6 H4 F25:1 Cmonop10",
                          "W6 F25:1", "W6 H4", "W0 H4 F25:1", "Wx H4 F25:1", "W6 H4 F25:1 Ib", "W6 H4 F25:1 C420p08"}) {
    bool refused = false;
    try {
      format(bad);
    } catch (const tool::Error& e) {
      refused = e.status() == tool::kFailed;
    }
    if (!refused) fail_msg("accepted: %s", bad);
  }
}

// Deeper samples: the file's, shifted left. From a mapped file and from a pipe.
void deepened(void**) {
  const unit::TemporaryFolder folder;
  const std::string pictures = counted(24) + counted(24, 60) + counted(24, 120);
  write(folder.path("file"), pictures);
  assert_int_equal(mkfifo(folder.path("pipe").c_str(), 0600), 0);
  for (const char* name : {"file", "pipe"}) {
    std::thread writer([&] {
      if (std::string(name) == "pipe") write(folder.path("pipe"), pictures);
    });
    VideoFile file(folder.path(name), RawLayout{4, 4, QC_CHROMA_420, 8});
    file.deepen(10);
    assert_int_equal(file.format().depth, 10);
    assert_int_equal(file.format().sample_bytes, 2);
    Picture one;
    Picture two;
    assert_true(file.next(one));
    assert_true(file.next(two));
    assert_int_equal(sample<uint16_t>(one, 0, 3, 3), 15 << 2);
    assert_int_equal(sample<uint16_t>(one, 2, 1, 1), 23 << 2);
    assert_int_equal(sample<uint16_t>(two, 0, 0, 0), 60 << 2);
    file.release(one);
    Picture three;
    assert_true(file.next(three));  // takes the buffer of the first
    assert_int_equal(sample<uint16_t>(three, 2, 1, 1), 143 << 2);
    assert_int_equal(sample<uint16_t>(two, 2, 1, 1), 83 << 2);
    assert_false(file.next(one));
    file.release(two);
    file.release(three);
    writer.join();
  }
  write(folder.path("deep"), std::string(24, '\1'));
  VideoFile file(folder.path("deep"), RawLayout{4, 2, QC_CHROMA_420, 10});
  file.deepen(16);
  Picture picture;
  assert_true(file.next(picture));
  assert_int_equal(sample<uint16_t>(picture, 2, 1, 0), 0x101 << 6);
  file.release(picture);
}

// Samples of two bytes begin at even addresses, whatever the length of the headers before them.
void alignment(void**) {
  const unit::TemporaryFolder folder;
  for (const char* tail : {"", " "}) {
    write(folder.path("v"), std::string("YUV4MPEG2 W4 H2 F25:1 Ip C420p10") + tail + "\nFRAME\n" + counted(24) +
                                "FRAME Ip\n" + counted(24, 100));
    VideoFile file(folder.path("v"), std::nullopt);
    for (int first : {0, 100}) {
      Picture picture;
      assert_true(file.next(picture));
      assert_int_equal(reinterpret_cast<uintptr_t>(picture.frame.data[0]) % 2, 0);
      assert_int_equal(sample<uint16_t>(picture, 0, 0, 0), first + 256 * (first + 1));
      assert_int_equal(sample<uint16_t>(picture, 2, 1, 0), first + 22 + 256 * (first + 23));
      file.release(picture);
    }
  }
}

void alpha_is_dropped(void**) {
  const unit::TemporaryFolder folder;
  write(folder.path("v"), "YUV4MPEG2 W2 H2 F25:1 Ip C444alpha\nFRAME\n" + counted(16) + "FRAME\n" + counted(16, 50));
  VideoFile file(folder.path("v"), std::nullopt);
  Picture picture;
  assert_true(file.next(picture));
  assert_true(file.next(picture));
  assert_int_equal(sample<uint8_t>(picture, 0, 0, 0), 50);
  assert_int_equal(sample<uint8_t>(picture, 2, 1, 1), 61);
  assert_false(file.next(picture));
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(planes_of_raw_files),
      cmocka_unit_test(layouts),
      cmocka_unit_test(headers),
      cmocka_unit_test(deepened),
      cmocka_unit_test(alignment),
      cmocka_unit_test(alpha_is_dropped),
  };
  return cmocka_run_group_tests_name("video files", tests, nullptr, nullptr);
}
