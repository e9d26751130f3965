// Numbers as the logs print them (names-and-logs.md §7).
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "core/error.h"
#include "log/writer.h"

namespace qc {
namespace {

constexpr int kDefault = -1;
constexpr int kShortest = -2;
constexpr int kMaxDecimals = 20;

// 6 decimals, or 16 if the first digit of the fraction that isn't 0 comes later than the sixth.
int default_decimals(double value) {
  const double size = std::fabs(value);
  if (!(size < 2147483648.0)) return 6;
  double fraction = size - std::trunc(size);
  int leading = 0;
  while (fraction < 1 && fraction != 0) {
    fraction *= 10;
    ++leading;
  }
  return leading <= 6 ? 6 : 16;
}

}  // namespace

std::string format_score(double value, int decimals) {
  std::array<char, 400> text;  // the largest double has 309 digits before the point
  if (decimals == kShortest && std::isfinite(value)) {
    const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
    (void)error;
    return {text.data(), end};
  }
  if (decimals < 0) decimals = default_decimals(value);
  const int length = std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  return {text.data(), static_cast<size_t>(length)};
}

int parse_log_precision(const std::string& text) {
  if (text.empty() || text == "default") return kDefault;
  if (text == "max") return kShortest;
  int decimals = -1;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, decimals);
  if (error != std::errc() || end != last || decimals < 0 || decimals > kMaxDecimals)
    fail_invalid("log_precision '" + text + "' is none of default, max, or a number of decimals from 0 to 20");
  return decimals;
}

}  // namespace qc
