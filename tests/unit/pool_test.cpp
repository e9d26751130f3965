// Pooling over frames.
#include "core/pool.h"

#include <limits>

#include "unit.h"

namespace {

using namespace qc;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Pool pool_of(std::initializer_list<double> scores) {
  Pool pool;
  for (double score : scores) pool.add(score);
  return pool;
}

// The example of model.md §14.
void all_methods(void**) {
  const Pool pool = pool_of(
      {81.812026030409839, 97.986393147932304, 4.0015948936148149, 100, 8.4565357118351141, 92.656499518959464});
  assert_int_equal(pool.count(), 6);
  unit::assert_same(pool.value(QC_POOL_MEAN), 64.152174883791929);
  unit::assert_same(pool.value(QC_POOL_HARMONIC_MEAN), 16.219635074375585);
  unit::assert_same(pool.value(QC_POOL_MIN), 4.0015948936148149);
  unit::assert_same(pool.value(QC_POOL_MAX), 100);
}

void one_frame(void**) {
  const Pool pool = pool_of({-3.25});
  unit::assert_same(pool.value(QC_POOL_MEAN), -3.25);
  unit::assert_same(pool.value(QC_POOL_MIN), -3.25);
  unit::assert_same(pool.value(QC_POOL_MAX), -3.25);
}

void infinities(void**) {
  const Pool pool = pool_of({kInf, kInf});
  unit::assert_same(pool.value(QC_POOL_MEAN), kInf);
  unit::assert_same(pool.value(QC_POOL_HARMONIC_MEAN), kInf);
  unit::assert_same(pool.value(QC_POOL_MIN), kInf);
}

void nan_sticks_only_in_front(void**) {
  assert_true(pool_of({kNan, 1, 2}).value(QC_POOL_MIN) != pool_of({kNan, 1, 2}).value(QC_POOL_MIN));
  unit::assert_same(pool_of({1, kNan, 2}).value(QC_POOL_MIN), 1);
  unit::assert_same(pool_of({1, kNan, 2}).value(QC_POOL_MAX), 2);
}

void no_frame(void**) {
  const double value = Pool().value(QC_POOL_MEAN);
  assert_true(value != value);
  assert_int_equal(Pool().count(), 0);
}

void method_names(void**) {
  assert_int_equal(parse_pool("mean"), QC_POOL_MEAN);
  assert_int_equal(parse_pool("harmonic_mean"), QC_POOL_HARMONIC_MEAN);
  assert_int_equal(parse_pool("min"), QC_POOL_MIN);
  assert_int_equal(parse_pool("max"), QC_POOL_MAX);
  unit::assert_fails(QC_ERROR_INVALID, "'median' is none of mean, harmonic_mean, min, max",
                     [] { parse_pool("median"); });
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(all_methods), cmocka_unit_test(one_frame),
      cmocka_unit_test(infinities),  cmocka_unit_test(nan_sticks_only_in_front),
      cmocka_unit_test(no_frame),    cmocka_unit_test(method_names),
  };
  return cmocka_run_group_tests_name("pool", tests, nullptr, nullptr);
}
