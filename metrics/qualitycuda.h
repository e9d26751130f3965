/*
 * libqualitycuda: full-reference video quality metrics on the CPU or on an NVIDIA GPU.
 *
 * This file is part of qualitycuda. LGPL-2.1-or-later; see COPYING.
 *
 * The life of a context:
 *
 *     qc_create → qc_set (options) → qc_open (geometry) →
 *         { qc_send (a pair of pictures) → qc_receive until QC_AGAIN } ... →
 *     qc_send(ctx, NULL) (end of stream) → qc_receive until QC_EOF →
 *     qc_pooled, qc_aggregate → qc_finish_log → qc_destroy
 *
 * Thread safety: calls on one context must not overlap; different contexts are independent.
 * No function throws or aborts: failures are negative return values, and qc_error() has one
 * sentence that says what was wrong.
 */
#ifndef QUALITYCUDA_H
#define QUALITYCUDA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define QC_API __attribute__((visibility("default")))
#else
#define QC_API
#endif

/** Result of a call. Negative values are errors. */
typedef enum QCStatus {
  QC_OK = 0,
  /** qc_send: all places are taken, call qc_receive first.
   *  qc_receive: no result is ready, call qc_send first. */
  QC_AGAIN = 1,
  /** qc_receive after the end of the stream: every result has been delivered. */
  QC_EOF = 2,
  QC_ERROR_INVALID = -1,     /**< a bad option, model, format or call order */
  QC_ERROR_MEMORY = -2,      /**< host or device memory is exhausted */
  QC_ERROR_IO = -3,          /**< a file cannot be read or written */
  QC_ERROR_DEVICE = -4,      /**< the GPU, its driver or a kernel failed */
  QC_ERROR_UNSUPPORTED = -5, /**< valid, but not available in this build or on this machine */
  QC_ERROR_INTERNAL = -6     /**< a defect of the library; please report it */
} QCStatus;

/** Chroma sampling. The value counts the planes' relation as usually written. */
typedef enum QCChroma { QC_CHROMA_400 = 400, QC_CHROMA_420 = 420, QC_CHROMA_422 = 422, QC_CHROMA_444 = 444 } QCChroma;

/** Geometry and sample layout of one input. Zero-initialise, then set what applies, and the colour description to
 * 2, 2, 2 and -1 where nothing is known of it. */
typedef struct QCFormat {
  int width;  /**< luma samples per row, >= 1 */
  int height; /**< luma rows, >= 1 */
  QCChroma chroma;
  int depth;              /**< significant bits of a sample: 8, 9, 10, 12, 14 or 16 */
  int sample_bytes;       /**< bytes that hold one sample: 1 for depth 8, else 2 (little endian) */
  int shift;              /**< unused low bits below the sample (msb-aligned formats: p010 has 6) */
  int interleaved_chroma; /**< nonzero: data[1] holds Cb and Cr alternately (nv12, p010, …) */
  /* Colour description by the code points of ITU-T H.273. 2 means unspecified. 0 in `matrix`
   * means that the planes are green, blue and red (as in QCFrame.data), with full range and 4:4:4; see
   * qc_accepts_rgb(). Other than that only ssimulacra2 looks at these. */
  int matrix;
  int primaries;
  int transfer;
  int full_range; /**< 1: full range, 0: limited range, -1: unspecified */
} QCFormat;

/** Planes of one picture, borrowed until the pair's release callback is called. */
typedef struct QCFrame {
  /** Y, Cb, Cr (or Y, CbCr). Host addresses, or CUdeviceptr values when qc_open got a device.
   *  Chroma planes of odd-sized pictures have (w+1)/2 columns and (h+1)/2 rows. */
  const void *data[3];
  ptrdiff_t stride[3]; /**< distance of two rows in bytes, may be negative on the host */
} QCFrame;

/** One reference picture and the distorted picture that is compared with it. */
typedef struct QCPair {
  QCFrame reference;
  QCFrame distorted;
  int64_t pts;  /**< any number; handed back with the result */
  void *opaque; /**< handed back with the result; not owned */
  /** Called exactly once after qc_send returned QC_OK, when none of the planes is read any more, at
   *  the latest by qc_destroy. May be NULL. Can be called from any thread, and before or after
   *  the result is delivered. Must not call into the context. */
  void (*release)(void *release_opaque);
  void *release_opaque;
} QCPair;

/** The CUDA side of qc_open. All handles are the driver API's, passed as void *. The two inputs may
 *  live in different contexts of one GPU. The contexts must outlive the QCContext. */
typedef struct QCDevice {
  void *reference_context; /**< CUcontext of the reference pictures */
  void *reference_stream;  /**< CUstream in whose order they are written (NULL: legacy default stream) */
  void *distorted_context;
  void *distorted_stream;
} QCDevice;

/** Scores of one frame. Valid until the next call of qc_receive, qc_send or qc_destroy. */
typedef struct QCResult {
  int64_t frame; /**< index of the pair, counted from 0 */
  int64_t pts;
  void *opaque;
  int count; /**< number of scores; 0 for frames that subsampling skips */
  const char *const *names;
  const double *values;
} QCResult;

/** How the scores of all frames are combined into one. */
typedef enum QCPool { QC_POOL_MIN, QC_POOL_MAX, QC_POOL_MEAN, QC_POOL_HARMONIC_MEAN } QCPool;

