#include "core/format.h"

#include <string>

#include "core/error.h"

namespace qc {

void check_format(const QCFormat& f, const char* which) {
  const std::string where = std::string(which) + " input: ";
  if (f.width < 1 || f.height < 1 || f.width > 32768 || f.height > 32768)
    fail_invalid(where + "a size of " + std::to_string(f.width) + "x" + std::to_string(f.height) +
                 " is outside 1x1 to 32768x32768");
  if (f.chroma != QC_CHROMA_400 && f.chroma != QC_CHROMA_420 && f.chroma != QC_CHROMA_422 && f.chroma != QC_CHROMA_444)
    fail_invalid(where + "unknown chroma sampling " + std::to_string(f.chroma));
  if (is_rgb(f) && (f.chroma != QC_CHROMA_444 || f.interleaved_chroma))
    fail_invalid(where + "RGB needs three whole planes");
  // libvmaf has 8, 10, 12 and 16; its formulas hold for 9 and 14, which FFmpeg has formats of. Nothing has the others.
  if (f.depth != 8 && f.depth != 9 && f.depth != 10 && f.depth != 12 && f.depth != 14 && f.depth != 16)
    fail_invalid(where + "a bit depth of " + std::to_string(f.depth) + " is none of 8, 9, 10, 12, 14 and 16");
  if (f.sample_bytes != (f.depth == 8 ? 1 : 2) || f.shift < 0 || f.shift + f.depth > 8 * f.sample_bytes)
    fail_invalid(where + "samples of " + std::to_string(f.depth) + " bits with shift " + std::to_string(f.shift) +
                 " do not fit " + std::to_string(f.sample_bytes) + " byte(s)");
}

Geometry geometry_of(const QCFormat& f) { return {f.width, f.height, f.chroma, f.depth}; }

PictureView view_of(const QCFrame& frame, const QCFormat& f) {
  const Geometry g = geometry_of(f);
  PictureView v{};
  for (int p = 0; p < g.planes(); ++p) {
    const bool interleaved = p > 0 && f.interleaved_chroma;
    const int source = interleaved ? 1 : p;
    const auto* data = static_cast<const uint8_t*>(frame.data[source]);
    if (interleaved && p == 2) data += f.sample_bytes;
    v.plane[p] = {data,
                  frame.stride[source],
                  g.plane_width(p),
                  g.plane_height(p),
                  static_cast<uint8_t>(f.sample_bytes),
                  static_cast<uint8_t>(interleaved ? 2 : 1),
                  static_cast<uint8_t>(f.shift),
                  static_cast<uint8_t>(f.depth)};
  }
  return v;
}

Pair::Pair(const QCPair& pair, const QCFormat& reference, const QCFormat& distorted)
    : view{view_of(pair.reference, reference), view_of(pair.distorted, distorted)},
      release_(pair.release),
      release_opaque_(pair.release_opaque) {}

Pair::~Pair() {
  if (release_) release_(release_opaque_);
}

}  // namespace qc
