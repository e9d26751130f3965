// All operations that the kernels' flags are about, for check-kernel-flags.
#include "cuda/device/prelude.h"

struct ProbeArgs {
  float* f;
  double* d;
};

QC_KERNEL(qc_flags_probe, ProbeArgs, 32) {
  using namespace qc::device;
  float* f = args.f;
  double* d = args.d;
  f[0] = f[1] * f[2] + f[3];
  f[4] = f[5] / f[6];
  f[7] = sqrt_rn(f[8]);
  d[0] = d[1] * d[2] + d[3];
  d[4] = d[5] / d[6];
}
