noinst_PROGRAMS += kernel_time
kernel_time_SOURCES = tests/bench/kernel_time.cpp
kernel_time_LDADD = libqc_all.la $(HWY_LIBS)

if HAVE_CUDA
noinst_PROGRAMS += cuda_kernel_time
cuda_kernel_time_SOURCES = tests/bench/cuda_kernel_time.cpp
cuda_kernel_time_LDADD = libqc_all.la $(HWY_LIBS) -lpthread -ldl
endif
EXTRA_DIST += tests/gpu-check tests/gpu-end-to-end tests/gpu-run
EXTRA_DIST += tests/bench/compare
