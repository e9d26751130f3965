// The kernels that make the sums of the feature float_adm.
#pragma once

#include "adm/float_adm_parameters.h"
#include "adm/float_adm_record.h"
#include "cuda/adm/tile.h"
#include "cuda/device/frame.h"
#include "cuda/device/kernel_name.h"

namespace qc::cuda {

constexpr int kFloatAdmSums = 9;  // of a scale: those of FloatAdmScaleSums in order

// The terms of the sums over the scored region of one scale, rows * pitch of them for each sum.
struct FloatAdmTerms {
  float* terms;
  int columns;
  int rows;
  int pitch;
  float* row_sums;  // `rows` of them for each sum
};

struct FloatAdmScaleArgs {
  const FrameParameters* frame;  // scale 0: the pictures
  const float* input[2];         // others: approximations of the scale before
  float* output[2];              // approximations
  int input_width;               // also the distance of two rows
  int input_height;
  bool sum;  // false: only the approximation
  bool masking;
  float sample_scale;  // 2^-(depth - 8)
  FloatAdmScale scale;
  float_adm::GainLimit gain_limit;
  float_adm::Exponent exponent;
  const uint32_t* estimates;  // null: IEEE division
  const PowerTables* power;
  FloatAdmTerms terms;
};

// Grid: a block for each tile.
constexpr KernelName<FloatAdmScaleArgs> kFloatAdmScale0Bytes1{"qc_float_adm_scale0_8"};
constexpr KernelName<FloatAdmScaleArgs> kFloatAdmScale0Bytes2{"qc_float_adm_scale0_16"};
constexpr KernelName<FloatAdmScaleArgs> kFloatAdmCoarse{"qc_float_adm_coarse"};

struct FloatAdmSumsArgs {
  FloatAdmRecord* record;
  FloatAdmTerms scale[4];  // no rows: nothing is summed
};

// Sums each row from left to right, a lane a row. Grid: rows / kFloatAdmRows, kFloatAdmSums, 4 scales.
constexpr int kFloatAdmRows = 32;
constexpr KernelName<FloatAdmSumsArgs> kFloatAdmRowSums{"qc_float_adm_row_sums"};
// Adds the rows from top to bottom. Grid: kFloatAdmSums, 4 scales.
constexpr int kFloatAdmTotalsThreads = 128;
constexpr KernelName<FloatAdmSumsArgs> kFloatAdmTotals{"qc_float_adm_totals"};

}  // namespace qc::cuda
