// The colour difference of pixels by CIEDE2000, in as many pixels at once as Double and Single have lanes (ciede.md §3,
// §4). Every operation rounds as the reference's does, to float64 or to float32. Comes after functions-inl.h, and is
// included like it.

struct Lab {
  Single l;
  Single a;
  Single b;
};

// Linear light is a power of this.
QC_LANES Double light_base(Double v) { return (v + number(0.055)) * number(1 / 1.055); }

// `root` is inverse_fifth_root(narrow(light_base(v))).
QC_LANES Double linear_light(Double v, Single root) {
  return select(greater(v, number(10.0 / 255)), power_2_4(light_base(v), root), v * number(1 / 12.92));
}
QC_LANES Double linear_light(Double v) { return linear_light(v, inverse_fifth_root(narrow(light_base(v)))); }

// Red, green and blue of integer samples of BT.709 video.
QC_LANES Double unit_luma(Double luma, const SampleScale& scale) {
  return (luma - number(scale.luma_offset)) * number(scale.luma);
}
QC_LANES Double unit_chroma(Double chroma, const SampleScale& scale) {
  return (chroma - number(scale.chroma_offset)) * number(scale.chroma);
}
QC_LANES Double red(Double luma, Double cr, const SampleScale& scale) {
  return unit_luma(luma, scale) + number(1.28033) * unit_chroma(cr, scale);
}
QC_LANES Double green(Double luma, Double cb, Double cr, const SampleScale& scale) {
  return (unit_luma(luma, scale) - number(0.21482) * unit_chroma(cb, scale)) - number(0.38059) * unit_chroma(cr, scale);
}
QC_LANES Double blue(Double luma, Double cb, const SampleScale& scale) {
  return unit_luma(luma, scale) + number(2.12798) * unit_chroma(cb, scale);
}

// Relative to the white point.
struct Xyz {
  Double x;
  Double y;
  Double z;
};
QC_LANES Xyz xyz(Double r, Double g, Double b) {
  const Double x = (r * number(0.4124564390896921) + g * number(0.357576077643909)) + b * number(0.18043748326639894);
  const Double y = (r * number(0.21267285140562248) + g * number(0.715152155287818)) + b * number(0.07217499330655958);
  const Double z = (r * number(0.019333895582329317) + g * number(0.119192025881303)) + b * number(0.9503040785363677);
  return {x * number(1 / 0.95047), y, z * number(1 / 1.08883)};
}

// `root` is inverse_cube_root(narrow(t)).
QC_LANES Double lab_curve(Double t, Single root) {
  const Double line = ((number(24389.0 / 27) * t) + number(16.0)) * number(1.0 / 116);
  return widen(narrow(select(greater(t, number(216.0 / 24389)), cube_root(t, root), line)));
}

struct Roots {
  Single x;
  Single y;
  Single z;
};
QC_LANES Roots inverse_cube_roots(const Xyz& t) {
  return {inverse_cube_root(narrow(t.x)), inverse_cube_root(narrow(t.y)), inverse_cube_root(narrow(t.z))};
}

QC_LANES Lab lab(const Xyz& t, const Roots& roots) {
  const Double fx = lab_curve(t.x, roots.x);
  const Double fy = lab_curve(t.y, roots.y);
  const Double fz = lab_curve(t.z, roots.z);
  return {narrow(number(116.0) * fy - number(16.0)), narrow(number(500.0) * (fx - fy)),
          narrow(number(200.0) * (fy - fz))};
}

QC_LANES Lab lab(Double luma, Double cb, Double cr, const SampleScale& scale) {
  const Xyz t = xyz(linear_light(red(luma, cr, scale)), linear_light(green(luma, cb, cr, scale)),
                    linear_light(blue(luma, cb, scale)));
  return lab(t, inverse_cube_roots(t));
}

// In what follows 1 is the reference and 2 the distorted picture.

QC_LANES Single length(Single a, Single b) {
  const Double x = widen(a);
  const Double y = widen(b);
  return narrow(square_root(x * x + y * y));
}

QC_LANES Single mean(Single v1, Single v2) { return (v1 + v2) * single(0.5F); }

// How much the a axis is stretched near gray.
QC_LANES Double stretch(Single chroma1, Single chroma2) {
  const Double power = seventh_power(mean(chroma1, chroma2));
  return number(1.0) - square_root(power / (power + number(6103515625.0)));
}
QC_LANES Single stretched(Single a, Double stretch) { return narrow(widen(a) + widen(a * single(0.5F)) * stretch); }

constexpr double kPi = 0x1.921fb54442d18p+1;

// In radians, 0 <= hue < 2 pi or thereabouts; 0 for gray.
QC_LANES Single hue(Single a, Single b) {
  const Single upper = narrow(angle(absolute(widen(b)), widen(a)));
  return select(greater(single(0.0F), b), narrow(number(2 * kPi) - widen(upper)), upper);
}

