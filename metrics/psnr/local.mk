qc_sources += \
	metrics/psnr/psnr.cpp \
	metrics/psnr/psnr.h \
	metrics/psnr/psnr_record.h \
	metrics/psnr/squared_error.cpp \
	metrics/psnr/squared_error.h
