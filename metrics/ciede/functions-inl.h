// The elementary functions of ciede, in as many numbers at once as Double and Single have lanes: additions, products,
// fused products and table look-ups alone, so that every processor and the device give the same bits. Relative errors
// are below 2^-51, except where it is said.
//
// Included in a namespace that has the types Double (float64), Single (float32), Int (int32) and Mask and the functions
// of scalar_lanes.h on them, once for plain numbers, for the device, and for each vector instruction set; so this file
// has no guard. The includer defines QC_LANES, what comes before a function, square_root(Double), and of Doubles, each
// rounded once, fused(a, b, c) = a * b + c and residue(c, a, b) = c - a * b.

// The integer nearest to v, |v| < 2^51.
QC_LANES Double nearest(Double v) {
  const Double magic = number(0x1.8p+52);
  return (v + magic) - magic;
}

// A first guess of t^(-1/n), good to 4 %: bits of a float32 number count up about as its logarithm does.
// `offset`: 2^23 (1 + 1/n) (127 - 0.05), so that t guess^n is as far below 1 as above it.
QC_LANES Single root_guess(Single t, float inverse_n, float offset) {
  return from_bits(truncate(single(offset) - to_single(bits(t)) * single(inverse_n)));
}

// s^(-1/5) to 6e-8, for 0.05 < s < 10.
QC_LANES Single inverse_fifth_root(Single s) {
  // The guess, times (1 - h)^(-1/5) for |h| < 0.157.
  const Single y = root_guess(s, 0.2F, 1277900410.0F);
  const Single y2 = y * y;
  const Single h = single(1.0F) - s * (y2 * y2 * y);
  Single series = single(0x1.f00776p-5F);
  series = series * h + single(0x1.26e552p-4F);
  series = series * h + single(0x1.686996p-4F);
  series = series * h + single(0x1.eb7adap-4F);
  series = series * h + single(0x1.99999ap-3F);
  return y + y * (h * series);
}

// t^2.4 for 0.05 < t < 10, from inverse_fifth_root(narrow(t)). (2.4 is the float64 number of that name, 9e-17 less.)
QC_LANES Double power_2_4(Double t, Single y) {
  const Single y2 = y * y;
  const Single y4 = y2 * y2;
  // The fifth root near t / y^-4, and 1 / t.
  const Double root = widen(narrow(t) * y4);
  Double inverse = widen(y4 * y);
  inverse = fused(inverse, residue(number(1.0), t, inverse), inverse);
  // t (1 - g) = root^5. The square is exact.
  const Double square = root * root;
  const Double g = residue(t, square * square, root) * inverse;
  // t^0.4 = root^2 (1 - g)^-0.4, and the power 9e-17 less of t: 5 times that times log root.
  const Double z = root - number(1.0);
  Double correction = g * fused(g, number(0.28), number(0.4));
  correction = fused(z, fused(z, number(0.62 * 0x1p-51), number(-0x1p-51)), correction);
  const Double product = t * t * square;
  return fused(product, correction, product);
}

// s^(-1/3) to 2e-7, for 0.005 < s < 20.
QC_LANES Single inverse_cube_root(Single s) {
  // The guess, times (1 - h)^(-1/3) for |h| < 0.103.
  const Single y = root_guess(s, 0x1.555556p-2F, 1419900529.0F);
  const Single h = single(1.0F) - s * (y * y * y);
  Single series = single(0x1.296006p-3F);
  series = series * h + single(0x1.64ab78p-3F);
  series = series * h + single(0x1.c71ba4p-3F);
  series = series * h + single(0x1.5554e2p-2F);
  return y + y * (h * series);
}

// t^(1/3) for 0.005 < t < 20, from inverse_cube_root(narrow(t)). (1/3 is the float64 number next to it, 2e-17 less,
// which is left out of account.)
QC_LANES Double cube_root(Double t, Single y) {
  // t y^3 = 1 - g, t^(1/3) = t y^2 (1 - g)^(-2/3). The square is exact.
  const Double inverse_root = widen(y);
  const Double product = t * (inverse_root * inverse_root);
  const Double g = residue(number(1.0), product, inverse_root);
  return fused(product, g * fused(g, number(0x1.1c71c71c71c72p-1), number(0x1.5555555555555p-1)), product);
}

