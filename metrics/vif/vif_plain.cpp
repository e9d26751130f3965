#include "vif/vif_plain.h"

#include <array>
#include <vector>

#include "vif/vif_arithmetic.h"
#include "vif/vif_log.h"

namespace qc::plain {
namespace {

using vif::mirror;
using vif::tap;

struct Picture {
  int width = 0;
  int height = 0;
  std::vector<uint16_t> sample;
  uint16_t at(int x, int y) const {
    return sample[static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x)];
  }
};

Picture copy(const PlaneView& plane) {
  Picture p{plane.width, plane.height, {}};
  for (int y = 0; y < p.height; ++y)
    for (int x = 0; x < p.width; ++x) p.sample.push_back(static_cast<uint16_t>(plane.at(x, y)));
  return p;
}

// Every second sample of every second row of the picture filtered for `scale`.
Picture decimate(const Picture& from, int scale, int mean_shift) {
  const int r = vif::kRadius[scale];
  Picture to{from.width / 2, from.height / 2, {}};
  std::vector<uint32_t> row(static_cast<size_t>(from.width));
  for (int y = 0; y < to.height; ++y) {
    for (int x = 0; x < from.width; ++x) {
      uint32_t sum = 0;
      for (int k = -r; k <= r; ++k)
        sum += static_cast<uint32_t>(tap(scale, k)) * from.at(x, mirror(2 * y + k, from.height));
      row[static_cast<size_t>(x)] = (sum + (1U << (mean_shift - 1))) >> mean_shift;
    }
    for (int x = 0; x < to.width; ++x) {
      uint32_t sum = 0;
      for (int k = -r; k <= r; ++k)
        sum += static_cast<uint32_t>(tap(scale, k)) * row[static_cast<size_t>(mirror(2 * x + k, from.width))];
      to.sample.push_back(static_cast<uint16_t>((sum + 32768) >> 16));
    }
  }
  return to;
}

// Results of the vertical pass at a pixel.
struct Moments {
  uint32_t mean_r, mean_d;
  uint32_t square_r, square_d, product;
};

uint32_t logarithm(uint64_t z) {
  uint32_t shift = 0;
  while (z >> shift > 65535) ++shift;
  return vif::log_table()[(z >> shift) - 32768] + 2048 * shift;
}

void add_pixel(const vif::Variances& v, const VifRequest& request, VifSums& sums) {
  if (v.reference < vif::kNoise) {
    sums.flat_numerator += v.distorted;
    ++sums.flat_count;
    return;
  }
  sums.log_denominator +=
      logarithm(uint64_t{vif::kNoise} + static_cast<uint64_t>(v.reference)) - int64_t{logarithm(uint64_t{vif::kNoise})};
  if (v.both <= 0 || v.distorted <= 0) return;
  for (size_t i = 0; i < request.gain_limits.size(); ++i) {
    const vif::Kept kept = vif::kept_information(v, request.gain_limits[i]);
    sums.log_numerator[i] +=
        int64_t{logarithm(static_cast<uint64_t>(kept.second))} - int64_t{logarithm(static_cast<uint64_t>(kept.first))};
  }
}

// One scale's pictures, and what libvmaf reads beyond them where they have a single row or column: leftovers of the
// scale before.
struct Scale {
  const Picture& r;
  const Picture& d;
  const Picture* previous_r;  // of the scale before, if the height is 1
  const Picture* previous_d;
  Moments previous_column;  // of the scale before, last row, column 1
};

Moments vertical(const Scale& s, int scale, int depth, int x, int y) {
  const vif::Shifts shifts = vif::shifts(scale, depth);
  const int radius = vif::kRadius[scale];
  uint32_t mean_r = 0;
  uint32_t mean_d = 0;
  uint64_t square_r = 0;
  uint64_t square_d = 0;
  uint64_t product = 0;
  for (int k = -radius; k <= radius; ++k) {
    const auto f = static_cast<uint32_t>(tap(scale, k));
    const bool leftover = s.previous_r && k != 0;
    const int row = mirror(y + k, s.r.height);
    const uint32_t u = leftover ? s.previous_r->at(x, 1) : s.r.at(x, row);
    const uint32_t v = leftover ? s.previous_d->at(x, 1) : s.d.at(x, row);
    mean_r += f * u;
    mean_d += f * v;
    square_r += uint64_t{f} * (u * u);
    square_d += uint64_t{f} * (v * v);
    product += uint64_t{f} * (u * v);
  }
  auto mean = [&](uint32_t sum) { return ((sum + (1U << (shifts.mean - 1))) >> shifts.mean) & 0xffff; };
  auto square = [&](uint64_t sum) {
    const uint64_t round = shifts.square == 0 ? 0 : uint64_t{1} << (shifts.square - 1);
    return static_cast<uint32_t>((sum + round) >> shifts.square);
  };
  return {mean(mean_r), mean(mean_d), square(square_r), square(square_d), square(product)};
}

vif::Variances horizontal(const std::vector<Moments>& row, const Scale& s, int scale, int x) {
  const int radius = vif::kRadius[scale];
  const int width = s.r.width;
  uint32_t mean_r = 0;
  uint32_t mean_d = 0;
  uint64_t square_r = 32768;
  uint64_t square_d = 32768;
  uint64_t product = 32768;
  for (int k = -radius; k <= radius; ++k) {
    const auto f = static_cast<uint32_t>(tap(scale, k));
    const Moments& m = width == 1 && k != 0 ? s.previous_column : row[static_cast<size_t>(mirror(x + k, width))];
    mean_r += f * m.mean_r;
    mean_d += f * m.mean_d;
    square_r += uint64_t{f} * m.square_r;
    square_d += uint64_t{f} * m.square_d;
    product += uint64_t{f} * m.product;
  }
  return vif::variances(mean_r, mean_d, static_cast<uint32_t>(square_r >> 16), static_cast<uint32_t>(square_d >> 16),
                        static_cast<uint32_t>(product >> 16));
}

}  // namespace

void vif_sums(const PlaneView& reference, const PlaneView& distorted, const VifRequest& request,
              VifSums sums[kVifScales]) {
  Picture r = copy(reference);
  Picture d = copy(distorted);
  const int depth = reference.depth;
  Picture previous_r;
  Picture previous_d;
  Moments previous_column{};
  std::vector<Moments> row;
  for (int scale = 0; scale < kVifScales; ++scale) {
    if (scale > 0) {
      const int mean_shift = vif::shifts(scale - 1, depth).mean;
      previous_r = decimate(r, scale, mean_shift);
      previous_d = decimate(d, scale, mean_shift);
      std::swap(previous_r, r);
      std::swap(previous_d, d);
    }
    sums[scale] = {std::vector<int64_t>(request.gain_limits.size()), 0, 0, 0};
    if (scale == 0 && !request.scale0) continue;
    const bool single_row = r.height == 1;
    const Scale s{r, d, single_row ? &previous_r : nullptr, single_row ? &previous_d : nullptr, previous_column};
    row.resize(static_cast<size_t>(r.width));
    for (int y = 0; y < r.height; ++y) {
      for (int x = 0; x < r.width; ++x) row[static_cast<size_t>(x)] = vertical(s, scale, depth, x, y);
      for (int x = 0; x < r.width; ++x) add_pixel(horizontal(row, s, scale, x), request, sums[scale]);
    }
    if (r.width > 1) previous_column = row[1];
  }
}

}  // namespace qc::plain
