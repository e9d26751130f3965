// The colour difference of pixels by CIEDE2000, in as many pixels at once as Double and Single have lanes (ciede.md §3,
// §4). Every operation rounds as the reference's does, to float64 or to float32. Comes after functions-inl.h, and is
// included like it.

struct Lab {
  Single l;
  Single a;
  Single b;
};

QC_LANES Double linear_light(Double v) {
  const Double curved = power_2_4((v + number(0.055)) * number(1 / 1.055));
  return select(greater(v, number(10.0 / 255)), curved, v * number(1 / 12.92));
}

QC_LANES Double lab_curve(Double t) {
  const Double line = ((number(24389.0 / 27) * t) + number(16.0)) * number(1.0 / 116);
  return widen(narrow(select(greater(t, number(216.0 / 24389)), cube_root(t), line)));
}

// From integer samples of BT.709 video.
QC_LANES Lab lab(Double luma, Double cb, Double cr, const SampleScale& scale) {
  const Double y = (luma - number(scale.luma_offset)) * number(scale.luma);
  const Double u = (cb - number(scale.chroma_offset)) * number(scale.chroma);
  const Double v = (cr - number(scale.chroma_offset)) * number(scale.chroma);
  const Double r = linear_light(y + number(1.28033) * v);
  const Double g = linear_light((y - number(0.21482) * u) - number(0.38059) * v);
  const Double b = linear_light(y + number(2.12798) * u);
  const Double x = (r * number(0.4124564390896921) + g * number(0.357576077643909)) + b * number(0.18043748326639894);
  const Double w = (r * number(0.21267285140562248) + g * number(0.715152155287818)) + b * number(0.07217499330655958);
  const Double z = (r * number(0.019333895582329317) + g * number(0.119192025881303)) + b * number(0.9503040785363677);
  const Double fx = lab_curve(x * number(1 / 0.95047));
  const Double fy = lab_curve(w);
  const Double fz = lab_curve(z * number(1 / 1.08883));
  return {narrow(number(116.0) * fy - number(16.0)), narrow(number(500.0) * (fx - fy)),
          narrow(number(200.0) * (fy - fz))};
}

QC_LANES Single length(Single a, Single b) {
  const Double x = widen(a);
  const Double y = widen(b);
  return narrow(square_root(x * x + y * y));
}

constexpr double kPi = 0x1.921fb54442d18p+1;

// In radians, 0 <= hue < 2 pi or thereabouts.
QC_LANES Single hue(Single b, Single a) {
  const Double y = widen(b);
  const Double x = widen(a);
  const Mask below = greater(number(0.0), y);
  const Double rounded = widen(narrow(angle(absolute(y), x)));
  const Double turned = widen(narrow(number(2 * kPi) - rounded));
  const Mask gray = both(equal(y, number(0.0)), equal(x, number(0.0)));
  return narrow(select(gray, number(0.0), select(below, turned, rounded)));
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

// Index 1: reference, 2: distorted. Equal colours give 0.
QC_LANES Single color_difference(const Lab& lab1, const Lab& lab2, const PowerTables& tables) {
  const Single lightness_step = lab2.l - lab1.l;
  const Single lightness = (lab1.l + lab2.l) * single(0.5F);
  const Single chroma1 = length(lab1.a, lab1.b);
  const Single chroma2 = length(lab2.a, lab2.b);
  const Double power = seventh_power((chroma1 + chroma2) * single(0.5F));
  const Double g = number(1.0) - square_root(power / (power + number(6103515625.0)));
  const Single a1 = narrow(widen(lab1.a) + widen(lab1.a * single(0.5F)) * g);
  const Single a2 = narrow(widen(lab2.a) + widen(lab2.a * single(0.5F)) * g);
  const Single c1 = length(a1, lab1.b);
  const Single c2 = length(a2, lab2.b);
  const Single chroma = (c1 + c2) * single(0.5F);
  const Single chroma_step = c2 - c1;

  const Double from_middle = widen(lightness - single(50.0F));
  const Double middle2 = from_middle * from_middle;
  const Single lightness_scale = narrow(number(1.0) + (number(0.015) * middle2) / square_root(number(20.0) + middle2));
  const Single chroma_scale = narrow(number(1.0) + number(0.045) * widen(chroma));

  const Single h1 = hue(lab1.b, a1);
  const Single h2 = hue(lab2.b, a2);
  const Double turn = widen(h2 - h1);
  const Mask far = greater(absolute(turn), number(kPi));
  const Double other_way = select(greater(widen(h2), widen(h1)), turn - number(2 * kPi), turn + number(2 * kPi));
  const Mask gray = either(equal(widen(chroma1), number(0.0)), equal(widen(chroma2), number(0.0)));
  const Double hue_turn = widen(narrow(select(gray, number(0.0), select(far, other_way, turn))));
  const Single hue_step = narrow((number(2.0) * square_root(widen(c1 * c2))) * sine(hue_turn * number(0.5)));
  const Double hue_sum = widen(h1 + h2);
  const Double mean_hue = widen(narrow(select(far, hue_sum + number(2 * kPi), hue_sum) * number(0.5)));
  const Single hue_scale = narrow(number(1.0) + (number(0.015) * widen(chroma)) * widen(narrow(hue_weight(mean_hue))));

  const Double degrees = widen(narrow(mean_hue * number(180 / kPi)));
  const Single from_blue = narrow((degrees - number(275.0)) * number(0.04));
  const Double exponent = widen(from_blue * from_blue);
  const Single power_single = seventh_power_single(chroma, tables);
  const Single rotation_chroma = power_single / (power_single + single(6103515648.0F));
  const Double rotation_degrees = widen(narrow(number(60.0) * exponential(number(0.0) - exponent)));
  const Double rotation_angle = widen(narrow(rotation_degrees * number(kPi / 180)));
  const Single rotation = narrow((number(-2.0) * square_root(widen(rotation_chroma))) * sine(rotation_angle));

  const Single l = lightness_step / (single(0.65F) * lightness_scale);
  const Single c = chroma_step / chroma_scale;
  const Single k = hue_step / (single(4.0F) * hue_scale);
  const Double lw = widen(l);
  const Double cw = widen(c);
  const Double kw = widen(k);
  return narrow(square_root(((lw * lw + cw * cw) + kw * kw) + widen((rotation * c) * k)));
}
