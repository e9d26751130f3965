qc_sources += \
	metrics/math/centred_row.cpp \
	metrics/math/centred_row.h \
	metrics/math/certified_rounding.h \
	metrics/math/float_pair.h \
	metrics/math/ordered_rows.cpp \
	metrics/math/ordered_rows.h \
	metrics/math/ordered_sum.h \
	metrics/math/ordered_sum_simd.cpp \
	metrics/math/ordered_sum_simd.h \
	metrics/math/power.cpp \
	metrics/math/power.h
