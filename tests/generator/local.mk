# Writes the generated clips to files, for scoring them with other programs.
check_PROGRAMS += tests/generator/generate
tests_generator_generate_SOURCES = \
	tests/generator/generate.cpp \
	tests/generator/scenes.cpp \
	tests/generator/scenes.h \
	tests/golden/clip.cpp \
	tests/golden/clip.h
tests_generator_generate_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_generator_generate_LDADD = libqc_all.la $(HWY_LIBS) -lpthread -ldl
