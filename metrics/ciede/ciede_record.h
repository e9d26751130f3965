// What the kernels of ciede leave of a frame.
#pragma once

namespace qc {

struct CiedeRecord {
  double sum;  // of the colour differences of all pixels, as a float64 accumulator in raster order has it
};

}  // namespace qc
