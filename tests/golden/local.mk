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
golden_libs = libqc_all.la $(HWY_LIBS) -lpthread -ldl

# Goldens of the clips in ../shared. Run by check: `make check` must not depend on files outside the source tree.
check_PROGRAMS += tests/golden/golden
tests_golden_golden_SOURCES = tests/golden/golden.cpp $(golden_common)
tests_golden_golden_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_golden_golden_LDADD = $(golden_libs)

# Goldens of the original ssimulacra2, for the clips in ../shared as RGB.
check_PROGRAMS += tests/golden/rgb
tests_golden_rgb_SOURCES = tests/golden/rgb.cpp $(golden_common)
tests_golden_rgb_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_golden_rgb_LDADD = $(golden_libs)

# Goldens of generated clips.
check_PROGRAMS += tests/golden/generated
TESTS += tests/golden/generated
tests_golden_generated_SOURCES = \
	tests/golden/generated.cpp \
	tests/generator/scenes.cpp \
	tests/generator/scenes.h \
	$(golden_common)
tests_golden_generated_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_golden_generated_LDADD = $(golden_libs)

# Logs of libvmaf's tool.
TESTS += tests/golden/stored_logs_test.sh

EXTRA_DIST += \
	tests/golden/README.md \
	tests/golden/compare-logs \
	tests/golden/logs \
	tests/golden/stored_logs_test.sh \
	tests/golden/generated/bands420-10.json \
	tests/golden/generated/blocks420-16.json \
	tests/golden/generated/blocks420.json \
	tests/golden/generated/blur420-odd.json \
	tests/golden/generated/contrast444-12.json \
	tests/golden/generated/cut422.json \
	tests/golden/generated/flat420-invert.json \
	tests/golden/generated/halved422-odd-10.json \
	tests/golden/generated/identical444.json \
	tests/golden/generated/noise-gray.json \
	tests/golden/generated/noise420-10-invert.json \
	tests/golden/generated/noise420-other.json \
	tests/golden/generated/one-frame420.json \
	tests/golden/generated/shift-gray-12.json \
	tests/golden/generated/small420.json \
	tests/golden/generated/wide420.json
