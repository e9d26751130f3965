// Streams both pictures once, row by row: each new row of a scale's approximation goes to the next scale at once, and
// each row of detail is split and summed while it is in the cache.
#include "adm/adm_kernel.h"

#include <algorithm>

#include "adm/adm_plain.h"
#include "adm/adm_scratch.h"
#include "core/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "adm/adm_kernel.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

// After highway.h, which sets the target.
#include "adm/adm_coarse-inl.h"
#include "adm/adm_finest-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qc::HWY_NAMESPACE {

#if QC_PLAIN_TARGET

void sums(std::span<const AdmParameters> instances, const PlaneView& reference, const PlaneView& distorted, AdmScratch&,
          std::span<AdmRecord> records) {
  for (size_t i = 0; i < instances.size(); ++i) plain::adm_sums(instances[i], reference, distorted, records[i]);
}

#else

class Stream {
 public:
  Stream(std::span<const AdmParameters> instances, AdmScratch& scratch, std::span<AdmRecord> records)
      : instances_(instances), geometry_(instances[0]), scratch_(scratch), records_(records) {
    for (AdmScratch::Coarse& level : scratch_.coarse) level.next_row = 0;
  }

  template <class T>
  void run(const PlaneView& reference, const PlaneView& distorted) {
    for (int y = 0; y < geometry_.scale[0].height; ++y) {
      finest_row<T>(reference, distorted, y);
      input_ready(1, y);
    }
  }

 private:
  static bool needed(const AdmActive& active, int y) { return y >= active.top && y < active.bottom; }

  // Row y of a scale's detail is split: `sum` takes the rows whose thresholds are now known.
  template <class Sum>
  static void for_known_thresholds(const AdmScale& scale, int y, Sum sum) {
    const int before = y - 1;
    if (before >= scale.top && before < scale.bottom) sum(before, before == 0 ? y : before - 1, y);
    if (y + 1 == scale.height && y < scale.bottom) sum(y, y - 1, y);
  }

  template <class T>
  void finest_row(const PlaneView& reference, const PlaneView& distorted, int y) {
    AdmScratch::Finest& rows = scratch_.finest;
    AdmScratch::Coarse& next = scratch_.coarse[0];
    const AdmScale& scale = geometry_.scale[0];
    const bool detail = needed(rows.active, y) &&
                        std::any_of(instances_.begin(), instances_.end(), [](const auto& i) { return summed(i, 0); });
    const PlaneView* planes[2] = {&reference, &distorted};
    for (int p = 0; p < 2; ++p) {
      const PlaneView& plane = *planes[p];
      const T* input[4];
      for (int k = 0; k < 4; ++k) {
        input[k] = reinterpret_cast<const T*>(plane.data + adm::mirror(2 * y - 1 + k, plane.height) * plane.stride);
        if (plane.width < AdmScratch::kNarrow) {
          std::memcpy(scratch_.narrow[p][k], input[k], static_cast<size_t>(plane.width) * sizeof(T));
          input[k] = reinterpret_cast<const T*>(scratch_.narrow[p][k]);
        }
      }
      PlaneView wide = plane;
      if (plane.width < kLanes16) wide.width = kLanes16;
      vertical_finest(input, wide, rows.low[p], detail ? rows.high[p] : nullptr);
      mirror_finest(rows.low[p], plane.width);
      approximation_finest(rows.low[p], scale.width, next.even[y % 4][p], next.odd[y % 4][p]);
      mirror_coarse(next.even[y % 4][p], next.odd[y % 4][p], scale.width);
      if (!detail) continue;
      mirror_finest(rows.high[p], plane.width);
      detail_finest(rows.low[p], rows.high[p], rows.active, rows.detail[p]);
    }
    if (detail) sum_detail<0>(rows, y);
  }

  // Row y of the input of scale s is there.
  void input_ready(int s, int y) {
    AdmScratch::Coarse& level = scratch_.coarse[s - 1];
    const int height = geometry_.scale[s].height;
    while (level.next_row < height && (2 * level.next_row + 2 <= y || y + 1 == level.input_height)) {
      const int row = level.next_row++;
      if (s == 1) coarse_row<1>(row);
      if (s == 2) coarse_row<2>(row);
      if (s == 3) coarse_row<3>(row);
      if (s < 3) input_ready(s + 1, row);
    }
  }

  template <int kScale>
  void coarse_row(int y) {
    constexpr int kVertical = adm::vertical_shift(kScale);
    constexpr int kHorizontal = adm::horizontal_shift(kScale);
    AdmScratch::Coarse& rows = scratch_.coarse[kScale - 1];
    const AdmScale& scale = geometry_.scale[kScale];
    const bool detail = needed(rows.active, y);
    for (int p = 0; p < 2; ++p) {
      const int32_t* even[4];
      const int32_t* odd[4];
      for (int k = 0; k < 4; ++k) {
        const int row = adm::mirror(2 * y - 1 + k, rows.input_height) % 4;
        even[k] = rows.even[row][p];
        odd[k] = rows.odd[row][p] - 1;
      }
      vertical_coarse<kVertical>(even, scale.width + 1, rows.low[p][0], detail ? rows.high[p][0] : nullptr);
      vertical_coarse<kVertical>(odd, scale.width + 1, rows.low[p][1] - 1, detail ? rows.high[p][1] - 1 : nullptr);
      int32_t* next_even = nullptr;
      int32_t* next_odd = nullptr;
      if (kScale < 3) {
        AdmScratch::Coarse& next = scratch_.coarse[kScale < 3 ? kScale : 0];
        next_even = next.even[y % 4][p];
        next_odd = next.odd[y % 4][p];
      } else if (!detail) {
        continue;
      }
      horizontal_low_coarse<kHorizontal>(rows.low[p], scale.width, rows.detail[p][1], next_even, next_odd);
      if (kScale < 3) mirror_coarse(next_even, next_odd, scale.width);
      if (detail) horizontal_high_coarse<kHorizontal>(rows.high[p], rows.active, rows.detail[p][0], rows.detail[p][2]);
    }
    if (detail) sum_detail<kScale>(rows, y);
  }

