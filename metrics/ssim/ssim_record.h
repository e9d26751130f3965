// What a frame's kernels leave for the features of the SSIM family, on host and device alike.
#pragma once

namespace qc {

struct SsimRecord {
  double sum;  // of moment_term() over the picture, in raster order
};

// Means over the window positions of a plane, rounded to float32 (plane_mean()). A feature's kernel fills those that
// its options ask for.
struct SsimMeans {
  float ssim;  // of l * c * s
  float l;
  float c;
  float s;
};

struct FloatSsimRecord {
  SsimMeans means;
};

struct FloatMsSsimRecord {
  SsimMeans scale[5];
};

}  // namespace qc
