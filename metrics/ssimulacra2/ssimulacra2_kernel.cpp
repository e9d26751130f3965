#include "ssimulacra2/ssimulacra2_kernel.h"

#include <algorithm>

#include "ssim/float_row.h"
#include "ssimulacra2/blur_rows.h"
#include "ssimulacra2/picture_rows.h"
#include "ssimulacra2/ssimulacra2_plain.h"

namespace qc::ssimulacra2 {
namespace {

constexpr int kPictures = 2;

// Of rows that vector code reads and writes past their end.
size_t light_pitch(int width) { return (static_cast<size_t>(width) + 15) / 16 * 16 + kRowPadding; }
size_t tiles_of(int width) { return (static_cast<size_t>(width) + kTileColumns - 1) / kTileColumns; }
// Of rows of errors: not a multiple of a page, which would put all of them into the same places of the cache.
size_t error_pitch_of(int width) { return tiles_of(width) * kTileColumns + 24; }

PlaneView whole(const PlaneView& plane, const Size& size) {
  PlaneView p = plane;
  p.width = size.width;
  p.height = size.height;
  return p;
}

}  // namespace

Kernel::Kernel(const Parameters& parameters) : parameters_(parameters) {}

void Kernel::allocate() {
  const Size& size = parameters_.scale[0];
  const size_t light = light_pitch(size.width);
  const size_t tiles = tiles_of(size.width);
  samples_.resize(5 * light);
  block_.resize(kPictures * 3 * kBlockRows * light);
  for (int s = 1; s < std::min(parameters_.scales, 3); ++s)
    pictures_[s % 2].resize(kPictures * 3 * static_cast<size_t>(parameters_.scale[s].height) *
                            light_pitch(parameters_.scale[s].width));
  xyb_.resize(tiles * kChannels * kPictures * kRingTile);
  turned_.resize(kPictures * kBlockRows * tiles * kTileColumns);
  blurred_.resize(tiles * kChannels * kSignals * kRingTile);
  state_.resize(tiles * kChannels * kSignals * kStateTile);
  errors_.resize(2 * kBlockRows * error_pitch_of(size.width));
}

Kernel::Light Kernel::light(int scale, int picture) {
  Light l{};
  l.pitch = light_pitch(parameters_.scale[scale].width);
  const size_t rows = scale == 0 ? size_t{kBlockRows} : static_cast<size_t>(parameters_.scale[scale].height);
  float* base = scale == 0 ? block_.data() : pictures_[scale % 2].data();
  for (int p = 0; p < 3; ++p) l.plane[p] = base + static_cast<size_t>(3 * picture + p) * rows * l.pitch;
  return l;
}

// Linear light of rows first … first + rows - 1 of scale 0.
void Kernel::read_rows(const PictureView& view, int picture, int first, int rows) {
  Light to = light(0, picture);
  const Input& input = parameters_.input[picture];
  const int width = parameters_.plane[0].width;
  const int height = parameters_.plane[0].height;
  if (parameters_.rgb) {
    constexpr int kPlaneOf[3] = {2, 0, 1};
    for (int p = 0; p < 3; ++p) {
      const PlaneView& plane = view.plane[kPlaneOf[p]];
      for (int y = 0; y < rows; ++y) {
        float* row = to.row(p, y);
        for (int x = 0; x < width; ++x) row[x] = input.transfer[plane.at(x, first + y)];
      }
    }
  } else {
    float* sample[5];
    for (int i = 0; i < 5; ++i) sample[i] = samples_.data() + static_cast<size_t>(i) * to.pitch;
    const Size& chroma = parameters_.plane[1];
    int chroma_row = -1;
    for (int y = 0; y < rows; ++y) {
      read_float_row(view.plane[0], first + y, input.colour.step, sample[0]);
      const int cy = chroma_position(first + y, chroma.height, height);
      if (cy != chroma_row) {
        chroma_row = cy;
        for (int p = 1; p < 3; ++p) {
          read_float_row(whole(view.plane[p], chroma), cy, input.colour.step, sample[2 + p]);
          expand_chroma(sample[2 + p], chroma.width, width, sample[p]);
        }
      }
      yuv_row(sample[0], sample[1], sample[2], width, input.colour, input.transfer.data(), to.row(0, y), to.row(1, y),
              to.row(2, y));
    }
  }
  if (!input.colour.other_gamut) return;
  for (int y = 0; y < rows; ++y) {
    for (int x = 0; x < width; ++x) {
      const Rgb rgb = to_bt709({to.row(0, y)[x], to.row(1, y)[x], to.row(2, y)[x]}, input.colour);
      to.row(0, y)[x] = rgb.r;
      to.row(1, y)[x] = rgb.g;
      to.row(2, y)[x] = rgb.b;
    }
  }
}

void Kernel::scale_sums(const PairView& pair, int scale, Ssimulacra2Record& record) {
  const Size& size = parameters_.scale[scale];
  const size_t tiles = tiles_of(size.width);
  const size_t xyb_tile = kPictures * kRingTile;
  const bool has_next = scale + 1 < parameters_.scales;
  std::fill_n(state_.data(), tiles * kChannels * kSignals * kStateTile, 0.0f);
  std::fill_n(blurred_.data(), tiles * kChannels * kSignals * kRingTile, 0.0f);

  for (int first = 0; first < size.height + kAhead; first += kBlockRows) {
    const int rows = std::clamp(size.height - first, 0, kBlockRows);
    for (int picture = 0; picture < kPictures; ++picture) {
      Light from = light(scale, picture);
      if (scale == 0) {
        read_rows(picture == 0 ? pair.reference : pair.distorted, picture, first, rows);
      } else {
        for (float*& plane : from.plane) plane += static_cast<size_t>(first) * from.pitch;
      }
      if (has_next) {
        Light to = light(scale + 1, picture);
        for (int p = 0; p < 3; ++p)
          for (int y = 0; y < rows; y += 2)
            halve_row(from.row(p, y), from.row(p, std::min(y + 1, rows - 1)), size.width, to.row(p, (first + y) / 2));
      }
      for (int y = 0; y < rows; ++y) {
        float* to = xyb_.data() + picture * kRingTile + (first + y) % kRingRows * kTileColumns;
        xyb_row(parameters_.rgb, from.row(0, y), from.row(1, y), from.row(2, y), size.width, to, xyb_tile,
                tiles * xyb_tile);
      }
    }
    for (size_t c = 0; c < kChannels; ++c) {
      ChannelBlock block{};
      block.ssim = parameters_.weights[scale][c].ssim();
      block.edges = parameters_.weights[scale][c].edges();
      if (!block.ssim && !block.edges) continue;
      block.width = size.width;
      block.height = size.height;
      block.first = first;
      block.xyb = xyb_.data() + c * tiles * xyb_tile;
      for (size_t i = 0; i < kPictures; ++i) block.turned[i] = turned_.data() + i * kBlockRows * tiles * kTileColumns;
      block.blurred = blurred_.data() + c * tiles * kSignals * kRingTile;
      block.state = state_.data() + c * tiles * kSignals * kStateTile;
      block.errors = errors_.data();
      block.error_pitch = error_pitch_of(size.width);
      if (rows > 0) turn_block(block);
      blur_along_rows(parameters_.rgb, block);
      blur_down_columns(parameters_.rgb, block);
      for (int y = std::max(0, first - kAhead); y < std::min(first - kAhead + kBlockRows, size.height); ++y) {
        const double* errors = block.errors + static_cast<size_t>(2 * (y - (first - kAhead))) * block.error_pitch;
        add_errors(block.ssim ? errors : nullptr, block.edges ? errors + block.error_pitch : nullptr, size.width,
                   record.sum[scale][c]);
      }
    }
  }
}

void Kernel::sums(const PairView& pair, Ssimulacra2Record& record) {
  if (!has_vectors(parameters_.rgb)) return plain::sums(pair, parameters_, record);
  record = {};
  if (parameters_.scales == 0) return;
  allocate();
  for (int s = 0; s < parameters_.scales; ++s) scale_sums(pair, s, record);
}

}  // namespace qc::ssimulacra2
