qc_sources += \
	metrics/model/model.cpp \
	metrics/model/model.h
