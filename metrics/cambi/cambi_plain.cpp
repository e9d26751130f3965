#include "cambi/cambi_plain.h"

#include <algorithm>

#include "cambi/top_sum.h"
#include "core/error.h"

namespace qc::plain {
namespace {

size_t at(int x, int y, int width) {
  return static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x);
}

template <class T>
void decimate_plane(std::vector<T>& plane, int width, int height) {
  const int half_width = (width + 1) / 2;
  for (int y = 0; y < height; y += 2)
    for (int x = 0; x < width; x += 2) plane[at(x / 2, y / 2, half_width)] = plane[at(x, y, width)];
}

// How often each level occurs among the masked pixels of a window that slides along a row.
class SlidingWindow {
 public:
  SlidingWindow(const std::vector<uint16_t>& image, const std::vector<uint8_t>& mask, int width, int height)
      : image_(image), mask_(mask), width_(width), height_(height) {}

  void count_column(int x, int y, int pad, int step) {
    if (x < 0 || x >= width_) return;
    for (int row = std::max(y - pad, 0); row <= std::min(y + pad, height_ - 1); ++row) {
      const size_t i = at(x, row, width_);
      if (mask_[i]) counts_[cambi::kMaxDifferences + image_[i]] += step;
    }
  }
  void clear() { std::fill(std::begin(counts_), std::end(counts_), 0); }
  int count(int level) const { return counts_[cambi::kMaxDifferences + level]; }

 private:
  const std::vector<uint16_t>& image_;
  const std::vector<uint8_t>& mask_;
  int width_;
  int height_;
  int counts_[cambi::kLevels + 2 * cambi::kMaxDifferences] = {};
};

}  // namespace

void prepare(const PlaneView& plane, const cambi::PictureParameters& picture, bool smoothed,
             std::vector<uint16_t>& image) {
  if (plane.bytes == 2) {
    const uint32_t maximum = (1U << plane.depth) - 1;
    for (int y = 0; y < plane.height; ++y)
      for (int x = 0; x < plane.width; ++x)
        if (plane.at(x, y) > maximum)
          fail_invalid("cambi: a sample exceeds the greatest value of " + std::to_string(plane.depth) + " bits");
  }
  const int w = picture.width;
  const int h = picture.height;
  image.resize(at(0, h, w));
  for (int y = 0; y < h; ++y) {
    for (int x = 0; x < w; ++x) {
      const int column = picture.columns.empty() ? x : picture.columns[static_cast<size_t>(x)];
      const int row = picture.rows.empty() ? y : picture.rows[static_cast<size_t>(y)];
      image[at(x, y, w)] = static_cast<uint16_t>(cambi::to_level(plane.at(column, row), plane.depth));
    }
  }
  if (!smoothed) return;
  // A sample's own successors are still unfiltered when it is their turn.
  for (int y = 0; y < h; ++y) {
    for (int x = 0; x < w; ++x) {
      const int right = x + 1 < w;
      const int below = y + 1 < h;
      int sum = image[at(x, y, w)];
      if (right) sum += image[at(x + 1, y, w)];
      if (below) sum += image[at(x, y + 1, w)];
      if (right && below) sum += image[at(x + 1, y + 1, w)];
      image[at(x, y, w)] = static_cast<uint16_t>(sum >> (right + below));
    }
  }
}

void flat_areas(const std::vector<uint16_t>& image, int width, int height, int threshold, std::vector<uint8_t>& mask) {
  std::vector<uint8_t> equal(at(0, height, width));
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const uint16_t own = image[at(x, y, width)];
      equal[at(x, y, width)] = (x == width - 1 || own == image[at(x + 1, y, width)]) &&
                               (y == height - 1 || own == image[at(x, y + 1, width)]);
    }
  }
  mask.resize(at(0, height, width));
  std::vector<int> columns(static_cast<size_t>(width));
  for (int y = 0; y < height; ++y) {
    std::fill(columns.begin(), columns.end(), 0);
    for (int row = std::max(y - 3, 0); row <= std::min(y + 3, height - 1); ++row)
      for (int x = 0; x < width; ++x) columns[static_cast<size_t>(x)] += equal[at(x, row, width)];
    for (int x = 0; x < width; ++x) {
      int count = 0;
      for (int column = std::max(x - 3, 0); column <= std::min(x + 3, width - 1); ++column)
        count += columns[static_cast<size_t>(column)];
      mask[at(x, y, width)] = count > threshold;
    }
  }
}

