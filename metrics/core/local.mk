qc_sources += \
	metrics/core/api.cpp \
	metrics/core/context_options.cpp \
	metrics/core/context_options.h \
	metrics/core/cpu_executor.cpp \
	metrics/core/error.h \
	metrics/core/executor.h \
	metrics/core/feature.h \
	metrics/core/format.cpp \
	metrics/core/format.h \
	metrics/core/names.cpp \
	metrics/core/names.h \
	metrics/core/options.cpp \
	metrics/core/options.h \
	metrics/core/pool.cpp \
	metrics/core/pool.h \
	metrics/core/registry.cpp \
	metrics/core/row_reader.cpp \
	metrics/core/row_reader.h \
	metrics/core/session.cpp \
	metrics/core/session.h \
	metrics/core/simd.h \
	metrics/core/targets.cpp \
	metrics/core/targets.h \
	metrics/math/plane_view.h
