// float32 powers against the C library's.
#include "math/power.h"

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "unit.h"

namespace {

using qc::kPowerTables;
using qc::power;

void special_values(void**) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  unit::assert_same(power(0.0F, 3.0F, kPowerTables), 0.0);
  unit::assert_same(power(1.0F, 17.5F, kPowerTables), 1.0);
  unit::assert_same(power(kInfinity, 0.25F, kPowerTables), kInfinity);
  assert_true(std::isnan(power(std::numeric_limits<float>::quiet_NaN(), 2.0F, kPowerTables)));
  unit::assert_same(power(2.0F, 127.0F, kPowerTables), 0x1p127);
  unit::assert_same(power(2.0F, 128.0F, kPowerTables), kInfinity);
  unit::assert_same(power(0x1p-149F, 1.0F, kPowerTables), 0x1p-149);
  unit::assert_same(power(0x1p-75F, 2.0F, kPowerTables), 0.0);
  unit::assert_same(power(0x1.02p-75F, 2.0F, kPowerTables), 0x1p-149);
}

// The entries are what their comment says. Two numbers of theirs are rounded by a C library that may round differently.
void tables(void**) {
  for (int i = 0; i < 16; ++i)
    assert_true(std::fabs(kPowerTables.log2[i] + std::log2(kPowerTables.inverse[i])) < 0x1p-52);
  for (int i = 0; i < 32; ++i) {
    const double entry = std::bit_cast<double>(kPowerTables.exp2[i] + (uint64_t(i) << 47));
    assert_true(std::fabs(entry - std::exp2(i / 32.0)) <= 0x1p-52);
  }
}

// glibc's powf has these bits on processors with FMA; other libraries round differently.
void as_powf(void**) {
#if defined(__GLIBC__) && defined(__x86_64__)
  if (!__builtin_cpu_supports("fma")) skip();
  std::mt19937 random(1);
  for (float y : {2.0F, 5.5F, 1.0F, 1.7F, 20.0F, 0.2F, 0x1.555556p-2F, 0.05F}) {
    for (int i = 0; i < 200000; ++i) {
      const float x = std::bit_cast<float>(static_cast<uint32_t>(random() % 0x7f800000U));
      const float expected = std::pow(x, y);
      const float actual = power(x, y, kPowerTables);
      if (std::bit_cast<uint32_t>(actual) != std::bit_cast<uint32_t>(expected))
        fail_msg("power(%a, %a) is %a, not %a", x, y, actual, expected);
    }
  }
#else
  skip();
#endif
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(special_values),
      cmocka_unit_test(tables),
      cmocka_unit_test(as_powf),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
