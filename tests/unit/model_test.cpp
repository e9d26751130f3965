// VMAF models: the option, loading with all its checks, prediction to libvmaf's bits.
#include "model/model.h"

#include <cmath>
#include <filesystem>
#include <fstream>

#include "core/session.h"
#include "model/display.h"
#include "unit.h"

namespace {

using namespace qc;
using unit::assert_same;
using unit::assert_text;

// The option.

void option_entries(void**) {
  const auto specs = parse_model_option(
      R"(version=vmaf_v0.6.1:name=a:disable_clip=true|path=C\:\\m.json:name=b:enable_transform=true:vif.vif_enhn_gain_limit=1.0)");
  assert_int_equal(specs.size(), 2);
  assert_text(specs[0].version, "vmaf_v0.6.1");
  assert_text(specs[0].name, "a");
  assert_true(specs[0].disable_clip);
  assert_false(specs[0].enable_transform);
  assert_text(specs[1].path, R"(C:\m.json)");
  assert_true(specs[1].enable_transform);
  assert_int_equal(specs[1].overloads.size(), 1);
  assert_text(specs[1].overloads[0].feature, "vif");
  assert_text(specs[1].overloads[0].option, "vif_enhn_gain_limit");
  assert_text(specs[1].overloads[0].value, "1");
  assert_true(parse_model_option("").empty());
}

void option_defaults(void**) {
  const auto specs = parse_model_option("version=x:disable_clip:vif.vif_enhn_gain_limit=1.12345678");
  assert_text(specs[0].name, "vmaf");
  assert_true(specs[0].disable_clip);
  assert_text(specs[0].overloads[0].value, "1.12346");
}

void bad_options(void**) {
  const auto bad = [](const char* text, const char* part) {
    unit::assert_fails(QC_ERROR_INVALID, part, [&] { parse_model_option(text); });
  };
  bad("version=a|version=b", "two models are called vmaf; give one of them another name=");
  bad("version=a:name=x|version=b:name=x", "two models are called x");
  bad("version=a:foo", "'foo' is not KEY=VALUE");
  bad("version=a:", "'' is not KEY=VALUE");
  bad("version=a|", "'' is not KEY=VALUE");
  bad("vrsion=a", "unknown key 'vrsion'; did you mean 'version'?");
  bad("version=a:egl=1", "an option of a feature is FEATURE.OPTION=VALUE");
  bad("version=a:disable_clip=1", "disable_clip='1' is neither true nor false");
  bad("version=a:name=", "its name is empty");
  bad("name=a", "has neither version=NAME nor path=FILE");
}

// Hand-made models.

constexpr const char* kSvm =
    "svm_type nu_svr\\nkernel_type rbf\\ngamma 0.5\\nnr_class 2\\ntotal_sv 2\\nrho 0.25\\nSV\\n"
    "1.5 1:0.5 2:-0.25 \\n-0.75 2:1 \\n";

std::string dict(const std::string& members, const char* svm = kSvm) {
  return R"({"model_dict": {"norm_type": "none", )" + members + R"(, "model": ")" + svm + "\"}}";
}

const std::string kTwoFeatures = R"("feature_names": ["a", "b"])";

struct LoadOptions {
  bool disable_clip = false;
  bool enable_transform = false;
};

std::unique_ptr<Model> load_text(const std::string& text, const LoadOptions& options = {}) {
  const unit::TemporaryFolder folder;
  std::ofstream(folder.path("m.json"), std::ios::binary) << text;
  ModelSpec spec;
  spec.path = folder.path("m.json");
  spec.disable_clip = options.disable_clip;
  spec.enable_transform = options.enable_transform;
  return load_model(spec, "");
}

double predict_one(const Model& model, const std::vector<double>& features) {
  std::vector<double> scores(model.outputs().size());
  model.predict(features, scores);
  return scores[0];
}

