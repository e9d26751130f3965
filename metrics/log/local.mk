qc_sources += \
	metrics/log/writer.cpp \
	metrics/log/writer.h
