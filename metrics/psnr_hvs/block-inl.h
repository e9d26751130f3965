// The error of a block as the eye sees it (psnr_hvs.md §4, §6), in as many blocks at once as Int and Float have lanes.
//
// Included in a namespace that has the types Int (int32) and Float (float32) and the functions of scalar_lanes.h on
// them, once for plain numbers, for the device, and for each vector instruction set; so this file has no guard. The
// includer defines QC_LANES, what comes before a function, QC_UNROLL, what comes before a loop, and square_root(Float).
//
// kWide: samples of more than 12 bits, whose products and squares exceed 32 bits.

// In-place transform of eight values `step` apart: Daala's integer DCT in its lifting steps, in this order.
template <bool kWide>
QC_LANES void transform_line(Int* x, int step) {
  Int e4 = x[1 * step] + x[6 * step];
  const Int h4 = halve(e4);
  Int e6 = x[3 * step] + x[4 * step];
  const Int h6 = halve(e6);
  Int o1 = x[0] - x[7 * step];
  const Int h1 = halve(o1);
  Int o5 = x[6 * step] - h4;
  Int o3 = x[2 * step] - x[5 * step];
  Int o7 = h6 - x[4 * step];
  Int e0 = x[0] - h1;
  Int e2 = x[2 * step] - halve(o3);

  e0 = e0 + h6;
  e6 = e0 - e6;
  e2 = h4 - e2;
  e4 = e2 - e4;

  e0 = e0 - scaled<kWide, 13573, 15>(e4);
  e4 = e4 + scaled<kWide, 11585, 14>(e0);
  e0 = e0 - scaled<kWide, 13573, 15>(e4);
  e6 = e6 - scaled<kWide, 21895, 15>(e2);
  e2 = e2 + scaled<kWide, 15137, 14>(e6);
  e6 = e6 - scaled<kWide, 21895, 15>(e2);

  o3 = o3 + scaled<kWide, 19195, 15>(o5);
  o5 = o5 + scaled<kWide, 11585, 14>(o3);
  o3 = o3 - scaled<kWide, 7489, 13>(o5);
  o7 = halve(o5) - o7;
  o5 = o5 - o7;
  o3 = h1 - o3;
  o1 = o1 - o3;
  o7 = o7 + scaled<kWide, 3227, 15>(o1);
  o1 = o1 - scaled<kWide, 6393, 15>(o7);
  o7 = o7 + scaled<kWide, 3227, 15>(o1);
  o5 = o5 + scaled<kWide, 2485, 13>(o3);
  o3 = o3 - scaled<kWide, 18205, 15>(o5);
  o5 = o5 + scaled<kWide, 2485, 13>(o3);

  x[0] = e0;
  x[1 * step] = o1;
  x[2 * step] = e2;
  x[3 * step] = o3;
  x[4 * step] = e4;
  x[5 * step] = o5;
  x[6 * step] = e6;
  x[7 * step] = o7;
}

// Columns, then rows.
template <bool kWide>
QC_LANES void transform_block(Int* block) {
  QC_UNROLL
  for (int x = 0; x < 8; ++x) transform_line<kWide>(block + x, 8);
  QC_UNROLL
  for (int y = 0; y < 8; ++y) transform_line<kWide>(block + 8 * y, 1);
}

// How much of its energy a block keeps in the quadrants: the variances of the quadrants over that of the block.
QC_LANES Float variance_ratio(const Int* block) {
  Int sums[4];
  QC_UNROLL
  for (int s = 0; s < 4; ++s) {
    const Int* corner = block + (s & 1) * 32 + (s >> 1) * 4;
    sums[s] = corner[0];
    QC_UNROLL
    for (int i = 1; i < 16; ++i) sums[s] = sums[s] + corner[i / 4 * 8 + i % 4];
  }
  // Sums are exact in float32, and so are their means.
  const Float mean = to_float((sums[0] + sums[1]) + (sums[2] + sums[3])) * broadcast(1.0F / 64);
  Float means[4];
  QC_UNROLL
  for (int s = 0; s < 4; ++s) means[s] = to_float(sums[s]) * broadcast(1.0F / 16);
  Float total = broadcast(0.0F);
  Float quadrants[4] = {total, total, total, total};
  QC_UNROLL
  for (int y = 0; y < 8; ++y) {
    QC_UNROLL
    for (int x = 0; x < 8; ++x) {
      const int s = y / 4 + x / 4 * 2;
      const Float v = to_float(block[8 * y + x]);
      const Float d = v - mean;
      total = total + d * d;
      const Float e = v - means[s];
      quadrants[s] = quadrants[s] + e * e;
    }
  }
  total = total * broadcast(0x1.041042p+0F);       // f32(1/63) * 64
  const Float unbias = broadcast(0x1.111112p+0F);  // f32(1/15) * 16
  QC_UNROLL
  for (int s = 0; s < 4; ++s) quadrants[s] = quadrants[s] * unbias;
  return if_positive(total, (((quadrants[0] + quadrants[1]) + quadrants[2]) + quadrants[3]) / total);
}

// Replaces a block's samples by its coefficients and returns the error that its texture hides, in units of the mask.
template <bool kWide>
QC_LANES Float masking_threshold(Int* block, const float* mask) {
  const Float ratio = variance_ratio(block);
  transform_block<kWide>(block);
  Float energy = broadcast(0.0F);
  QC_UNROLL
  for (int i = 1; i < 64; ++i) energy = energy + square<kWide>(block[i]) * broadcast(mask[i]);
  return square_root(energy * ratio) * broadcast(1.0F / 32);
}

// The visible error of coefficient i, squared. The mean has no threshold.
QC_LANES Float error_term(Int reference, Int distorted, Float threshold, const Weights& w, int i) {
  Float error = to_float(magnitude(reference - distorted));
  if (i > 0) error = excess(error, threshold / broadcast(w.mask[i]));
  const Float visible = error * broadcast(w.sensitivity[i]);
  return visible * visible;
}