/** What a column of scores is. */
typedef enum QCScoreKind {
  QC_SCORE_FEATURE,
  QC_SCORE_MODEL,    /**< the score of a model */
  QC_SCORE_BOOTSTRAP /**< of a bootstrap collection: a member, bagging, standard deviation or confidence limit */
} QCScoreKind;

/** Severity of a log line. */
typedef enum QCLogLevel { QC_LOG_ERROR, QC_LOG_WARNING, QC_LOG_INFO, QC_LOG_VERBOSE } QCLogLevel;

typedef struct QCContext QCContext;

/** The library's version, "major.minor.patch". */
QC_API const char *qc_version(void);

/** Nonzero if the library was built with its CUDA path (a driver may still be missing). */
QC_API int qc_has_cuda(void);

/** Create a context. *ctx is NULL on failure. */
QC_API QCStatus qc_create(QCContext **ctx);

/** Destroy a context: waits for work in flight, releases every picture, removes an unfinished log.
 *  *ctx becomes NULL. A NULL context is ignored. */
QC_API void qc_destroy(QCContext **ctx);

/** One sentence about the last failure on this context, "" if there was none. Valid until the next call. */
QC_API const char *qc_error(const QCContext *ctx);

/** Receive warnings and information. `line` has no newline. May be called from any thread that is
 *  inside a call on this context. */
QC_API void qc_set_log_callback(QCContext *ctx, void (*callback)(void *opaque, QCLogLevel level, const char *line),
                                void *opaque);

/** Set an option before qc_open. `key` is one of the names that qc_option_info lists; an unknown key, or a
 *  value that does not fit, is QC_ERROR_INVALID. */
QC_API QCStatus qc_set(QCContext *ctx, const char *key, const char *value);

/** Nonzero if every feature that the options ask for is defined for RGB pictures (QCFormat.matrix 0), too. Known
 *  before qc_open. */
QC_API int qc_accepts_rgb(const QCContext *ctx);
/** Nonzero if one of them looks at the colour description of the inputs. */
QC_API int qc_uses_colour(const QCContext *ctx);

/** Check models and features, open the log and allocate. Formats may differ in sample layout, not in size,
 *  chroma sampling or depth. `device` NULL: pictures are in host memory. */
QC_API QCStatus qc_open(QCContext *ctx, const QCFormat *reference, const QCFormat *distorted, const QCDevice *device);

/** Give a pair, or NULL at the end of the stream (once). QC_AGAIN: nothing was taken, receive first. */
QC_API QCStatus qc_send(QCContext *ctx, const QCPair *pair);

/** Take the next result, in the order of the pairs. Blocks only while qc_send would return QC_AGAIN, or after the
 *  end of the stream. */
QC_API QCStatus qc_receive(QCContext *ctx, QCResult *result);

/** Number of score columns, in log order; known after qc_open. */
QC_API int qc_score_count(const QCContext *ctx);
/** Name of column i, NULL if there is none. Owned by the context. */
QC_API const char *qc_score_name(const QCContext *ctx, int i);
QC_API QCScoreKind qc_score_kind(const QCContext *ctx, int i);

/** Pooled value of column i over the results delivered so far. QC_ERROR_INVALID if no frame, or not every
 *  scored frame, has that score. */
QC_API QCStatus qc_pooled(const QCContext *ctx, int i, QCPool method, double *value);

/** Aggregates (such as apsnr_y) that exist once per stream, complete after QC_EOF. */
QC_API int qc_aggregate_count(const QCContext *ctx);
QC_API const char *qc_aggregate_name(const QCContext *ctx, int i);
QC_API double qc_aggregate_value(const QCContext *ctx, int i);

/** The pooling method that the option `pool` selected. */
QC_API QCPool qc_pool_method(const QCContext *ctx);

/** Complete the log after QC_EOF and give it its name. QC_OK without a log. */
QC_API QCStatus qc_finish_log(QCContext *ctx);

/** Kind of an option's value. */
typedef enum QCOptionType { QC_OPTION_BOOL, QC_OPTION_INT, QC_OPTION_DOUBLE, QC_OPTION_STRING } QCOptionType;

/** An option of a context or of a feature. All strings are static. */
typedef struct QCOptionInfo {
  const char *name;
  const char *alias; /**< how it appears in score names, NULL: it does not */
  QCOptionType type;
  double default_value;     /**< bool (0, 1), int and double */
  const char *default_text; /**< string, may be NULL */
  double min, max;          /**< int and double */
  const char *help;
} QCOptionInfo;

/** A feature that can be asked for. All strings are static. */
typedef struct QCFeatureInfo {
  const char *name;
  const char *summary;
  int option_count;
  int output_count;
  int has_cuda; /**< nonzero if this build computes it on the GPU */
} QCFeatureInfo;

/** Context option i. QC_EOF past the last. */
QC_API QCStatus qc_option_info(int i, QCOptionInfo *info);
/** Feature i in registry order. QC_EOF past the last. */
QC_API QCStatus qc_feature_info(int i, QCFeatureInfo *info);
/** Option k of feature i. QC_EOF past the last. */
QC_API QCStatus qc_feature_option_info(int i, int k, QCOptionInfo *info);
/** Log name of output k of feature i, with the default options; *help describes it. QC_EOF past the last. */
QC_API QCStatus qc_feature_output_info(int i, int k, const char **name, const char **help);

#ifdef __cplusplus
}
#endif

#endif /* QUALITYCUDA_H */
