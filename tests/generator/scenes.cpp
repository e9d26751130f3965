#include "generator/scenes.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

#include "core/format.h"

namespace qc::test {
namespace {

constexpr Scene kScenes[] = {
    {"blocks420", 208, 180, QC_CHROMA_420, 8, 4, Texture::Waves, Distortion::Blocks},
    {"blur420-odd", 179, 177, QC_CHROMA_420, 8, 3, Texture::Waves, Distortion::Blur},
    {"halved422-odd-10", 193, 181, QC_CHROMA_422, 10, 3, Texture::Waves, Distortion::Halved},
    {"contrast444-12", 176, 184, QC_CHROMA_444, 12, 3, Texture::Waves, Distortion::Contrast},
    {"blocks420-16", 192, 176, QC_CHROMA_420, 16, 3, Texture::Waves, Distortion::Blocks},
    {"bands420-10", 400, 256, QC_CHROMA_420, 10, 2, Texture::Gradient, Distortion::Bands},
    {"cut422", 240, 178, QC_CHROMA_422, 8, 6, Texture::Cut, Distortion::Blocks},
    {"noise-gray", 185, 176, QC_CHROMA_400, 8, 3, Texture::Waves, Distortion::Noise},
    {"shift-gray-12", 176, 179, QC_CHROMA_400, 12, 3, Texture::Waves, Distortion::Shift},
    {"noise420-other", 128, 96, QC_CHROMA_420, 8, 3, Texture::Noise, Distortion::Other},
    {"noise420-10-invert", 66, 70, QC_CHROMA_420, 10, 3, Texture::Noise, Distortion::Invert},
    {"flat420-invert", 96, 64, QC_CHROMA_420, 8, 2, Texture::Flat, Distortion::Invert},
    {"identical444", 180, 176, QC_CHROMA_444, 8, 3, Texture::Waves, Distortion::None},
    {"small420", 34, 36, QC_CHROMA_420, 8, 3, Texture::Waves, Distortion::Noise},
    {"one-frame420", 200, 180, QC_CHROMA_420, 8, 1, Texture::Waves, Distortion::Halved},
    {"wide420", 576, 320, QC_CHROMA_420, 8, 3, Texture::Cut, Distortion::Blocks},
};

uint32_t hash(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  uint32_t h = a * 0x9e3779b1U ^ b * 0x85ebca77U ^ c * 0xc2b2ae3dU ^ d * 0x27d4eb2fU;
  h ^= h >> 15;
  h *= 0x2c1b3c6dU;
  h ^= h >> 12;
  h *= 0x297a2d39U;
  h ^= h >> 15;
  return h;
}

// A triangle wave of period 1024, 0 to 511.
int triangle(int phase) {
  const int p = phase & 1023;
  return p < 512 ? p : 1023 - p;
}

// 0 to 65535.
int waves(int plane, int x, int y, int n, int seed) {
  const int scale = plane ? 2 : 1;  // chroma is smoother
  const int a = triangle((x * 37 + y * 11) / scale + n * 29 + seed);
  const int b = triangle((x * 5 - y * 23) / scale + n * 13 + seed * 3);
  const int c = triangle(((x * x + y * y) / 37 + n * 41) / scale + seed * 7);
  const bool edge = (((x + 3 * n) / 24 + (y + n) / 20) & 1) != 0;
  const int grain = static_cast<int>(hash(uint32_t(x), uint32_t(y), uint32_t(plane), uint32_t(seed)) & 2047);
  return std::clamp(a * 40 + b * 36 + c * 24 + (edge ? 9000 : 0) + grain - plane * 2000, 0, 65535);
}

int reference_value(const Scene& scene, int plane, int x, int y, int n) {
  switch (scene.texture) {
    case Texture::Waves:
      return waves(plane, x, y, n, 17);
    case Texture::Gradient:
      return std::clamp(9000 + (x + 2 * n) * 83 / (plane + 1) + y * 41, 0, 65535);
    case Texture::Noise:
      return static_cast<int>(hash(uint32_t(x), uint32_t(y), uint32_t(n), uint32_t(plane)) >> 16);
    case Texture::Cut:
      if (y >= scene.height / 2) return waves(plane, x, y, 0, 5);
      return n < 2 ? waves(plane, x, y, n, 5) : waves(plane, y, x, n, 311);
    case Texture::Flat:
      break;
  }
  return plane ? 30000 : 0;
}

// Samples of one plane with its size; reads outside are clamped to the border.
struct Samples {
  int width;
  int height;
  std::vector<int> value;

