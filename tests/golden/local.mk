# Sources that the golden programs share.
golden_common = \
	tests/golden/availability.cpp \
	tests/golden/availability.h \
	tests/golden/clip.cpp \
	tests/golden/clip.h \
	tests/golden/golden_file.cpp \
	tests/golden/golden_file.h \
	tests/golden/scores.cpp \
	tests/golden/scores.h

# Goldens of the clips in ../shared. Run by check: `make check` must not depend on files outside the source tree.
check_PROGRAMS += tests/golden/golden
tests_golden_golden_SOURCES = tests/golden/golden.cpp $(golden_common)
tests_golden_golden_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_golden_golden_LDADD = libqc_all.la $(HWY_LIBS) -lpthread -ldl
