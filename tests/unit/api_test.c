/* The life of a context through the public C interface, with psnr as the feature. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Needs what stands before it. */
#include <cmocka.h>

#include "qualitycuda.h"

enum { kWidth = 48, kHeight = 32, kMaxPairs = 64 };

/* Distorted pictures differ from the reference by 1 + frame % 8 in every sample, so that PSNR is known. */
typedef struct Stream {
  QCContext *ctx;
  uint8_t *planes[kMaxPairs][2];
  atomic_int released[kMaxPairs];
  int sent;
  int received;
} Stream;

static const QCFormat kFormat = {.width = kWidth,
                                 .height = kHeight,
                                 .chroma = QC_CHROMA_420,
                                 .depth = 8,
                                 .sample_bytes = 1,
                                 .matrix = 2,
                                 .primaries = 2,
                                 .transfer = 2,
                                 .full_range = -1};

static double expected_psnr(int64_t frame) {
  const double difference = 1 + (double)(frame % 8);
  return 10.0 * log10(65025.0 / (difference * difference));
}

static void count_release(void *opaque) { atomic_fetch_add((atomic_int *)opaque, 1); }

static QCFrame frame_of(const uint8_t *base, int width, int height) {
  const QCFrame frame = {{base, base + width * height, base + width * height * 5 / 4}, {width, width / 2, width / 2}};
  return frame;
}

static void set(Stream *s, const char *key, const char *value) { assert_int_equal(qc_set(s->ctx, key, value), QC_OK); }

static void start(Stream *s, const char *feature) {
  memset(s, 0, sizeof *s);
  assert_int_equal(qc_create(&s->ctx), QC_OK);
  set(s, "feature", feature);
  set(s, "n_threads", "2");
}

static void open_stream(Stream *s) { assert_int_equal(qc_open(s->ctx, &kFormat, &kFormat, NULL), QC_OK); }

static QCStatus send_next(Stream *s) {
  const int i = s->sent;
  const int samples = kWidth * kHeight * 3 / 2;
  for (int k = 0; k < 2 && !s->planes[i][k]; ++k) {
    s->planes[i][k] = malloc((size_t)samples);
    assert_non_null(s->planes[i][k]);
    for (int x = 0; x < samples; ++x) s->planes[i][k][x] = (uint8_t)((x * 7 + i * 13) % 200 + k * (1 + i % 8));
  }
  const QCPair pair = {frame_of(s->planes[i][0], kWidth, kHeight),
                       frame_of(s->planes[i][1], kWidth, kHeight),
                       1000 + i,
                       &s->planes[i],
                       count_release,
                       &s->released[i]};
  const QCStatus status = qc_send(s->ctx, &pair);
  if (status == QC_OK) ++s->sent;
  return status;
}

static void check_result(Stream *s, const QCResult *result) {
  const int64_t frame = s->received++;
  assert_int_equal(result->frame, frame);
  assert_int_equal(result->pts, 1000 + frame);
  assert_ptr_equal(result->opaque, &s->planes[frame]);
  assert_int_equal(result->count, 3);
  assert_string_equal(result->names[0], "psnr_y");
  assert_string_equal(result->names[1], "psnr_cb");
  assert_string_equal(result->names[2], "psnr_cr");
  for (int k = 0; k < 3; ++k) assert_true(result->values[k] == expected_psnr(frame));
}

static void drain(Stream *s) {
  QCResult result;
  QCStatus status;
  assert_int_equal(qc_send(s->ctx, NULL), QC_OK);
  while ((status = qc_receive(s->ctx, &result)) == QC_OK) check_result(s, &result);
  assert_int_equal(status, QC_EOF);
}

/* Destroys the context; every pair that was taken must have been released exactly once. */
static void stop(Stream *s) {
  qc_destroy(&s->ctx);
  assert_null(s->ctx);
  for (int i = 0; i < kMaxPairs; ++i) {
    assert_int_equal(atomic_load(&s->released[i]), i < s->sent);
    free(s->planes[i][0]);
    free(s->planes[i][1]);
  }
}

