// Names of score columns: the examples of libvmaf's naming.
#include "core/names.h"

#include "unit.h"

namespace {

using namespace qc;

constexpr OptionDef kAdm[] = {
    double_option("adm_enhn_gain_limit", "egl", 100, 1, 100, ""),
    double_option("adm_norm_view_dist", "nvd", 3, 0.75, 24, ""),
    int_option("adm_ref_display_height", "rdh", 1080, 1, 4320, ""),
    int_option("adm_csf_mode", "csf", 0, 0, 3, ""),
    double_option("adm_noise_weight", "nw", 0.03125, 0, 1500, ""),
    double_option("adm_dlm_weight", "dlmw", 0.5, 0, 1, ""),
    double_option("adm_min_val", "min", 0, 0, 1, ""),
    bool_option("debug", nullptr, false, ""),
};
constexpr OptionDef kVif[] = {
    bool_option("debug", nullptr, false, ""),
    double_option("vif_enhn_gain_limit", "egl", 100, 1, 100, ""),
};
constexpr OptionDef kMotion[] = {
    bool_option("motion_force_zero", "force_0", false, ""),
    bool_option("motion_five_frame_window", "mffw", false, ""),
    bool_option("motion_moving_average", "mma", false, ""),
    double_option("motion_max_val", "mmxv", 10000, 0, 10000, ""),
};
constexpr OptionDef kCambi[] = {
    int_option("cambi_high_res_speedup", "hrs", 0, 0, 2160, ""),
    double_option("cambi_vis_lum_threshold", "vlt", 0, 0, 300, ""),
    double_option("cambi_max_val", "cmxv", 1000, 0, 1000, ""),
    double_option("topk", "topk", 0.6, 0.0001, 1, ""),
    string_option("eotf", "eotf", "bt1886", ""),
    bool_option("full_ref", nullptr, false, ""),
};
constexpr OptionDef kSpeed[] = {
    double_option("speed_nn_floor", "nnf", 0, 0, 1, ""),
    double_option("speed_sigma_nn", "snn", 0.29, 0.1, 2, ""),
    int_option("speed_weight_var_mode", "wvm", 0, 0, 6, ""),
    double_option("speed_max_val", "mxv", 1000, 0, 1000, ""),
    double_option("speed_prescale", "ps", 1, 0.1, 4, ""),
    double_option("speed_kernelscale", "ks", 1, 0.1, 4, ""),
    string_option("speed_prescale_method", "psm", "nearest", ""),
};

constexpr OutputDef output(const char* raw, const char* log, bool templated = true) {
  return {raw, log, templated, nullptr, Phase::FirstFrame, ""};
}
constexpr OutputDef kAdm2 = output("VMAF_integer_feature_adm2_score", "integer_adm2");
constexpr OutputDef kAdm3 = output("VMAF_integer_feature_adm3_score", "integer_adm3");
constexpr OutputDef kAdmScale0 = output("integer_adm_scale0", "integer_adm_scale0");
constexpr OutputDef kVif0 = output("VMAF_integer_feature_vif_scale0_score", "integer_vif_scale0");
constexpr OutputDef kMotionSad =
    output("VMAF_integer_feature_motion_sad_score", "VMAF_integer_feature_motion_sad_score");
constexpr OutputDef kMotion2 = output("VMAF_integer_feature_motion2_score", "integer_motion2");
constexpr OutputDef kCambiScore = output("Cambi_feature_cambi_score", "cambi");
constexpr OutputDef kCambiSource = output("cambi_source", "cambi_source", false);
constexpr OutputDef kSpeedUv = output("Speed_chroma_feature_speed_chroma_uv_score", "speed_chroma_uv");

OptionSet set(std::span<const OptionDef> table, const OptionList& options) {
  OptionSet result(table);
  for (const auto& [key, value] : options) result.set(key, value, "test");
  return result;
}

void expect(const OutputDef& output, std::span<const OptionDef> table, const OptionList& options, const char* name) {
  unit::assert_text(templated_name(output, set(table, options)), name);
}

const OptionList kV1Adm = {{"adm_csf_mode", "2"},
                           {"adm_dlm_weight", "0.7"},
                           {"adm_enhn_gain_limit", "1"},
                           {"adm_min_val", "0.5"},
                           {"adm_noise_weight", "0.02"}};
const OptionList kV1Speed = {{"speed_nn_floor", "0.1"},
                             {"speed_sigma_nn", "0.19"},
                             {"speed_weight_var_mode", "5"},
                             {"speed_max_val", "45"},
                             {"speed_kernelscale", "1"}};

OptionList with(OptionList list, const OptionList& more) {
  list.insert(list.end(), more.begin(), more.end());
  return list;
}

void defaults_leave_the_name(void**) {
  expect(kAdm2, kAdm, {}, "integer_adm2");
  expect(kMotion2, kMotion, {}, "integer_motion2");
  expect(kVif0, kVif, {}, "integer_vif_scale0");
  expect(kMotionSad, kMotion, {}, "VMAF_integer_feature_motion_sad_score");
  // A value that equals the default doesn't show.
  expect(kVif0, kVif, {{"vif_enhn_gain_limit", "100.0"}}, "integer_vif_scale0");
}

void v06neg(void**) {
  expect(kAdm2, kAdm, {{"adm_enhn_gain_limit", "1"}}, "integer_adm2_egl_1");
  expect(kAdmScale0, kAdm, {{"adm_enhn_gain_limit", "1"}}, "integer_adm_scale0_egl_1");
  expect(kVif0, kVif, {{"vif_enhn_gain_limit", "1"}}, "integer_vif_scale0_egl_1");
}

void bools_show_their_suffix_alone(void**) {
  expect(kMotionSad, kMotion, {{"motion_force_zero", "true"}}, "VMAF_integer_feature_motion_sad_score_force_0");
  expect(kMotion2, kMotion, {{"motion_force_zero", "true"}}, "integer_motion2_force_0");
}

void doubles_have_six_digits(void**) {
  expect(kVif0, kVif, {{"vif_enhn_gain_limit", canonical_number("1.12345678")}}, "integer_vif_scale0_egl_1.12346");
}

void v1_models(void**) {
  expect(kCambiScore, kCambi,
         {{"cambi_high_res_speedup", "1080"}, {"cambi_vis_lum_threshold", "0.06"}, {"cambi_max_val", "17"}},
         "cambi_hrs_1080_cmxv_17_vlt_0.06");
  expect(kSpeedUv, kSpeed, kV1Speed, "speed_chroma_uv_mxv_45_nnf_0.1_snn_0.19_wvm_5");
  expect(kAdm3, kAdm, kV1Adm, "integer_adm3_csf_2_dlmw_0.7_egl_1_min_0.5_nw_0.02");
  expect(kMotionSad, kMotion, {{"motion_max_val", "18"}}, "VMAF_integer_feature_motion_sad_score_mmxv_18");
  expect(kSpeedUv, kSpeed, with(kV1Speed, {{"speed_prescale", "0.6"}, {"speed_prescale_method", "bilinear"}}),
         "speed_chroma_uv_mxv_45_nnf_0.1_ps_0.6_psm_bilinear_snn_0.19_wvm_5");
  expect(kAdm3, kAdm, with(kV1Adm, {{"adm_norm_view_dist", "5"}}),
         "integer_adm3_csf_2_dlmw_0.7_egl_1_min_0.5_nw_0.02_nvd_5");
  expect(kAdm3, kAdm, with(kV1Adm, {{"adm_norm_view_dist", "1.5"}, {"adm_ref_display_height", "2160"}}),
         "integer_adm3_csf_2_dlmw_0.7_egl_1_min_0.5_nw_0.02_nvd_1.5_rdh_2160");
  expect(kAdm3, kAdm, with(kV1Adm, {{"adm_ref_display_height", "2160"}}),
         "integer_adm3_csf_2_dlmw_0.7_egl_1_min_0.5_nw_0.02_rdh_2160");
  expect(kMotion2, kMotion,
         {{"motion_max_val", "18"}, {"motion_five_frame_window", "true"}, {"motion_moving_average", "true"}},
         "integer_motion2_mffw_mmxv_18_mma");
}

void options_without_suffix(void**) {
  expect(kCambiScore, kCambi, {{"topk", "0.2"}, {"eotf", "pq"}}, "cambi_eotf_pq_topk_0.2");
  expect(kCambiScore, kCambi, {{"full_ref", "true"}}, "cambi");
  expect(kCambiSource, kCambi, {{"topk", "0.2"}}, "cambi_source");
}

void names_end_at_255_bytes(void**) {
  const OptionSet options = set(kCambi, {{"eotf", std::string(300, 'x')}});
  unit::assert_text(templated_name(kCambiScore, options), "cambi_eotf_" + std::string(244, 'x'));
}

void models_look_up_raw_names(void**) {
  unit::assert_text(lookup_name(kVif0, set(kVif, {})), "VMAF_integer_feature_vif_scale0_score");
  unit::assert_text(lookup_name(kVif0, set(kVif, {{"debug", "true"}})), "VMAF_integer_feature_vif_scale0_score");
  unit::assert_text(lookup_name(kVif0, set(kVif, {{"vif_enhn_gain_limit", "1"}})), "integer_vif_scale0_egl_1");
}

void instances_are_told_apart(void**) {
  const OptionSet debug = set(kVif, {{"debug", "true"}});
  unit::assert_text(distinguished_name(templated_name(kVif0, debug), debug), "integer_vif_scale0_debug_true");
  unit::assert_text(distinguished_name("integer_vif_scale0", set(kVif, {})), "integer_vif_scale0");
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(defaults_leave_the_name),
      cmocka_unit_test(v06neg),
      cmocka_unit_test(bools_show_their_suffix_alone),
      cmocka_unit_test(doubles_have_six_digits),
      cmocka_unit_test(v1_models),
      cmocka_unit_test(options_without_suffix),
      cmocka_unit_test(names_end_at_255_bytes),
      cmocka_unit_test(models_look_up_raw_names),
      cmocka_unit_test(instances_are_told_apart),
  };
  return cmocka_run_group_tests_name("names", tests, nullptr, nullptr);
}
