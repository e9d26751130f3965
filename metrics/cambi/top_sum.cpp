#include "cambi/top_sum.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace qc::cambi {
namespace {

constexpr double kUnit = 0x1p-24;

// A value in [0.5, 2^17) by its exponent and ten bits of its significand; smaller ones share the first class.
constexpr int kClassShift = 13;
constexpr uint32_t kFirstClass = std::bit_cast<uint32_t>(0.5F) >> kClassShift;
constexpr uint32_t kClasses = (std::bit_cast<uint32_t>(0x1p17F) >> kClassShift) - kFirstClass + 2;

uint32_t class_of(float value) {
  const uint32_t c = std::bit_cast<uint32_t>(value) >> kClassShift;
  return c < kFirstClass ? 0 : c - kFirstClass + 1;
}

// Whether a sum of non-negative multiples of `unit` with this result, rounded or not, was exact at every step. A first
// rounded step would have left 2^53 units or more, and the rest adds to that.
bool exact(double sum, double unit) { return sum < 0x1p53 * unit; }

// The greatest power of two that divides all of those of the values that `selected` accepts.
template <class Selected>
double common_unit(const float* values, size_t n, Selected&& selected) {
  uint64_t bits = 0;
  for (size_t i = 0; i < n; ++i)
    if (selected(values[i])) bits |= static_cast<uint64_t>(double(values[i]) / kUnit);
  return bits == 0 ? 1 : kUnit * double(bits & (~bits + 1));
}

}  // namespace

double ordered_top_sum(float* values, size_t n, size_t count) {
  if (count < n) {
    const auto target = static_cast<ptrdiff_t>(count);
    ptrdiff_t left = 0;
    ptrdiff_t right = static_cast<ptrdiff_t>(n) - 1;
    while (left < right) {
      const float pivot = values[target];
      ptrdiff_t i = left;
      ptrdiff_t j = right;
      do {
        while (values[i] > pivot) ++i;
        while (values[j] < pivot) --j;
        if (i <= j) std::swap(values[i++], values[j--]);
      } while (i <= j);
      if (j < target) left = i;
      if (target < i) right = j;
    }
  }
  double sum = 0;
  for (size_t i = 0; i < count; ++i) sum += double(values[i]);
  return sum;
}

double top_sum(float* values, size_t n, size_t count, const ValueTotals& totals, std::vector<uint32_t>& scratch) {
  if (totals.positive <= count) {
    // All that is not 0 is selected.
    if (exact(totals.sum, kUnit)) return totals.sum;
    if (exact(totals.sum, common_unit(values, n, [](float) { return true; }))) return totals.sum;
    return ordered_top_sum(values, n, count);
  }
  // The class in which the last selected value lies, then that value.
  scratch.assign(kClasses, 0);
  for (size_t i = 0; i < n; ++i) ++scratch[class_of(values[i])];
  uint32_t c = kClasses - 1;
  size_t above = 0;
  while (above + scratch[c] < count) above += scratch[c--];
  scratch.clear();
  double sum = 0;
  for (size_t i = 0; i < n; ++i) {
    const uint32_t own = class_of(values[i]);
    if (own == c) scratch.push_back(std::bit_cast<uint32_t>(values[i]));
    if (own > c) sum += double(values[i]);
  }
  const auto last = scratch.begin() + static_cast<ptrdiff_t>(count - above - 1);
  std::nth_element(scratch.begin(), last, scratch.end(), std::greater<>());
  const float threshold = std::bit_cast<float>(*last);
  for (auto i = scratch.begin(); i <= last; ++i) sum += double(std::bit_cast<float>(*i));
  if (exact(sum, kUnit)) return sum;
  if (exact(sum, common_unit(values, n, [=](float v) { return v >= threshold; }))) return sum;
  return ordered_top_sum(values, n, count);
}

}  // namespace qc::cambi