void arithmetic(void**) {
  // Differences and sums in the order of libsvm, its constants exact in binary.
  const double a = 0.3;
  const double b = 0.7;
  const double q1 = 0.0 + (a - 0.5) * (a - 0.5) + (b + 0.25) * (b + 0.25);
  const double q2 = 0.0 + a * a + (b - 1) * (b - 1);
  const double svm = 0.0 + 1.5 * std::exp(-0.5 * q1) + -0.75 * std::exp(-0.5 * q2) - 0.25;
  assert_same(predict_one(*load_text(dict(kTwoFeatures)), {a, b}), svm);

  const auto rescaled = load_text(R"({"model_dict": {"norm_type": "linear_rescale", "feature_names": ["a", "b"],
      "slopes": [0.5, 2, 3], "intercepts": [-1, 0.1, 0.2], "model": ")" +
                                  std::string(kSvm) + "\"}}");
  const double x = 2 * a + 0.1;
  const double y = 3 * b + 0.2;
  const double p1 = 0.0 + (x - 0.5) * (x - 0.5) + (y + 0.25) * (y + 0.25);
  const double p2 = 0.0 + x * x + (y - 1) * (y - 1);
  const double raw = 0.0 + 1.5 * std::exp(-0.5 * p1) + -0.75 * std::exp(-0.5 * p2) - 0.25;
  assert_same(predict_one(*rescaled, {a, b}), (raw + 1) / 0.5);
}

void indices_above_the_features(void**) {
  const auto model = load_text(dict(R"("feature_names": ["a"])"));
  const double q1 = 0.0 + (0.3 - 0.5) * (0.3 - 0.5) + 0.25 * 0.25;
  const double q2 = 0.0 + 0.3 * 0.3 + 1;
  assert_same(predict_one(*model, {0.3}), 0.0 + 1.5 * std::exp(-0.5 * q1) + -0.75 * std::exp(-0.5 * q2) - 0.25);
}

void clipping(void**) {
  const auto clipped = load_text(dict(kTwoFeatures + R"(, "score_clip": [0.5, 0.625, "x"])"));
  assert_same(predict_one(*clipped, {0.5, -0.25}), 0.625);
  assert_same(predict_one(*clipped, {100, 100}), 0.5);
  assert_true(std::isnan(predict_one(*clipped, {NAN, 0})));
  const auto unclipped = load_text(dict(kTwoFeatures + R"(, "score_clip": [0, 1])"), {true, false});
  assert_same(predict_one(*unclipped, {1000, 1000}), -0.25);
}

void options_of_features(void**) {
  const auto model = load_text(
      dict(kTwoFeatures +
           R"(, "feature_opts_dicts": [{"n": 1.12345678, "i": 1080, "b": true, "s": "1.23456789", "f": false}])"));
  assert_int_equal(model->inputs().size(), 2);
  const OptionList expected = {{"b", "true"}, {"f", "false"}, {"i", "1080"}, {"n", "1.12346"}, {"s", "1.23456789"}};
  assert_true(model->inputs()[0].options == expected);
  assert_true(model->inputs()[1].options.empty());
  load_text(dict(kTwoFeatures + R"(, "feature_opts_dicts": [{"n": 1.0, "n": 1}])"));
}

void transforms_that_do_not_apply(void**) {
  // Without `enabled` a transform applies only on demand; null means that a key is not used.
  const std::string text = dict(kTwoFeatures + R"(, "score_transform": {"p0": 5, "p1": null, "knots": null})");
  assert_same(predict_one(*load_text(text), {1000, 1000}), -0.25);
  assert_same(predict_one(*load_text(text, {false, true}), {1000, 1000}), 5);
}

void unused_keys_are_skipped(void**) {
  load_text(R"({"param_dict": {"model_dict": 1}, "model_dict": {"feature_dict": [null], "norm_type": "none", )" +
            kTwoFeatures + R"(, "model": ")" + kSvm + R"("}, "x": 0} and text after it {{{)");
}

void refused(const std::string& text, const char* part) {
  unit::assert_fails(QC_ERROR_INVALID, part, [&] { load_text(text); });
}

void malformed_json(void**) {
  for (const std::string& text : {std::string("{"), std::string(""), std::string("{\"model_dict\": {\"a\": 01}}"),
                                  std::string("{\"a\": \"\x01\"}"), std::string("{\"a\": \"\xff\"}"),
                                  std::string("{\"a\": +1}"), std::string("{'a': 1}"), std::string(100, '[')})
    refused(text, text[0] == '[' ? "nested too deeply" : "malformed JSON");
  refused(R"({"model_dict": {"norm_type": "none"},})", "malformed JSON");
}

