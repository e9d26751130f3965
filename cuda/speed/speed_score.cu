#include "cuda/device/prelude.h"
//
#include "cuda/speed/speed_score.h"
#include "speed/eigenvalues.h"

namespace qc::cuda {
namespace {

using namespace qc::device;
using speed::kOffsets;
using speed::kReduction;
using speed::kSide;
using speed::mirror;

struct DeviceMath {
  static QC_DEVICE float square_root(float x) { return sqrt_rn(x); }
  static QC_DEVICE float reciprocal_root(float x) { return speed::reciprocal_root(x, reciprocal_root_estimate(x)); }
};

QC_DEVICE int smaller(int a, int b) { return a < b ? a : b; }

// --- from planes to reduced images --------------------------------------------------------------------------------

template <class T>
QC_DEVICE int sample(const PlaneView& plane, int x, int y) {
  return static_cast<int>(reinterpret_cast<const T*>(plane.data + y * plane.stride)[x * plane.step]) >> plane.shift;
}

// One of the images at its original size.
template <class T>
struct Source {
  PlaneView newer;
  PlaneView older;  // if `changes`
  bool changes;
  float step;

  QC_DEVICE Source(const FrameParameters& frame, SpeedImages images, int image) {
    changes = images != SpeedImages::Chroma;
    const PictureView& now =
        image % 2 == 0 || images == SpeedImages::ChangesToReference ? frame.current.reference : frame.current.distorted;
    newer = now.plane[changes ? 0 : 1 + image / 2];
    older = newer;
    // Before the first picture there is no change.
    if (changes && frame.previous_count > 0)
      older = image % 2 == 0 ? frame.previous[0].reference.plane[0] : frame.previous[0].distorted.plane[0];
    step = speed::step_of(newer.depth);
  }
  QC_DEVICE float at(int x, int y) const {
    const int v = sample<T>(newer, x, y);
    return changes ? speed::difference(sample<T>(older, x, y), v, step) : speed::centred(v, step);
  }
};

template <class T>
QC_DEVICE float scaled(const SpeedFilterArgs& args, const Source<T>& source, int x, int y) {
  const int taps = args.resampling_taps;
  if (taps == 0) return source.at(x, y);
  float sum = 0.0F;
  float weights = 0.0F;
  for (int j = 0; j < taps; ++j) {
    const int row = j * args.sizes.scaled_height + y;
    const int source_y = args.rows.index[row];
    const float row_weight = args.rows.weight[row];
    for (int i = 0; i < taps; ++i) {
      const int column = i * args.sizes.scaled_width + x;
      const float weight = args.columns.weight[column] * row_weight;
      weights += weight;
      sum += source.at(args.columns.index[column], source_y) * weight;
    }
  }
  return args.normalised ? sum / weights : sum;
}

template <class T>
QC_DEVICE void filter(const SpeedFilterArgs& args) {
  constexpr int kMostColumns = kReduction * (kSpeedOutputs - 1) + kSpeedAntialiasTaps;
  // The columns that the horizontal pass needs, filtered vertically.
  QC_BLOCK_SHARED float filtered[kMostColumns];
  const SpeedSizes& sizes = args.sizes;
  const int taps = args.taps;
  const int radius = taps / 2;
  const int y = static_cast<int>(block_y());
  const int first = static_cast<int>(block_x()) * kSpeedOutputs;
  const int outputs = smaller(kSpeedOutputs, sizes.reduced_width - first);
  const Source<T> source(*args.frame, args.images, static_cast<int>(block_z()));
  // Narrow filters leave columns out.
  const int spacing = taps < kReduction ? taps : kReduction;
  const int columns = spacing * (outputs - 1) + taps;
  for (int i = static_cast<int>(thread_x()); i < columns; i += kSpeedFilterThreads) {
    const int output = taps < kReduction ? i / taps : 0;
    const int column = kReduction * (first + output) + (i - output * taps) - radius;
    const int x = mirror(column, sizes.scaled_width);
    float sum = 0.0F;
    for (int k = 0; k < taps; ++k)
      sum += args.tap[k] * scaled(args, source, x, mirror(kReduction * y + k - radius, sizes.scaled_height));
    filtered[i] = sum;
  }
  sync_block();
  const int i = static_cast<int>(thread_x());
  if (i >= outputs) return;
  float sum = 0.0F;
  for (int k = 0; k < taps; ++k) sum += args.tap[k] * filtered[spacing * i + k];
  args.low[(static_cast<int64_t>(block_z()) * sizes.reduced_height + y) * sizes.reduced_width + first + i] = sum;
}

QC_DEVICE int64_t image_samples(const SpeedSizes& sizes) { return int64_t{sizes.reduced_width} * sizes.reduced_height; }

// --- statistics ---------------------------------------------------------------------------------------------------

// Columns of a window that are in shared memory at a time, and five rows of them.
constexpr int kChunk = 256;
// So that the banks of all 25 offsets differ.
constexpr int kTilePitch = kChunk + kSide;

template <class T>
struct Tile {
  T at[kSide * kTilePitch];
};

// Chunk n of the walk along the rows of the window, read by `threads` threads.
template <class T>
QC_DEVICE void load(const SpeedSizes& sizes, const float* image, int n, int chunks_x, int thread, int threads,
                    Tile<T>& tile) {
  const int y = n / chunks_x;
  const int x = n % chunks_x * kChunk;
  const int columns = smaller(kChunk + kSide - 1, sizes.positions_x + kSide - 1 - x);
  const float* from = image + int64_t{y} * sizes.reduced_width + x;
  for (int c = thread; c < columns; c += threads) {
    QC_UNROLL
    for (int r = 0; r < kSide; ++r) tile.at[r * kTilePitch + c] = from[int64_t{r} * sizes.reduced_width + c];
  }
}

QC_DEVICE int tile_position(int offset) { return offset / kSide * kTilePitch + offset % kSide; }

// Rows of offset p above the diagonal are left to those below.
QC_DEVICE void offsets_of(int pair, int& p, int& q) {
  p = 0;
  while ((p + 1) * (p + 2) / 2 <= pair) ++p;
  q = pair - p * (p + 1) / 2;
}

// --- matrices -----------------------------------------------------------------------------------------------------

constexpr int kPitch = kOffsets + 8;  // odd
constexpr int kElements = kOffsets * kOffsets;

// The eigenvalues, by one warp with a lane for each row.
QC_DEVICE void eigenvalues(const float* covariance, SpeedMatrices& out) {
  QC_BLOCK_SHARED float a[kOffsets][kPitch];
  QC_BLOCK_SHARED float w[kOffsets];
  QC_BLOCK_SHARED float x[kOffsets];
  QC_BLOCK_SHARED float d[kOffsets];
  QC_BLOCK_SHARED float e[kOffsets];
  const int lane = static_cast<int>(thread_x());
  const bool row = lane < kOffsets;
  if (row)
    for (int c = 0; c < kOffsets; ++c) a[c][lane] = covariance[c * kOffsets + lane];
  sync_warp();
  for (int i = 0; i + 2 < kOffsets; ++i) {
    const int m = i + 1;
    float squares = 0.0F;
    for (int r = m + 1; r < kOffsets; ++r) squares += a[r][i] * a[r][i];
    const float norm = sqrt_rn(squares);
    const float alpha = a[m][i];
    if (norm == 0.0F) {
      if (lane == 0) e[i] = alpha;
      continue;
    }
    const float beta = -speed::sign(alpha) * sqrt_rn(alpha * alpha + norm * norm);
    const float tau = (beta - alpha) / beta;
    const float scale = alpha - beta;
    const bool active = row && lane >= m;
    if (lane == 0) e[i] = beta;
    float own_w = 1.0F;
    if (active) {
      if (lane > m) own_w = a[lane][i] / scale;
      w[lane] = own_w;
    }
    sync_warp();
    float own_x = 0.0F;
    if (active) {
      for (int c = m; c < kOffsets; ++c) own_x += tau * a[lane][c] * w[c];
      x[lane] = own_x;
    }
    sync_warp();
    float dot = 0.0F;
    for (int r = m; r < kOffsets; ++r) dot += x[r] * w[r];
    const float half = -0.5F * tau * dot;
    own_x += half * own_w;
    sync_warp();
    if (active) x[lane] = own_x;
    sync_warp();
    if (active)
      for (int c = m; c < kOffsets; ++c) a[lane][c] -= own_x * w[c] + own_w * x[c];
    sync_warp();
  }
  if (row) d[lane] = a[lane][lane];
  if (lane == 0) e[kOffsets - 2] = a[kOffsets - 1][kOffsets - 2];
  sync_warp();
  if (lane == 0) {
    speed::TridiagonalQr<DeviceMath>::eigenvalues(d, e);
    int singular = 0;
    for (int k = 0; k < kOffsets; ++k) singular |= static_cast<double>(d[k]) < speed::kRegular;
    out.singular[0] = singular;
  }
  sync_warp();
  if (row) out.eigenvalue[lane] = d[lane];
}

QC_DEVICE float length(const float* v, int first) {
  float squares = 0.0F;
  for (int i = first; i < kOffsets; ++i) squares += v[i] * v[i];
  return sqrt_rn(squares);
}

// The triangular form, by a block with a thread for each element. Where a reflection has the rows of the identity, or
// zeros, nothing is computed: that adds nothing to any sum.
QC_DEVICE void triangularise(const float* covariance, SpeedMatrices& out) {
  QC_BLOCK_SHARED float z[kOffsets][kOffsets];
  QC_BLOCK_SHARED float q[kOffsets][kOffsets];
  QC_BLOCK_SHARED float column[kOffsets];
  QC_BLOCK_SHARED float v[kOffsets];
  const int thread = static_cast<int>(thread_x());
  const bool element = thread < kElements;
  const int i = element ? thread / kOffsets : 0;
  const int j = element ? thread % kOffsets : 0;
  if (element) {
    z[i][j] = covariance[thread];
    q[i][j] = i == j ? 1.0F : 0.0F;
  }
  sync_block();
  for (int s = 0; s + 1 < kOffsets; ++s) {
    if (thread < kOffsets) column[thread] = z[thread][s];
    sync_block();
    const float norm = length(column, s);
    sync_block();
    if (thread == 0) column[s] += speed::sign(covariance[s * kOffsets + s]) * norm;
    sync_block();
    const float scale = length(column, s);
    if (thread >= s && thread < kOffsets) v[thread] = column[thread] / scale;
    sync_block();
    const bool active = element && i >= s;
    float z_sum = 0.0F;
    float q_sum = 0.0F;
    if (active) {
      const float twice = -2.0F * v[i];
      for (int t = s; t < kOffsets; ++t) {
        float h = twice * v[t];
        if (t == i) h += 1.0F;
        z_sum += h * z[t][j];
        q_sum += h * q[t][j];
      }
    }
    sync_block();
    if (active) {
      z[i][j] = z_sum;
      q[i][j] = q_sum;
    }
    sync_block();
  }
  if (element) {
    z[i][j] = covariance[thread];
    out.orthogonal[thread] = q[i][j];
  }
  sync_block();
  if (element) {
    float sum = 0.0F;
    for (int t = 0; t < kOffsets; ++t) sum += q[i][t] * z[t][j];
    out.triangle[thread] = sum;
    if (i == j) column[i] = sum;
  }
  sync_block();
  if (thread == 0) {
    int singular = 0;
    for (int k = 0; k < kOffsets; ++k) singular |= static_cast<double>(speed::magnitude(column[k])) < speed::kRegular;
    out.singular[1] = singular;
  }
}

QC_DEVICE bool is_singular(const SpeedMatrices& matrices) { return matrices.singular[0] || matrices.singular[1]; }

}  // namespace

QC_KERNEL(qc_speed_filter_8, SpeedFilterArgs, kSpeedFilterThreads) { filter<uint8_t>(args); }
QC_KERNEL(qc_speed_filter_16, SpeedFilterArgs, kSpeedFilterThreads) { filter<uint16_t>(args); }

QC_KERNEL(qc_speed_local_mean, SpeedLocalMeanArgs, kSpeedLocalMeanThreads) {
  const SpeedSizes& sizes = args.sizes;
  const int at = static_cast<int>(block_x() * kSpeedLocalMeanThreads + thread_x());
  if (at >= image_samples(sizes)) return;
  const float* low = args.low + block_y() * image_samples(sizes);
  const int x = at % sizes.reduced_width;
  const int y = at / sizes.reduced_width;
  const int radius = args.taps / 2;
  float mean = 0.0F;
  for (int k = 0; k < args.taps; ++k) {
    const float* column = low + mirror(x + k - radius, sizes.reduced_width);
    float sum = 0.0F;
    for (int l = 0; l < args.taps; ++l)
      sum += args.tap[l] * column[int64_t{mirror(y + l - radius, sizes.reduced_height)} * sizes.reduced_width];
    mean += args.tap[k] * sum;
  }
  args.reduced[block_y() * image_samples(sizes) + at] = low[at] - mean;
}

QC_KERNEL(qc_speed_means, SpeedMeansArgs, kSpeedMeansThreads) {
  QC_BLOCK_SHARED Tile<float> tile[2];
  constexpr int kReaders = kSpeedMeansThreads - 32;
  constexpr int kStep = 8;
  const SpeedSizes& sizes = args.sizes;
  const float* image = args.reduced + block_x() * image_samples(sizes);
  const int thread = static_cast<int>(thread_x());
  const int chunks_x = (sizes.positions_x + kChunk - 1) / kChunk;
  const int chunks = chunks_x * sizes.positions_y;
  if (thread >= 32) load(sizes, image, 0, chunks_x, thread - 32, kReaders, tile[0]);
  sync_block();
  float sum = 0.0F;
  for (int n = 0; n < chunks; ++n) {
    if (thread >= 32) {
      if (n + 1 < chunks) load(sizes, image, n + 1, chunks_x, thread - 32, kReaders, tile[(n + 1) % 2]);
    } else if (thread < kOffsets) {
      const int columns = smaller(kChunk, sizes.positions_x - n % chunks_x * kChunk);
      const float* at = tile[n % 2].at + tile_position(thread);
      int j = 0;
      for (; j + kStep <= columns; j += kStep) {
        float v[kStep];
        QC_UNROLL
        for (int k = 0; k < kStep; ++k) v[k] = at[j + k];
        QC_UNROLL
        for (int k = 0; k < kStep; ++k) sum += v[k];
      }
      for (; j < columns; ++j) sum += at[j];
    }
    sync_block();
  }
  if (thread < kOffsets)
    args.means[block_x() * kOffsets + thread] = sum / static_cast<float>(sizes.positions_x * sizes.positions_y);
}

QC_KERNEL(qc_speed_covariance, SpeedCovarianceArgs, kSpeedCovarianceThreads) {
  QC_BLOCK_SHARED Tile<double> tile[2];
  QC_BLOCK_SHARED double sums[kSpeedPairs][9];
  constexpr int kLanes = 8;
  constexpr int kChains = kSpeedPairs * kLanes;
  constexpr int kReaders = kSpeedCovarianceThreads - kChains;
  constexpr int kMatrixPairs = kOffsets * (kOffsets + 1) / 2;
  const SpeedSizes& sizes = args.sizes;
  const float* image = args.reduced + block_y() * image_samples(sizes);
  const float* means = args.means + block_y() * kOffsets;
  const int thread = static_cast<int>(thread_x());
  const int first_pair = static_cast<int>(block_x()) * kSpeedPairs;
  const int chunks_x = (sizes.positions_x + kChunk - 1) / kChunk;
  const int chunks = chunks_x * sizes.positions_y;

  // Lane 8 takes the columns that are left over.
  const bool sums_lane = thread < kChains;
  const bool sums_rest = thread >= kChains && thread < kChains + kSpeedPairs;
  const int local_pair = sums_lane ? thread / kLanes : sums_rest ? thread - kChains : 0;
  const int lane = sums_lane ? thread % kLanes : kLanes;
  int p;
  int q;
  offsets_of(smaller(first_pair + local_pair, kMatrixPairs - 1), p, q);
  const auto mean_p = static_cast<double>(means[p]);
  const auto mean_q = static_cast<double>(means[q]);
  double sum = 0.0;

  if (!sums_lane) load(sizes, image, 0, chunks_x, thread - kChains, kReaders, tile[0]);
  sync_block();
  for (int n = 0; n < chunks; ++n) {
    const int columns = smaller(kChunk, sizes.positions_x - n % chunks_x * kChunk);
    const int whole = columns / 8 * 8;
    const int half = columns % 8 >= 4 ? 4 : 0;
    const double* u = tile[n % 2].at + tile_position(p);
    const double* v = tile[n % 2].at + tile_position(q);
    if (sums_lane) {
      const int end = whole + (lane < half ? 8 : 0);
      int j = lane;
      for (; j + 24 < end; j += 32) {
        double a[4];
        double b[4];
        QC_UNROLL
        for (int k = 0; k < 4; ++k) {
          a[k] = u[j + 8 * k] - mean_p;
          b[k] = v[j + 8 * k] - mean_q;
        }
        QC_UNROLL
        for (int k = 0; k < 4; ++k) sum = fma_rn(a[k], b[k], sum);
      }
      for (; j < end; j += 8) sum = fma_rn(u[j] - mean_p, v[j] - mean_q, sum);
    } else {
      if (sums_rest)
        for (int j = whole + half; j < columns; ++j) sum += (u[j] - mean_p) * (v[j] - mean_q);
      if (n + 1 < chunks) load(sizes, image, n + 1, chunks_x, thread - kChains, kReaders, tile[(n + 1) % 2]);
    }
    sync_block();
  }
  if (sums_lane || sums_rest) sums[local_pair][lane] = sum;
  sync_block();
  if (thread >= kSpeedPairs || first_pair + thread >= kMatrixPairs) return;
  const double* s = sums[thread];
  double total = s[0] + s[4];
  for (int l = 1; l < 4; ++l) total += s[l] + s[l + 4];
  total += s[8];
  offsets_of(first_pair + thread, p, q);
  const auto element = static_cast<float>(total / static_cast<double>(sizes.positions_x * sizes.positions_y));
  float* matrix = args.covariance + block_y() * kElements;
  matrix[p * kOffsets + q] = element;
  matrix[q * kOffsets + p] = element;
}

QC_KERNEL(qc_speed_matrices, SpeedMatricesArgs, kSpeedMatricesThreads) {
  const float* covariance = args.covariance + block_y() * kElements;
  SpeedMatrices& out = args.matrices[block_y()];
  if (block_x() == 1) {
    triangularise(covariance, out);
  } else if (thread_x() < 32) {
    eigenvalues(covariance, out);
  }
}

QC_KERNEL(qc_speed_blocks, SpeedBlocksArgs, kSpeedBlocksThreads) {
  // [row][thread]
  QC_BLOCK_SHARED float sample[kOffsets][kSpeedBlocksThreads];
  QC_BLOCK_SHARED float solution[kOffsets][kSpeedBlocksThreads];
  QC_BLOCK_SHARED SpeedMatrices matrices;
  const SpeedSizes& sizes = args.sizes;
  const auto log2 = [&](double x) { return speed::log2(x, args.log2_table); };
  const int thread = static_cast<int>(thread_x());
  const int block = static_cast<int>(block_x()) * kSpeedBlocksThreads + thread;
  const int blocks = sizes.blocks_x * sizes.blocks_y;
  float variance[2] = {0.0F, 0.0F};
  float entropy[2] = {0.0F, 0.0F};
  for (int side = 0; side < 2; ++side) {
    const int image = 2 * static_cast<int>(block_y()) + side;
    // Both images have matrices or neither has: qc_speed_total sees to the rest.
    if (is_singular(args.matrices[image])) continue;
    for (int i = thread; i < kElements; i += kSpeedBlocksThreads) {
      matrices.orthogonal[i] = args.matrices[image].orthogonal[i];
      matrices.triangle[i] = args.matrices[image].triangle[i];
      if (i < kOffsets) matrices.eigenvalue[i] = args.matrices[image].eigenvalue[i];
    }
    sync_block();
    if (block < blocks) {
      const float* corner = args.reduced + image * image_samples(sizes) +
                            int64_t{block / sizes.blocks_x} * kSide * sizes.reduced_width +
                            block % sizes.blocks_x * kSide;
      for (int p = 0; p < kOffsets; ++p)
        sample[p][thread] = corner[int64_t{p / kSide} * sizes.reduced_width + p % kSide];
      for (int i = 0; i < kOffsets; ++i) {
        float t = 0.0F;
        for (int c = 0; c < kOffsets; ++c) t += matrices.orthogonal[i * kOffsets + c] * sample[c][thread];
        solution[i][thread] = t;
      }
      for (int i = kOffsets - 1; i >= 0; --i) {
        float t = solution[i][thread];
        for (int c = i + 1; c < kOffsets; ++c) t -= solution[c][thread] * matrices.triangle[i * kOffsets + c];
        solution[i][thread] = t / matrices.triangle[i * kOffsets + i];
      }
      float s = 0.0F;
      for (int p = 0; p < kOffsets; ++p) s += solution[p][thread] * sample[p][thread] / static_cast<float>(kOffsets);
      variance[side] = s;
      float sum = 0.0F;
      for (int k = 0; k < kOffsets; ++k) {
        const float eigenvalue = matrices.eigenvalue[k];
        const float strength = eigenvalue < 0.0F ? 0.0F : eigenvalue;
        const double term = log2(static_cast<double>(strength * s + args.noise)) + speed::kGaussianEntropy;
        sum = static_cast<float>(static_cast<double>(sum) + term);
      }
      entropy[side] = sum;
    }
    sync_block();
  }
  if (block < blocks)
    args.block_scores[static_cast<int64_t>(block_y()) * blocks + block] =
        speed::block_score(args.weighting, entropy[0], entropy[1], variance[0], variance[1], args.least_entropy, log2);
}

QC_KERNEL(qc_speed_total, SpeedTotalArgs, kSpeedTotalThreads) {
  QC_BLOCK_SHARED float scores[kSpeedTotalThreads];
  const bool singular[2] = {is_singular(args.matrices[2 * block_x()]), is_singular(args.matrices[2 * block_x() + 1])};
  SpeedScore& out = args.record->plane[block_x()];
  const int thread = static_cast<int>(thread_x());
  if (singular[0] || singular[1]) {
    if (thread == 0) out = {0.0F, 1};
    return;
  }
  const float* from = args.block_scores + static_cast<int64_t>(block_x()) * args.blocks;
  float sum = 0.0F;
  for (int first = 0; first < args.blocks; first += kSpeedTotalThreads) {
    const int n = smaller(kSpeedTotalThreads, args.blocks - first);
    if (thread < n) scores[thread] = from[first + thread];
    sync_block();
    if (thread == 0)
      for (int i = 0; i < n; ++i) sum += scores[i];
    sync_block();
  }
  if (thread == 0) out = {sum / static_cast<float>(args.blocks), 0};
}

}  // namespace qc::cuda