  int& at(int x, int y) { return value[static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x)]; }
  int clamped(int x, int y) const {
    const size_t row = static_cast<size_t>(std::clamp(y, 0, height - 1)) * static_cast<size_t>(width);
    return value[row + static_cast<size_t>(std::clamp(x, 0, width - 1))];
  }
};

Samples reference_plane(const Scene& scene, int plane, int n) {
  const Geometry g = geometry_of(planar_format(scene.width, scene.height, scene.chroma, scene.depth));
  Samples s{g.stored_width(plane), g.stored_height(plane), {}};
  s.value.reserve(static_cast<size_t>(s.width) * static_cast<size_t>(s.height));
  for (int y = 0; y < s.height; ++y)
    for (int x = 0; x < s.width; ++x) s.value.push_back(reference_value(scene, plane, x, y, n) >> (16 - scene.depth));
  return s;
}

// In-place Walsh-Hadamard transform of 8 values, `step` apart.
void hadamard(std::array<int, 64>& v, int first, int step) {
  for (int half = 1; half < 8; half *= 2) {
    for (int i = 0; i < 8; i += 2 * half) {
      for (int k = i; k < i + half; ++k) {
        int& a = v[static_cast<size_t>(first + k * step)];
        int& b = v[static_cast<size_t>(first + (k + half) * step)];
        const int sum = a + b;
        b = a - b;
        a = sum;
      }
    }
  }
}

void hadamard8x8(std::array<int, 64>& block) {
  for (int i = 0; i < 8; ++i) hadamard(block, 8 * i, 1);
  for (int i = 0; i < 8; ++i) hadamard(block, i, 8);
}

Samples quantised_blocks(const Samples& in, int depth) {
  Samples out = in;
  const int max = (1 << depth) - 1;
  for (int y = 0; y < in.height; y += 8) {
    for (int x = 0; x < in.width; x += 8) {
      std::array<int, 64> block;
      for (int i = 0; i < 64; ++i) block[static_cast<size_t>(i)] = in.clamped(x + i % 8, y + i / 8);
      hadamard8x8(block);
      for (int i = 1; i < 64; ++i) {
        const int step = (24 + 10 * (i % 8 + i / 8)) << (depth - 8) << 3;
        int& c = block[static_cast<size_t>(i)];
        const int level = std::abs(c) / step;
        c = (c < 0 ? -level : level) * step;
      }
      hadamard8x8(block);
      for (int i = 0; i < 64; ++i)
        if (x + i % 8 < in.width && y + i / 8 < in.height)
          out.at(x + i % 8, y + i / 8) = std::clamp((block[static_cast<size_t>(i)] + 32) >> 6, 0, max);
    }
  }
  return out;
}

Samples distorted_plane(const Scene& scene, int plane, int n) {
  const Samples in = reference_plane(scene, plane, n);
  const int max = (1 << scene.depth) - 1;
  if (scene.distortion == Distortion::Blocks) return quantised_blocks(in, scene.depth);
  Samples out = in;
  for (int y = 0; y < in.height; ++y) {
    for (int x = 0; x < in.width; ++x) {
      const auto noise = static_cast<int>(hash(uint32_t(x), uint32_t(y), uint32_t(n), 77U + uint32_t(plane)) & 0xffff);
      int v = in.clamped(x, y);
      int sum = 0;
      switch (scene.distortion) {
        case Distortion::None:
        case Distortion::Blocks:
          break;
        case Distortion::Blur:
          for (int j = -2; j <= 2; ++j)
            for (int i = -2; i <= 2; ++i) sum += in.clamped(x + i, y + j);
          v = (sum + 12) / 25;
          break;
        case Distortion::Halved:
          for (int i = 0; i < 4; ++i) sum += in.clamped(x / 2 * 2 + i % 2, y / 2 * 2 + i / 2);
          v = (sum + 2) / 4;
          break;
        case Distortion::Noise:
          v += ((noise - 32768) >> 4) >> (16 - scene.depth);
          break;
        case Distortion::Bands:
          v &= ~((1 << (scene.depth - 5)) - 1);
          break;
        case Distortion::Contrast:
          v = (max + 1) / 2 + (v - (max + 1) / 2) * 5 / 4;
          break;
        case Distortion::Shift:
          v = in.clamped(x + 1, y);
          break;
        case Distortion::Other:
          v = noise >> (16 - scene.depth);
          break;
        case Distortion::Invert:
          v = max - v;
          break;
      }
      out.at(x, y) = std::clamp(v, 0, max);
    }
  }
  return out;
}

template <class Plane>
Clip make_clip(const Scene& scene, Plane make_plane) {
  Clip clip{planar_format(scene.width, scene.height, scene.chroma, scene.depth), scene.frames, {}};
  clip.bytes.reserve(clip.frame_bytes() * static_cast<size_t>(scene.frames));
  for (int n = 0; n < scene.frames; ++n) {
    for (int p = 0; p < geometry_of(clip.format).planes(); ++p) {
      for (int v : make_plane(scene, p, n).value) {
        clip.bytes.push_back(static_cast<uint8_t>(v));
        if (clip.format.sample_bytes == 2) clip.bytes.push_back(static_cast<uint8_t>(v >> 8));
      }
    }
  }
  return clip;
}

}  // namespace

std::span<const Scene> scenes() { return kScenes; }

Clip reference_clip(const Scene& scene) { return make_clip(scene, reference_plane); }

Clip distorted_clip(const Scene& scene) { return make_clip(scene, distorted_plane); }

}  // namespace qc::test