static void assert_contains(const char *text, const char *part) {
  if (!strstr(text, part)) fail_msg("'%s' does not contain '%s'", text, part);
}

static void results_come_in_order(void **state) {
  (void)state;
  Stream s;
  QCResult result;
  start(&s, "name=psnr");
  set(&s, "frames_in_flight", "4");
  open_stream(&s);
  assert_int_equal(qc_receive(s.ctx, &result), QC_AGAIN);
  int refused = 0;
  while (s.sent < kMaxPairs) {
    const QCStatus status = send_next(&s);
    if (status == QC_OK) continue;
    assert_int_equal(status, QC_AGAIN);
    ++refused;
    assert_int_equal(qc_receive(s.ctx, &result), QC_OK);
    check_result(&s, &result);
  }
  assert_true(refused > 0);
  drain(&s);
  assert_int_equal(s.received, kMaxPairs);
  assert_int_equal(qc_receive(s.ctx, &result), QC_EOF);
  double value = 0;
  assert_int_equal(qc_pooled(s.ctx, 0, QC_POOL_MIN, &value), QC_OK);
  assert_true(value == expected_psnr(7));
  assert_int_equal(qc_pooled(s.ctx, 0, QC_POOL_MAX, &value), QC_OK);
  assert_true(value == expected_psnr(0));
  assert_int_equal(qc_pooled(s.ctx, 3, QC_POOL_MAX, &value), QC_ERROR_INVALID);
  stop(&s);
}

static void columns_are_known_after_open(void **state) {
  (void)state;
  Stream s;
  double value;
  start(&s, "name=psnr:enable_mse=true");
  assert_int_equal(qc_score_count(s.ctx), 0);
  open_stream(&s);
  assert_int_equal(qc_score_count(s.ctx), 6);
  assert_string_equal(qc_score_name(s.ctx, 0), "psnr_y");
  assert_string_equal(qc_score_name(s.ctx, 1), "mse_y");
  assert_int_equal(qc_score_kind(s.ctx, 1), QC_SCORE_FEATURE);
  assert_null(qc_score_name(s.ctx, 6));
  assert_null(qc_score_name(s.ctx, -1));
  assert_int_equal(qc_pooled(s.ctx, 0, QC_POOL_MEAN, &value), QC_ERROR_INVALID);
  stop(&s);
}

static void no_frames(void **state) {
  (void)state;
  Stream s;
  QCResult result;
  start(&s, "name=psnr");
  set(&s, "log_path", "api-test-empty.xml");
  open_stream(&s);
  assert_int_equal(qc_send(s.ctx, NULL), QC_OK);
  assert_int_equal(qc_receive(s.ctx, &result), QC_EOF);
  assert_int_equal(qc_finish_log(s.ctx), QC_ERROR_INVALID);
  assert_contains(qc_error(s.ctx), "no frame was scored");
  stop(&s);
  assert_int_equal(access("api-test-empty.xml", F_OK), -1);
}

static void destroy_in_the_middle(void **state) {
  (void)state;
  Stream s;
  start(&s, "name=psnr");
  set(&s, "frames_in_flight", "8");
  open_stream(&s);
  while (send_next(&s) == QC_OK) continue;
  assert_true(s.sent >= 8);
  stop(&s);
}

static void errors_stick(void **state) {
  (void)state;
  Stream s;
  QCResult result;
  start(&s, "name=psnr");
  open_stream(&s);
  assert_int_equal(send_next(&s), QC_OK);
  assert_int_equal(qc_send(s.ctx, NULL), QC_OK);
  assert_int_equal(qc_send(s.ctx, NULL), QC_ERROR_INVALID);
  assert_contains(qc_error(s.ctx), "after the end of the stream");
  assert_int_equal(qc_receive(s.ctx, &result), QC_ERROR_INVALID);
  assert_int_equal(qc_finish_log(s.ctx), QC_ERROR_INVALID);
  stop(&s);
}

