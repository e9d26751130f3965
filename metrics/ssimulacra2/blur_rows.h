// The recursive Gaussian of a block of rows, and the errors of the pixels whose blurred values it completes, with
// vector code. A picture of a scale goes through in blocks of kBlockRows rows, from top to bottom.
#pragma once

#include <cstddef>

#include "ssimulacra2/ssimulacra2_arithmetic.h"
#include "ssimulacra2/ssimulacra2_record.h"

namespace qc::ssimulacra2 {

constexpr int kBlockRows = 16;
// Rows of the rings that keep what later blocks need: this block and the one before.
constexpr int kRingRows = 2 * kBlockRows;
// What goes up and down columns lies in tiles of so many columns, each with its rows one after the other.
constexpr int kTileColumns = 16;
constexpr int kRingTile = kRingRows * kTileColumns;

// What is blurred.
enum Signal { kMean1, kMean2, kSquare1, kSquare2, kProduct, kSignals };

constexpr int kStateTile = 2 * kTerms * kTileColumns;

// One channel of a scale. In rings, row r of the picture is at r % kRingRows.
struct ChannelBlock {
  int width;
  int height;
  int first;           // row of the picture where the block begins, a multiple of kBlockRows
  const float* xyb;    // a tile has the rings of the reference and of the distorted picture
  float* turned[2];    // the block's columns one after the other, kBlockRows values each
  float* blurred;      // a tile has the rings of the signals blurred along the rows; zero at first
  float* state;        // a tile has kStateTile values for each signal: the recursions down the columns; zero at first
  double* ssim;        // a row of SSIM errors for each row of the block; null if they aren't wanted
  double* edges;       // the same for the edge changes
  size_t error_pitch;  // from one row of errors to the next
};

// Columns of the block's rows, from the ring to turned.
void turn_block(const ChannelBlock& block);

// From turned to rows. Rows past the picture's end become zero.
void blur_along_rows(bool rgb, const ChannelBlock& block);

// Blurs down the columns, for the rows first - kAhead … first - kAhead + kBlockRows - 1 as far as they are in the
// picture, and leaves their errors, the first one's in the first row.
void blur_down_columns(bool rgb, const ChannelBlock& block);

// An error whose values and fourth powers are summed over a plane.
struct ErrorChain {
  Sum error;             // kSsim, kArtifact or kDetail
  const double* errors;  // a row of SSIM errors or of edge changes
  double* sum;           // that of the error, then that of its fourth power
};

// Adds a row's errors to the sums, pixel by pixel from left to right.
void add_errors(const ErrorChain* chains, int count, int width);

}  // namespace qc::ssimulacra2
