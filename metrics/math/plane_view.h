// How kernels on the host and on the device see one plane of a picture.
#pragma once

#include <cstdint>

#if defined(__CUDACC__) || defined(__CUDA__)
#define QC_HD __host__ __device__
#else
#define QC_HD
#endif

namespace qc {

// A borrowed plane as the decoder laid it out: rows `stride` bytes apart (negative for bottom-up host pictures),
// samples `step` apart (2 for interleaved chroma), in `bytes`-wide little-endian containers (1 or 2) whose value is
// `shift` bits above the least significant one.
struct PlaneView {
  const uint8_t* data;
  int64_t stride;
  int width;
  int height;
  uint8_t bytes;
  uint8_t step;
  uint8_t shift;
  uint8_t depth;

  // Sample at column x, row y, as an integer in 0 … 2^depth - 1.
  QC_HD uint32_t at(int x, int y) const {
    const uint8_t* row = data + y * stride;
    if (bytes == 1) return row[x * step];
    return static_cast<uint32_t>(reinterpret_cast<const uint16_t*>(row)[x * step]) >> shift;
  }
};

// The planes of one picture. Features see chroma planes of floor size for odd pictures; `full_width` and
// `full_height` of ceil-sized planes are derived by those that need them.
struct PictureView {
  PlaneView plane[3];
};

struct PairView {
  PictureView reference;
  PictureView distorted;
};

}  // namespace qc
