// The kernels that make the sums of the feature adm.
#pragma once

#include "adm/adm_arithmetic.h"
#include "adm/adm_parameters.h"
#include "adm/adm_record.h"
#include "cuda/adm/tile.h"
#include "cuda/device/frame.h"
#include "cuda/device/kernel_name.h"

namespace qc::cuda {

constexpr int kAdmSums = 9;  // of a row: those of AdmScaleSums in order

// Sums of the scored rows of one scale, by tile column: sum k of row y in tile column i is sums[(k * columns + i) *
// height + y].
struct AdmRowSums {
  uint64_t* sums;
  int first_column;  // the tile columns that overlap the scored region
  int columns;
  int height;
};

struct AdmScaleArgs {
  const FrameParameters* frame;  // scale 0: the pictures
  const void* input[2];          // others: approximations of the scale before, int16_t at scale 1, then int32_t
  void* output[2];               // approximations: int16_t at scale 0, int32_t at 1 and 2
  int input_width;               // also the distance of two rows
  int input_height;
  int depth;
  bool sum;  // false: only the approximation
  bool aim;
  AdmScale scale;
  adm::GainLimit gain_limit;
  AdmRowSums rows;
};

// Grid: a block for each tile.
constexpr KernelName<AdmScaleArgs> kAdmScale0Bytes1{"qc_adm_scale0_8"};
constexpr KernelName<AdmScaleArgs> kAdmScale0Bytes2{"qc_adm_scale0_16"};
constexpr KernelName<AdmScaleArgs> kAdmScale1{"qc_adm_scale1"};
constexpr KernelName<AdmScaleArgs> kAdmScale2{"qc_adm_scale2"};
constexpr KernelName<AdmScaleArgs> kAdmScale3{"qc_adm_scale3"};

struct AdmTotalsArgs {
  AdmRecord* record;  // added to
  struct {
    AdmRowSums rows;
    int top;  // scored rows
    int bottom;
    int reference_row_shift;
    int cube_row_shift;
  } scale[4];
};

constexpr int kAdmTotalsThreads = 256;
constexpr int kAdmTotalsRows = 32;  // of a block
// Grid: rows / kAdmTotalsRows, kAdmSums, 4 scales.
constexpr KernelName<AdmTotalsArgs> kAdmTotals{"qc_adm_totals"};

}  // namespace qc::cuda
