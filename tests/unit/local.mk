# Unit tests, run by `make check`. They link the library's internals.
if HAVE_CMOCKA
unit_tests = \
	tests/unit/adm_test \
	tests/unit/api_test \
	tests/unit/cambi_test \
	tests/unit/ciede_test \
	tests/unit/filter_options_test \
	tests/unit/float_adm_test \
	tests/unit/float_motion_test \
	tests/unit/float_vif_test \
	tests/unit/log_test \
	tests/unit/model_test \
	tests/unit/motion_test \
	tests/unit/names_test \
	tests/unit/options_test \
	tests/unit/ordered_sum_simd_test \
	tests/unit/ordered_sum_test \
	tests/unit/pool_test \
	tests/unit/power_test \
	tests/unit/psnr_hvs_test \
	tests/unit/psnr_test \
	tests/unit/speed_test \
	tests/unit/ssim_test \
	tests/unit/ssimulacra2_test \
	tests/unit/vif_test \
	tests/unit/video_file_test
check_PROGRAMS += $(unit_tests)
TESTS += $(unit_tests)

unit_support = tests/unit/temporary_folder.cpp tests/unit/unit.h
unit_cppflags = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/unit $(CMOCKA_CFLAGS)
unit_libs = libqc_all.la $(HWY_LIBS) $(CMOCKA_LIBS) -lpthread -ldl -lm

tests_unit_adm_test_SOURCES = tests/unit/adm_test.cpp tests/unit/adm_pictures.h tests/unit/guarded_picture.h tests/unit/pictures.h $(unit_support)
tests_unit_adm_test_CPPFLAGS = $(unit_cppflags)
tests_unit_adm_test_LDADD = $(unit_libs)

# The test of the C interface is C; its library's needs make it link as C++.
tests_unit_api_test_SOURCES = tests/unit/api_test.c
nodist_EXTRA_tests_unit_api_test_SOURCES = dummy.cxx
tests_unit_api_test_CPPFLAGS = $(unit_cppflags)
tests_unit_api_test_LDADD = $(unit_libs)

tests_unit_ciede_test_SOURCES = tests/unit/ciede_test.cpp tests/unit/guarded_picture.h $(unit_support)
tests_unit_ciede_test_CPPFLAGS = $(unit_cppflags)
tests_unit_ciede_test_LDADD = $(unit_libs)

tests_unit_filter_options_test_SOURCES = tests/unit/filter_options_test.cpp $(unit_support)
tests_unit_filter_options_test_CPPFLAGS = $(unit_cppflags) -DFILTER_SOURCE='"$(top_srcdir)/filter/vf_qualitycuda.c"'
tests_unit_filter_options_test_LDADD = $(unit_libs)

tests_unit_float_adm_test_SOURCES = \
	tests/unit/float_adm_test.cpp \
	tests/unit/adm_pictures.h \
	tests/unit/guarded_picture.h \
	tests/unit/pictures.h \
	$(unit_support)
tests_unit_float_adm_test_CPPFLAGS = $(unit_cppflags)
tests_unit_float_adm_test_LDADD = $(unit_libs)

tests_unit_cambi_test_SOURCES = tests/unit/cambi_test.cpp tests/unit/guarded_picture.h tests/unit/pictures.h $(unit_support)
tests_unit_cambi_test_CPPFLAGS = $(unit_cppflags)
tests_unit_cambi_test_LDADD = $(unit_libs)

tests_unit_float_motion_test_SOURCES = \
	tests/unit/float_motion_test.cpp \
	tests/unit/guarded_picture.h \
	tests/unit/pictures.h \
	tests/unit/stream_run.h \
	$(unit_support)
tests_unit_float_motion_test_CPPFLAGS = $(unit_cppflags)
tests_unit_float_motion_test_LDADD = $(unit_libs)

tests_unit_float_vif_test_SOURCES = tests/unit/float_vif_test.cpp tests/unit/guarded_picture.h tests/unit/vif_patterns.h $(unit_support)
tests_unit_float_vif_test_CPPFLAGS = $(unit_cppflags)
tests_unit_float_vif_test_LDADD = $(unit_libs)

tests_unit_log_test_SOURCES = tests/unit/log_test.cpp $(unit_support)
tests_unit_log_test_CPPFLAGS = $(unit_cppflags)
tests_unit_log_test_LDADD = $(unit_libs)

tests_unit_model_test_SOURCES = tests/unit/model_test.cpp $(unit_support)
tests_unit_model_test_CPPFLAGS = $(unit_cppflags)
tests_unit_model_test_LDADD = $(unit_libs)

