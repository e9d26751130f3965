noinst_PROGRAMS += kernel_time
kernel_time_SOURCES = tests/bench/kernel_time.cpp
kernel_time_LDADD = libqc_all.la $(HWY_LIBS)