  // True if an instance sums this scale.
  static bool summed(const AdmParameters& instance, int scale) { return scale > 0 || !instance.skip_scale0; }

  template <int kScale>
  auto& split_rows(size_t instance) {
    if constexpr (kScale == 0) {
      return scratch_.split[instance].finest;
    } else {
      return scratch_.split[instance].coarse[kScale - 1];
    }
  }

  // Detail of row y of both pictures, split and summed for each instance.
  template <int kScale, class Rows>
  void sum_detail(Rows& rows, int y) {
    for (size_t i = 0; i < instances_.size(); ++i) {
      const AdmParameters& instance = instances_[i];
      if (!summed(instance, kScale)) continue;
      if (instance.skip_aim) {
        split_row<false>(rows, split_rows<kScale>(i), instance.scale[kScale], instance.gain_limit, y);
      } else {
        split_row<true>(rows, split_rows<kScale>(i), instance.scale[kScale], instance.gain_limit, y);
      }
    }
    const AdmScale& geometry = geometry_.scale[kScale];
    uint64_t reference[3] = {};
    if (y >= geometry.top && y < geometry.bottom) {
      for (auto* detail : rows.detail[0]) clear_after(detail, geometry.right);
      reference_row<kScale>(rows.detail[0], geometry, reference);
    }
    for (size_t i = 0; i < instances_.size(); ++i) {
      const AdmParameters& instance = instances_[i];
      if (!summed(instance, kScale)) continue;
      const AdmScale& scale = instance.scale[kScale];
      const auto& split = split_rows<kScale>(i);
      AdmScaleSums& sums = records_[i].scale[kScale];
      for (int b = 0; b < 3; ++b) sums.reference[b] += reference[b];
      for_known_thresholds(scale, y, [&](int row, int above, int below) {
        masked_row(split.restored, split.additive, rows, scale, row, above, below, sums.restored);
        if (!instance.skip_aim)
          masked_row(split.additive, split.restored, rows, scale, row, above, below, sums.additive);
      });
    }
  }

  // Columns -1, width and width + 1.
  static void mirror_finest(int16_t* row, int width) {
    row[-1] = row[1];
    row[width] = row[width - 1];
    row[width + 1] = row[width - 2];
  }
  static void mirror_coarse(int32_t* even, int32_t* odd, int width) {
    const int half = width / 2;
    odd[-1] = odd[0];
    if (width % 2 == 0) {
      even[half] = odd[half - 1];
    } else {
      odd[half] = even[half];
      even[half + 1] = odd[half - 1];
    }
  }

  std::span<const AdmParameters> instances_;
  const AdmParameters& geometry_;  // what is the same for all of them
  AdmScratch& scratch_;
  std::span<AdmRecord> records_;
};

void sums(std::span<const AdmParameters> instances, const PlaneView& reference, const PlaneView& distorted,
          AdmScratch& scratch, std::span<AdmRecord> records) {
  for (AdmRecord& record : records) record = {};
  Stream stream(instances, scratch, records);
  if (reference.bytes == 1) {
    stream.run<uint8_t>(reference, distorted);
  } else {
    stream.run<uint16_t>(reference, distorted);
  }
}

#endif

}  // namespace qc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qc {
namespace {

HWY_EXPORT(sums);

// True if nothing in the vector code's arithmetic overflows: weights that libvmaf's fixed-point format holds.
bool fits_vectors(const AdmParameters& parameters) {
  // No band of scale 0 has greater samples.
  constexpr int64_t kLargest = 22950;
  const AdmScale& finest = parameters.scale[0];
  const int64_t contrast_hv = (kLargest * finest.weight_hv >> 15) + 1;
  const int64_t contrast_d = (kLargest * finest.weight_d >> 17) + 1;
  const int64_t sum = (2 * contrast_hv + contrast_d) * 4369 / 4096 + 6;
  if (contrast_hv > 30000 || sum > 65535) return false;
  for (int s = 1; s < 4; ++s)
    if (parameters.scale[s].weight_hv > 1U << 28 || parameters.scale[s].weight_d > 1U << 28) return false;
  return true;
}

}  // namespace

void adm_sums(std::span<const AdmParameters> instances, const PlaneView& reference, const PlaneView& distorted,
              AdmScratch& scratch, std::span<AdmRecord> records) {
  if (std::all_of(instances.begin(), instances.end(), fits_vectors)) {
    HWY_DYNAMIC_DISPATCH(sums)(instances, reference, distorted, scratch, records);
  } else {
    for (size_t i = 0; i < instances.size(); ++i) plain::adm_sums(instances[i], reference, distorted, records[i]);
  }
}

}  // namespace qc
#endif
