#include "ssimulacra2/ssimulacra2_plain.h"

#include <vector>

namespace qc::ssimulacra2::plain {
namespace {

struct Plane {
  int width = 0;
  int height = 0;
  std::vector<float> samples;

  explicit Plane(const Size& size)
      : width(size.width),
        height(size.height),
        samples(static_cast<size_t>(size.width) * static_cast<size_t>(size.height)) {}
  float& at(int x, int y) {
    return samples[static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x)];
  }
  float at(int x, int y) const {
    return samples[static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x)];
  }
};

// Three planes: R, G, B or X, Y, B.
struct Picture {
  Plane plane[3];
  explicit Picture(const Size& size) : plane{Plane(size), Plane(size), Plane(size)} {}
};

Picture linear_picture(const PictureView& view, const Parameters& p, const Input& input) {
  Picture out(p.plane[0]);
  const int width = p.plane[0].width;
  const int height = p.plane[0].height;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      Rgb rgb;
      if (p.rgb) {
        const auto light = [&](int plane) { return input.transfer[view.plane[plane].at(x, y)]; };
        rgb = {light(2), light(0), light(1)};
      } else {
        const int cx = chroma_position(x, p.plane[1].width, width);
        const int cy = chroma_position(y, p.plane[1].height, height);
        const auto sample = [&](int plane, int px, int py) { return static_cast<float>(view.plane[plane].at(px, py)); };
        const Rgb encoded =
            rgb_of_yuv(sample(0, x, y), chroma_of(sample(1, cx, cy), sample(2, cx, cy), input.colour), input.colour);
        const float* table = input.transfer.data();
        rgb = {linearised(encoded.r, table), linearised(encoded.g, table), linearised(encoded.b, table)};
      }
      rgb = to_bt709(rgb, input.colour);
      out.plane[0].at(x, y) = rgb.r;
      out.plane[1].at(x, y) = rgb.g;
      out.plane[2].at(x, y) = rgb.b;
    }
  }
  return out;
}

Picture halved(const Picture& in, const Size& size) {
  Picture out(size);
  for (int c = 0; c < 3; ++c) {
    const Plane& p = in.plane[c];
    for (int y = 0; y < size.height; ++y) {
      const int y1 = 2 * y + 1 < p.height ? 2 * y + 1 : p.height - 1;
      for (int x = 0; x < size.width; ++x) {
        const int x1 = 2 * x + 1 < p.width ? 2 * x + 1 : p.width - 1;
        out.plane[c].at(x, y) = mean_of_four(p.at(2 * x, 2 * y), p.at(x1, 2 * y), p.at(2 * x, y1), p.at(x1, y1));
      }
    }
  }
  return out;
}

template <class Dialect>
Picture xyb_picture(const Picture& linear, const Size& size) {
  Picture out(size);
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) {
      const Xyb xyb = Dialect::xyb({linear.plane[0].at(x, y), linear.plane[1].at(x, y), linear.plane[2].at(x, y)});
      out.plane[0].at(x, y) = xyb.x;
      out.plane[1].at(x, y) = xyb.y;
      out.plane[2].at(x, y) = xyb.b;
    }
  }
  return out;
}

// in(k) for a line of n samples with zeros around it.
template <class In>
float padded(const In& in, int n, int k) {
  return k >= 0 && k < n ? in(k) : 0.0f;
}

template <class In, class Out>
void blur_line(int n, const In& in, const Out& out) {
  BlurState state{};
  for (int k = -kAhead; k < n; ++k) {
    const float value = YuvDialect::blur(state, padded(in, n, k - kBehind) + padded(in, n, k + kAhead));
    if (k >= 0) out(k, value);
  }
}

template <class In, class Out>
void blur_row(YuvDialect, int n, const In& in, const Out& out) {
  blur_line(n, in, out);
}