static void wrong_order(void **state) {
  (void)state;
  Stream s;
  QCResult result;
  start(&s, "name=psnr");
  assert_int_equal(qc_receive(s.ctx, &result), QC_ERROR_INVALID);
  assert_contains(qc_error(s.ctx), "before qc_open");
  stop(&s);
  start(&s, "name=psnr");
  open_stream(&s);
  assert_int_equal(qc_set(s.ctx, "pool", "min"), QC_ERROR_INVALID);
  assert_contains(qc_error(s.ctx), "before the context is opened");
  assert_int_equal(qc_open(s.ctx, &kFormat, &kFormat, NULL), QC_ERROR_INVALID);
  assert_contains(qc_error(s.ctx), "open already");
  stop(&s);
  start(&s, "name=psnr");
  set(&s, "log_path", "api-test-early.xml");
  open_stream(&s);
  assert_int_equal(qc_finish_log(s.ctx), QC_ERROR_INVALID);
  assert_contains(qc_error(s.ctx), "before the last result");
  stop(&s);
  assert_int_equal(access("api-test-early.xml", F_OK), -1);
}

static void null_arguments(void **state) {
  (void)state;
  QCResult result;
  qc_destroy(NULL);
  QCContext *none = NULL;
  qc_destroy(&none);
  assert_int_equal(qc_create(NULL), QC_ERROR_INVALID);
  assert_int_equal(qc_set(NULL, "pool", "min"), QC_ERROR_INVALID);
  assert_int_equal(qc_open(NULL, &kFormat, &kFormat, NULL), QC_ERROR_INVALID);
  assert_int_equal(qc_send(NULL, NULL), QC_ERROR_INVALID);
  assert_int_equal(qc_receive(NULL, &result), QC_ERROR_INVALID);
  assert_int_equal(qc_score_count(NULL), 0);
  assert_null(qc_score_name(NULL, 0));
  assert_null(qc_aggregate_name(NULL, 0));
  assert_string_equal(qc_error(NULL), "no context");
}

static void expect_open_error(const QCFormat *reference, const QCFormat *distorted, QCStatus status, const char *part) {
  Stream s;
  start(&s, "name=psnr");
  assert_int_equal(qc_open(s.ctx, reference, distorted, NULL), status);
  assert_contains(qc_error(s.ctx), part);
  stop(&s);
}

static void mismatches_name_the_filter(void **state) {
  (void)state;
  QCFormat other = kFormat;
  other.width = 24;
  expect_open_error(&kFormat, &other, QC_ERROR_INVALID, "the distorted input is 24x32, the reference 48x32");
  expect_open_error(&kFormat, &other, QC_ERROR_INVALID, "insert scale=48:32");
  other = kFormat;
  other.chroma = QC_CHROMA_444;
  expect_open_error(&kFormat, &other, QC_ERROR_INVALID, "the distorted input is 4:4:4, the reference 4:2:0");
  expect_open_error(&kFormat, &other, QC_ERROR_INVALID, "insert format=");
  other = kFormat;
  other.depth = 10;
  other.sample_bytes = 2;
  expect_open_error(&kFormat, &other, QC_ERROR_INVALID, "the distorted input has 10 bits a sample, the reference 8");
}

static void bad_formats(void **state) {
  (void)state;
  QCFormat bad = kFormat;
  bad.width = 0;
  expect_open_error(&bad, &bad, QC_ERROR_INVALID, "reference input: a size of 0x32");
  bad = kFormat;
  bad.height = 40000;
  expect_open_error(&kFormat, &bad, QC_ERROR_INVALID, "distorted input: a size of 48x40000");
  bad = kFormat;
  bad.sample_bytes = 2;
  for (bad.depth = 7; bad.depth <= 17; ++bad.depth) {
    char message[64];
    if (strchr("\x08\x09\x0a\x0c\x0e\x10", bad.depth)) continue;
    snprintf(message, sizeof(message), "a bit depth of %d is none of 8, 9, 10, 12, 14 and 16", bad.depth);
    expect_open_error(&bad, &bad, QC_ERROR_INVALID, message);
  }
  bad = kFormat;
  bad.sample_bytes = 2;
  expect_open_error(&bad, &bad, QC_ERROR_INVALID, "do not fit");
  bad = kFormat;
  bad.chroma = (QCChroma)411;
  expect_open_error(&bad, &bad, QC_ERROR_INVALID, "unknown chroma sampling 411");
  bad = kFormat;
  bad.width = 1;
  expect_open_error(&bad, &bad, QC_ERROR_INVALID, "leaves no chroma samples");
}

