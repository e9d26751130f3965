noinst_PROGRAMS += reference
reference_SOURCES = tools/reference.cpp
reference_LDADD = libqualitycuda.la