// x^7 of a float32 number.
QC_LANES Double seventh_power(Single x) {
  const Double v = widen(x);
  const Double v2 = v * v;
  return (v2 * v2) * (v2 * v);
}

// powf(x, 7) for x >= 0 as glibc 2.36 computes it, which is not the nearest float32 number of all (ciede.md §6.1).
QC_LANES Single seventh_power_single(Single x, const PowerTables& tables) {
  const Int t = plus(bits(x), integer(-0x3f330000));
  const Int i = and_bits(shift_right<19>(t), integer(15));
  // x = 2^k z
  const Double k = widen(shift_right<23>(t));
  const Double z = widen(from_bits(plus(and_bits(t, integer(0x7fffff)), integer(0x3f330000))));
  const Double r = z * look_up(tables.reciprocal, i) - number(1.0);
  const Double y0 = look_up(tables.log2, i) + k;
  const Double r2 = r * r;
  const Double low = number(0x1.27616c9496e0bp-2) * r + number(-0x1.71969a075c67ap-2);
  const Double middle = number(0x1.ec70a6ca7baddp-2) * r + number(-0x1.7154748bef6c8p-1);
  const Double high = number(0x1.71547652ab82bp+0) * r + y0;
  const Double log2 = low * (r2 * r2) + (middle * r2 + high);
  const Double v = number(7.0) * log2;
  const Double steps = nearest(v * number(32.0));
  const Double f = v - steps * number(0x1p-5);
  const Int n = whole(steps);
  const Double scale = power_of_two(shift_right<5>(n)) * look_up(tables.exp2, and_bits(n, integer(31)));
  const Double power = (number(0x1.c6af84b912394p-5) * f + number(0x1.ebfce50fac4f3p-3)) * (f * f) +
                       (number(0x1.62e42ff0c52d6p-1) * f + number(1.0));
  const Mask nothing = either(greater(number(0x1p-22), widen(x)), greater(number(-150.0), v));
  return narrow(select(nothing, number(0.0), power * scale));
}

// e^x for -700 < x <= 0.
QC_LANES Double exponential(Double x) {
  const Double n = nearest(x * number(0x1.71547652b82fep+0));
  const Double r = fused(n, number(-0x1.abc9e3b39803fp-56), fused(n, number(-0x1.62e42fefa39efp-1), x));
  Double p = number(0x1.1f730349868cep-29);
  p = fused(p, r, number(0x1.af4de97ca4194p-26));
  p = fused(p, r, number(0x1.27e4db646b17ep-22));
  p = fused(p, r, number(0x1.71de0231960ebp-19));
  p = fused(p, r, number(0x1.a01a01a6d889cp-16));
  p = fused(p, r, number(0x1.a01a01abe7fe1p-13));
  p = fused(p, r, number(0x1.6c16c16c162d4p-10));
  p = fused(p, r, number(0x1.11111111100dcp-7));
  p = fused(p, r, number(0x1.5555555555556p-5));
  p = fused(p, r, number(0x1.5555555555557p-3));
  p = fused(p, r, number(0.5));
  return (fused(r * r, p, r) + number(1.0)) * power_of_two(whole(n));
}

// sin x for |x| <= 1.571.
QC_LANES Double sine(Double x) {
  const Double s = x * x;
  Double p = number(-0x1.275ecac266a3ap-57);
  p = fused(p, s, number(0x1.9507fb692a94ap-49));
  p = fused(p, s, number(-0x1.ae7ee39a09ceap-41));
  p = fused(p, s, number(0x1.612460b690375p-33));
  p = fused(p, s, number(-0x1.ae64567e73021p-26));
  p = fused(p, s, number(0x1.71de3a556b9b2p-19));
  p = fused(p, s, number(-0x1.a01a01a01a00dp-13));
  p = fused(p, s, number(0x1.1111111111111p-7));
  p = fused(p, s, number(-0x1.5555555555555p-3));
  return fused(x * s, p, x);
}