void decimate(std::vector<uint16_t>& plane, int width, int height) { decimate_plane(plane, width, height); }
void decimate(std::vector<uint8_t>& plane, int width, int height) { decimate_plane(plane, width, height); }

void filter_modes(const std::vector<uint16_t>& image, int width, int height, std::vector<uint16_t>& filtered) {
  std::vector<uint16_t> rows(at(0, height, width));
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const size_t i = at(x, y, width);
      const bool edge = x == 0 || x == width - 1;
      rows[i] = static_cast<uint16_t>(edge ? image[i] : cambi::mode_of_three(image[i - 1], image[i], image[i + 1]));
    }
  }
  filtered.resize(rows.size());
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const size_t i = at(x, y, width);
      // The first and the last row are those of the image, not filtered along the row either.
      const bool edge = y == 0 || y == height - 1;
      filtered[i] = static_cast<uint16_t>(
          edge ? image[i] : cambi::mode_of_three(rows[at(x, y - 1, width)], rows[i], rows[at(x, y + 1, width)]));
    }
  }
}

void contrasts(const std::vector<uint16_t>& image, const std::vector<uint8_t>& mask, int width, int height, int window,
               const cambi::Parameters& p, std::vector<float>& contrasts) {
  contrasts.resize(at(0, height, width));
  const int pad = window / 2;
  SlidingWindow counts(image, mask, width, height);
  for (int y = 0; y < height; ++y) {
    counts.clear();
    for (int x = 0; x < pad; ++x) counts.count_column(x, y, pad, 1);
    for (int x = 0; x < width; ++x) {
      counts.count_column(x + pad, y, pad, 1);
      counts.count_column(x - pad - 1, y, pad, -1);
      const size_t i = at(x, y, width);
      float largest = 0;
      if (mask[i]) {
        const int level = image[i];
        const int own = counts.count(level);
        for (int d = p.first_difference[level]; d <= p.differences; ++d) {
          const int other = std::max(counts.count(level + d), counts.count(level - d));
          const float value =
              cambi::contrast(cambi::contrast_weight(d), own, other, p.reciprocals[static_cast<size_t>(own + other)]);
          largest = std::max(largest, value);
        }
      }
      contrasts[i] = largest;
    }
  }
}

void contrast_sums(const PlaneView& plane, const cambi::PictureParameters& picture, const cambi::Parameters& parameters,
                   cambi::Scratch& scratch, const cambi::ContrastObserver& observe, double sums[kCambiScales]) {
  prepare(plane, picture, parameters.smoothed, scratch.image);
  int w = picture.width;
  int h = picture.height;
  flat_areas(scratch.image, w, h, picture.mask_threshold, scratch.mask);
  for (int s = 0; s < kCambiScales; ++s) {
    const cambi::Scale& scale = picture.scales[s];
    if (s > 0 || parameters.half_size) {
      decimate(scratch.image, w, h);
      decimate(scratch.mask, w, h);
    }
    w = scale.width;
    h = scale.height;
    filter_modes(scratch.image, w, h, scratch.filtered);
    std::swap(scratch.image, scratch.filtered);
    contrasts(scratch.image, scratch.mask, w, h, picture.window, parameters, scratch.contrasts);
    if (observe) observe(s, scratch.contrasts.data());
    sums[s] = cambi::ordered_top_sum(scratch.contrasts.data(), scale.pixels(), scale.pooled);
  }
}

}  // namespace qc::plain
