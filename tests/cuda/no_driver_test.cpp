// Without NVIDIA's driver the CPU path works, and asking for CUDA is a clear error.
#include <cstring>

// Last of the system's, for cmocka.h needs what stands before it.
// clang-format off
extern "C" {
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
}
// clang-format on

#include "cuda/driver/driver.h"
#include "qualitycuda.h"

namespace {

QCFormat format() {
  QCFormat f{};
  f.width = f.height = 16;
  f.chroma = QC_CHROMA_400;
  f.depth = 8;
  f.sample_bytes = 1;
  f.matrix = 2;
  return f;
}

QCStatus open(QCContext* ctx, const char* backend) {
  const QCFormat f = format();
  qc_set(ctx, "feature", "name=psnr");
  qc_set(ctx, "backend", backend);
  return qc_open(ctx, &f, &f, nullptr);
}

void cuda_without_a_driver_says_so(void**) {
  QCContext* ctx = nullptr;
  assert_int_equal(qc_create(&ctx), QC_OK);
  assert_int_equal(open(ctx, "cuda"), QC_ERROR_UNSUPPORTED);
  assert_non_null(std::strstr(qc_error(ctx), "NVIDIA's driver"));
  assert_non_null(std::strstr(qc_error(ctx), "backend=cpu"));
  qc_destroy(&ctx);
}

void the_cpu_path_needs_no_driver(void**) {
  QCContext* ctx = nullptr;
  assert_int_equal(qc_create(&ctx), QC_OK);
  assert_int_equal(open(ctx, "auto"), QC_OK);
  qc_destroy(&ctx);
}

}  // namespace

int main() {
  qc::cuda::set_driver_file("libcuda-that-does-not-exist.so.1");
  const CMUnitTest tests[] = {
      cmocka_unit_test(cuda_without_a_driver_says_so),
      cmocka_unit_test(the_cpu_path_needs_no_driver),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
