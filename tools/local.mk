bin_PROGRAMS += qualitycuda
qualitycuda_SOURCES = \
	tools/arguments.cpp \
	tools/arguments.h \
	tools/byte_source.cpp \
	tools/byte_source.h \
	tools/qualitycuda.cpp \
	tools/tool_error.h \
	tools/video_file.cpp \
	tools/video_file.h
qualitycuda_LDADD = libqualitycuda.la
dist_man_MANS += docs/qualitycuda.1

noinst_PROGRAMS += reference
reference_SOURCES = tools/reference.cpp
reference_LDADD = libqualitycuda.la
