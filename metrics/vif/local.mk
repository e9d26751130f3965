qc_sources += \
	metrics/vif/float_vif.cpp \
	metrics/vif/float_vif_arithmetic.h \
	metrics/vif/float_vif_parameters.cpp \
	metrics/vif/float_vif_parameters.h \
	metrics/vif/float_vif_plain.cpp \
	metrics/vif/float_vif_plain.h \
	metrics/vif/float_vif_record.h \
	metrics/vif/float_vif_sums.cpp \
	metrics/vif/float_vif_sums.h \
	metrics/vif/vif.cpp \
	metrics/vif/vif.h \
	metrics/vif/vif_arithmetic.h \
	metrics/vif/vif_log.cpp \
	metrics/vif/vif_log.h \
	metrics/vif/vif_plain.cpp \
	metrics/vif/vif_plain.h \
	metrics/vif/vif_record.h \
	metrics/vif/vif_sums.cpp \
	metrics/vif/vif_sums.h \
	metrics/vif/vif_tables.h
