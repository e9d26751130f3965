qc_sources += \
	metrics/ciede/chroma_position.h \
	metrics/ciede/ciede.cpp \
	metrics/ciede/ciede.h \
	metrics/ciede/ciede_record.h \
	metrics/ciede/color_differences.cpp \
	metrics/ciede/color_differences.h \
	metrics/ciede/color_differences_plain.cpp \
	metrics/ciede/functions-inl.h \
	metrics/ciede/light_tables.h \
	metrics/ciede/pixel-inl.h \
	metrics/ciede/pixel_parameters.h \
	metrics/ciede/scalar_lanes.h \
	metrics/ciede/vector_lanes-inl.h
