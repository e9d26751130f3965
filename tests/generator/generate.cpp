// Writes the generated clips as raw video: `generate DIR` makes DIR/NAME.ref.yuv and DIR/NAME.dis.yuv, and prints a
// line "NAME WIDTH HEIGHT CHROMA DEPTH FRAMES" a pair.
#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>

#include "generator/scenes.h"

namespace {

void write(const std::string& path, const qc::test::Clip& clip) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(clip.bytes.data()), static_cast<std::streamsize>(clip.bytes.size()));
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: generate DIR\n", stderr);
    return 2;
  }
  try {
    for (const qc::test::Scene& scene : qc::test::scenes()) {
      const std::string base = std::string(argv[1]) + "/" + scene.name;
      write(base + ".ref.yuv", qc::test::reference_clip(scene));
      write(base + ".dis.yuv", qc::test::distorted_clip(scene));
      std::printf("%s %d %d %d %d %d\n", scene.name, scene.width, scene.height, scene.chroma, scene.depth,
                  scene.frames);
    }
  } catch (const std::exception& e) {
    std::fprintf(stderr, "generate: %s\n", e.what());
    return 1;
  }
}
