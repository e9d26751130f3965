#include "cuda/device/prelude.h"
//
#include "cuda/ssim/decimation.h"
#include "cuda/ssim/widen.h"
#include "math/float_pair.h"
#include "ssim/ssim_arithmetic.h"

namespace qc::cuda {
namespace {

using namespace qc::device;

// Indexing an argument by a variable would copy it to memory.
template <class T>
QC_DEVICE T* of_picture(T* const (&p)[2], unsigned picture) {
  return picture == 0 ? p[0] : p[1];
}

QC_DEVICE const PlaneView& luma(const FrameParameters* frame, unsigned picture) {
  return picture == 0 ? frame->current.reference.plane[0] : frame->current.distorted.plane[0];
}

constexpr int kTaps = ssim::kLowPassTaps;

// Four neighbouring samples, loaded at once.
template <class T>
struct alignas(4 * sizeof(T)) Samples4 {
  T sample[4];
};

// The sum of an output, the `r`th of its thread, in float64. Luma is not negative, so that only the tap's sign counts.
// Other products are widened by bits for every second output, so that the units for conversions and those for integers
// have the same to do.
template <bool kLuma>
struct WideSum {
  double sum = 0;

  QC_DEVICE void add(int r, float sample, float tap) {
    if constexpr (kLuma) {
      sum = tap < 0 ? sum - widen_non_negative(sample * -tap) : sum + widen_non_negative(sample * tap);
    } else {
      sum = r % 2 ? sum + widen_signed(sample * tap) : ssim::accumulate(sum, sample, tap);
    }
  }
  // `again()` computes it in float64.
  template <class Again>
  QC_DEVICE float value(int r, const Again&) const {
    return kLuma || r % 2 ? narrow_widened(sum) : static_cast<float>(sum);
  }
};

// The same for devices with slow float64.
template <bool>
struct PairSum {
  CertifiedSum<false, kTaps * kTaps> sum;

