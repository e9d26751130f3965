qc_sources += \
	metrics/psnr_hvs/block-inl.h \
	metrics/psnr_hvs/block_errors.cpp \
	metrics/psnr_hvs/block_errors.h \
	metrics/psnr_hvs/block_errors_plain.cpp \
	metrics/psnr_hvs/hvs_weights.h \
	metrics/psnr_hvs/psnr_hvs.cpp \
	metrics/psnr_hvs/psnr_hvs.h \
	metrics/psnr_hvs/psnr_hvs_record.h \
	metrics/psnr_hvs/scalar_lanes.h
