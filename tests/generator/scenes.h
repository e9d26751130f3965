// Deterministic pairs of clips for tests. Integer arithmetic only, so that they are the same on every machine.
#pragma once

#include <span>
#include <string>

#include "golden/clip.h"

namespace qc::test {

// What the reference shows. Everything moves from frame to frame.
enum class Texture {
  Waves,     // overlapping triangle waves of several directions, with hard edges
  Gradient,  // a slow ramp in both directions: bands when it is quantised
  Noise,     // white noise, new in every frame
  Cut,       // Waves, replaced by other waves at frame 2, with a still part
  Flat,      // one value
};

// How the distorted clip is made from the reference.
enum class Distortion {
  None,
  Blocks,    // 8x8 Walsh-Hadamard transform with a coarse quantiser, as a coder leaves it
  Blur,      // 5x5 box
  Halved,    // halved and doubled in size
  Noise,     // white noise added
  Bands,     // low bits dropped
  Contrast,  // stretched about the middle and clipped
  Shift,     // moved by one sample
  Other,     // unrelated noise
  Invert,    // every bit flipped
};

struct Scene {
  const char* name;
  int width;
  int height;
  QCChroma chroma;
  int depth;
  int frames;
  Texture texture;
  Distortion distortion;
};

std::span<const Scene> scenes();

Clip reference_clip(const Scene& scene);
Clip distorted_clip(const Scene& scene);

}  // namespace qc::test
