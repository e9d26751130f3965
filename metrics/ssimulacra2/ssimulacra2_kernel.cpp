#include "ssimulacra2/ssimulacra2_kernel.h"

#include <algorithm>
#include <utility>

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

Kernel::Kernel(const Parameters& parameters) : parameters_(parameters) {
  for (int i = 0; i < kPictures && !parameters_.rgb; ++i) {
    const std::vector<float>& transfer = parameters_.input[i].transfer;
    transfer_pairs_[i].resize(2 * transfer.size());
    for (size_t j = 0; j < transfer.size(); ++j) {
      transfer_pairs_[i].data()[2 * j] = transfer[j];
      transfer_pairs_[i].data()[2 * j + 1] = transfer[std::min(j + 1, transfer.size() - 1)] - transfer[j];
    }
  }
}

void Kernel::allocate() {
  const Size& size = parameters_.scale[0];
  const size_t light = light_pitch(size.width);
  const size_t tiles = tiles_of(size.width);
  samples_.resize(5 * light);
  rows_.resize(3 * 2 * light);
  for (int s = 1; s < std::min(parameters_.scales, 3); ++s)
    pictures_[s % 2].resize(kPictures * 3 * static_cast<size_t>(parameters_.scale[s].height) *
                            light_pitch(parameters_.scale[s].width));
  xyb_.resize(tiles * kChannels * kPictures * kRingTile);
  turned_.resize(kPictures * kBlockRows * tiles * kTileColumns);
  blurred_.resize(tiles * kChannels * kSignals * kRingTile);
  state_.resize(tiles * kChannels * kSignals * kStateTile);
  size_t errors = 0;
  for (int s = 0; s < parameters_.scales; ++s) errors = std::max(errors, errors_of(s));
  errors_.resize(errors);
}

// Values of all error rows of a block.
size_t Kernel::errors_of(int scale) const {
  size_t planes = 0;
  for (const Weights& weights : parameters_.weights[scale]) planes += weights.ssim() + weights.edges();
  return planes * kBlockRows * error_pitch_of(parameters_.scale[scale].width);
}

Kernel::Light Kernel::light(int scale, int picture) {
  Light l{};
  l.pitch = light_pitch(parameters_.scale[scale].width);
  const size_t rows = scale == 0 ? size_t{2} : static_cast<size_t>(parameters_.scale[scale].height);
  float* base =
      scale == 0 ? rows_.data() : pictures_[scale % 2].data() + static_cast<size_t>(3 * picture) * rows * l.pitch;
  for (int p = 0; p < 3; ++p) l.plane[p] = base + static_cast<size_t>(p) * rows * l.pitch;
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
      yuv_row(sample[0], sample[1], sample[2], width, input.colour, transfer_pairs_[picture].data(), to.row(0, y),
              to.row(1, y), to.row(2, y));
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
  const size_t error_pitch = error_pitch_of(size.width);
  const bool has_next = scale + 1 < parameters_.scales;
  std::fill_n(state_.data(), tiles * kChannels * kSignals * kStateTile, 0.0f);
  std::fill_n(blurred_.data(), tiles * kChannels * kSignals * kRingTile, 0.0f);

  for (int first = 0; first < size.height + kAhead; first += kBlockRows) {
    const int rows = std::clamp(size.height - first, 0, kBlockRows);
    for (int picture = 0; picture < kPictures; ++picture) {
      Light from = light(scale, picture);
      // Two rows at a time, which make one of the next scale.
      for (int y = first; y < first + rows; y += 2) {
        const int count = std::min(2, size.height - y);
        if (scale == 0) read_rows(picture == 0 ? pair.reference : pair.distorted, picture, y, count);
        const int row = scale == 0 ? 0 : y;
        if (has_next) {
          Light to = light(scale + 1, picture);
          for (int p = 0; p < 3; ++p)
            halve_row(from.row(p, row), from.row(p, row + count - 1), size.width, to.row(p, y / 2));
        }
        for (int i = 0; i < count; ++i) {
          float* to = xyb_.data() + picture * kRingTile + (y + i) % kRingRows * kTileColumns;
          xyb_row(parameters_.rgb, from.row(0, row + i), from.row(1, row + i), from.row(2, row + i), size.width, to,
                  xyb_tile, tiles * xyb_tile);
        }
      }
    }
    ErrorChain chains[kChannels * kErrors];
    int chain_count = 0;
    double* errors = errors_.data();
    const auto error_rows = [&](bool wanted) {
      return wanted ? std::exchange(errors, errors + kBlockRows * error_pitch) : nullptr;
    };
    for (size_t c = 0; c < kChannels; ++c) {
      const Weights& weights = parameters_.weights[scale][c];
      if (!weights.ssim() && !weights.edges()) continue;
      ChannelBlock block{};
      block.width = size.width;
      block.height = size.height;
      block.first = first;
      block.xyb = xyb_.data() + c * tiles * xyb_tile;
      for (size_t i = 0; i < kPictures; ++i) block.turned[i] = turned_.data() + i * kBlockRows * tiles * kTileColumns;
      block.blurred = blurred_.data() + c * tiles * kSignals * kRingTile;
      block.state = state_.data() + c * tiles * kSignals * kStateTile;
      block.ssim = error_rows(weights.ssim());
      block.edges = error_rows(weights.edges());
      block.error_pitch = error_pitch;
      if (rows > 0) turn_block(block);
      blur_along_rows(parameters_.rgb, block);
      blur_down_columns(parameters_.rgb, block);
      for (int i = 0; i < kErrors; ++i) {
        const Sum sum = static_cast<Sum>(2 * i);
        if (weights.wants(i))
          chains[chain_count++] = {sum, sum == kSsim ? block.ssim : block.edges, &record.sum[scale][c][sum]};
      }
    }
    for (int y = first - kAhead; y < std::min(first - kAhead + kBlockRows, size.height); ++y) {
      if (y >= 0) add_errors(chains, chain_count, size.width);
      for (int i = 0; i < chain_count; ++i) chains[i].errors += error_pitch;
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