// The difference of hues as a length, and the mean hue.
struct HuePair {
  Single step;
  Single mean;
};
QC_LANES HuePair hue_pair(Single c1, Single c2, Single h1, Single h2) {
  const Double turn = widen(h2 - h1);
  const Mask far = greater(absolute(turn), number(kPi));
  const Double other_way = select(greater(turn, number(0.0)), turn - number(2 * kPi), turn + number(2 * kPi));
  // The reference takes a turn of 0 if a colour is gray. Then the product of the chromas is 0, and so is the length.
  const Double hue_turn = widen(narrow(select(far, other_way, turn)));
  const Double hue_sum = widen(h1 + h2);
  return {narrow((number(2.0) * square_root(widen(c1 * c2))) * sine(hue_turn * number(0.5))),
          narrow(select(far, hue_sum + number(2 * kPi), hue_sum) * number(0.5))};
}

// 1 - 0.17 cos(h - pi/6) + 0.24 cos 2h + 0.32 cos(3h + pi/30) - 0.20 cos(4h - 7 pi/20), from one cosine and sine.
QC_LANES Double hue_weight(Double h) {
  const CosineSine once = cosine_sine(h);
  const Double c = once.cosine;
  const Double s = once.sine;
  const Double cosine2 = fused(c + c, c, number(-1.0));
  const Double sine2 = (s + s) * c;
  const Double cosine3 = c * fused(number(2.0), cosine2, number(-1.0));
  const Double sine3 = s * fused(number(2.0), cosine2, number(1.0));
  const Double cosine4 = fused(cosine2 + cosine2, cosine2, number(-1.0));
  const Double sine4 = (sine2 + sine2) * cosine2;
  const Double part1 = fused(s, number(0.5), c * number(0x1.bb67ae8584caap-1));
  const Double part3 = fused(sine3, number(-0x1.ac2609b3c576cp-4), cosine3 * number(0x1.fd31f94f867c6p-1));
  const Double part4 = fused(sine4, number(0x1.c83201d3d2c6dp-1), cosine4 * number(0x1.d0e2e2b44de01p-2));
  return (((number(1.0) - number(0.17) * part1) + number(0.24) * cosine2) + number(0.32) * part3) -
         number(0.20) * part4;
}

// The terms of the difference: each difference over its scale.
QC_LANES Single lightness_term(Single l1, Single l2) {
  const Double from_middle = widen(mean(l1, l2) - single(50.0F));
  const Double square = from_middle * from_middle;
  const Single scale = narrow(number(1.0) + (number(0.015) * square) / square_root(number(20.0) + square));
  return (l2 - l1) / (single(0.65F) * scale);
}
QC_LANES Single chroma_term(Single c1, Single c2) {
  return (c2 - c1) / narrow(number(1.0) + number(0.045) * widen(mean(c1, c2)));
}
QC_LANES Single hue_term(Single step, Single mean_hue, Single chroma) {
  const Single weight = narrow(hue_weight(widen(mean_hue)));
  const Single scale = narrow(number(1.0) + (number(0.015) * widen(chroma)) * widen(weight));
  return step / (single(4.0F) * scale);
}

// How much chroma and hue work together: for the chroma, and for the chroma in blue.
QC_LANES Single rotation_chroma(Single chroma, const PowerTables& tables) {
  const Single power = seventh_power_single(chroma, tables);
  return power / (power + single(6103515648.0F));
}
QC_LANES Single rotation(Single mean_hue, Single rotation_chroma) {
  const Double degrees = widen(narrow(widen(mean_hue) * number(180 / kPi)));
  const Single from_blue = narrow((degrees - number(275.0)) * number(0.04));
  const Double exponent = widen(from_blue * from_blue);
  const Double rotation_degrees = widen(narrow(number(60.0) * exponential(number(0.0) - exponent)));
  const Double rotation_angle = widen(narrow(rotation_degrees * number(kPi / 180)));
  return narrow((number(-2.0) * square_root(widen(rotation_chroma))) * sine(rotation_angle));
}

QC_LANES Single total_difference(Single lightness, Single chroma, Single hue, Single rotation) {
  const Double l = widen(lightness);
  const Double c = widen(chroma);
  const Double k = widen(hue);
  return narrow(square_root(((l * l + c * c) + k * k) + widen((rotation * chroma) * hue)));
}

// Equal colours give 0.
QC_LANES Single color_difference(const Lab& lab1, const Lab& lab2, const PowerTables& tables) {
  const Double g = stretch(length(lab1.a, lab1.b), length(lab2.a, lab2.b));
  const Single a1 = stretched(lab1.a, g);
  const Single a2 = stretched(lab2.a, g);
  const Single c1 = length(a1, lab1.b);
  const Single c2 = length(a2, lab2.b);
  const HuePair hues = hue_pair(c1, c2, hue(a1, lab1.b), hue(a2, lab2.b));
  const Single chroma = mean(c1, c2);
  return total_difference(lightness_term(lab1.l, lab2.l), chroma_term(c1, c2), hue_term(hues.step, hues.mean, chroma),
                          rotation(hues.mean, rotation_chroma(chroma, tables)));
}
