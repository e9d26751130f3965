qc_sources += \
	metrics/psnr/ansnr.cpp \
	metrics/psnr/ansnr.h \
	metrics/psnr/ansnr_filter.h \
	metrics/psnr/float_ansnr.cpp \
	metrics/psnr/float_ansnr_record.h \
	metrics/psnr/float_moment.cpp \
	metrics/psnr/float_moment_record.h \
	metrics/psnr/float_psnr.cpp \
	metrics/psnr/float_psnr_record.h \
	metrics/psnr/float_scale.h \
	metrics/psnr/luma_sums.cpp \
	metrics/psnr/luma_sums.h \
	metrics/psnr/psnr.cpp \
	metrics/psnr/psnr.h \
	metrics/psnr/psnr_record.h \
	metrics/psnr/raster_total.h \
	metrics/psnr/row_sums.cpp \
	metrics/psnr/row_sums.h \
	metrics/psnr/squared_error.cpp \
	metrics/psnr/squared_error.h
