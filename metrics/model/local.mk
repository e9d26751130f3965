qc_sources += \
	metrics/model/display.cpp \
	metrics/model/display.h \
	metrics/model/json_value.cpp \
	metrics/model/json_value.h \
	metrics/model/model.cpp \
	metrics/model/model.h \
	metrics/model/model_option.cpp \
	metrics/model/model_search.cpp \
	metrics/model/model_search.h \
	metrics/model/score_transform.cpp \
	metrics/model/score_transform.h \
	metrics/model/single_model.cpp \
	metrics/model/single_model.h \
	metrics/model/svm.cpp \
	metrics/model/svm.h

# Where an installation keeps models; pkgdatadir may be changed for make install, so it isn't in config.h.
AM_CPPFLAGS += -DQC_MODEL_DIR='"$(pkgdatadir)/model"'
EXTRA_DIST += docs/models.md
