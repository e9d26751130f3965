qc_sources += \
	metrics/ssimulacra2/blur_rows.cpp \
	metrics/ssimulacra2/blur_rows.h \
	metrics/ssimulacra2/picture_rows.cpp \
	metrics/ssimulacra2/picture_rows.h \
	metrics/ssimulacra2/ssimulacra2.cpp \
	metrics/ssimulacra2/ssimulacra2.h \
	metrics/ssimulacra2/ssimulacra2_arithmetic.h \
	metrics/ssimulacra2/ssimulacra2_kernel.cpp \
	metrics/ssimulacra2/ssimulacra2_kernel.h \
	metrics/ssimulacra2/ssimulacra2_parameters.cpp \
	metrics/ssimulacra2/ssimulacra2_parameters.h \
	metrics/ssimulacra2/ssimulacra2_plain.cpp \
	metrics/ssimulacra2/ssimulacra2_plain.h \
	metrics/ssimulacra2/ssimulacra2_record.h
