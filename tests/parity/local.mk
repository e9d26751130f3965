# Kernels as host code behind a stand-in for libcuda.so.1. One compilation a kernel file, as for the device.
QC_EMULATED_DRIVER = tests/emulation/libemulated_cuda.so
qc_emulation = tests/emulation/driver.cpp tests/emulation/fibers.cpp
qc_emulation_headers = tests/emulation/device.h tests/emulation/launch.h
EXTRA_DIST += $(qc_emulation) $(qc_emulation_headers)

if HAVE_CUDA
check_PROGRAMS += tests/parity/parity
tests_parity_parity_SOURCES = \
	tests/parity/frames.cpp \
	tests/parity/frames.h \
	tests/parity/parity.cpp \
	tests/parity/stream.cpp \
	tests/parity/stream.h
tests_parity_parity_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_parity_parity_LDADD = libqc_all.la $(HWY_LIBS) -lpthread -ldl

check_SCRIPTS = $(QC_EMULATED_DRIVER)
TESTS += tests/parity/check-parity
endif
EXTRA_DIST += tests/parity/check-parity
CLEANFILES += $(QC_EMULATED_DRIVER)

# Kernels include any of the headers in metrics.
$(QC_EMULATED_DRIVER): $(qc_emulation) $(qc_emulation_headers) $(qc_kernels) $(qc_kernel_headers) \
		$(wildcard $(top_srcdir)/metrics/*/*.h)
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)$(CXX) -std=c++20 -O1 -g $(QC_FP_FLAGS) -Wall -Wextra -Wno-unused-function -shared -fPIC -DQC_EMULATE_DEVICE \
	  -I$(top_srcdir) -I$(top_srcdir)/metrics -I$(top_srcdir)/tests -o $@ \
	  $(addprefix $(top_srcdir)/,$(qc_emulation)) -x c++ $(addprefix $(top_srcdir)/,$(qc_kernels))
