#include "speed/speed_log2.h"

#include <array>
#include <cmath>

namespace qc::speed {
namespace {

// An unevaluated sum of two numbers, about 100 bits of precision.
struct Pair {
  double high;
  double low;
};

Pair normalised(double high, double low) {
  const double sum = high + low;
  return {sum, low - (sum - high)};
}

Pair add(Pair a, Pair b) {
  const double sum = a.high + b.high;
  const double part = sum - a.high;
  const double lost = (a.high - (sum - part)) + (b.high - part);
  return normalised(sum, lost + a.low + b.low);
}

Pair multiply(Pair a, Pair b) {
  const double product = a.high * b.high;
  return normalised(product, std::fma(a.high, b.high, -product) + (a.high * b.low + a.low * b.high));
}

Pair divide(Pair a, double b) {
  const double quotient = a.high / b;
  return normalised(quotient, (std::fma(-quotient, b, a.high) + a.low) / b);
}

// log2(4096 / n) = 2 atanh((4096 - n) / (4096 + n)) / ln 2, for n near 4096.
Pair log2_of_reciprocal(int n) {
  const Pair ratio = divide({double(4096 - n), 0.0}, double(4096 + n));
  const Pair square = multiply(ratio, ratio);
  Pair sum{0.0, 0.0};
  for (int k = 49; k >= 1; k -= 2) sum = add(multiply(sum, square), divide({1.0, 0.0}, double(k)));
  constexpr Pair kTwoInverseLn2{2 * kInverseLn2, 0x1.777d0ffda0d24p-55};
  return multiply(multiply(sum, ratio), kTwoInverseLn2);
}

std::array<Log2Entry, kLog2Entries> make_table() {
  std::array<Log2Entry, kLog2Entries> table;
  for (int j = kLog2First; j <= kLog2Last; ++j) {
    const int n = (4096 * 512 + j / 2) / j;
    const Pair value = log2_of_reciprocal(n);
    const double high = std::nearbyint(value.high * 0x1p41) * 0x1p-41;
    table[static_cast<size_t>(j - kLog2First)] = {n / 4096.0, high, (value.high - high) + value.low};
  }
  return table;
}

}  // namespace

const Log2Entry* log2_table() {
  static const std::array<Log2Entry, kLog2Entries> table = make_table();
  return table.data();
}

}  // namespace qc::speed