static void expect_option_error(const char *key, const char *value, QCStatus status, const char *part) {
  Stream s;
  start(&s, "name=psnr");
  QCStatus got = qc_set(s.ctx, key, value);
  if (got == QC_OK) got = qc_open(s.ctx, &kFormat, &kFormat, NULL);
  assert_int_equal(got, status);
  assert_contains(qc_error(s.ctx), part);
  stop(&s);
}

static void bad_options(void **state) {
  (void)state;
  expect_option_error("log_pth", "x", QC_ERROR_INVALID, "has no option 'log_pth'; did you mean 'log_path'?");
  expect_option_error("n_threads", "-1", QC_ERROR_INVALID, "option n_threads: -1 is outside 0 to 1024");
  expect_option_error("n_subsample", "0", QC_ERROR_INVALID, "option n_subsample: 0 is outside 1 to");
  expect_option_error("pool", "median", QC_ERROR_INVALID, "pool 'median' is none of");
  expect_option_error("backend", "gpu", QC_ERROR_INVALID, "backend 'gpu' is none of auto, cpu, cuda");
  expect_option_error("feature", "name=psrn", QC_ERROR_INVALID, "there is no feature 'psrn'; did you mean 'psnr'?");
  expect_option_error("feature", "name=psnr:enable_croma=false", QC_ERROR_INVALID,
                      "psnr has no option 'enable_croma'; did you mean 'enable_chroma'?");
  expect_option_error("feature", "name=psnr:enable_mse=1", QC_ERROR_INVALID, "'1' is neither true nor false");
}

static void bad_logs(void **state) {
  (void)state;
  Stream s;
  start(&s, "name=psnr");
  set(&s, "log_path", "no-such-folder/log.xml");
  assert_int_equal(qc_open(s.ctx, &kFormat, &kFormat, NULL), QC_ERROR_IO);
  assert_contains(qc_error(s.ctx), "'no-such-folder/log.xml' cannot be written: No such file or directory");
  stop(&s);
  start(&s, "name=psnr");
  set(&s, "log_path", "api-test.log");
  set(&s, "log_fmt", "yaml");
  assert_int_equal(qc_open(s.ctx, &kFormat, &kFormat, NULL), QC_ERROR_INVALID);
  assert_contains(qc_error(s.ctx), "'yaml' is none of xml, json, csv, sub");
  stop(&s);
  start(&s, "name=psnr");
  set(&s, "log_path", "api-test.log");
  set(&s, "log_precision", "many");
  assert_int_equal(qc_open(s.ctx, &kFormat, &kFormat, NULL), QC_ERROR_INVALID);
  assert_contains(qc_error(s.ctx), "log_precision 'many'");
  stop(&s);
  assert_int_equal(access("api-test.log", F_OK), -1);
}

static void logs_appear_when_finished(void **state) {
  (void)state;
  static const char *const kPath = "api-test-log.csv";
  Stream s;
  unlink(kPath);
  start(&s, "name=psnr");
  set(&s, "log_path", kPath);
  set(&s, "log_fmt", "csv");
  open_stream(&s);
  for (int i = 0; i < 3; ++i) assert_int_equal(send_next(&s), QC_OK);
  drain(&s);
  assert_int_equal(access(kPath, F_OK), -1);
  assert_int_equal(qc_finish_log(s.ctx), QC_OK);
  assert_int_equal(qc_finish_log(s.ctx), QC_OK);
  stop(&s);
  char text[512] = {0};
  FILE *file = fopen(kPath, "r");
  assert_non_null(file);
  const size_t length = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  unlink(kPath);
  assert_true(length > 0);
  assert_string_equal(text,
                      "Frame,psnr_y,psnr_cb,psnr_cr,\n"
                      "0,48.130804,48.130804,48.130804,\n"
                      "1,42.110204,42.110204,42.110204,\n"
                      "2,38.588379,38.588379,38.588379,\n");
}

