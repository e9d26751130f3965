#include "parity/frames.h"

#include <algorithm>

namespace qc::parity {
namespace {

int stored_width(const QCFormat& f, int p) { return p > 0 && f.chroma != QC_CHROMA_444 ? (f.width + 1) / 2 : f.width; }
int stored_height(const QCFormat& f, int p) {
  return p > 0 && f.chroma == QC_CHROMA_420 ? (f.height + 1) / 2 : f.height;
}

void draw_layout(Random& random, QCFormat& f) {
  f.sample_bytes = f.depth == 8 ? 1 : 2;
  f.shift = f.depth > 8 && f.depth < 16 && draw(random, 0, 1) ? 16 - f.depth : 0;
  f.interleaved_chroma = f.chroma != QC_CHROMA_400 && f.chroma != QC_CHROMA_444 && draw(random, 0, 1);
  f.matrix = f.primaries = f.transfer = 2;
  f.full_range = -1;
}

std::string layout_text(const QCFormat& f) {
  return std::string(f.interleaved_chroma ? "interleaved" : "planar") + ", shift " + std::to_string(f.shift);
}

// Rows padded at random, so that some are aligned for wide loads and some are not.
void lay_out(Random& random, Picture& p, const QCFormat& format) {
  p.format = format;
  p.planes = format.chroma == QC_CHROMA_400 ? 1 : format.interleaved_chroma ? 2 : 3;
  const bool aligned = draw(random, 0, 3) != 0;
  size_t bytes = aligned ? 0 : static_cast<size_t>(draw(random, 0, 15) * format.sample_bytes);
  for (int i = 0; i < p.planes; ++i) {
    const size_t samples = static_cast<size_t>(stored_width(format, i)) * (i > 0 && format.interleaved_chroma ? 2 : 1);
    p.stride[i] = samples * static_cast<size_t>(format.sample_bytes);
    if (aligned) {
      p.stride[i] = (p.stride[i] + 63) / 64 * 64;
    } else {
      p.stride[i] += static_cast<size_t>(draw(random, 0, 20) * format.sample_bytes);
    }
    p.offset[i] = bytes;
    bytes += p.stride[i] * static_cast<size_t>(stored_height(format, i));
    if (aligned) bytes = (bytes + 63) / 64 * 64;
  }
  p.memory.resize(bytes);
  for (uint8_t& b : p.memory) b = static_cast<uint8_t>(random());
}

void put(Picture& p, int plane, int x, int y, int value) {
  const bool interleaved = plane > 0 && p.format.interleaved_chroma;
  const int source = interleaved ? 1 : plane;
  const size_t column = interleaved ? static_cast<size_t>(2 * x + plane - 1) : static_cast<size_t>(x);
  uint8_t* row = p.memory.data() + p.offset[source] + static_cast<size_t>(y) * p.stride[source];
  if (p.format.sample_bytes == 1) {
    row[column] = static_cast<uint8_t>(value);
  } else {
    const int stored = value << p.format.shift;
    row[2 * column] = static_cast<uint8_t>(stored);
    row[2 * column + 1] = static_cast<uint8_t>(stored >> 8);
  }
}

}  // namespace

int draw(Random& random, int low, int high) {
  return low + static_cast<int>(random() % static_cast<uint64_t>(high - low + 1));
}

Plan draw_plan(Random& random, int least, int most, const std::vector<int>& depths) {
  constexpr QCChroma kChroma[] = {QC_CHROMA_420, QC_CHROMA_420, QC_CHROMA_422, QC_CHROMA_444, QC_CHROMA_400};
  Plan plan{};
  QCFormat& r = plan.reference;
  r.width = draw(random, least, most);
  r.height = draw(random, least, most);
  r.chroma = kChroma[draw(random, 0, 4)];
  r.depth = depths[static_cast<size_t>(draw(random, 0, static_cast<int>(depths.size()) - 1))];
  draw_layout(random, r);
  plan.distorted = r;
  if (draw(random, 0, 3) == 0) draw_layout(random, plan.distorted);
  plan.text = std::to_string(r.width) + "x" + std::to_string(r.height) + " 4:" + std::to_string(r.chroma - 400) + " " +
              std::to_string(r.depth) + " bit (" + layout_text(r) + " | " + layout_text(plan.distorted) + ")";
  return plan;
}

void draw_pair(Random& random, const Plan& plan, Picture& reference, Picture& distorted) {
  lay_out(random, reference, plan.reference);
  lay_out(random, distorted, plan.distorted);
  const int peak = (1 << plan.reference.depth) - 1;
  const int kind = draw(random, 0, 9);
  const int change = draw(random, 0, 5);
  const int amplitude = std::max(1, peak >> draw(random, 1, 8));
  for (int p = 0; p < (plan.reference.chroma == QC_CHROMA_400 ? 1 : 3); ++p) {
    const int level = draw(random, 0, peak);
    const int slope_x = draw(random, -amplitude, amplitude);
    const int slope_y = draw(random, -amplitude, amplitude);
    for (int y = 0; y < stored_height(plan.reference, p); ++y) {
      for (int x = 0; x < stored_width(plan.reference, p); ++x) {
        int r = level;
        if (kind == 0) r = draw(random, 0, peak);
        if (kind == 1) r = draw(random, 0, 1) ? peak : 0;
        if (kind == 2) r = (x / 4 + y / 4) % 2 ? peak : 0;
        if (kind >= 3 && kind <= 6)
          r = level + slope_x * x / 4 + slope_y * y / 4 + draw(random, -amplitude, amplitude) / 4;
        // Bands of neighbouring levels of 8 or 10 bits, with specks.
        if (kind >= 8) {
          const int step = std::max(1, kind == 8 ? peak / 255 : peak / 1023);
          r = level + (slope_x * x + slope_y * y) / (8 * amplitude) * step;
          if (draw(random, 0, 99) == 0) r += step;
        }
        r = std::clamp(r, 0, peak);
        int d = r;
        if (change == 1) d = r + draw(random, -1, 1);
        if (change == 2) d = r + draw(random, -amplitude, amplitude);
        if (change == 3) d = draw(random, 0, peak);
        if (change == 4) d = peak - r;
        if (change == 5) d = r + amplitude / 2;
        put(reference, p, x, y, r);
        put(distorted, p, x, y, std::clamp(d, 0, peak));
      }
    }
  }
}

}  // namespace qc::parity
