// The sums of visual information fidelity over the pixels of a pair of luma planes.
#pragma once

#include <cstdint>
#include <vector>

#include "hwy/aligned_allocator.h"
#include "math/plane_view.h"
#include "vif/vif_record.h"

namespace qc {

// What to compute. Pyramid, moments and most sums are the same for every gain limit.
struct VifRequest {
  bool scale0 = false;              // also the sums of scale 0
  std::vector<double> gain_limits;  // one or more
};

// Sums of one scale, the numerator's for each gain limit.
struct VifSums {
  std::vector<int64_t> log_numerator;
  int64_t log_denominator = 0;
  int64_t flat_numerator = 0;
  int64_t flat_count = 0;
};

// Memory of a worker, kept from frame to frame.
struct VifScratch {
  hwy::AlignedFreeUniquePtr<uint8_t[]> bytes;
  size_t size = 0;
  // At least n bytes, aligned for vectors; the content is undefined.
  uint8_t* reserve(size_t n) {
    if (size < n) {
      bytes = hwy::AllocateAligned<uint8_t>(n);
      size = n;
    }
    return bytes.get();
  }
};

// Exact integers. Planes are at least 8x8 and have the same size and depth, 8 to 16 bits.
void vif_sums(const PlaneView& reference, const PlaneView& distorted, const VifRequest& request, VifScratch& scratch,
              VifSums sums[kVifScales]);

// The logarithm that the kernels of the current instruction set use: 2048 * log2 of whole numbers from 2^17 to 2^48 as
// vif::logarithm() rounds it, plus one constant for all. `count` is a multiple of 16. For tests.
void vif_logarithms(const double* numbers, size_t count, int32_t* out);

}  // namespace qc
