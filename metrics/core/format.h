// Geometry of a stream and borrowed pairs of pictures.
#pragma once

#include <memory>

#include "math/plane_view.h"
#include "qualitycuda.h"

namespace qc {

// What both inputs have in common.
struct Geometry {
  int width = 0;
  int height = 0;
  QCChroma chroma = QC_CHROMA_420;
  int depth = 8;

  // Planes that the pictures have: 1 or 3.
  int planes() const { return chroma == QC_CHROMA_400 ? 1 : 3; }
  // Size of plane p (0 luma, 1 Cb, 2 Cr) as libvmaf's features see it: chroma of odd pictures is rounded down.
  int plane_width(int p) const { return p > 0 && chroma != QC_CHROMA_444 ? width / 2 : width; }
  int plane_height(int p) const { return p > 0 && chroma == QC_CHROMA_420 ? height / 2 : height; }
  // Size of plane p as it is stored: chroma rounded up.
  int stored_width(int p) const { return p > 0 && chroma != QC_CHROMA_444 ? (width + 1) / 2 : width; }
  int stored_height(int p) const { return p > 0 && chroma == QC_CHROMA_420 ? (height + 1) / 2 : height; }
  int max_value() const { return (1 << depth) - 1; }
  bool operator==(const Geometry&) const = default;
};

// Throws if `format` is not one that the library can read; `which` names the input in the message.
void check_format(const QCFormat& format, const char* which);

// True if the planes are green, blue and red.
inline bool is_rgb(const QCFormat& format) { return format.matrix == 0; }

Geometry geometry_of(const QCFormat& format);

// Planes of `frame` with floor-sized chroma.
PictureView view_of(const QCFrame& frame, const QCFormat& format);

// A pair on its way through the library. Destroying it calls the sender's release callback, unless the pair was
// refused.
class Pair {
 public:
  Pair(const QCPair& pair, const QCFormat& reference, const QCFormat& distorted);
  ~Pair();
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;

  // The sender keeps the pair.
  void refuse() { release_ = nullptr; }

  PairView view;

 private:
  void (*release_)(void*);
  void* release_opaque_;
};

}  // namespace qc
