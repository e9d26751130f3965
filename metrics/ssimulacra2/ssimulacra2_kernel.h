// The CPU path of ssimulacra2.
#pragma once

#include "ssim/aligned_buffer.h"
#include "ssimulacra2/ssimulacra2_parameters.h"

namespace qc::ssimulacra2 {

// One worker's; owns the scratch. A scale's pictures go through block by block, so that what lies between the samples
// and the sums stays near the processor; only the next scale's linear pictures are stored whole.
class Kernel {
 public:
  explicit Kernel(const Parameters& parameters);

  // Fills the record of a pair.
  void sums(const PairView& pair, Ssimulacra2Record& record);

 private:
  // Rows of linear RGB: of one picture, or two of scale 0.
  struct Light {
    float* plane[3];
    size_t pitch;
    const float* row(int p, int y) const { return plane[p] + static_cast<size_t>(y) * pitch; }
    float* row(int p, int y) { return plane[p] + static_cast<size_t>(y) * pitch; }
  };

  void allocate();
  size_t errors_of(int scale) const;
  Light light(int scale, int picture);
  void read_rows(const PictureView& view, int picture, int first, int rows);
  void scale_sums(const PairView& pair, int scale, Ssimulacra2Record& record);

  const Parameters& parameters_;
  ssim::AlignedBuffer<float> transfer_pairs_[2];  // picture_rows.h
  ssim::AlignedBuffer<float> samples_;            // three rows of YUV, two of chroma as stored
  ssim::AlignedBuffer<float> rows_;               // two linear rows of scale 0
  ssim::AlignedBuffer<float> pictures_[2];        // linear pictures of odd and of even scales
  ssim::AlignedBuffer<float> xyb_;
  ssim::AlignedBuffer<float> turned_;
  ssim::AlignedBuffer<float> blurred_;
  ssim::AlignedBuffer<float> state_;
  ssim::AlignedBuffer<double> errors_;
};

}  // namespace qc::ssimulacra2
