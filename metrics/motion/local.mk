qc_sources += \
	metrics/motion/blurred_difference.cpp \
	metrics/motion/blurred_difference.h \
	metrics/motion/float_difference.cpp \
	metrics/motion/float_difference.h \
	metrics/motion/float_motion.cpp \
	metrics/motion/float_motion_arithmetic.h \
	metrics/motion/float_motion_record.h \
	metrics/motion/motion.cpp \
	metrics/motion/motion.h \
	metrics/motion/motion_arithmetic.h \
	metrics/motion/motion_record.h
