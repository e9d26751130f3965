# QC_CHECK_CUDA: how the kernels are compiled. Sets QC_CUDA (0 or 1), HAVE_CUDA, QC_CUDA_NVCC, QC_GENCODE, QC_PTX_ARCH.
#
# Machine code of one architecture runs on the later ones of the same generation (80 on 86, 87 and 89), so one of each generation covers
# all GPUs that the compiler knows; PTX of the newest covers later ones.
AC_DEFUN([QC_CHECK_CUDA], [
AC_ARG_WITH([cuda],
  [AS_HELP_STRING([--without-cuda], [build the CPU path alone])], [], [with_cuda=auto])
AC_ARG_WITH([cuda-compiler],
  [AS_HELP_STRING([--with-cuda-compiler=nvcc|clang], [compiler of the kernels, default: nvcc if there is one])],
  [], [with_cuda_compiler=auto])
AC_ARG_WITH([cuda-archs],
  [AS_HELP_STRING([--with-cuda-archs="90 100"],
    [GPU architectures to build machine code for with nvcc, default: one of each generation from 75 on])],
  [], [with_cuda_archs=default])
QC_CUDA=0
QC_GENCODE=
QC_PTX_ARCH=
qc_cuda_summary="no (--without-cuda)"
AS_IF([test "$with_cuda" != no], [
  AC_PATH_PROG([NVCC], [nvcc], [], [$PATH:/usr/local/cuda/bin])
  AC_PATH_PROGS([CUDA_CLANG], [clang clang-19 clang-18 clang-17 clang-16 clang-15 clang-14])
  AS_IF([test "$with_cuda_compiler" = auto], [
    AS_IF([test -n "$NVCC"], [with_cuda_compiler=nvcc], [with_cuda_compiler=clang])])
  AS_CASE([$with_cuda_compiler],
    [nvcc], [qc_cuda_program=$NVCC],
    [clang], [qc_cuda_program=$CUDA_CLANG],
    [AC_MSG_ERROR([--with-cuda-compiler takes nvcc or clang])])
  AS_IF([test -z "$qc_cuda_program"], [
    AS_IF([test "$with_cuda" = yes],
      [AC_MSG_ERROR([neither nvcc nor clang was found to compile the CUDA kernels; see --without-cuda])])
    qc_cuda_summary="no (neither nvcc nor clang found)"
  ], [test "$with_cuda_compiler" = nvcc], [
    AC_MSG_CHECKING([for GPU architectures])
    qc_known_archs=" $("$NVCC" --list-gpu-arch | sed 's/compute_//' | sort -n | tr '\n' ' ')"
    AS_IF([test "$with_cuda_archs" = default], [
      with_cuda_archs=
      for qc_arch in 75 80 90 100 120; do
        AS_CASE([$qc_known_archs], [*" $qc_arch "*], [with_cuda_archs="$with_cuda_archs $qc_arch"])
      done
    ])
    for qc_arch in $with_cuda_archs; do
      AS_CASE([$qc_known_archs], [*" $qc_arch "*],
        [QC_GENCODE="$QC_GENCODE -gencode arch=compute_$qc_arch,code=sm_$qc_arch"],
        [AC_MSG_ERROR([$NVCC does not know the GPU architecture $qc_arch, only:$qc_known_archs])])
      QC_PTX_ARCH=$qc_arch
    done
    AS_IF([test -z "$QC_PTX_ARCH"], [AC_MSG_ERROR([--with-cuda-archs names no GPU architecture])])
    QC_GENCODE="$QC_GENCODE -gencode arch=compute_$QC_PTX_ARCH,code=compute_$QC_PTX_ARCH"
    with_cuda_archs=$(echo $with_cuda_archs)
    AC_MSG_RESULT([$with_cuda_archs])
    QC_CUDA=1
    qc_cuda_summary="nvcc ($NVCC), architectures: $with_cuda_archs"
  ], [
    QC_CUDA=1
    QC_PTX_ARCH=75
    qc_cuda_summary="clang ($CUDA_CLANG), PTX"
  ])
])
QC_CUDA_INCLUDE=
AS_IF([test -n "$NVCC"], [QC_CUDA_INCLUDE=$(cd "$(dirname "$NVCC")/../include" 2>/dev/null && pwd)])
AC_SUBST([QC_CUDA_INCLUDE])
AM_CONDITIONAL([HAVE_CUDA_H], [test -e "$QC_CUDA_INCLUDE/cuda.h"])
AC_SUBST([NVCC])
AC_SUBST([CUDA_CLANG])
AC_SUBST([QC_GENCODE])
AC_SUBST([QC_PTX_ARCH])
# Automake would take a plain include for its own.
AC_SUBST([QC_INCLUDE_KERNEL_DEPS], ['-include $(wildcard cuda/*/*.d)'])
AC_DEFINE_UNQUOTED([QC_CUDA], [$QC_CUDA], [1 if the CUDA path is built])
AM_CONDITIONAL([HAVE_CUDA], [test "$QC_CUDA" = 1])
AM_CONDITIONAL([QC_CUDA_NVCC], [test "$with_cuda_compiler" = nvcc])
])
