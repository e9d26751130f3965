# QC_CHECK_CUDA: how the kernels are compiled. Sets QC_CUDA (0 or 1), HAVE_CUDA, QC_CUDA_COMPILER (nvcc or clang), QC_CUDA_ARCHS.
AC_DEFUN([QC_CHECK_CUDA], [
AC_ARG_WITH([cuda],
  [AS_HELP_STRING([--without-cuda], [build the CPU path alone])], [], [with_cuda=auto])
AC_ARG_WITH([cuda-compiler],
  [AS_HELP_STRING([--with-cuda-compiler=nvcc|clang], [compiler of the kernels, default: nvcc if there is one])],
  [], [with_cuda_compiler=auto])
AC_ARG_WITH([cuda-archs],
  [AS_HELP_STRING([--with-cuda-archs="90 100"], [GPU architectures to build machine code for])],
  [], [with_cuda_archs=default])
QC_CUDA=0
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
  AS_IF([test -n "$qc_cuda_program"], [
    QC_CUDA=1
    qc_cuda_summary="$with_cuda_compiler ($qc_cuda_program), architectures: $with_cuda_archs"
  ], [
    AS_IF([test "$with_cuda" = yes],
      [AC_MSG_ERROR([neither nvcc nor clang was found to compile the CUDA kernels; see --without-cuda])])
    qc_cuda_summary="no (neither nvcc nor clang found)"
  ])
])
AC_SUBST([NVCC])
AC_SUBST([CUDA_CLANG])
AC_SUBST([QC_CUDA_COMPILER], [$with_cuda_compiler])
AC_SUBST([QC_CUDA_ARCHS], [$with_cuda_archs])
AC_DEFINE_UNQUOTED([QC_CUDA], [$QC_CUDA], [1 if the CUDA path is built])
AM_CONDITIONAL([HAVE_CUDA], [test "$QC_CUDA" = 1])
])