tests_unit_motion_test_SOURCES = tests/unit/motion_test.cpp tests/unit/guarded_picture.h tests/unit/pictures.h tests/unit/stream_run.h $(unit_support)
tests_unit_motion_test_CPPFLAGS = $(unit_cppflags)
tests_unit_motion_test_LDADD = $(unit_libs)

tests_unit_names_test_SOURCES = tests/unit/names_test.cpp $(unit_support)
tests_unit_names_test_CPPFLAGS = $(unit_cppflags)
tests_unit_names_test_LDADD = $(unit_libs)

tests_unit_options_test_SOURCES = tests/unit/options_test.cpp $(unit_support)
tests_unit_options_test_CPPFLAGS = $(unit_cppflags)
tests_unit_options_test_LDADD = $(unit_libs)

tests_unit_ordered_sum_simd_test_SOURCES = tests/unit/ordered_sum_simd_test.cpp $(unit_support)
tests_unit_ordered_sum_simd_test_CPPFLAGS = $(unit_cppflags)
tests_unit_ordered_sum_simd_test_LDADD = $(unit_libs)

tests_unit_ordered_sum_test_SOURCES = tests/unit/ordered_sum_test.cpp $(unit_support)
tests_unit_ordered_sum_test_CPPFLAGS = $(unit_cppflags)
tests_unit_ordered_sum_test_LDADD = $(unit_libs)

tests_unit_pool_test_SOURCES = tests/unit/pool_test.cpp $(unit_support)
tests_unit_pool_test_CPPFLAGS = $(unit_cppflags)
tests_unit_pool_test_LDADD = $(unit_libs)

tests_unit_power_test_SOURCES = tests/unit/power_test.cpp $(unit_support)
tests_unit_power_test_CPPFLAGS = $(unit_cppflags)
tests_unit_power_test_LDADD = $(unit_libs)

tests_unit_psnr_hvs_test_SOURCES = tests/unit/psnr_hvs_test.cpp tests/unit/guarded_picture.h $(unit_support)
tests_unit_psnr_hvs_test_CPPFLAGS = $(unit_cppflags)
tests_unit_psnr_hvs_test_LDADD = $(unit_libs)

tests_unit_psnr_test_SOURCES = tests/unit/psnr_test.cpp tests/unit/guarded_picture.h tests/unit/pictures.h $(unit_support)
tests_unit_psnr_test_CPPFLAGS = $(unit_cppflags)
tests_unit_psnr_test_LDADD = $(unit_libs)

tests_unit_video_file_test_SOURCES = \
	tests/unit/video_file_test.cpp \
	tools/byte_source.cpp \
	tools/byte_source.h \
	tools/tool_error.h \
	tools/video_file.cpp \
	tools/video_file.h \
	$(unit_support)
tests_unit_video_file_test_CPPFLAGS = $(unit_cppflags) -I$(top_srcdir)/tools
tests_unit_video_file_test_LDADD = $(unit_libs)

tests_unit_speed_test_SOURCES = tests/unit/speed_test.cpp tests/unit/guarded_picture.h $(unit_support)
tests_unit_speed_test_CPPFLAGS = $(unit_cppflags)
tests_unit_speed_test_LDADD = $(unit_libs)

tests_unit_ssim_test_SOURCES = tests/unit/ssim_test.cpp tests/unit/guarded_picture.h tests/unit/pictures.h $(unit_support)
tests_unit_ssim_test_CPPFLAGS = $(unit_cppflags)
tests_unit_ssim_test_LDADD = $(unit_libs)

tests_unit_ssimulacra2_test_SOURCES = tests/unit/ssimulacra2_test.cpp tests/unit/guarded_picture.h $(unit_support)
tests_unit_ssimulacra2_test_CPPFLAGS = $(unit_cppflags)
tests_unit_ssimulacra2_test_LDADD = $(unit_libs)

tests_unit_vif_test_SOURCES = tests/unit/vif_test.cpp tests/unit/guarded_picture.h tests/unit/pictures.h tests/unit/vif_patterns.h \
	$(unit_support)
tests_unit_vif_test_CPPFLAGS = $(unit_cppflags)
tests_unit_vif_test_LDADD = $(unit_libs)
endif

TESTS += tests/unit/log_consumers_test.sh tests/unit/one_definition_test.sh tests/unit/tool_test.sh
EXTRA_DIST += tests/unit/log_consumers.py tests/unit/log_consumers_test.sh tests/unit/one_definition_test.sh \
	tests/unit/tool_test.sh tests/models