static void unfinished_logs_are_removed(void **state) {
  (void)state;
  Stream s;
  start(&s, "name=psnr");
  set(&s, "log_path", "api-test-unfinished.csv");
  open_stream(&s);
  assert_int_equal(send_next(&s), QC_OK);
  drain(&s);
  stop(&s);
  assert_int_equal(access("api-test-unfinished.csv", F_OK), -1);
  assert_int_equal(system("ls api-test-unfinished.csv* 2>/dev/null | grep -q ."), 1 << 8);
}

static void subsampling(void **state) {
  (void)state;
  Stream s;
  QCResult result;
  start(&s, "name=psnr:enable_apsnr=true");
  set(&s, "n_subsample", "3");
  open_stream(&s);
  for (int i = 0; i < 8; ++i) {
    while (send_next(&s) == QC_AGAIN) {
      assert_int_equal(qc_receive(s.ctx, &result), QC_OK);
      assert_int_equal(result.count, s.received % 3 ? 0 : 3);
      assert_int_equal(result.pts, 1000 + s.received++);
    }
  }
  assert_int_equal(qc_send(s.ctx, NULL), QC_OK);
  while (qc_receive(s.ctx, &result) == QC_OK) {
    assert_int_equal(result.count, s.received % 3 ? 0 : 3);
    assert_int_equal(result.frame, s.received++);
  }
  assert_int_equal(s.received, 8);
  double value = 0;
  /* Frames 0, 3 and 6. */
  assert_int_equal(qc_pooled(s.ctx, 0, QC_POOL_MIN, &value), QC_OK);
  assert_true(value == expected_psnr(6));
  /* The stream's own PSNR is over all frames: the mean of 1, 4, … 64 is 25.5. */
  assert_int_equal(qc_aggregate_count(s.ctx), 3);
  assert_string_equal(qc_aggregate_name(s.ctx, 0), "apsnr_y");
  assert_true(fabs(qc_aggregate_value(s.ctx, 0) - 10 * log10(65025 / 25.5)) < 1e-9);
  stop(&s);
}

/* Two instances whose options differ are both scored and both named. */
static void twins_are_both_named(void **state) {
  (void)state;
  Stream s;
  start(&s,
        "name=psnr:enable_chroma=false|name=psnr:enable_chroma=false|name=psnr:enable_chroma=false:enable_mse=true");
  open_stream(&s);
  assert_int_equal(qc_score_count(s.ctx), 3);
  assert_string_equal(qc_score_name(s.ctx, 0), "psnr_y");
  assert_string_equal(qc_score_name(s.ctx, 1), "psnr_y_enable_chroma_false_enable_mse_true");
  assert_string_equal(qc_score_name(s.ctx, 2), "mse_y");
  stop(&s);
}

/* The hand-made model of tests/models over PSNR of luma and Cb. */
static void model_path(char *text, size_t size, const char *format, const char *name) {
  char path[512];
  const char *top = getenv("srcdir");
  snprintf(path, sizeof path, "%s/tests/models/%s.json", top ? top : ".", name);
  snprintf(text, size, format, path);
}

static double expected_model_score(double psnr_y, double psnr_cb) {
  static const double vectors[3][3] = {{0.75, 0.5, 0.25}, {-0.5, 0.125, 0}, {0.3125, 0, 0.625}};
  const double x = 0.02 * psnr_y + -0.375;
  const double y = 0.0125 * psnr_cb + -0.125;
  double r = 0;
  for (int j = 0; j < 3; ++j) {
    double q = 0;
    q += (x - vectors[j][1]) * (x - vectors[j][1]);
    q += (y - vectors[j][2]) * (y - vectors[j][2]);
    r += vectors[j][0] * exp(-0.5 * q);
  }
  r -= -0.125;
  r = (r - -0.25) / 0.01;
  return r < 0 ? 0 : r > 100 ? 100 : r;
}

