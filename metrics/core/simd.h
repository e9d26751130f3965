// Included first by files that hold Highway kernels. Such a file is compiled once for each instruction set, and the
// best one that the processor has is chosen at run time.
//
// The plain C++ function of each kernel, written straight from the specification, is the oracle of the vector code and
// at the same time its scalar target: where QC_PLAIN_TARGET is 1, the kernel calls it. Tests force each target in turn
// (force_target).
#pragma once

#ifndef HWY_DISABLED_TARGETS
// SSE4, AVX2, AVX-512, NEON and the baseline are worth their size; the targets in between are not. Vectors whose size
// is known at run time only, SVE's and RISC-V's, cannot be members or array elements, which kernels here make them.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#endif

// True while a file is compiled for the scalar target. Evaluated where it is used, since HWY_TARGET changes.
#define QC_PLAIN_TARGET (HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128)
