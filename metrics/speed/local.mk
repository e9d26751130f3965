qc_sources += \
	metrics/speed/eigenvalues.h \
	metrics/speed/speed.cpp \
	metrics/speed/speed.h \
	metrics/speed/speed_arithmetic.h \
	metrics/speed/speed_log2.cpp \
	metrics/speed/speed_log2.h \
	metrics/speed/speed_parameters.cpp \
	metrics/speed/speed_parameters.h \
	metrics/speed/speed_plain.cpp \
	metrics/speed/speed_plain.h \
	metrics/speed/speed_record.h \
	metrics/speed/speed_score.cpp \
	metrics/speed/speed_score.h
