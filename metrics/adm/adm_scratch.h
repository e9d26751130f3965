// Row buffers of the streaming computation of the feature adm. A row of a scale is made as soon as the rows it depends
// on are there and dropped when nothing needs it any more, so that everything stays in the cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "adm/adm_kernel.h"
#include "hwy/aligned_allocator.h"

namespace qc {

// What the masked sums of a row need of one signal (restored or additive part): samples of two rows, contributions to
// thresholds of three.
template <class Sample, class Sum>
struct AdmSignalRows {
  Sample* samples[2][3];  // row mod 2, band. Scale 0: the signal; scales 1 to 3: magnitude of the weighted signal
  Sum* to_neighbours[3];  // row mod 3, summed over the bands
  Sum* itself_more[2];    // row mod 2: what a sample adds to its own threshold, less what it adds to its neighbours'
  bool cut[2];            // row mod 2, scale 0: some contribution to the sample's own threshold exceeds 16 bits
};

// Both parts of the distorted detail.
template <class Sample, class Sum>
struct AdmSplitRows {
  AdmSignalRows<Sample, Sum> restored;
  AdmSignalRows<Sample, Sum> additive;
};

// Columns and rows whose detail is needed: the scored region and one sample around it.
struct AdmActive {
  int left;
  int right;
  int top;
  int bottom;
};

class AdmScratch {
 public:
  struct Finest {
    AdmActive active;
    int16_t* low[2];  // picture (0 reference, 1 distorted); columns -1 to width + 1
    int16_t* high[2];
    int16_t* detail[2][3];  // picture, band
    int32_t* column_sums;   // of one row's thresholds
  };
  // Rows of the input (the approximation of the scale before) have even and odd columns apart; odd[-1] and the two
  // after the last are mirrored ones.
  struct Coarse {
    AdmActive active;
    int input_width;
    int input_height;
    int next_row;         // the band row to make next
    int32_t* even[4][2];  // row mod 4, picture
    int32_t* odd[4][2];
    int32_t* low[2][2];  // picture, column parity
    int32_t* high[2][2];
    int32_t* detail[2][3];  // picture, band
    int32_t* column_sums;
  };

  // What an instance of the feature has of its own.
  struct Split {
    AdmSplitRows<int16_t, uint16_t> finest;
    AdmSplitRows<int32_t, int32_t> coarse[3];
  };

  // For pictures of the parameters' size and so many instances.
  AdmScratch(const AdmParameters& parameters, size_t instances);

  std::vector<Split> split;
  Finest finest;
  Coarse coarse[3];       // scales 1 to 3
  uint8_t* narrow[2][4];  // rows of pictures that are narrower than a vector

  // Samples that vector code may touch before and after a row.
  static constexpr size_t kBefore = 64;
  static constexpr size_t kAfter = 160;
  // Pictures narrower than this are copied row by row.
  static constexpr int kNarrow = 64;

 private:
  template <class T>
  T* row(int width) {
    const size_t count = kBefore + static_cast<size_t>(width) + kAfter;
    memory_.push_back(hwy::AllocateAligned<uint8_t>(count * sizeof(T)));
    std::memset(memory_.back().get(), 0, count * sizeof(T));
    return reinterpret_cast<T*>(memory_.back().get()) + kBefore;
  }
  template <class Sample, class Sum>
  void allocate(AdmSplitRows<Sample, Sum>& split, int width);

  std::vector<hwy::AlignedFreeUniquePtr<uint8_t[]>> memory_;
};

}  // namespace qc