static void models_score_frames(void **state) {
  (void)state;
  static const char *const columns[] = {"psnr_y", "mse_y", "psnr_cb", "mse_cb", "psnr_cr", "mse_cr", "vmaf"};
  char model[600];
  Stream s;
  QCResult result;
  model_path(model, sizeof model, "path=%s", "psnr_rbf");
  start(&s, "");
  set(&s, "model", model);
  open_stream(&s);
  assert_int_equal(qc_score_count(s.ctx), 7);
  for (int i = 0; i < 7; ++i) {
    assert_string_equal(qc_score_name(s.ctx, i), columns[i]);
    assert_int_equal(qc_score_kind(s.ctx, i), i == 6 ? QC_SCORE_MODEL : QC_SCORE_FEATURE);
  }
  double sum = 0;
  for (int i = 0; i < 3; ++i) assert_int_equal(send_next(&s), QC_OK);
  assert_int_equal(qc_send(s.ctx, NULL), QC_OK);
  while (qc_receive(s.ctx, &result) == QC_OK) {
    const double psnr = expected_psnr(result.frame);
    const double score = expected_model_score(psnr, psnr);
    assert_int_equal(result.count, 7);
    assert_true(score > 0 && score < 100);
    assert_true(result.values[6] == score);
    sum += score;
  }
  double value = 0;
  assert_int_equal(qc_pooled(s.ctx, 6, QC_POOL_MEAN, &value), QC_OK);
  assert_true(value == sum / 3);
  stop(&s);
}

static void several_models(void **state) {
  (void)state;
  static const char *const tail[] = {"one",         "two",        "two_0001",      "two_0002",     "two_0003",
                                     "two_bagging", "two_stddev", "two_ci_p95_lo", "two_ci_p95_hi"};
  char first[600];
  char second[600];
  char both[1300];
  Stream s;
  model_path(first, sizeof first, "path=%s:name=one", "psnr_rbf");
  model_path(second, sizeof second, "path=%s:name=two", "psnr_bootstrap");
  snprintf(both, sizeof both, "%s|%s", first, second);
  start(&s, "name=psnr:enable_mse=true");
  set(&s, "model", both);
  open_stream(&s);
  assert_int_equal(qc_score_count(s.ctx), 6 + 9);
  for (int i = 0; i < 9; ++i) {
    assert_string_equal(qc_score_name(s.ctx, 6 + i), tail[i]);
    assert_int_equal(qc_score_kind(s.ctx, 6 + i), i < 2 ? QC_SCORE_MODEL : QC_SCORE_BOOTSTRAP);
  }
  assert_int_equal(send_next(&s), QC_OK);
  assert_int_equal(qc_send(s.ctx, NULL), QC_OK);
  QCResult result;
  assert_int_equal(qc_receive(s.ctx, &result), QC_OK);
  /* The collection's base is the same model. */
  assert_true(result.values[6] == result.values[7]);
  assert_true(result.values[13] <= result.values[11] && result.values[11] <= result.values[14]);
  stop(&s);
}

static void features_of_models_alone(void **state) {
  (void)state;
  char model[600];
  Stream s;
  model_path(model, sizeof model, "path=%s:psnr.enable_mse=false", "psnr_rbf");
  start(&s, "");
  set(&s, "model", model);
  set(&s, "no_prediction", "true");
  open_stream(&s);
  assert_int_equal(qc_score_count(s.ctx), 3);
  stop(&s);
}