// cos x and sin x for 0 <= x <= 32, with an absolute error below 2^-51.
struct CosineSine {
  Double cosine;
  Double sine;
};
QC_LANES CosineSine cosine_sine(Double x) {
  const Double n = nearest(x * number(0x1.45f306dc9c883p-1));
  const Double r = fused(n, number(-0x1.1a62633145c07p-54), fused(n, number(-0x1.921fb54442d18p+0), x));
  const Double s = r * r;
  Double p = number(0x1.5e0af186af739p-33);
  p = fused(p, s, number(-0x1.ae600a926c89ap-26));
  p = fused(p, s, number(0x1.71de37961e4c6p-19));
  p = fused(p, s, number(-0x1.a01a019e8357dp-13));
  p = fused(p, s, number(0x1.1111111110bb1p-7));
  p = fused(p, s, number(-0x1.5555555555555p-3));
  const Double sine = fused(r * s, p, r);
  Double q = number(-0x1.907d7aebd5e3dp-37);
  q = fused(q, s, number(0x1.1eeb68b109173p-29));
  q = fused(q, s, number(-0x1.27e4fa17a41b4p-22));
  q = fused(q, s, number(0x1.a01a019f4e867p-16));
  q = fused(q, s, number(-0x1.6c16c16c16966p-10));
  q = fused(q, s, number(0x1.5555555555555p-5));
  const Double cosine = fused(s * s, q, fused(s, number(-0.5), number(1.0)));
  // n mod 4 in float64, -2 … 2.
  const Double quarter = n - number(4.0) * nearest(n * number(0.25));
  const Mask odd = equal(absolute(quarter), number(1.0));
  const Double c = select(odd, sine, cosine);
  const Double t = select(odd, cosine, sine);
  const Mask turned = equal(absolute(quarter), number(2.0));
  const Mask cosine_negative = either(turned, equal(quarter, number(1.0)));
  const Mask sine_negative = either(turned, equal(quarter, number(-1.0)));
  return {select(cosine_negative, number(0.0) - c, c), select(sine_negative, number(0.0) - t, t)};
}

// The angle of (x, y), 0 <= result <= pi, for y >= 0 and float32 numbers; of (0, 0) it is 0.
QC_LANES Double angle(Double y, Double x) {
  const Double width = absolute(x);
  const Mask steep = greater(y, width);
  // What is added alters no float32 number but 0.
  const Double longer = maximum(y, width) + number(0x1p-500);
  const Double shorter = minimum(y, width);
  // Above 22.5 degrees, measure from 45.
  const Mask far = greater(shorter, longer * number(0x1.a8279ap-2));
  const Double q = select(far, shorter - longer, shorter) / select(far, shorter + longer, longer);
  const Double s = q * q;
  Double p = number(0x1.0acd9e91a5a35p-6);
  p = fused(p, s, number(-0x1.1b311bb48c215p-5));
  p = fused(p, s, number(0x1.74dccfb93fff0p-5));
  p = fused(p, s, number(-0x1.ac7a5a79b3f26p-5));
  p = fused(p, s, number(0x1.e19a0bfa3eef9p-5));
  p = fused(p, s, number(-0x1.110e87b4357d2p-4));
  p = fused(p, s, number(0x1.3b1392d519db1p-4));
  p = fused(p, s, number(-0x1.745d165dc9713p-4));
  p = fused(p, s, number(0x1.c71c71c303dbbp-4));
  p = fused(p, s, number(-0x1.249249248d7dcp-3));
  p = fused(p, s, number(0x1.9999999999953p-3));
  p = fused(p, s, number(-0x1.5555555555555p-2));
  const Double a = fused(q * s, p, q);
  // The angle is base + a or base - a.
  const Mask left = greater(number(0.0), x);
  const Double base = select(far, number(0x1.921fb54442d18p-1), if_so(steep, number(0x1.921fb54442d18p+0)));
  const Double turned = negate_if(left, negate_if(steep, a));
  return select(left, number(0x1.921fb54442d18p+1) - base, base) + turned;
}
