qc_sources += \
	metrics/log/log_file.cpp \
	metrics/log/log_file.h \
	metrics/log/score_text.cpp \
	metrics/log/writer.cpp \
	metrics/log/writer.h
EXTRA_DIST += docs/logs.md