void bad_structure(void**) {
  refused("[]", "it is no JSON object");
  refused("{}", "it has no model_dict, nor is it a collection");
  refused(R"({"model_dict": 1})", "model_dict is no object");
  refused(R"({"model_dict": {}, "model_dict": {}})", "the key \"model_dict\" is there twice");
  refused(R"({"model_dict": {"norm_type": "none", "feature_names": ["a"]}})", "it has no libsvm text");
  refused(dict(kTwoFeatures, ""), "it has no libsvm text");
  refused(R"({"model_dict": {"feature_names": ["a"], "model": ")" + std::string(kSvm) + "\"}}",
          "its norm_type is neither linear_rescale nor none");
  refused(dict(kTwoFeatures + R"(, "norm_type": "none")"), "the key \"norm_type\" is there twice");
  refused(dict(R"("x": 1)"), "it has no feature_names");
  refused(dict(R"("feature_names": [])"), "it has no feature_names");
  refused(dict(R"("feature_names": [1])"), "feature_names has an element that is no string");
  refused(dict(R"("feature_names": null)"), "feature_names is no array");
  refused(dict(kTwoFeatures + R"(, "model_type": "SVM")"), "its model_type 'SVM' is none of");
  refused(dict(kTwoFeatures + R"(, "model_type": 1)"), "model_type is no string");
  refused(dict(kTwoFeatures + R"(, "feature_opts_dicts": [1])"), "feature_opts_dicts has an element that is no object");
  refused(dict(kTwoFeatures + R"(, "feature_opts_dicts": [{"n": null}])"), "a value that is neither number, string");
  refused(dict(kTwoFeatures + R"(, "feature_opts_dicts": [{"n": 1, "n": 2}])"),
          "feature_opts_dicts has two values of n");
  refused(dict(kTwoFeatures + R"(, "slopes": ["1"])"), "slopes has an element that is no number");
  refused(dict(kTwoFeatures + R"(, "score_clip": null)"), "score_clip is no array");
  refused(dict(kTwoFeatures + R"(, "score_clip": [1])"), "score_clip does not begin with two numbers");
  std::string many = "\"f\"";
  for (int i = 0; i < 64; ++i) many += ", \"f\"";
  refused(dict("\"feature_names\": [" + many + "]"), "it has more than 64 features");
  refused(R"({"model_dict": {"norm_type": "linear_rescale", "feature_names": ["a"], "model": ")" + std::string(kSvm) +
              "\"}}",
          "the slope of its score is 0");
}

void bad_transforms(void**) {
  const auto bad = [](const std::string& transform, const char* part) {
    refused(dict(kTwoFeatures + ", \"score_transform\": " + transform), part);
  };
  bad("null", "score_transform is no object");
  bad(R"({"enabled": "true"})", "enabled is neither true nor false");
  bad(R"({"p1": "2"})", "p1 is no number");
  bad(R"({"out_lte_in": true})", "out_lte_in is no string");
  bad(R"({"knots": [[1, 2, 3]]})", "a knot is no array of two numbers");
  bad(R"({"knots": [1]})", "a knot is no array of two numbers");
  bad(R"({"knots": [[],[],[],[],[],[],[],[],[],[],[]]})", "more than 10 knots");
}

void bad_chroma_correction(void**) {
  const auto bad = [](const std::string& names, const char* p, const char* part) {
    refused(dict("\"feature_names\": " + names + ", \"chroma_correction_parameter\": " + p), part);
  };
  bad(R"(["x_adm3", "speed_chroma_uv"])", "0", "chroma_correction_parameter is 0");
  bad(R"(["x_adm3", "speed_chroma_uv"])", "null", "chroma_correction_parameter is no number");
  bad(R"(["x_adm3"])", "1", "needs a feature that contains speed_chroma");
  bad(R"(["speed_chroma_u"])", "1", "needs a feature that contains adm3");
  bad(R"(["adm3", "adm3_2", "speed_chroma"])", "1", "two of its features contain adm3");
}

void chroma_correction(void**) {
  const std::string names = R"("feature_names": ["speed_chroma_uv", "x_adm3"])";
  const auto plain = load_text(dict(names));
  const auto corrected = load_text(dict(names + R"(, "chroma_correction_parameter": 4)"));
  assert_same(predict_one(*corrected, {0, 0.75}), predict_one(*plain, {1, 0.75}));
  assert_same(predict_one(*corrected, {-0.0, 0.75}), predict_one(*plain, {1, 0.75}));
  assert_same(predict_one(*corrected, {1e-300, 0.75}), predict_one(*plain, {1e-300, 0.75}));
}

