qc_sources += \
	metrics/ssim/aligned_buffer.h \
	metrics/ssim/box_decimation.cpp \
	metrics/ssim/box_decimation.h \
	metrics/ssim/float_ms_ssim.cpp \
	metrics/ssim/float_row.cpp \
	metrics/ssim/float_row.h \
	metrics/ssim/float_ssim.cpp \
	metrics/ssim/low_pass_decimation.cpp \
	metrics/ssim/low_pass_decimation.h \
	metrics/ssim/moment_ssim.cpp \
	metrics/ssim/moment_ssim.h \
	metrics/ssim/ssim.cpp \
	metrics/ssim/ssim.h \
	metrics/ssim/ssim_arithmetic.h \
	metrics/ssim/ssim_decibel.h \
	metrics/ssim/ssim_record.h \
	metrics/ssim/windowed_ssim.cpp \
	metrics/ssim/windowed_ssim.h
