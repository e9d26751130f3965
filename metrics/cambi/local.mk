qc_sources += \
	metrics/cambi/cambi.cpp \
	metrics/cambi/cambi.h \
	metrics/cambi/cambi_arithmetic.h \
	metrics/cambi/cambi_parameters.cpp \
	metrics/cambi/cambi_parameters.h \
	metrics/cambi/cambi_plain.cpp \
	metrics/cambi/cambi_plain.h \
	metrics/cambi/cambi_record.h \
	metrics/cambi/contrast_sums.cpp \
	metrics/cambi/contrast_sums.h \
	metrics/cambi/heatmap.cpp \
	metrics/cambi/heatmap.h \
	metrics/cambi/top_sum.cpp \
	metrics/cambi/top_sum.h