void bad_svm_texts(void**) {
  const std::string head = "svm_type nu_svr\\nkernel_type rbf\\ngamma 0.5\\nnr_class 2\\ntotal_sv 1\\nrho 0.25\\n";
  const auto bad = [](const std::string& svm, const char* part) { refused(dict(kTwoFeatures, svm.c_str()), part); };
  load_text(dict(kTwoFeatures, (head + "SV\\n1 1:1 \\nignored").c_str()));
  bad("svm_type what", "unknown svm_type: 'what'");
  bad("kernel_type what", "unknown kernel_type: 'what'");
  bad("colour red", "unknown word: 'colour'");
  bad(head, "ends before its support vectors");
  bad(head + "SV\\n", "has 0 support vectors instead of 1");
  bad(head + "SV\\n1 1:1 0:1\\n", "node indices that don't ascend");
  bad(head + "SV\\n1 2:1 2:1\\n", "node indices that don't ascend");
  bad(head + "SV\\n1 1\\n", "a node without a colon: '1'");
  bad(head + "SV\\nx 1:1\\n", "a bad coefficient: 'x'");
  bad(head + "SV\\n1 1:inf\\n", "a bad node value: 'inf'");
  bad(head + "SV\\n1 99999999999:1\\n", "a bad node index");
  bad("rho 1", "has rho before nr_class");
  bad("svm_type nu_svr\\nkernel_type rbf\\nnr_class 2\\ntotal_sv 1\\nrho 1\\nSV\\n1\\n",
      "lacks one of gamma, rho, total_sv");
  bad("total_sv 0", "has no support vectors");
  bad("nr_class 3", "has 3 classes");
  unit::assert_fails(QC_ERROR_UNSUPPORTED, "its svm_type is 'c_svc'",
                     [] { load_text(dict(kTwoFeatures, "svm_type c_svc\\nkernel_type rbf\\nSV\\n")); });
  unit::assert_fails(QC_ERROR_UNSUPPORTED, "its kernel_type is 'linear'",
                     [] { load_text(dict(kTwoFeatures, "svm_type nu_svr\\nkernel_type linear\\nSV\\n")); });
}

std::string member(const char* type) { return dict(kTwoFeatures + R"(, "model_type": ")" + type + "\""); }

void collections(void**) {
  const std::string base = member("LIBSVMNUSVR");
  const std::string boot = member("BOOTSTRAP_LIBSVMNUSVR");
  const auto model =
      load_text("{\"x\": 1, \"0\": " + base + ", \"02\": 0, \"1\": " + boot + ", \"3\": 1, \"2\": " + boot + "}");
  const std::vector<std::string> names = {"vmaf",        "vmaf_0001",      "vmaf_0002",     "vmaf_bagging",
                                          "vmaf_stddev", "vmaf_ci_p95_lo", "vmaf_ci_p95_hi"};
  assert_true(model->outputs() == names);
  assert_int_equal(model->inputs().size(), 2);
  refused("{\"0\": " + base + "}", "a collection with only one model");
  refused("{\"0\": " + base + ", \"1\": " + base + "}", "which is not a bootstrap type");
  refused("{\"0\": " + base + ", \"1\": " + boot + ", \"2\": " + base + "}", "differ in model_type");
  refused("{\"0\": " + base + ", \"1\": {}}", "it has no model_dict");
}

void files(void**) {
  ModelSpec spec;
  spec.path = "absent.json";
  unit::assert_fails(QC_ERROR_IO, "'absent.json' cannot be read: No such file", [&] { load_model(spec, ""); });
  spec.path = ".";
  unit::assert_fails(QC_ERROR_IO, "is a folder", [&] { load_model(spec, ""); });
  spec.path = "model.pkl";
  unit::assert_fails(QC_ERROR_UNSUPPORTED, "is a pickle", [&] { load_model(spec, ""); });
}

