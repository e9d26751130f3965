#include "cuda/device/prelude.h"
//
#include "cuda/ssimulacra2/ssimulacra2_kernels.h"

namespace qc::cuda {
namespace {

using namespace qc::device;
using namespace qc::ssimulacra2;

struct alignas(8) Two {
  float value[2];
};
struct alignas(16) Four {
  float value[4];
};

QC_DEVICE int64_t plane_size(const Ssimulacra2Scale& s) { return int64_t{s.stripes} * s.height * kStripe; }
QC_DEVICE int64_t light_size(const Ssimulacra2Scale& s) { return int64_t{s.light_pitch} * s.height; }

// Where a thread's pixels lie: at columns x … x + 3 of rows y and y + 1. Those outside the picture repeat its edge.
struct Place {
  int x;
  int y;

  // The block's columns are gone through in `steps` steps.
  QC_DEVICE explicit Place(int step = 0, int steps = 1) {
    const int thread = static_cast<int>(thread_x());
    x = kLightColumns * ((static_cast<int>(block_x()) * steps + step) * 8 + thread % 8);
    y = 2 * (static_cast<int>(block_y()) * (kLightThreads / 8) + thread / 8);
  }
};

// From linear pixels to XYB, and to two of the next scale.
template <class Dialect>
QC_DEVICE void finish(const Ssimulacra2Args& args, int scale, const Place& place, const Rgb (&in)[2][kLightColumns]) {
  const Ssimulacra2Scale& s = args.scale[scale];
  const int picture = static_cast<int>(block_z());
  const int64_t plane = plane_size(s);
  float* to =
      s.xyb + picture * 3 * plane + (int64_t{place.x / kStripe} * s.height + place.y) * kStripe + place.x % kStripe;
  QC_UNROLL
  for (int j = 0; j < 2; ++j) {
    if (place.y + j >= s.height) break;
    Four x, y, b;
    QC_UNROLL
    for (int i = 0; i < kLightColumns; ++i) {
      const Xyb xyb = Dialect::xyb(in[j][i]);
      const bool inside = place.x + i < s.width;
      x.value[i] = inside ? xyb.x : 0.0f;
      y.value[i] = inside ? xyb.y : 0.0f;
      b.value[i] = inside ? xyb.b : 0.0f;
    }
    float* row = to + j * kStripe;
    *reinterpret_cast<Four*>(row) = x;
    *reinterpret_cast<Four*>(row + plane) = y;
    *reinterpret_cast<Four*>(row + 2 * plane) = b;
  }
  if (scale + 1 >= args.scales) return;
  const Ssimulacra2Scale& next = args.scale[scale + 1];
  // Past the end of a row there is room.
  if (place.x / 2 >= next.width) return;
  const int64_t next_plane = light_size(next);
  float* light = next.light + picture * 3 * next_plane + int64_t{place.y / 2} * next.light_pitch + place.x / 2;
  const auto mean = [&](float Rgb::*part, int i) {
    return mean_of_four(in[0][i].*part, in[0][i + 1].*part, in[1][i].*part, in[1][i + 1].*part);
  };
  *reinterpret_cast<Two*>(light) = {{mean(&Rgb::r, 0), mean(&Rgb::r, 2)}};
  *reinterpret_cast<Two*>(light + next_plane) = {{mean(&Rgb::g, 0), mean(&Rgb::g, 2)}};
  *reinterpret_cast<Two*>(light + 2 * next_plane) = {{mean(&Rgb::b, 0), mean(&Rgb::b, 2)}};
}

QC_DEVICE const PictureView& picture_of(const Ssimulacra2Args& args) {
  return block_z() == 0 ? args.frame->current.reference : args.frame->current.distorted;
}
// Not an index, which would put a kernel's arguments on the stack.
QC_DEVICE const Colour& colour_of(const Ssimulacra2Args& args) {
  return block_z() == 0 ? args.colour[0] : args.colour[1];
}
QC_DEVICE const float* transfer_of(const Ssimulacra2Args& args) {
  return block_z() == 0 ? args.transfer[0] : args.transfer[1];
}

// A value of the transfer table, and how far it is to the next.
struct alignas(8) TableEntry {
  float value;
  float step;
};

// As linearised().
QC_DEVICE float linear(float x, const TableEntry* table) {
  const float t = x * 1023.0f;
  const int i = static_cast<int>(t);
  const TableEntry entry = table[i];
  const float between = entry.value + entry.step * (t - static_cast<float>(i));
  return x <= 0.0f ? 0.0f : x >= 1.0f ? 1.0f : between;
}

template <class Dialect>
QC_DEVICE void next_scale(const Ssimulacra2Args& args) {
  const Ssimulacra2Scale& s = args.scale[args.from];
  const Place place;
  if (place.x >= s.stripes * kStripe || place.y >= s.height) return;
  const int64_t plane = light_size(s);
  const float* light = s.light + static_cast<int>(block_z()) * 3 * plane;
  Rgb in[2][kLightColumns];
  QC_UNROLL
  for (int j = 0; j < 2; ++j) {
    const int y = place.y + j < s.height ? place.y + j : place.y;
    QC_UNROLL
    for (int i = 0; i < kLightColumns; ++i) {
      const int x = place.x + i < s.width ? place.x + i : s.width - 1;
      const float* at = light + int64_t{y} * s.light_pitch + x;
      in[j][i] = {at[0], at[plane], at[2 * plane]};
    }
  }
  finish<Dialect>(args, args.from, place, in);
}

}  // namespace

QC_KERNEL(qc_ssimulacra2_yuv, Ssimulacra2Args, kLightThreads) {
  const PlaneView luma = picture_of(args).plane[0];
  const PlaneView cb = picture_of(args).plane[1];
  const PlaneView cr = picture_of(args).plane[2];
  const Colour& colour = colour_of(args);
  QC_BLOCK_SHARED TableEntry transfer[kTransferEntries];
  const float* table = transfer_of(args);
  for (int i = static_cast<int>(thread_x()); i < kTransferEntries; i += kLightThreads)
    transfer[i] = {table[i], i + 1 < kTransferEntries ? table[i + 1] - table[i] : 0.0f};
  sync_block();
  const Ssimulacra2Scale& s = args.scale[0];
  const bool bytes =
      luma.bytes == 1 && luma.step == 1 && luma.stride % 4 == 0 && reinterpret_cast<uintptr_t>(luma.data) % 4 == 0;
  // A chroma sample for each two columns and two rows.
  const bool halved = 2 * args.chroma_width == s.width && 2 * args.chroma_height == s.height;
  for (int step = 0; step < kYuvSteps; ++step) {
    const Place place(step, kYuvSteps);
    if (place.x >= s.stripes * kStripe || place.y >= s.height) return;
    Rgb in[2][kLightColumns];
    Chroma chroma[kLightColumns];
    QC_UNROLL
    for (int j = 0; j < 2; ++j) {
      const int y = place.y + j < s.height ? place.y + j : place.y;
      if (j == 0 || !halved) {
        const int cy = chroma_position(y, args.chroma_height, s.height);
        QC_UNROLL
        for (int i = 0; i < kLightColumns; ++i) {
          if (i % 2 != 0 && halved) {
            chroma[i] = chroma[i - 1];
            continue;
          }
          const int cx = chroma_position(place.x + i < s.width ? place.x + i : s.width - 1, args.chroma_width, s.width);
          chroma[i] = chroma_of(static_cast<float>(cb.at(cx, cy)), static_cast<float>(cr.at(cx, cy)), colour);
        }
      }
      uint32_t samples[kLightColumns];
      if (bytes && place.x + kLightColumns <= s.width) {
        const auto word = *reinterpret_cast<const uint32_t*>(luma.data + y * luma.stride + place.x);
        QC_UNROLL
        for (int i = 0; i < kLightColumns; ++i) samples[i] = word >> (8 * i) & 255;
      } else {
        QC_UNROLL
        for (int i = 0; i < kLightColumns; ++i)
          samples[i] = luma.at(place.x + i < s.width ? place.x + i : s.width - 1, y);
      }
      QC_UNROLL
      for (int i = 0; i < kLightColumns; ++i) {
        const Rgb encoded = rgb_of_yuv(static_cast<float>(samples[i]), chroma[i], colour);
        in[j][i] =
            to_bt709({linear(encoded.r, transfer), linear(encoded.g, transfer), linear(encoded.b, transfer)}, colour);
      }
    }
    finish<YuvDialect>(args, 0, place, in);
  }
}

QC_KERNEL(qc_ssimulacra2_rgb, Ssimulacra2Args, kLightThreads) {
  const PlaneView green = picture_of(args).plane[0];
  const PlaneView blue = picture_of(args).plane[1];
  const PlaneView red = picture_of(args).plane[2];
  const float* transfer = transfer_of(args);
  const Ssimulacra2Scale& s = args.scale[0];
  const Place place;
  if (place.x >= s.stripes * kStripe || place.y >= s.height) return;
  Rgb in[2][kLightColumns];
  QC_UNROLL
  for (int j = 0; j < 2; ++j) {
    const int y = place.y + j < s.height ? place.y + j : place.y;
    QC_UNROLL
    for (int i = 0; i < kLightColumns; ++i) {
      const int x = place.x + i < s.width ? place.x + i : s.width - 1;
      in[j][i] = to_bt709({transfer[red.at(x, y)], transfer[green.at(x, y)], transfer[blue.at(x, y)]}, colour_of(args));
    }
  }
  finish<RgbDialect>(args, 0, place, in);
}

QC_KERNEL(qc_ssimulacra2_next, Ssimulacra2Args, kLightThreads) { next_scale<YuvDialect>(args); }
QC_KERNEL(qc_ssimulacra2_next_rgb, Ssimulacra2Args, kLightThreads) { next_scale<RgbDialect>(args); }

}  // namespace qc::cuda
