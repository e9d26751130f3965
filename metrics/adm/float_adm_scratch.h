// Row buffers of the streaming computation of the feature float_adm. A row of a scale is made as soon as the rows it
// depends on are there and dropped when nothing needs it any more, so that everything stays in the cache.
#pragma once

#include <cstddef>
#include <vector>

#include "adm/float_adm_sums.h"
#include "hwy/aligned_allocator.h"

namespace qc {

// What the masked sums of a row need of one signal (restored or additive part), by bands.
struct FloatAdmSignalRows {
  float* contrast[2][3];       // row mod 2: magnitudes of the weighted signal
  float* to_neighbours[3][3];  // row mod 3: contributions to the thresholds of neighbours; columns -1 to width
};

class FloatAdmScratch {
 public:
  struct Level {
    // Columns and rows whose detail is needed: the scored region and one sample around it.
    int active_left;
    int active_right;
    int active_top;
    int active_bottom;
    int input_width;
    int input_height;
    int next_row;        // the band row to make next
    float* input[4][2];  // row mod 4, picture (0 reference, 1 distorted): samples, or the approximation of the scale
                         // before
    // Filtered vertically, with even and odd columns apart; odd[-1] and the two after the last are mirrored ones.
    float* low[2][2];  // picture, column parity
    float* high[2][2];
    float* reference[2][3];  // row mod 2, band: powers of the reference's detail
    FloatAdmSignalRows restored;
    FloatAdmSignalRows additive;
    float* powers[6];  // of the masked detail of one row: restored, additive
  };

  explicit FloatAdmScratch(const FloatAdmParameters& parameters);

  Level level[4];

 private:
  // Samples that vector code may touch before and after a row.
  static constexpr size_t kBefore = 16;
  static constexpr size_t kAfter = 64;

  float* row(int width);
  void allocate(FloatAdmSignalRows& rows, int width);

  std::vector<hwy::AlignedFreeUniquePtr<float[]>> memory_;
};

}  // namespace qc