template <class In, class Out>
void blur_row(RgbDialect, int n, const In& in, const Out& out) {
  using D = RgbDialect;
  BlurState state{};
  int k = -kAhead;
  const auto sum = [&](int at) { return padded(in, n, at - kBehind) + padded(in, n, at + kAhead); };
  const auto single_until = [&](int end) {
    for (; k < end; ++k) {
      const float value = D::blur_single(state, sum(k));
      if (k >= 0) out(k, value);
    }
  };
  single_until(n < D::kFirstBlock ? n : D::kFirstBlock);
  for (; k < n - D::kBlocksUntil; k += D::kBlock) {
    float sums[D::kBlock];
    float values[D::kBlock];
    for (int j = 0; j < D::kBlock; ++j) sums[j] = sum(k + j);
    D::blur_block(state, sums, values);
    for (int j = 0; j < D::kBlock; ++j) out(k + j, values[j]);
  }
  single_until(n);
}

template <class In, class Out>
void blur_column(YuvDialect, int n, const In& in, const Out& out) {
  blur_line(n, in, out);
}

template <class In, class Out>
void blur_column(RgbDialect, int n, const In& in, const Out& out) {
  BlurState state{};
  for (int k = -kAhead; k < n; ++k) {
    const float value = RgbDialect::blur(state, padded(in, n, k - kBehind) + padded(in, n, k + kAhead));
    if (k >= 0) out(k, value);
  }
}

// Blur of the plane whose sample at (x, y) is a(x, y) * b(x, y), or a(x, y) if b is null.
template <class Dialect>
Plane blurred(const Plane& a, const Plane* b) {
  const Size size = {a.width, a.height};
  Plane rows(size);
  Plane out(size);
  for (int y = 0; y < size.height; ++y)
    blur_row(
        Dialect(), size.width, [&](int x) { return b ? a.at(x, y) * b->at(x, y) : a.at(x, y); },
        [&](int x, float value) { rows.at(x, y) = value; });
  for (int x = 0; x < size.width; ++x)
    blur_column(
        Dialect(), size.height, [&](int y) { return rows.at(x, y); },
        [&](int y, float value) { out.at(x, y) = value; });
  return out;
}

template <class Dialect>
void add_errors(const Plane& x1, const Plane& x2, double (&sum)[kSums]) {
  const Plane mean1 = blurred<Dialect>(x1, nullptr);
  const Plane mean2 = blurred<Dialect>(x2, nullptr);
  const Plane square1 = blurred<Dialect>(x1, &x1);
  const Plane square2 = blurred<Dialect>(x2, &x2);
  const Plane product = blurred<Dialect>(x1, &x2);
  const size_t pixels = x1.samples.size();
  const size_t narrow = pixels - pixels % Dialect::kWidePixels;
  for (size_t i = 0; i < pixels; ++i) {
    const Moments m = {mean1.samples[i], mean2.samples[i], square1.samples[i], square2.samples[i], product.samples[i]};
    const double d = Dialect::ssim_error(m);
    const double z = Dialect::edge_error(x1.samples[i], x2.samples[i], m, i >= narrow);
    const double artifact = z > 0.0 ? z : 0.0;
    const double detail = z < 0.0 ? -z : 0.0;
    sum[kSsim] += d;
    sum[kSsim4] += fourth_power(d);
    sum[kArtifact] += artifact;
    sum[kArtifact4] += fourth_power(artifact);
    sum[kDetail] += detail;
    sum[kDetail4] += fourth_power(detail);
  }
}

template <class Dialect>
void all_sums(const PairView& pair, const Parameters& p, Ssimulacra2Record& record) {
  Picture linear1 = linear_picture(pair.reference, p, p.input[0]);
  Picture linear2 = linear_picture(pair.distorted, p, p.input[1]);
  for (int s = 0; s < p.scales; ++s) {
    if (s > 0) {
      linear1 = halved(linear1, p.scale[s]);
      linear2 = halved(linear2, p.scale[s]);
    }
    const Picture xyb1 = xyb_picture<Dialect>(linear1, p.scale[s]);
    const Picture xyb2 = xyb_picture<Dialect>(linear2, p.scale[s]);
    for (int c = 0; c < kChannels; ++c) add_errors<Dialect>(xyb1.plane[c], xyb2.plane[c], record.sum[s][c]);
  }
}

}  // namespace

void sums(const PairView& pair, const Parameters& parameters, Ssimulacra2Record& record) {
  record = {};
  if (parameters.scales == 0) return;
  if (parameters.rgb)
    all_sums<RgbDialect>(pair, parameters, record);
  else
    all_sums<YuvDialect>(pair, parameters, record);
}

}  // namespace qc::ssimulacra2::plain
