// Writes the generated clips as raw video: `generate DIR` makes DIR/NAME.ref.yuv and DIR/NAME.dis.yuv, and prints a
// line "NAME WIDTH HEIGHT CHROMA DEPTH FRAMES" a pair. `generate DIR WIDTH HEIGHT FRAMES` makes one pair of that size,
// called large, for timing.
#include <cstdio>
#include <cstdlib>
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

void write_pair(const std::string& folder, const qc::test::Scene& scene) {
  const std::string base = folder + "/" + scene.name;
  write(base + ".ref.yuv", qc::test::reference_clip(scene));
  write(base + ".dis.yuv", qc::test::distorted_clip(scene));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 && argc != 5) {
    std::fputs("usage: generate DIR [WIDTH HEIGHT FRAMES]\n", stderr);
    return 2;
  }
  try {
    if (argc == 5) {
      write_pair(argv[1], {"large", std::atoi(argv[2]), std::atoi(argv[3]), QC_CHROMA_420, 8, std::atoi(argv[4]),
                           qc::test::Texture::Cut, qc::test::Distortion::Blocks});
      return 0;
    }
    for (const qc::test::Scene& scene : qc::test::scenes()) {
      write_pair(argv[1], scene);
      std::printf("%s %d %d %d %d %d\n", scene.name, scene.width, scene.height, scene.chroma, scene.depth,
                  scene.frames);
    }
  } catch (const std::exception& e) {
    std::fprintf(stderr, "generate: %s\n", e.what());
    return 1;
  }
}
