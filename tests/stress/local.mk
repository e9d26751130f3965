# Streams that are disturbed: by other threads, and by allocations that fail.
stress_common = \
	tests/generator/scenes.cpp \
	tests/generator/scenes.h \
	tests/golden/clip.cpp \
	tests/golden/clip.h \
	tests/stress/sessions.cpp \
	tests/stress/sessions.h
stress_tests = tests/stress/allocation tests/stress/threads
check_PROGRAMS += $(stress_tests)
TESTS += $(stress_tests)

tests_stress_allocation_SOURCES = tests/stress/allocation.cpp $(stress_common)
tests_stress_allocation_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_stress_allocation_LDADD = libqc_all.la $(HWY_LIBS) -lpthread -ldl

tests_stress_threads_SOURCES = tests/stress/threads.cpp $(stress_common)
tests_stress_threads_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_stress_threads_LDADD = libqc_all.la $(HWY_LIBS) -lpthread -ldl
