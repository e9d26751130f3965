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

QC_DEVICE int64_t pixels_of(const Ssimulacra2Scale& s) { return int64_t{s.width} * s.height; }

// Values of one plane at two neighbouring columns; the second may lie outside.
QC_DEVICE void store(float* row, int x, int width, float a, float b) {
  if (width % 2 == 0) {
    *reinterpret_cast<Two*>(row + x) = {{a, b}};
  } else {
    row[x] = a;
    if (x + 1 < width) row[x + 1] = b;
  }
}

// From four linear pixels to XYB, and to one of the next scale. Pixels outside the picture repeat its edge.
template <class Dialect>
QC_DEVICE void finish(const Ssimulacra2Args& args, int scale, int picture, int x, int y, const Rgb (&in)[2][2]) {
  const Ssimulacra2Scale& s = args.scale[scale];
  const int64_t pixels = pixels_of(s);
  float* plane = s.xyb + picture * 3 * pixels;
  QC_UNROLL
  for (int j = 0; j < 2; ++j) {
    if (y + j >= s.height) break;
    const Xyb a = Dialect::xyb(in[j][0]);
    const Xyb b = Dialect::xyb(in[j][1]);
    float* row = plane + int64_t{y + j} * s.width;
    store(row, x, s.width, a.x, b.x);
    store(row + pixels, x, s.width, a.y, b.y);
    store(row + 2 * pixels, x, s.width, a.b, b.b);
  }
  if (scale + 1 >= args.scales) return;
  const Ssimulacra2Scale& next = args.scale[scale + 1];
  const int64_t next_pixels = pixels_of(next);
  float* to = next.light + picture * 3 * next_pixels + int64_t{y / 2} * next.width + x / 2;
  to[0] = mean_of_four(in[0][0].r, in[0][1].r, in[1][0].r, in[1][1].r);
  to[next_pixels] = mean_of_four(in[0][0].g, in[0][1].g, in[1][0].g, in[1][1].g);
  to[2 * next_pixels] = mean_of_four(in[0][0].b, in[0][1].b, in[1][0].b, in[1][1].b);
}

// The thread's pixels, four at a time. Calls read(column, row) for linear light.
template <class Dialect, class Read>
QC_DEVICE void all_pixels(const Ssimulacra2Args& args, int scale, const Read& read) {
  const Ssimulacra2Scale& s = args.scale[scale];
  const int x = 2 * (static_cast<int>(block_x()) * kLightThreads + static_cast<int>(thread_x()));
  if (x >= s.width) return;
  const int x1 = x + 1 < s.width ? x + 1 : x;
  for (int i = 0; i < kLightRows; i += 2) {
    const int y = kLightRows * static_cast<int>(block_y()) + i;
    if (y >= s.height) return;
    const int y1 = y + 1 < s.height ? y + 1 : y;
    const Rgb in[2][2] = {{read(x, y), read(x1, y)}, {read(x, y1), read(x1, y1)}};
    finish<Dialect>(args, scale, static_cast<int>(block_z()), x, y, in);
  }
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

template <class Dialect>
QC_DEVICE void next_scale(const Ssimulacra2Args& args) {
  const Ssimulacra2Scale& s = args.scale[args.from];
  const int64_t pixels = pixels_of(s);
  const float* light = s.light + static_cast<int>(block_z()) * 3 * pixels;
  all_pixels<Dialect>(args, args.from, [&](int x, int y) {
    const float* at = light + int64_t{y} * s.width + x;
    return Rgb{at[0], at[pixels], at[2 * pixels]};
  });
}

}  // namespace

QC_KERNEL(qc_ssimulacra2_yuv, Ssimulacra2Args, kLightThreads) {
  const PlaneView luma = picture_of(args).plane[0];
  const PlaneView cb = picture_of(args).plane[1];
  const PlaneView cr = picture_of(args).plane[2];
  const Colour& colour = colour_of(args);
  QC_BLOCK_SHARED float transfer[kTransferEntries];
  for (int i = static_cast<int>(thread_x()); i < kTransferEntries; i += kLightThreads)
    transfer[i] = transfer_of(args)[i];
  sync_block();
  all_pixels<YuvDialect>(args, 0, [&](int x, int y) {
    const int cx = chroma_position(x, args.chroma_width, args.scale[0].width);
    const int cy = chroma_position(y, args.chroma_height, args.scale[0].height);
    const Rgb encoded = rgb_of_yuv(static_cast<float>(luma.at(x, y)), static_cast<float>(cb.at(cx, cy)),
                                   static_cast<float>(cr.at(cx, cy)), colour);
    return to_bt709({linearised(encoded.r, transfer), linearised(encoded.g, transfer), linearised(encoded.b, transfer)},
                    colour);
  });
}

QC_KERNEL(qc_ssimulacra2_rgb, Ssimulacra2Args, kLightThreads) {
  const PlaneView green = picture_of(args).plane[0];
  const PlaneView blue = picture_of(args).plane[1];
  const PlaneView red = picture_of(args).plane[2];
  const float* transfer = transfer_of(args);
  all_pixels<RgbDialect>(args, 0, [&](int x, int y) {
    return to_bt709({transfer[red.at(x, y)], transfer[green.at(x, y)], transfer[blue.at(x, y)]}, colour_of(args));
  });
}

QC_KERNEL(qc_ssimulacra2_next, Ssimulacra2Args, kLightThreads) { next_scale<YuvDialect>(args); }
QC_KERNEL(qc_ssimulacra2_next_rgb, Ssimulacra2Args, kLightThreads) { next_scale<RgbDialect>(args); }

}  // namespace qc::cuda
