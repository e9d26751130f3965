// What the kernels of psnr_hvs leave of a frame.
#pragma once

namespace qc {

struct PsnrHvsRecord {
  float error[3];  // of Y, Cb, Cr: the sum of all terms in order, in float32
};

}  // namespace qc