static void bad_models(void **state) {
  (void)state;
  char model[1300];
  expect_option_error("model", "version=no_such_model", QC_ERROR_IO, "no model is called 'no_such_model'");
  expect_option_error("model", "path=none.json", QC_ERROR_IO, "'none.json' cannot be read: No such file");
  model_path(model, sizeof model, "path=%s:psnr.enable_croma=true", "psnr_rbf");
  expect_option_error("model", model, QC_ERROR_INVALID, "did you mean 'enable_chroma'?");
  model_path(model, sizeof model, "path=%s:psnr.enable_chroma=false", "psnr_rbf");
  expect_option_error("model", model, QC_ERROR_UNSUPPORTED,
                      "a model needs psnr_cb, which its feature's options switch off");
  expect_option_error("model", "path=a|path=b", QC_ERROR_INVALID, "two models are called vmaf");
  model_path(model, sizeof model, "path=%s:name=psnr_y", "psnr_rbf");
  expect_option_error("model", model, QC_ERROR_INVALID, "two scores would be called psnr_y");
}

static void remember_line(void *opaque, QCLogLevel level, const char *line) {
  (void)level;
  snprintf(opaque, 512, "%s", line);
}

/* Nothing asked for: VMAF if its model is found, else psnr and float_ssim and a line that says so. */
static void defaults(void **state) {
  (void)state;
  char line[512] = "";
  Stream s;
  start(&s, "");
  qc_set_log_callback(s.ctx, remember_line, line);
  open_stream(&s);
  const int count = qc_score_count(s.ctx);
  assert_true(count > 3);
  if (strcmp(qc_score_name(s.ctx, count - 1), "vmaf")) {
    assert_string_equal(qc_score_name(s.ctx, 0), "psnr_y");
    assert_string_equal(qc_score_name(s.ctx, 3), "float_ssim");
    assert_contains(line, "no model file vmaf_v0.6.1.json was found, so psnr and float_ssim are computed");
  }
  stop(&s);
}

static void tables_describe_themselves(void **state) {
  (void)state;
  QCOptionInfo option;
  QCFeatureInfo feature;
  const char *name;
  const char *help;
  int options = 0;
  while (qc_option_info(options, &option) == QC_OK) {
    assert_true(strlen(option.name) > 0 && strlen(option.help) > 0);
    ++options;
  }
  assert_true(options > 0);
  int found = 0;
  for (int i = 0; qc_feature_info(i, &feature) == QC_OK; ++i) {
    assert_true(strlen(feature.summary) > 0);
    int k = 0;
    while (qc_feature_option_info(i, k, &option) == QC_OK) ++k;
    assert_int_equal(k, feature.option_count);
    for (k = 0; qc_feature_output_info(i, k, &name, &help) == QC_OK;) ++k;
    assert_int_equal(k, feature.output_count);
    assert_true(k > 0);
    found |= !strcmp(feature.name, "psnr");
  }
  assert_true(found);
  assert_int_equal(qc_feature_info(-1, &feature), QC_EOF);
  assert_int_equal(qc_option_info(options, &option), QC_EOF);
  assert_true(strlen(qc_version()) >= 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(results_come_in_order),
      cmocka_unit_test(columns_are_known_after_open),
      cmocka_unit_test(no_frames),
      cmocka_unit_test(destroy_in_the_middle),
      cmocka_unit_test(errors_stick),
      cmocka_unit_test(wrong_order),
      cmocka_unit_test(null_arguments),
      cmocka_unit_test(mismatches_name_the_filter),
      cmocka_unit_test(bad_formats),
      cmocka_unit_test(bad_options),
      cmocka_unit_test(bad_logs),
      cmocka_unit_test(logs_appear_when_finished),
      cmocka_unit_test(unfinished_logs_are_removed),
      cmocka_unit_test(subsampling),
      cmocka_unit_test(twins_are_both_named),
      cmocka_unit_test(models_score_frames),
      cmocka_unit_test(several_models),
      cmocka_unit_test(features_of_models_alone),
      cmocka_unit_test(bad_models),
      cmocka_unit_test(defaults),
      cmocka_unit_test(tables_describe_themselves),
  };
  return cmocka_run_group_tests_name("api", tests, NULL, NULL);
}