void search_path(void**) {
  const unit::TemporaryFolder folder;
  std::filesystem::create_directories(folder.path("dir/family"));
  std::filesystem::create_directories(folder.path("environment"));
  std::ofstream(folder.path("dir/one.json")) << dict(kTwoFeatures);
  std::ofstream(folder.path("dir/family/two.json")) << dict(kTwoFeatures);
  std::ofstream(folder.path("environment/three.json")) << dict(kTwoFeatures);
  setenv("QUALITYCUDA_MODEL_PATH", ("not-there::" + folder.path("environment")).c_str(), 1);
  const std::string dir = folder.path("dir");
  for (const char* name : {"one", "two", "three"}) {
    assert_true(model_exists(name, dir));
    ModelSpec spec;
    spec.path = "absent.json";  // version wins
    spec.version = name;
    assert_non_null(load_model(spec, dir).get());
  }
  assert_false(model_exists("one", ""));
  assert_false(model_exists("../dir/one", dir));
  ModelSpec spec;
  spec.version = "tow";
  const auto load = [&] { load_model(spec, dir); };
  unit::assert_fails(QC_ERROR_IO, "no model is called 'tow'; did you mean 'two'?", load);
  unit::assert_fails(QC_ERROR_IO, (dir + " (one two)").c_str(), load);
  unit::assert_fails(QC_ERROR_IO, "not-there (not there)", load);
  unit::assert_fails(QC_ERROR_IO, (folder.path("environment") + " (three)").c_str(), load);
  spec.version = "a/b";
  unit::assert_fails(QC_ERROR_IO, "for a file use path=", load);
  unsetenv("QUALITYCUDA_MODEL_PATH");
}

void overloads(void**) {
  const std::string text =
      dict(R"("feature_names": ["psnr_y", "other"], "feature_opts_dicts": [{"enable_mse": false}])");
  const unit::TemporaryFolder folder;
  std::ofstream(folder.path("m.json")) << text;
  ModelSpec spec;
  spec.path = folder.path("m.json");
  spec.overloads = {{"psnr", "enable_mse", "true"}, {"psnr", "enable_apsnr", "true"}};
  const OptionList expected = {{"enable_apsnr", "true"}, {"enable_mse", "true"}};
  assert_true(load_model(spec, "")->inputs()[0].options == expected);
  spec.overloads = {{"psrn", "enable_mse", "true"}};
  unit::assert_fails(QC_ERROR_INVALID, "did you mean 'psnr'?", [&] { load_model(spec, ""); });
  spec.overloads = {{"motion", "motion_force_zero", "true"}};
  unit::assert_fails(QC_ERROR_INVALID, "it does not use the feature motion", [&] { load_model(spec, ""); });
}

// libvmaf's models, where they are at hand (model.md §14).

struct Flags {
  bool disable_clip = false;
  bool enable_transform = false;
};

std::unique_ptr<Model> shared_model(const char* version, const Flags& flags = {}) {
  const std::string folder = unit::shared_folder() + "/models";
  if (!model_exists("vmaf_v0.6.1", folder)) {
    print_message("no models in %s\n", folder.c_str());
    skip();
  }
  ModelSpec spec;
  spec.version = version;
  spec.disable_clip = flags.disable_clip;
  spec.enable_transform = flags.enable_transform;
  return load_model(spec, folder);
}

const std::vector<std::vector<double>> kV0Features = {{0.95, 3.5, 0.5, 0.85, 0.9, 0.95},
                                                      {1, 0, 1, 1, 1, 1},
                                                      {0.5, 20, 0.1, 0.3, 0.4, 0.5},
                                                      {60, 60, 60, 60, 60, 60},
                                                      {0, 0, 0, 0, 0, 0}};
const std::vector<std::vector<double>> kV1Features = {
    {1.5, 4.25, 0.9, 5.5}, {0, 0, 0.9, 5.5}, {0, 0, 1, 0}, {17, 45, 0.5, 18}, {0.25, 0.001, 0.975, 2}};

void scores(const Model& model, const std::vector<std::vector<double>>& features, const std::vector<double>& expected) {
  for (size_t i = 0; i < expected.size(); ++i) assert_same(predict_one(model, features[i]), expected[i]);
}

