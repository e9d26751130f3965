qc_sources += \
	metrics/adm/adm.cpp \
	metrics/adm/adm.h \
	metrics/adm/adm_arithmetic.h \
	metrics/adm/adm_coarse-inl.h \
	metrics/adm/adm_finest-inl.h \
	metrics/adm/adm_kernel.cpp \
	metrics/adm/adm_kernel.h \
	metrics/adm/adm_parameters.cpp \
	metrics/adm/adm_parameters.h \
	metrics/adm/adm_plain.cpp \
	metrics/adm/adm_plain.h \
	metrics/adm/adm_record.h \
	metrics/adm/adm_scratch.cpp \
	metrics/adm/adm_scratch.h \
	metrics/adm/adm_vector-inl.h \
	metrics/adm/adm_weights.cpp \
	metrics/adm/adm_weights.h
