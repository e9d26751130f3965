# Tests of the CUDA path that need no GPU.
EXTRA_DIST += tests/cuda/check-kernel-flags tests/cuda/check-linkage tests/cuda/flags_probe.cu
CLEANFILES += tests/cuda/flags_probe.loose tests/cuda/flags_probe.ptx $(qc_kernels:.cu=.ptx)

if HAVE_CUDA
if HAVE_CMOCKA
cuda_tests = tests/cuda/executor_test tests/cuda/no_driver_test tests/cuda/cambi_test \
	tests/cuda/ordered_sum_test tests/cuda/psnr_hvs_test
check_PROGRAMS += $(cuda_tests)
TESTS += $(cuda_tests)
cuda_test_cppflags = $(AM_CPPFLAGS) -I$(top_srcdir)/tests $(CMOCKA_CFLAGS)
cuda_test_libs = libqc_all.la $(HWY_LIBS) $(CMOCKA_LIBS) -lpthread -ldl -lm

tests_cuda_executor_test_SOURCES = tests/cuda/executor_test.cpp tests/parity/frames.cpp tests/parity/frames.h
tests_cuda_executor_test_CPPFLAGS = $(cuda_test_cppflags)
tests_cuda_executor_test_LDADD = $(cuda_test_libs)

tests_cuda_no_driver_test_SOURCES = tests/cuda/no_driver_test.cpp
tests_cuda_no_driver_test_CPPFLAGS = $(cuda_test_cppflags)
tests_cuda_no_driver_test_LDADD = $(cuda_test_libs)

tests_cuda_cambi_test_SOURCES = tests/cuda/cambi_test.cpp tests/cuda/emulation.h
tests_cuda_cambi_test_CPPFLAGS = $(cuda_test_cppflags)
tests_cuda_cambi_test_LDADD = $(cuda_test_libs)

tests_cuda_ordered_sum_test_SOURCES = tests/cuda/ordered_sum_test.cpp tests/cuda/emulation.h
tests_cuda_ordered_sum_test_CPPFLAGS = $(cuda_test_cppflags)
tests_cuda_ordered_sum_test_LDADD = $(cuda_test_libs)

tests_cuda_psnr_hvs_test_SOURCES = tests/cuda/psnr_hvs_test.cpp tests/cuda/emulation.h
tests_cuda_psnr_hvs_test_CPPFLAGS = $(cuda_test_cppflags)
tests_cuda_psnr_hvs_test_LDADD = $(cuda_test_libs)
endif

if HAVE_CUDA_H
check_PROGRAMS += tests/cuda/driver_api_test
TESTS += tests/cuda/driver_api_test
tests_cuda_driver_api_test_SOURCES = tests/cuda/driver_api_test.cpp
tests_cuda_driver_api_test_CPPFLAGS = $(AM_CPPFLAGS) -isystem $(QC_CUDA_INCLUDE)
endif

TESTS += tests/cuda/check-kernel-flags tests/cuda/check-linkage
endif

# For check-kernel-flags.
print-kernels:
	@echo $(qc_kernels)
tests/cuda/flags_probe.loose: tests/cuda/flags_probe.cu
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)$(QC_KERNEL_LOOSE_PTX) -o $@ $(top_srcdir)/tests/cuda/flags_probe.cu
.PHONY: print-kernels