void v061(void**) {
  const std::vector<double> expected = {82.845222936444685, 97.428042642610308, 4.2894266283297577, 100,
                                        4.3366705109194772};
  const auto model = shared_model("vmaf_v0.6.1");
  assert_int_equal(model->inputs().size(), 6);
  assert_text(model->inputs()[0].feature, "VMAF_integer_feature_adm2_score");
  assert_text(model->inputs()[1].feature, "VMAF_integer_feature_motion2_score");
  scores(*model, kV0Features, expected);
  const auto neg = shared_model("vmaf_v0.6.1neg");
  const OptionList egl = {{"adm_enhn_gain_limit", "1"}};
  assert_true(neg->inputs()[0].options == egl);
  scores(*neg, kV0Features, expected);
  assert_same(predict_one(*shared_model("vmaf_v0.6.1", {true, false}), kV0Features[3]), 136.48282874472332);
  scores(*shared_model("vmaf_v0.6.1", {false, true}), kV0Features,
         {96.326507916515425, 100, 8.982407594567885, 100, 9.0610969177989436});
  scores(*shared_model("vmaf_4k_v0.6.1"), kV0Features,
         {88.54950148455336, 100, 38.604389518014145, 100, 6.6757998038431206});
}

void v1(void**) {
  for (const char* version : {"vmaf_v1.0.16_3d0h", "vmaf_v1.0.16_5d0h", "vmaf_v1.0.16_hfr_3d0h"})
    scores(*shared_model(version), kV1Features, {71.344970011321607, 65.64649075670458, 100, 0, 94.724355346220733});
  scores(*shared_model("vmaf_v1.0.16_1d5h_2160"), kV1Features,
         {69.767652210038307, 63.542312026726201, 100, 0, 95.757497619249392});
  scores(*shared_model("vmaf_v1.0.16_3d0h_2160"), kV1Features,
         {74.767652210038307, 68.542312026726194, 107.34910935976281, 0, 100.75749761924939});
  const auto unclipped = shared_model("vmaf_v1.0.16_3d0h", {true, false});
  assert_same(predict_one(*unclipped, kV1Features[2]), 100.54849808402878);
  assert_same(predict_one(*unclipped, kV1Features[3]), -22.903316757376526);
}

void bootstrap(void**) {
  const auto model = shared_model("vmaf_b_v0.6.3");
  assert_int_equal(model->outputs().size(), 25);
  assert_int_equal(model->inputs().size(), 6);
  const auto check = [&](const std::vector<double>& f, std::initializer_list<std::pair<size_t, double>> expected) {
    std::vector<double> scores(25);
    model->predict(f, scores);
    for (const auto& [k, value] : expected) assert_same(scores[k], value);
  };
  check(kV0Features[0], {{0, 81.812026030409839},
                         {1, 81.528757816300057},
                         {20, 80.585601433702735},
                         {21, 81.280920884150291},
                         {22, 1.5283227771801779},
                         {23, 78.468006275328605},
                         {24, 83.794604436755179}});
  check(kV0Features[1], {{0, 97.986393147932304},
                         {21, 97.076021463042323},
                         {22, 4.7665892471769933},
                         {23, 85.118627473141004},
                         {24, 100}});
  check(kV0Features[3], {{0, 100}, {21, 100}, {22, 0}, {23, 100}, {24, 100}});
}

// Transforms of the raw scores of v0.6.1, put into a copy of its file.
void transforms(void**) {
  shared_model("vmaf_v0.6.1");
  const std::string original = unit::file_text(unit::shared_folder() + "/models/vmaf_v0.6.1.json");
  const size_t dict = original.find('{', original.find("\"model_dict\"")) + 1;
  const size_t old = original.find("\"score_transform\"", dict);
  assert_true(old != std::string::npos);
  std::string renamed = original;
  renamed.replace(old, std::strlen("\"score_transform\""), "\"unused\"");
  const auto check = [&](const char* transform, std::initializer_list<double> expected) {
    std::string text = renamed;
    text.insert(dict, std::string("\"score_transform\": {\"enabled\": true, ") + transform + "},");
    scores(*load_text(text), kV0Features, expected);
  };
  check(R"("knots": [[0,0],[50,30],[100,100]])", {75.983312111022556, 96.399259699654408, 2.5736559769978546});
  check(R"("p0": 1.5, "p1": 1.25, "p2": -0.0025, "knots": [[10,-5],[60,60],[80,60],[120,115]], "out_lte_in": "true")",
        {70.860026735363846, 86.887430034213594, 0});
  check(R"("knots": [[0,0]])", {82.845222936444685, 97.428042642610308, 4.2894266283297577});
  check(R"("knots": [[0,0],[50,30],[40,100]])", {0, 0, 2.5736559769978546});
}

}  // namespace

