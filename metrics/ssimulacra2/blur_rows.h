// The recursive Gaussian of a block of rows, and the errors of the pixels whose blurred values it completes, with
// vector code. A picture of a scale goes through in blocks of kBlockRows rows, from top to bottom.
#pragma once

#include <cstddef>

#include "ssimulacra2/ssimulacra2_arithmetic.h"

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
  bool ssim;   // the SSIM error is wanted
  bool edges;  // the edge change is wanted
  int width;
  int height;
  int first;           // row of the picture where the block begins, a multiple of kBlockRows
  const float* xyb;    // a tile has the rings of the reference and of the distorted picture
  float* turned[2];    // the block's columns one after the other, kBlockRows values each
  float* blurred;      // a tile has the rings of the signals blurred along the rows; zero at first
  float* state;        // a tile has kStateTile values for each signal: the recursions down the columns; zero at first
  double* errors;      // two rows for each row of the block: SSIM error and edge change
  size_t error_pitch;  // from one of them to the next
};

// Columns of the block's rows, from the ring to turned.
void turn_block(const ChannelBlock& block);

// From turned to rows. Rows past the picture's end become zero.
void blur_along_rows(bool rgb, const ChannelBlock& block);

// Blurs down the columns, for the rows first - kAhead … first - kAhead + kBlockRows - 1 as far as they are in the
// picture, and leaves their errors, the first one's at the start of `errors`.
void blur_down_columns(bool rgb, const ChannelBlock& block);

// Adds a row's errors to the sums of a plane (ssimulacra2_record.h), pixel by pixel from left to right.
// Either is null where it isn't wanted.
void add_errors(const double* ssim, const double* change, int width, double* sum);

}  // namespace qc::ssimulacra2