  QC_DEVICE void add(int, float sample, float tap) { sum.add(sample * tap); }
  template <class Again>
  QC_DEVICE float value(int, const Again& again) const {
    float result = 0.0F;
    return sum.certain(&result) ? result : again();
  }
};

// An output in float64, from its first sample in a tile whose even and odd columns are `pitch` apart. Not inline, since
// few outputs need it.
QC_DEVICE_CALL float low_pass_again(const float* samples, int pitch) {
  double sum = 0;
  for (int v = 0; v < kTaps; ++v)
    for (int u = 0; u < kTaps; ++u)
      sum = ssim::accumulate(sum, samples[(2 * v + u % 2) * pitch + u / 2], ssim::low_pass_tap(v, u));
  return static_cast<float>(sum);
}

// T: type of the luma's samples, or float.
template <class T, int kStep, template <bool> class LowPassSum>
QC_DEVICE void low_pass(const LowPassDecimationArgs& args) {
  constexpr bool kLuma = !__is_same(T, float);
  constexpr int kRows = kLowPassRows<kStep>;
  constexpr int kInRows = 2 * kRows + kTaps - 2;
  constexpr int kInColumns = 2 * kLowPassColumns + kTaps - 2;
  // Even and odd columns apart, so that neighbouring threads read neighbouring words.
  QC_BLOCK_SHARED float tile[kInRows][2][(kInColumns + 1) / 2];
  const PlaneView plane = luma(args.frame, block_z());
  const float* in = of_picture(args.in, block_z());
  const int thread = static_cast<int>(thread_x());
  const int left = 2 * static_cast<int>(block_x()) * kLowPassColumns - kTaps / 2;
  const int top = 2 * static_cast<int>(block_y()) * kRows - kTaps / 2;
  const auto keep = [&](int row, int column, T sample) {
    if constexpr (kLuma) {
      tile[row][column % 2][column / 2] = static_cast<float>(static_cast<uint32_t>(sample) >> plane.shift) * args.scale;
    } else {
      tile[row][column % 2][column / 2] = sample;
    }
  };
  constexpr int kGroups = (kInColumns + 3) / 4;
  constexpr int kAlign = 4 * static_cast<int>(sizeof(T));
  const bool inside = top >= 0 && top + kInRows <= args.in_height && left >= 0 && left + 4 * kGroups <= args.in_width;
  if (kLuma && inside &&
      ((reinterpret_cast<uintptr_t>(plane.data) | static_cast<uint64_t>(plane.stride)) % kAlign) == 0) {
    for (int item = thread; item < kInRows * kGroups; item += kLowPassThreads) {
      const int row = item / kGroups;
      const int column = item % kGroups * 4;
      const auto four = *reinterpret_cast<const Samples4<T>*>(plane.data + (top + row) * plane.stride +
                                                              (left + column) * static_cast<int>(sizeof(T)));
      QC_UNROLL
      for (int i = 0; i < 4; ++i) keep(row, column + i, four.sample[i]);
    }
  } else {
    // A warp fetches a row. Positions past the reflected edge belong to no output.
    constexpr int kWarp = 32;
    for (int row = thread / kWarp; row < kInRows && top + row <= args.in_height + kTaps / 2;
         row += kLowPassThreads / kWarp) {
      const int y = ssim::reflect(top + row, args.in_height);
      const T* samples = kLuma ? reinterpret_cast<const T*>(plane.data + y * plane.stride)
                               : reinterpret_cast<const T*>(in + int64_t{y} * args.in_width);
      for (int column = thread % kWarp; column < kInColumns && left + column <= args.in_width + kTaps / 2;
           column += kWarp)
        keep(row, column, samples[ssim::reflect(left + column, args.in_width)]);
    }
  }
  sync_block();
  const int column = thread % kLowPassColumns;
  const int row = thread / kLowPassColumns * kStep;
  LowPassSum<kLuma> sum[kStep];
  QC_UNROLL
  for (int v = 0; v < kTaps + 2 * (kStep - 1); ++v) {
    QC_UNROLL
    for (int u = 0; u < kTaps; ++u) {
      const float sample = tile[2 * row + v][u % 2][column + u / 2];
      QC_UNROLL
      for (int r = 0; r < kStep; ++r)
        if (v >= 2 * r && v < 2 * r + kTaps) sum[r].add(r, sample, ssim::low_pass_tap(v - 2 * r, u));
    }
  }
  const int width = ssim::decimated_size(args.in_width, 2);
  const int height = ssim::decimated_size(args.in_height, 2);
  const int x = static_cast<int>(block_x()) * kLowPassColumns + column;
  if (x >= width) return;
  for (int r = 0; r < kStep; ++r) {
    const int y = static_cast<int>(block_y()) * kRows + row + r;
    if (y >= height) return;
    of_picture(args.out, block_z())[int64_t{y} * width + x] =
        sum[r].value(r, [&] { return low_pass_again(&tile[2 * (row + r)][0][column], (kInColumns + 1) / 2); });
  }
}

}  // namespace

QC_KERNEL(qc_box_decimation, BoxDecimationArgs, kBoxThreads) {
  const PlaneView plane = luma(args.frame, block_z());
  const int x = static_cast<int>(block_x() * kBoxThreads + thread_x());
  const int y = static_cast<int>(block_y());
  if (x >= args.width) return;
  const float tap = ssim::box_tap(args.factor);
  const int left = x * args.factor - args.factor / 2;
  const int top = y * args.factor - args.factor / 2;
  double sum = 0;
  for (int v = 0; v < args.factor; ++v) {
    const int row = ssim::reflect(top + v, plane.height);
    for (int u = 0; u < args.factor; ++u) {
      const float sample = static_cast<float>(plane.at(ssim::reflect(left + u, plane.width), row)) * args.scale;
      sum = ssim::accumulate(sum, sample, tap);
    }
  }
  of_picture(args.out, block_z())[int64_t{y} * args.width + x] = static_cast<float>(sum);
}

#define QC_LOW_PASS(name, T, step, Sum, resident) \
  QC_KERNEL_RESIDENT(name, LowPassDecimationArgs, kLowPassThreads, resident) { low_pass<T, step, Sum>(args); }
QC_LOW_PASS(qc_luma_low_pass_8, uint8_t, kLumaLowPassStep, WideSum, 4)
QC_LOW_PASS(qc_luma_low_pass_16, uint16_t, kLumaLowPassStep, WideSum, 4)
QC_LOW_PASS(qc_plane_low_pass, float, kPlaneLowPassStep, WideSum, 3)
QC_LOW_PASS(qc_luma_low_pass_8_pairs, uint8_t, kLumaLowPassStep, PairSum, 4)
QC_LOW_PASS(qc_luma_low_pass_16_pairs, uint16_t, kLumaLowPassStep, PairSum, 4)
QC_LOW_PASS(qc_plane_low_pass_pairs, float, kPlaneLowPassStep, PairSum, 3)

}  // namespace qc::cuda
