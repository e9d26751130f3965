# Fuzzers, for clang: configure CC=clang CXX=clang++ --enable-sanitizers=address,undefined,fuzzer-no-link, then make fuzzers.
# tests/fuzz/smoke runs each of them for some seconds.
fuzzers = \
	tests/fuzz/features \
	tests/fuzz/frames \
	tests/fuzz/logs \
	tests/fuzz/models \
	tests/fuzz/options
EXTRA_PROGRAMS += $(fuzzers)

fuzz_common = tests/fuzz/fuzz.h tests/fuzz/stream.cpp
fuzz_cppflags = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
fuzz_ldflags = -fsanitize=fuzzer
fuzz_libs = libqc_all.la $(HWY_LIBS) -lpthread -ldl

tests_fuzz_features_SOURCES = tests/fuzz/features.cpp $(fuzz_common)
tests_fuzz_features_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_features_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_features_LDADD = $(fuzz_libs)

tests_fuzz_frames_SOURCES = tests/fuzz/frames.cpp $(fuzz_common)
tests_fuzz_frames_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_frames_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_frames_LDADD = $(fuzz_libs)

tests_fuzz_logs_SOURCES = tests/fuzz/logs.cpp $(fuzz_common)
tests_fuzz_logs_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_logs_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_logs_LDADD = $(fuzz_libs)

tests_fuzz_models_SOURCES = tests/fuzz/models.cpp $(fuzz_common)
tests_fuzz_models_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_models_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_models_LDADD = $(fuzz_libs)

tests_fuzz_options_SOURCES = tests/fuzz/options.cpp $(fuzz_common)
tests_fuzz_options_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_options_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_options_LDADD = $(fuzz_libs)

.PHONY: fuzzers
fuzzers: $(fuzzers)
CLEANFILES += $(fuzzers)
EXTRA_DIST += tests/fuzz/smoke tests/fuzz/seeds