// Sizes that don't fill a model's display.

void displays(void**) {
  const std::vector<ModelInput> inputs = {{"a", {}}, {"b", {{"adm_ref_display_height", "1080"}}}};
  const std::vector<ModelInput> uhd = {{"b", {{"adm_ref_display_height", "2160"}, {"adm_norm_view_dist", "3"}}}};
  const int fitting[][2] = {{1920, 1080}, {1920, 800}, {1440, 1080}, {2048, 1080}};
  for (const auto& [width, height] : fitting) {
    assert_text(display_warning("m", inputs, width, height), "");
    assert_text(display_warning("m", uhd, 2 * width, 2 * height), "");
    assert_true(!display_warning("m", uhd, width, height).empty());
    assert_true(!display_warning("m", inputs, 2 * width, 2 * height).empty());
  }
  assert_text(display_warning("m", {{"a", {{"n", "1"}}}}, 320, 240), "");
  assert_text(display_warning("m", inputs, 1280, 720),
              "the model m is for pictures that fill a display of 1920x1080, and these are 1280x720: insert "
              "scale=1920:1080:flags=bicubic before both inputs");
  assert_text(display_warning("m", inputs, 3840, 1600),
              "the model m is for pictures that fill a display of 1920x1080, and these are 3840x1600: insert "
              "scale=1920:800:flags=bicubic before both inputs, or take a model for 3840x2160");
  assert_text(display_warning("m", uhd, 1080, 1920),
              "the model m is for pictures that fill a display of 3840x2160, and these are 1080x1920: insert "
              "scale=1216:2160:flags=bicubic before both inputs");
}

void sessions_warn_once(void**) {
  const unit::TemporaryFolder folder;
  const std::string path = folder.path("m.json");
  std::ofstream(path) << dict(
      R"("feature_names": ["VMAF_integer_feature_adm2_score", "VMAF_integer_feature_motion2_score"],
      "feature_opts_dicts": [{"adm_ref_display_height": 2160}, {}])");
  for (const int width : {320, 3840}) {
    std::vector<std::string> warnings;
    Session session([&](QCLogLevel level, const std::string& text) {
      if (level <= QC_LOG_WARNING) warnings.push_back(text);
    });
    session.set("model", "path=" + path);
    QCFormat format{};
    format.width = width;
    format.height = 240;
    format.chroma = QC_CHROMA_420;
    format.depth = 8;
    format.sample_bytes = 1;
    format.matrix = format.primaries = format.transfer = 2;
    format.full_range = -1;
    session.open(format, format, nullptr);
    assert_int_equal(warnings.size(), width == 320 ? 1 : 0);
    if (width == 320)
      assert_text(warnings[0], display_warning(path, {{"", {{"adm_ref_display_height", "2160"}}}}, 320, 240));
  }
}

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(displays),
      cmocka_unit_test(sessions_warn_once),
      cmocka_unit_test(option_entries),
      cmocka_unit_test(option_defaults),
      cmocka_unit_test(bad_options),
      cmocka_unit_test(arithmetic),
      cmocka_unit_test(indices_above_the_features),
      cmocka_unit_test(clipping),
      cmocka_unit_test(options_of_features),
      cmocka_unit_test(transforms_that_do_not_apply),
      cmocka_unit_test(unused_keys_are_skipped),
      cmocka_unit_test(malformed_json),
      cmocka_unit_test(bad_structure),
      cmocka_unit_test(bad_transforms),
      cmocka_unit_test(bad_chroma_correction),
      cmocka_unit_test(chroma_correction),
      cmocka_unit_test(bad_svm_texts),
      cmocka_unit_test(collections),
      cmocka_unit_test(files),
      cmocka_unit_test(search_path),
      cmocka_unit_test(overloads),
      cmocka_unit_test(v061),
      cmocka_unit_test(v1),
      cmocka_unit_test(bootstrap),
      cmocka_unit_test(transforms),
  };
  return cmocka_run_group_tests_name("models", tests, nullptr, nullptr);
}
