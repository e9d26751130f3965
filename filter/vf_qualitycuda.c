/*
 * This file is part of qualitycuda, a video quality filter for FFmpeg 5.1, 7.1, 8.x and 9.x.
 *
 * qualitycuda is free software; you can redistribute it and/or
 * modify it under the terms of the GNU Lesser General Public
 * License as published by the Free Software Foundation; either
 * version 2.1 of the License, or (at your option) any later version.
 *
 * qualitycuda is distributed in the hope that it will be useful,
 * but WITHOUT ANY WARRANTY; without even the implied warranty of
 * MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
 * Lesser General Public License for more details.
 *
 * You should have received a copy of the GNU Lesser General Public
 * License along with qualitycuda; if not, write to the Free Software
 * Foundation, Inc., 51 Franklin Street, Fifth Floor, Boston, MA 02110-1301 USA
 */

/**
 * @file
 * Full-reference quality scores of a distorted video (first input) against its reference (second input), computed by
 * libqualitycuda in host memory or, for CUDA frames, on the GPU that holds them. The distorted video passes through;
 * its frames are held until their scores are there and carry them as metadata.
 */

#include <qualitycuda.h>

#include "config.h"
#include "config_components.h"

#include "libavutil/avstring.h"
#include "libavutil/fifo.h"
#include "libavutil/hwcontext.h"
#include "libavutil/mem.h"
#include "libavutil/opt.h"
#include "libavutil/pixdesc.h"
#if CONFIG_FFNVCODEC
#include "libavutil/hwcontext_cuda_internal.h"
#endif

#include "avfilter.h"
#include "filters.h"
#include "formats.h"
#include "framesync.h"
#include "version.h"
#include "video.h"

#if LIBAVFILTER_VERSION_MAJOR < 10
#include "internal.h"
/* Hardware frames and rates are in the public link; links have no colour range and matrix of their own. */
typedef AVFilterLink FilterLink;
#define ff_filter_link(link) (link)
#define LINK_HAS_COLOR 0
#else
#define LINK_HAS_COLOR 1
#endif

#if LIBAVFILTER_VERSION_MAJOR < 11
typedef AVFilter FFFilter;
#define PUBLIC(field) .field
#else
#define PUBLIC(field) .p.field
#endif

enum { DISTORTED, REFERENCE, INPUTS };

static const char *const input_names[INPUTS] = { "distorted", "reference" };

/** A frame of the distorted input that waits for its scores, or behind one that does. */
typedef struct HeldFrame {
    AVFrame *frame;
    int counted; ///< it is half of a pair that the scorer has
} HeldFrame;

/** What the scorer reads until it calls release_pair(). */
typedef struct PairFrames {
    AVFrame *frame[INPUTS];
} PairFrames;

typedef struct QualityCUDAContext {
    const AVClass *class;
    FFFrameSync fs;

    char *model;
    char *feature;
    char *log_path;
    char *log_precision;
    char *model_dir;
    int no_prediction;
    int pool;
    int n_threads;
    int n_subsample;
    int log_fmt;
    int backend;
    int cuda_device;
    int frames_in_flight;
    int depth;

    QCContext *scorer;
    int opened;
    enum AVPixelFormat sw_format[INPUTS]; ///< of the samples, also where they are in GPU memory
    QCFormat format[INPUTS];              ///< as the scorer was opened
    AVBufferRef *device[INPUTS];          ///< of CUDA frames, kept until the scorer is gone

    AVFifo *held;
    int64_t pairs;
    int disabled;  ///< a frame passed while the timeline had switched the filter off
    int delivered; ///< a frame left during the present event
    int finished;
    int error; ///< first failure, returned from then on

    int64_t reference_pts;  ///< time stamp of the reference frame compared last, in framesync's time base
    int64_t reference_step; ///< distance to the one before, 0 while unknown
    int64_t distorted_pts;  ///< time stamp of the distorted frame compared last
    int64_t timed_pairs;    ///< whose time stamps were looked at: both inputs go on
    int64_t pairs_apart;    ///< of these, with more than half a distorted frame between the two time stamps
    int64_t unmatched;      ///< distorted frames before the reference's first
    int started;            ///< the first frame has come
    int warned_apart;
    int warned_main_ended;
    int warned_reference_ended;
    int warned_range;
    int warned_matrix;
} QualityCUDAContext;

#define OFFSET(x) offsetof(QualityCUDAContext, x)
#define FLAGS AV_OPT_FLAG_FILTERING_PARAM | AV_OPT_FLAG_VIDEO_PARAM

/* Names in the order of the constants below; the library knows them by these names. */
static const char *const pool_names[] = { "mean", "harmonic_mean", "min", "max" };
static const char *const log_fmt_names[] = { "xml", "json", "csv", "sub" };
static const char *const backend_names[] = { "auto", "cpu", "cuda" };

#define CONST(name, help, value, group) \
    { name, help, 0, AV_OPT_TYPE_CONST, { .i64 = value }, 0, 0, FLAGS, .unit = group }

/* Names, defaults, ranges and help as in the library's own table (qc_option_info), which a test compares. */
static const AVOption qualitycuda_options[] = {
    { "model", "models to score, separated by '|': version=NAME or path=FILE, with name=, disable_clip=true, "
               "enable_transform=true and FEATURE.OPTION=VALUE items separated by ':'",
      OFFSET(model), AV_OPT_TYPE_STRING, { .str = NULL }, 0, 0, FLAGS },
    { "feature", "features to compute, separated by '|': name=FEATURE and OPTION=VALUE items separated by ':'",
      OFFSET(feature), AV_OPT_TYPE_STRING, { .str = NULL }, 0, 0, FLAGS },
    { "no_prediction", "compute the features of models without the models' scores",
      OFFSET(no_prediction), AV_OPT_TYPE_BOOL, { .i64 = 0 }, 0, 1, FLAGS },
    { "pool", "how frames are pooled in the summary: mean, harmonic_mean, min or max",
      OFFSET(pool), AV_OPT_TYPE_INT, { .i64 = 0 }, 0, FF_ARRAY_ELEMS(pool_names) - 1, FLAGS, .unit = "pool" },
        CONST("mean",          "arithmetic mean",                   0, "pool"),
        CONST("harmonic_mean", "harmonic mean of scores plus one",  1, "pool"),
        CONST("min",           "least score",                       2, "pool"),
        CONST("max",           "greatest score",                    3, "pool"),
    { "n_threads", "worker threads of the CPU path, 0: one for each core",
      OFFSET(n_threads), AV_OPT_TYPE_INT, { .i64 = 0 }, 0, 1024, FLAGS },
    { "n_subsample", "score only every n-th frame",
      OFFSET(n_subsample), AV_OPT_TYPE_INT, { .i64 = 1 }, 1, INT_MAX, FLAGS },
    { "log_path", "file for the scores of every frame",
      OFFSET(log_path), AV_OPT_TYPE_STRING, { .str = NULL }, 0, 0, FLAGS },
    { "log_fmt", "format of the log: xml, json, csv or sub",
      OFFSET(log_fmt), AV_OPT_TYPE_INT, { .i64 = 0 }, 0, FF_ARRAY_ELEMS(log_fmt_names) - 1, FLAGS, .unit = "log_fmt" },
        CONST("xml",  "frames, pooled scores and aggregates", 0, "log_fmt"),
        CONST("json", "frames, pooled scores and aggregates", 1, "log_fmt"),
        CONST("csv",  "frames only",                          2, "log_fmt"),
        CONST("sub",  "subtitles (MicroDVD), frames only",    3, "log_fmt"),
    { "log_precision", "decimals in the log: a number, max (shortest text that reads back to the same double) or default",
      OFFSET(log_precision), AV_OPT_TYPE_STRING, { .str = "default" }, 0, 0, FLAGS },
    { "model_dir", "folder searched first for version=NAME models",
      OFFSET(model_dir), AV_OPT_TYPE_STRING, { .str = NULL }, 0, 0, FLAGS },
    { "backend", "where to compute: auto (where the frames are), cpu or cuda",
      OFFSET(backend), AV_OPT_TYPE_INT, { .i64 = 0 }, 0, FF_ARRAY_ELEMS(backend_names) - 1, FLAGS, .unit = "backend" },
        CONST("auto", "where the frames are",                        0, "backend"),
        CONST("cpu",  "on the CPU; frames must be in host memory",   1, "backend"),
        CONST("cuda", "on the GPU; frames in host memory are copied", 2, "backend"),
    { "cuda_device", "GPU for frames in host memory with backend=cuda",
      OFFSET(cuda_device), AV_OPT_TYPE_INT, { .i64 = 0 }, 0, 255, FLAGS },
    { "frames_in_flight", "frame pairs computed at a time, 0: automatic",
      OFFSET(frames_in_flight), AV_OPT_TYPE_INT, { .i64 = 0 }, 0, 64, FLAGS },
    { "depth", "bits of a sample where they are the high bits of a 16-bit format (p016 and yuv444p16 from the GPU's "
               "decoder), 0: all 16",
      OFFSET(depth), AV_OPT_TYPE_INT, { .i64 = 0 }, 0, 16, FLAGS },
    { NULL }
};

FRAMESYNC_DEFINE_CLASS(qualitycuda, QualityCUDAContext, fs);

static int averror_of(QCStatus status)
{
    switch (status) {
    case QC_ERROR_INVALID:     return AVERROR(EINVAL);
    case QC_ERROR_MEMORY:      return AVERROR(ENOMEM);
    case QC_ERROR_IO:          return AVERROR(EIO);
    case QC_ERROR_DEVICE:      return AVERROR_EXTERNAL;
    case QC_ERROR_UNSUPPORTED: return AVERROR(ENOSYS);
    default:                   return AVERROR_BUG;
    }
}

static int scorer_error(AVFilterContext *ctx, QCStatus status)
{
    QualityCUDAContext *s = ctx->priv;
    const char *message = qc_error(s->scorer);

    av_log(ctx, AV_LOG_ERROR, "%s\n", *message ? message : "the scorer failed");
    return averror_of(status);
}

static void log_line(void *ctx, QCLogLevel level, const char *line)
{
    static const int levels[] = {
        [QC_LOG_ERROR]   = AV_LOG_ERROR,
        [QC_LOG_WARNING] = AV_LOG_WARNING,
        [QC_LOG_INFO]    = AV_LOG_INFO,
        [QC_LOG_VERBOSE] = AV_LOG_VERBOSE,
    };

    av_log(ctx, levels[level], "%s\n", line);
}

static int set_text(AVFilterContext *ctx, const char *key, const char *value)
{
    QualityCUDAContext *s = ctx->priv;
    QCStatus status = value && *value ? qc_set(s->scorer, key, value) : QC_OK;

    return status < 0 ? scorer_error(ctx, status) : 0;
}

static int set_number(AVFilterContext *ctx, const char *key, int value)
{
    char text[16];

    snprintf(text, sizeof(text), "%d", value);
    return set_text(ctx, key, text);
}

/** A scorer with all options, not opened yet. */
static int create_scorer(AVFilterContext *ctx)
{
    QualityCUDAContext *s = ctx->priv;
    QCStatus status;
    int ret;

    qc_destroy(&s->scorer);
    s->opened = 0;
    status = qc_create(&s->scorer);
    if (status < 0)
        return averror_of(status);
    qc_set_log_callback(s->scorer, log_line, ctx);

    if ((ret = set_text(ctx, "model", s->model)) < 0 ||
        (ret = set_text(ctx, "feature", s->feature)) < 0 ||
        (ret = set_text(ctx, "no_prediction", s->no_prediction ? "true" : "false")) < 0 ||
        (ret = set_text(ctx, "pool", pool_names[s->pool])) < 0 ||
        (ret = set_number(ctx, "n_threads", s->n_threads)) < 0 ||
        (ret = set_number(ctx, "n_subsample", s->n_subsample)) < 0 ||
        (ret = set_text(ctx, "log_path", s->log_path)) < 0 ||
        (ret = set_text(ctx, "log_fmt", log_fmt_names[s->log_fmt])) < 0 ||
        (ret = set_text(ctx, "log_precision", s->log_precision)) < 0 ||
        (ret = set_text(ctx, "model_dir", s->model_dir)) < 0 ||
        (ret = set_text(ctx, "backend", backend_names[s->backend])) < 0 ||
        (ret = set_number(ctx, "cuda_device", s->cuda_device)) < 0 ||
        (ret = set_number(ctx, "frames_in_flight", s->frames_in_flight)) < 0)
        return ret;
    return 0;
}

/** Nonzero for green, blue and red in planes of their own, in this order. */
static int is_planar_rgb(const AVPixFmtDescriptor *desc)
{
    int i;

    if (!(desc->flags & AV_PIX_FMT_FLAG_RGB) || !(desc->flags & AV_PIX_FMT_FLAG_PLANAR) || desc->nb_components != 3)
        return 0;
    for (i = 0; i < 3; i++)
        if (desc->comp[i].plane != (i + 2) % 3 || desc->comp[i].offset ||
            desc->comp[i].step != (desc->comp[i].depth > 8 ? 2 : 1) || desc->comp[i].depth != desc->comp[0].depth ||
            desc->comp[i].shift != desc->comp[0].shift)
            return 0;
    return 1;
}

/** Describe a format's samples. Nonzero if the scorer can read them as they are. */
static int describe_samples(enum AVPixelFormat pix_fmt, QCFormat *format)
{
    const AVPixFmtDescriptor *desc = av_pix_fmt_desc_get(pix_fmt);
    const AVComponentDescriptor *luma, *cb, *cr;
    int bytes;

    if (!desc || (desc->nb_components != 1 && desc->nb_components != 3) ||
        desc->flags & (AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BE | AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_BITSTREAM |
                       AV_PIX_FMT_FLAG_FLOAT | AV_PIX_FMT_FLAG_ALPHA))
        return 0;
    luma = &desc->comp[0];
    if (luma->offset || luma->depth < 8 || luma->depth > 16)
        return 0;
    if (desc->flags & AV_PIX_FMT_FLAG_RGB ? !is_planar_rgb(desc) : luma->plane != 0)
        return 0;
    bytes = luma->depth > 8 ? 2 : 1;
    if (luma->step != bytes || luma->shift + luma->depth > 8 * bytes)
        return 0;

    format->chroma             = QC_CHROMA_400;
    format->depth              = luma->depth;
    format->sample_bytes       = bytes;
    format->shift              = luma->shift;
    format->interleaved_chroma = 0;
    format->matrix             = AVCOL_SPC_UNSPECIFIED;
    if (desc->nb_components == 1)
        return 1;
    if (is_planar_rgb(desc)) {
        format->chroma = QC_CHROMA_444;
        format->matrix = AVCOL_SPC_RGB;
        return 1;
    }

    cb = &desc->comp[1];
    cr = &desc->comp[2];
    if (cb->depth != luma->depth || cr->depth != luma->depth || cb->shift != luma->shift || cr->shift != luma->shift ||
        cb->plane != 1 || cb->offset)
        return 0;
    if (cr->plane == 1 && cr->offset == bytes && cb->step == 2 * bytes && cr->step == 2 * bytes)
        format->interleaved_chroma = 1;
    else if (cr->plane != 2 || cr->offset || cb->step != bytes || cr->step != bytes)
        return 0;

    if (desc->log2_chroma_w == 1 && desc->log2_chroma_h == 1)
        format->chroma = QC_CHROMA_420;
    else if (desc->log2_chroma_w == 1 && desc->log2_chroma_h == 0)
        format->chroma = QC_CHROMA_422;
    else if (desc->log2_chroma_w == 0 && desc->log2_chroma_h == 0)
        format->chroma = QC_CHROMA_444;
    else
        return 0;
    return 1;
}

/** Formats whose name implies full range. From FFmpeg 7.1 on, negotiation replaces them by range and plain format. */
static int is_yuvj(enum AVPixelFormat pix_fmt)
{
    return pix_fmt == AV_PIX_FMT_YUVJ420P || pix_fmt == AV_PIX_FMT_YUVJ422P || pix_fmt == AV_PIX_FMT_YUVJ444P ||
           pix_fmt == AV_PIX_FMT_YUVJ440P || pix_fmt == AV_PIX_FMT_YUVJ411P;
}

/** Everything that the scorer reads, for one input. RGB is among it if all features that are asked for are defined for it:
 *  for others FFmpeg then converts it to YUV. */
static AVFilterFormats *readable_formats(const AVFilterContext *ctx)
{
    const QualityCUDAContext *s = ctx->priv;
    int rgb = qc_accepts_rgb(s->scorer);
    AVFilterFormats *formats = NULL;
    const AVPixFmtDescriptor *desc = NULL;
    int ret = 0;

    while (ret >= 0 && (desc = av_pix_fmt_desc_next(desc))) {
        enum AVPixelFormat pix_fmt = av_pix_fmt_desc_get_id(desc);
        QCFormat format;

        if (describe_samples(pix_fmt, &format) && (rgb || format.matrix != AVCOL_SPC_RGB) &&
            (!LINK_HAS_COLOR || !is_yuvj(pix_fmt)))
            ret = ff_add_format(&formats, pix_fmt);
    }
#if CONFIG_FFNVCODEC
    if (ret >= 0)
        ret = ff_add_format(&formats, AV_PIX_FMT_CUDA);
#endif
    return ret < 0 ? NULL : formats;
}

/*
 * Format, range and matrix are negotiated for each input by itself, so that FFmpeg never inserts a conversion of the
 * reference. What does not match is found in config_output(), which can say what to do.
 */
#if LINK_HAS_COLOR
static int query_formats(const AVFilterContext *ctx, AVFilterFormatsConfig **cfg_in, AVFilterFormatsConfig **cfg_out)
{
    AVFilterFormats *list;
    int ret;

    list = readable_formats(ctx);
    if ((ret = ff_formats_ref(list, &cfg_in[DISTORTED]->formats)) < 0 ||
        (ret = ff_formats_ref(list, &cfg_out[0]->formats)) < 0)
        return ret;
    list = ff_all_color_ranges();
    if ((ret = ff_formats_ref(list, &cfg_in[DISTORTED]->color_ranges)) < 0 ||
        (ret = ff_formats_ref(list, &cfg_out[0]->color_ranges)) < 0)
        return ret;
    list = ff_all_color_spaces();
    if ((ret = ff_formats_ref(list, &cfg_in[DISTORTED]->color_spaces)) < 0 ||
        (ret = ff_formats_ref(list, &cfg_out[0]->color_spaces)) < 0)
        return ret;

    if ((ret = ff_formats_ref(readable_formats(ctx), &cfg_in[REFERENCE]->formats)) < 0 ||
        (ret = ff_formats_ref(ff_all_color_ranges(), &cfg_in[REFERENCE]->color_ranges)) < 0 ||
        (ret = ff_formats_ref(ff_all_color_spaces(), &cfg_in[REFERENCE]->color_spaces)) < 0)
        return ret;
    return 0;
}
#else
static int query_formats(AVFilterContext *ctx)
{
    AVFilterFormats *list = readable_formats(ctx);
    int ret;

    if ((ret = ff_formats_ref(list, &ctx->inputs[DISTORTED]->outcfg.formats)) < 0 ||
        (ret = ff_formats_ref(list, &ctx->outputs[0]->incfg.formats)) < 0 ||
        (ret = ff_formats_ref(readable_formats(ctx), &ctx->inputs[REFERENCE]->outcfg.formats)) < 0)
        return ret;
    return 0;
}
#endif

static int is_cuda(const AVFilterLink *link)
{
    return link->format == AV_PIX_FMT_CUDA;
}

static int full_range_of(enum AVColorRange range, enum AVPixelFormat pix_fmt)
{
    if (is_yuvj(pix_fmt))
        return 1;
    return range == AVCOL_RANGE_JPEG ? 1 : range == AVCOL_RANGE_MPEG ? 0 : -1;
}

/** The scorer's idea of a matrix. RGB is a matter of the pixel format alone. */
static int matrix_of(enum AVColorSpace matrix, const QCFormat *format)
{
    if (format->matrix == AVCOL_SPC_RGB)
        return AVCOL_SPC_RGB;
    return matrix == AVCOL_SPC_RGB ? AVCOL_SPC_UNSPECIFIED : matrix;
}

/** Find out what input i delivers: s->sw_format[i] and s->format[i], the device of CUDA frames. */
static int inspect_input(AVFilterContext *ctx, int i)
{
    QualityCUDAContext *s = ctx->priv;
    AVFilterLink *link = ctx->inputs[i];
    QCFormat *format = &s->format[i];

    s->sw_format[i] = link->format;
    if (is_cuda(link)) {
        FilterLink *l = ff_filter_link(link);
        AVHWFramesContext *frames;

        if (!l->hw_frames_ctx) {
            av_log(ctx, AV_LOG_ERROR, "the %s input brings CUDA frames without a frames context\n", input_names[i]);
            return AVERROR(EINVAL);
        }
        frames = (AVHWFramesContext *)l->hw_frames_ctx->data;
        s->sw_format[i] = frames->sw_format;
        s->device[i] = av_buffer_ref(frames->device_ref);
        if (!s->device[i])
            return AVERROR(ENOMEM);
    }

    if (!describe_samples(s->sw_format[i], format)) {
        av_log(ctx, AV_LOG_ERROR, "the %s input has %s frames, which cannot be read; insert %s before it\n",
               input_names[i], av_get_pix_fmt_name(s->sw_format[i]),
               is_cuda(link) ? "scale_cuda=format=yuv420p" : "format=yuv420p");
        return AVERROR(EINVAL);
    }
    if (format->depth == 16 && s->depth >= 8 && s->depth < 16) {
        format->shift = 16 - s->depth;
        format->depth = s->depth;
        if (s->depth == 8) {
            av_log(ctx, AV_LOG_ERROR, "depth=8 cannot be had from 16-bit samples; the least is 9\n");
            return AVERROR(EINVAL);
        }
    } else if (format->depth == 16 && !s->depth && is_cuda(link)) {
        av_log(ctx, AV_LOG_WARNING,
               "the %s input has %s surfaces, which do not tell the stream's depth: it is scored as 16 bits; "
               "for a stream of 10 or 12 bits give depth=10 or depth=12 (depth=16 silences this)\n",
               input_names[i], av_get_pix_fmt_name(s->sw_format[i]));
    }
    format->width     = link->w;
    format->height    = link->h;
    format->primaries = AVCOL_PRI_UNSPECIFIED;
    format->transfer  = AVCOL_TRC_UNSPECIFIED;
#if LINK_HAS_COLOR
    format->matrix     = matrix_of(link->colorspace, format);
    format->full_range = full_range_of(link->color_range, link->format);
#else
    format->matrix     = matrix_of(AVCOL_SPC_UNSPECIFIED, format);
    format->full_range = full_range_of(AVCOL_RANGE_UNSPECIFIED, link->format);
#endif

    if (av_strstart(link->src->name, "auto_scale", NULL))
        av_log(ctx, AV_LOG_WARNING, "FFmpeg converts the %s input to %s, because its own format cannot be read; "
               "insert format= before it to choose\n", input_names[i], av_get_pix_fmt_name(link->format));
    return 0;
}

/** Host and GPU memory do not mix, nor do two GPUs. */
static int check_memory(AVFilterContext *ctx)
{
    QualityCUDAContext *s = ctx->priv;
    int gpu = is_cuda(ctx->inputs[DISTORTED]) ? DISTORTED : REFERENCE;
    int host = gpu == DISTORTED ? REFERENCE : DISTORTED;

    if (is_cuda(ctx->inputs[DISTORTED]) != is_cuda(ctx->inputs[REFERENCE])) {
        av_log(ctx, AV_LOG_ERROR, "the %s input is in GPU memory, the %s input in host memory; insert hwupload_cuda "
               "before the %s input, or hwdownload,format=%s before the %s input\n", input_names[gpu],
               input_names[host], input_names[host], av_get_pix_fmt_name(s->sw_format[gpu]), input_names[gpu]);
        return AVERROR(EINVAL);
    }
#if CONFIG_FFNVCODEC
    if (is_cuda(ctx->inputs[DISTORTED])) {
        const AVCUDADeviceContext *a = ((AVHWDeviceContext *)s->device[DISTORTED]->data)->hwctx;
        const AVCUDADeviceContext *b = ((AVHWDeviceContext *)s->device[REFERENCE]->data)->hwctx;

        if (a->internal->cuda_device != b->internal->cuda_device) {
            av_log(ctx, AV_LOG_ERROR, "the distorted input is on GPU %d, the reference input on GPU %d; give both "
                   "-hwaccel_device the same number, or insert hwdownload before both inputs\n",
                   (int)a->internal->cuda_device, (int)b->internal->cuda_device);
            return AVERROR(EINVAL);
        }
    }
#endif
    return 0;
}

static const char *chroma_name(const QCFormat *format)
{
    if (format->matrix == AVCOL_SPC_RGB)
        return "RGB";
    switch (format->chroma) {
    case QC_CHROMA_400: return "gray";
    case QC_CHROMA_420: return "4:2:0";
    case QC_CHROMA_422: return "4:2:2";
    default:            return "4:4:4";
    }
}

/** The pictures must agree in all but the layout of their samples. */
static int check_match(AVFilterContext *ctx)
{
    QualityCUDAContext *s = ctx->priv;
    const QCFormat *d = &s->format[DISTORTED];
    const QCFormat *r = &s->format[REFERENCE];
    int cuda = is_cuda(ctx->inputs[DISTORTED]);

    if (d->width != r->width || d->height != r->height) {
        av_log(ctx, AV_LOG_ERROR, "the distorted input is %dx%d, the reference input %dx%d; insert "
               "scale%s=%d:%d:%s=bicubic before the distorted input\n", d->width, d->height, r->width, r->height,
               cuda ? "_cuda" : "", r->width, r->height, cuda ? "interp_algo" : "flags");
        return AVERROR(EINVAL);
    }
    if (d->chroma != r->chroma || d->depth != r->depth ||
        (d->matrix == AVCOL_SPC_RGB) != (r->matrix == AVCOL_SPC_RGB)) {
        /* Nothing is lost when the shallower one is converted. */
        int convert = d->chroma == r->chroma && r->depth < d->depth ? REFERENCE : DISTORTED;

        av_log(ctx, AV_LOG_ERROR, "the distorted input is %s of %d bits (%s), the reference input %s of %d bits (%s); "
               "insert %sformat=%s before the %s input\n", chroma_name(d), d->depth,
               av_get_pix_fmt_name(s->sw_format[DISTORTED]), chroma_name(r), r->depth,
               av_get_pix_fmt_name(s->sw_format[REFERENCE]), cuda ? "scale_cuda=" : "",
               av_get_pix_fmt_name(s->sw_format[!convert]), input_names[convert]);
        return AVERROR(EINVAL);
    }
    return 0;
}

static int open_scorer(AVFilterContext *ctx)
{
    QualityCUDAContext *s = ctx->priv;
#if CONFIG_FFNVCODEC
    QCDevice device;
#endif
    const QCDevice *where = NULL;
    QCStatus status;
    int ret;

    if ((ret = check_match(ctx)) < 0)
        return ret;
#if CONFIG_FFNVCODEC
    if (is_cuda(ctx->inputs[DISTORTED])) {
        const AVCUDADeviceContext *d = ((AVHWDeviceContext *)s->device[DISTORTED]->data)->hwctx;
        const AVCUDADeviceContext *r = ((AVHWDeviceContext *)s->device[REFERENCE]->data)->hwctx;

        device.distorted_context = d->cuda_ctx;
        device.distorted_stream  = d->stream;
        device.reference_context = r->cuda_ctx;
        device.reference_stream  = r->stream;
        where = &device;
        /* Frames are the decoder's own few surfaces there, and it waits for those that are held. */
        if (LIBAVFILTER_VERSION_MAJOR < 10 && !s->frames_in_flight &&
            (ret = set_number(ctx, "frames_in_flight", 2)) < 0)
            return ret;
    }
#endif
    status = qc_open(s->scorer, &s->format[REFERENCE], &s->format[DISTORTED], where);
    if (status < 0)
        return scorer_error(ctx, status);
    s->opened = 1;
    return 0;
}

/**
 * Bring what the links could not tell: the decoder's cropping at the left and top, which nobody applies to frames in
 * GPU memory, and the colour tags: primaries and transfer function, with old versions also matrix and range. Opens the scorer, again if need be, when that changes something.
 */
static int inspect_first_pair(AVFilterContext *ctx, const AVFrame *const frame[INPUTS])
{
    QualityCUDAContext *s = ctx->priv;
    int changed = 0;
    int i, ret;

    for (i = 0; i < INPUTS; i++) {
        const AVFilterLink *link = ctx->inputs[i];
        QCFormat format = s->format[i];

        if (is_cuda(link)) {
            format.width  = link->w - (int)frame[i]->crop_left;
            format.height = link->h - (int)frame[i]->crop_top;
        }
        if (!LINK_HAS_COLOR) {
            format.matrix     = matrix_of(frame[i]->colorspace, &format);
            format.full_range = full_range_of(frame[i]->color_range, link->format);
        }
        if (qc_uses_colour(s->scorer)) {
            format.primaries = frame[i]->color_primaries;
            format.transfer  = frame[i]->color_trc;
        }
        changed |= format.width != s->format[i].width || format.height != s->format[i].height ||
                   format.matrix != s->format[i].matrix || format.full_range != s->format[i].full_range ||
                   format.primaries != s->format[i].primaries || format.transfer != s->format[i].transfer;
        s->format[i] = format;
    }
    if (s->opened && !changed)
        return 0;
    if (s->opened && (ret = create_scorer(ctx)) < 0)
        return ret;
    return open_scorer(ctx);
}

static int config_output(AVFilterLink *outlink)
{
    AVFilterContext *ctx = outlink->src;
    QualityCUDAContext *s = ctx->priv;
    AVFilterLink *mainlink = ctx->inputs[DISTORTED];
    FilterLink *il = ff_filter_link(mainlink);
    FilterLink *ol = ff_filter_link(outlink);
    int i, ret;

    for (i = 0; i < INPUTS; i++)
        if ((ret = inspect_input(ctx, i)) < 0)
            return ret;
    if ((ret = check_memory(ctx)) < 0)
        return ret;
    /* Sizes of CUDA frames may yet become equal, see inspect_first_pair(). */
    if (!is_cuda(mainlink) || (s->format[DISTORTED].width == s->format[REFERENCE].width &&
                               s->format[DISTORTED].height == s->format[REFERENCE].height))
        if ((ret = open_scorer(ctx)) < 0)
            return ret;

    if ((ret = ff_framesync_init_dualinput(&s->fs, ctx)) < 0)
        return ret;
    outlink->w                   = mainlink->w;
    outlink->h                   = mainlink->h;
    outlink->time_base           = mainlink->time_base;
    outlink->sample_aspect_ratio = mainlink->sample_aspect_ratio;
    ol->frame_rate               = il->frame_rate;
    if (is_cuda(mainlink)) {
        ol->hw_frames_ctx = av_buffer_ref(il->hw_frames_ctx);
        if (!ol->hw_frames_ctx)
            return AVERROR(ENOMEM);
    }
    if ((ret = ff_framesync_configure(&s->fs)) < 0)
        return ret;
    outlink->time_base = s->fs.time_base;
    return 0;
}

/** Warn when framesync goes on with the last frame of an input that has ended. */
static void note_ended_input(AVFilterContext *ctx)
{
    QualityCUDAContext *s = ctx->priv;
    const FFFrameSyncIn *main = &s->fs.in[DISTORTED];
    const FFFrameSyncIn *reference = &s->fs.in[REFERENCE];

    /* An input that has ended does not drive the synchronisation any more. */
    if (!main->sync && !s->warned_main_ended) {
        av_log(ctx, AV_LOG_WARNING, "the distorted input has ended before the reference input, after %"PRId64
               " pairs: its last frame is compared with the further reference frames; use shortest=1 to stop there\n",
               s->pairs);
        s->warned_main_ended = 1;
    }
    if (s->reference_pts != AV_NOPTS_VALUE && reference->pts > s->reference_pts)
        s->reference_step = reference->pts - s->reference_pts;
    s->reference_pts = reference->pts;
    /* The last one may rightly serve several frames of a distorted input with a higher rate. */
    if (s->fs.opt_repeatlast && main->sync && !reference->sync && s->reference_step &&
        s->fs.pts - reference->pts >= s->reference_step && !s->warned_reference_ended) {
        av_log(ctx, AV_LOG_WARNING, "the reference input has ended before the distorted input, after %"PRId64
               " pairs: its last frame is compared with the further distorted frames; use shortest=1 to stop there\n",
               s->pairs);
        s->warned_reference_ended = 1;
    }
}

/** Warn when one input has frames before the other's first: they are left out, and the rest may be paired askew. */
static void note_start(AVFilterContext *ctx, int has_reference)
{
    QualityCUDAContext *s = ctx->priv;
    const int first = !s->started;
    int64_t early = 0;
    int input = REFERENCE;

    s->started = 1;
    if (!has_reference) {
        s->unmatched++;
        return;
    }
    if (s->unmatched) {
        input = DISTORTED;
        early = s->unmatched;
        s->unmatched = 0;
    } else if (first) {
        /* framesync holds the frame of this pair and perhaps the next; those before are gone. */
        early = ff_filter_link(ctx->inputs[REFERENCE])->frame_count_out - 1 - !!s->fs.in[REFERENCE].frame_next;
    }
    if (early > 0)
        av_log(ctx, AV_LOG_WARNING, "the %s input starts earlier than the %s input: its first %"PRId64" frames are not "
               "compared; if both begin with the same picture, insert setpts=PTS-STARTPTS before both inputs\n",
               input_names[input], input_names[!input], early);
}

/** Warn of pairs whose frames are not of the same time: after 100 pairs, or at the end. */
static void warn_apart(AVFilterContext *ctx)
{
    QualityCUDAContext *s = ctx->priv;

    /* Where rates differ about half of the pairs are apart; where a frame is missing here and there, few. */
    if (s->warned_apart || 10 * s->pairs_apart <= s->timed_pairs)
        return;
    av_log(ctx, AV_LOG_WARNING, "in %"PRId64" of %"PRId64" pairs the time stamps are more than half a frame apart: "
           "insert setpts=PTS-STARTPTS before both inputs if they start at different times, fps= before one if their "
           "frame rates differ, or give ts_sync_mode=nearest (FFmpeg 7.0 and later)\n", s->pairs_apart,
           s->timed_pairs);
    s->warned_apart = 1;
}

static void note_time_stamps(AVFilterContext *ctx)
{
    QualityCUDAContext *s = ctx->priv;
    const FFFrameSyncIn *main = &s->fs.in[DISTORTED];
    const FFFrameSyncIn *reference = &s->fs.in[REFERENCE];

    if (main->sync && reference->sync && s->distorted_pts != AV_NOPTS_VALUE) {
        s->timed_pairs++;
        if (2 * FFABS(main->pts - reference->pts) > main->pts - s->distorted_pts)
            s->pairs_apart++;
        if (s->timed_pairs == 100)
            warn_apart(ctx);
    }
    s->distorted_pts = main->pts;
}

/** Most features compare samples as they are; tags that contradict each other then deserve a word. */
static void note_color_tags(AVFilterContext *ctx, const AVFrame *const frame[INPUTS])
{
    QualityCUDAContext *s = ctx->priv;
    const AVFrame *d = frame[DISTORTED];
    const AVFrame *r = frame[REFERENCE];
    int d_range = full_range_of(d->color_range, ctx->inputs[DISTORTED]->format);
    int r_range = full_range_of(r->color_range, ctx->inputs[REFERENCE]->format);
    const char *scale = is_cuda(ctx->inputs[DISTORTED]) ? "hwdownload,format=...,scale" : "scale";

    /* Features that are defined for RGB bring each input to RGB by its own tags. */
    if (qc_accepts_rgb(s->scorer))
        return;
    if (!s->warned_range && d_range >= 0 && r_range >= 0 && d_range != r_range) {
        av_log(ctx, AV_LOG_WARNING, "the distorted input is tagged as %s range, the reference input as %s range; "
               "samples are compared as they are. Insert %s=out_range=%s before the distorted input to convert it, "
               "or setparams=range=%s if only its tag is wrong\n", d_range ? "full" : "limited",
               r_range ? "full" : "limited", scale, r_range ? "pc" : "tv", r_range ? "pc" : "tv");
        s->warned_range = 1;
    }
    if (!s->warned_matrix && d->colorspace != AVCOL_SPC_UNSPECIFIED && r->colorspace != AVCOL_SPC_UNSPECIFIED &&
        d->colorspace != r->colorspace) {
        const char *name = av_color_space_name(r->colorspace);

        av_log(ctx, AV_LOG_WARNING, "the distorted input is tagged with the matrix %s, the reference input with %s; "
               "samples are compared as they are. Insert %s=out_color_matrix=%s before the distorted input to convert "
               "it, or setparams=colorspace=%s if only its tag is wrong\n", av_color_space_name(d->colorspace), name,
               scale, name, name);
        s->warned_matrix = 1;
    }
}

static int send_frame(AVFilterContext *ctx, AVFrame *frame)
{
    QualityCUDAContext *s = ctx->priv;

    s->delivered = 1;
    return ff_filter_frame(ctx->outputs[0], frame);
}

/** Send on the frames at the head of the queue that wait for nothing. */
static int send_uncounted(AVFilterContext *ctx)
{
    QualityCUDAContext *s = ctx->priv;
    HeldFrame head;
    int ret;

    while (av_fifo_peek(s->held, &head, 1, 0) >= 0 && !head.counted) {
        av_fifo_drain2(s->held, 1);
        if ((ret = send_frame(ctx, head.frame)) < 0)
            return ret;
    }
    return 0;
}

static int hold(AVFilterContext *ctx, AVFrame *frame, int counted)
{
    QualityCUDAContext *s = ctx->priv;
    HeldFrame entry = { frame, counted };
    int ret = av_fifo_write(s->held, &entry, 1);

    if (ret < 0)
        av_frame_free(&frame);
    return ret;
}

/** Attach a result to the oldest held frame, which is the one it belongs to, and send that on. */
static int deliver(AVFilterContext *ctx, const QCResult *result)
{
    QualityCUDAContext *s = ctx->priv;
    HeldFrame head;
    int i, ret;

    if (av_fifo_read(s->held, &head, 1) < 0)
        return AVERROR_BUG;
    for (i = 0; i < result->count; i++) {
        char key[300], value[400];

        snprintf(key, sizeof(key), "lavfi.qualitycuda.%s", result->names[i]);
        snprintf(value, sizeof(value), "%f", result->values[i]);
        if ((ret = av_dict_set(&head.frame->metadata, key, value, 0)) < 0) {
            av_frame_free(&head.frame);
            return ret;
        }
    }
    if ((ret = send_frame(ctx, head.frame)) < 0)
        return ret;
    return send_uncounted(ctx);
}

/** Deliver what is ready. Waits only while the scorer has no place for a further pair. */
static int deliver_ready(AVFilterContext *ctx)
{
    QualityCUDAContext *s = ctx->priv;
    QCResult result;
    QCStatus status;
    int ret;

    while ((status = qc_receive(s->scorer, &result)) == QC_OK)
        if ((ret = deliver(ctx, &result)) < 0)
            return ret;
    return status < 0 ? scorer_error(ctx, status) : 0;
}

static void free_pair(PairFrames *pair)
{
    int i;

    for (i = 0; pair && i < INPUTS; i++)
        av_frame_free(&pair->frame[i]);
    av_free(pair);
}

static void release_pair(void *pair)
{
    free_pair(pair);
}

/** Addresses of a frame's planes, without the part that the decoder wants cropped. */
static int fill_planes(AVFilterContext *ctx, int i, const AVFrame *frame, QCFrame *planes)
{
    QualityCUDAContext *s = ctx->priv;
    const AVPixFmtDescriptor *desc = av_pix_fmt_desc_get(s->sw_format[i]);
    const AVFilterLink *link = ctx->inputs[i];
    int left = 0, top = 0;
    int c;

    if (is_cuda(link)) {
        left = (int)frame->crop_left;
        top  = (int)frame->crop_top;
    }
    if (link->w - left != s->format[i].width || link->h - top != s->format[i].height) {
        av_log(ctx, AV_LOG_ERROR, "the %s input changes its size from %dx%d to %dx%d\n", input_names[i],
               s->format[i].width, s->format[i].height, link->w - left, link->h - top);
        return AVERROR(EINVAL);
    }
    for (c = 0; c < desc->nb_components; c++) {
        const AVComponentDescriptor *comp = &desc->comp[c];
        int x = c ? left >> desc->log2_chroma_w : left;
        int y = c ? top >> desc->log2_chroma_h : top;

        planes->stride[comp->plane] = frame->linesize[comp->plane];
        planes->data[comp->plane]   = frame->data[comp->plane] + (ptrdiff_t)y * frame->linesize[comp->plane] +
                                      (ptrdiff_t)x * comp->step;
    }
    return 0;
}

/** Give a pair to the scorer. Takes `frame`, not `reference`. */
static int score(AVFilterContext *ctx, AVFrame *frame, const AVFrame *reference)
{
    QualityCUDAContext *s = ctx->priv;
    QCPair pair = { .pts = frame->pts, .release = release_pair };
    PairFrames *frames = av_mallocz(sizeof(*frames));
    QCStatus status;
    int ret = AVERROR(ENOMEM);

    if (!frames || !(frames->frame[DISTORTED] = av_frame_clone(frame)) ||
        !(frames->frame[REFERENCE] = av_frame_clone(reference)))
        goto fail;
    if ((ret = fill_planes(ctx, DISTORTED, frame, &pair.distorted)) < 0 ||
        (ret = fill_planes(ctx, REFERENCE, reference, &pair.reference)) < 0 ||
        (ret = deliver_ready(ctx)) < 0)
        goto fail;

    pair.release_opaque = frames;
    status = qc_send(s->scorer, &pair);
    if (status != QC_OK) {
        ret = status < 0 ? scorer_error(ctx, status) : AVERROR_BUG;
        goto fail;
    }
    s->pairs++;
    return hold(ctx, frame, 1);

fail:
    free_pair(frames);
    av_frame_free(&frame);
    return ret;
}

static int on_event(FFFrameSync *fs)
{
    AVFilterContext *ctx = fs->parent;
    QualityCUDAContext *s = ctx->priv;
    AVFrame *frame, *reference;
    int ret = ff_framesync_dualinput_get(fs, &frame, &reference);

    if (ret < 0)
        return ret;
    s->delivered = 0;
    if (is_cuda(ctx->inputs[DISTORTED])) {
        /* FFmpeg 5.1 may have made a copy, which says it were as large as the decoder's surface. */
        frame->width  = ctx->inputs[DISTORTED]->w;
        frame->height = ctx->inputs[DISTORTED]->h;
    }
    note_start(ctx, !!reference);
    if (ctx->is_disabled || !reference) {
        s->disabled |= ctx->is_disabled;
        if ((ret = hold(ctx, frame, 0)) < 0 || (ret = send_uncounted(ctx)) < 0)
            return ret;
    } else {
        const AVFrame *const pair[INPUTS] = { frame, reference };

        note_ended_input(ctx);
        note_time_stamps(ctx);
        note_color_tags(ctx, pair);
        if (!s->pairs && (ret = inspect_first_pair(ctx, pair)) < 0) {
            av_frame_free(&frame);
            return ret;
        }
        if ((ret = score(ctx, frame, reference)) < 0)
            return ret;
    }
    if (!s->delivered)
        ff_filter_set_ready(ctx, 100);
    return 0;
}

static void report(AVFilterContext *ctx)
{
    QualityCUDAContext *s = ctx->priv;
    QCPool method = qc_pool_method(s->scorer);
    int count = qc_score_count(s->scorer);
    int i;

    for (i = 0; i < count; i++) {
        const char *name = qc_score_name(s->scorer, i);
        double value;

        if (qc_pooled(s->scorer, i, method, &value) == QC_OK)
            av_log(ctx, AV_LOG_INFO, "%s: %f (%s)\n", name, value, pool_names[s->pool]);
        else
            av_log(ctx, AV_LOG_INFO, "%s: none, since not every frame has it\n", name);
    }
    for (i = 0; i < qc_aggregate_count(s->scorer); i++)
        av_log(ctx, AV_LOG_INFO, "%s: %f (all frames)\n", qc_aggregate_name(s->scorer, i),
               qc_aggregate_value(s->scorer, i));
    /* The line that scripts made for libvmaf look for: one for each model, in their order. */
    for (i = 0; i < count; i++) {
        double value;

        if (qc_score_kind(s->scorer, i) == QC_SCORE_MODEL && qc_pooled(s->scorer, i, method, &value) == QC_OK)
            av_log(ctx, AV_LOG_INFO, "VMAF score: %f\n", value);
    }
}

/** End of the pairs: the outstanding scores, the summary and the log. `send`: the output still takes frames. */
static int finish(AVFilterContext *ctx, int send)
{
    QualityCUDAContext *s = ctx->priv;
    QCResult result;
    QCStatus status;
    int ret;

    s->finished = 1;
    if (!s->pairs) {
        if (send && (ret = send_uncounted(ctx)) < 0)
            return ret;
        if (s->disabled || !send)
            return 0;
        av_log(ctx, AV_LOG_ERROR, "no frame was compared: the inputs have no frames at the same time\n");
        return AVERROR(EINVAL);
    }
    status = qc_send(s->scorer, NULL);
    if (status < 0)
        return scorer_error(ctx, status);
    while ((status = qc_receive(s->scorer, &result)) == QC_OK)
        if (send && (ret = deliver(ctx, &result)) < 0)
            return ret;
    if (status != QC_EOF)
        return status < 0 ? scorer_error(ctx, status) : AVERROR_BUG;
    warn_apart(ctx);
    report(ctx);
    status = qc_finish_log(s->scorer);
    return status < 0 ? scorer_error(ctx, status) : 0;
}

static int activate(AVFilterContext *ctx)
{
    QualityCUDAContext *s = ctx->priv;
    int ret;

    if (s->error)
        return s->error;
    ret = ff_framesync_activate(&s->fs);
    if (ret >= 0 && !s->finished) {
        if (s->fs.eof)
            ret = finish(ctx, 1);
        else if (ff_outlink_get_status(ctx->outputs[0]))
            ret = finish(ctx, 0);
    }
    if (ret < 0 && ret != FFERROR_NOT_READY && ret != AVERROR(EAGAIN) && ret != AVERROR_EOF) {
        /* FFmpeg 5.1 forgets an error that comes while it asks for output, but not one that meets it again. */
        s->error = ret;
        ff_filter_set_ready(ctx, 100);
    }
    return ret;
}

static av_cold int init(AVFilterContext *ctx)
{
    QualityCUDAContext *s = ctx->priv;

    s->fs.on_event = on_event;
    s->reference_pts = s->distorted_pts = AV_NOPTS_VALUE;
    s->held = av_fifo_alloc2(16, sizeof(HeldFrame), AV_FIFO_FLAG_AUTO_GROW);
    if (!s->held)
        return AVERROR(ENOMEM);
    return create_scorer(ctx);
}

static av_cold void uninit(AVFilterContext *ctx)
{
    QualityCUDAContext *s = ctx->priv;
    HeldFrame head;
    int i;

    ff_framesync_uninit(&s->fs);
    /* Stopped from outside (a frame limit, a key, a rebuilt graph): what was compared counts. */
    if (s->pairs && !s->finished && !s->error)
        finish(ctx, 0);
    qc_destroy(&s->scorer);
    while (s->held && av_fifo_read(s->held, &head, 1) >= 0)
        av_frame_free(&head.frame);
    av_fifo_freep2(&s->held);
    for (i = 0; i < INPUTS; i++)
        av_buffer_unref(&s->device[i]);
}

static const AVFilterPad qualitycuda_inputs[] = {
    {
        .name = "main",
        .type = AVMEDIA_TYPE_VIDEO,
    },
    {
        .name = "reference",
        .type = AVMEDIA_TYPE_VIDEO,
    },
};

static const AVFilterPad qualitycuda_outputs[] = {
    {
        .name         = "default",
        .type         = AVMEDIA_TYPE_VIDEO,
        .config_props = config_output,
    },
};

#if LINK_HAS_COLOR
#define QUERY FILTER_QUERY_FUNC2(query_formats)
#else
#define QUERY FILTER_QUERY_FUNC(query_formats)
#endif

const FFFilter ff_vf_qualitycuda = {
    PUBLIC(name)        = "qualitycuda",
    PUBLIC(description) = NULL_IF_CONFIG_SMALL("Score a distorted video (main) against its reference: VMAF, SSIM, PSNR "
                                               "and others, on the CPU or on an NVIDIA GPU."),
    PUBLIC(priv_class)  = &qualitycuda_class,
    PUBLIC(flags)       = AVFILTER_FLAG_SUPPORT_TIMELINE_INTERNAL | AVFILTER_FLAG_METADATA_ONLY,
    .preinit            = qualitycuda_framesync_preinit,
    .init               = init,
    .uninit             = uninit,
    .activate           = activate,
    .priv_size          = sizeof(QualityCUDAContext),
    .flags_internal     = FF_FILTER_FLAG_HWFRAME_AWARE,
    FILTER_INPUTS(qualitycuda_inputs),
    FILTER_OUTPUTS(qualitycuda_outputs),
    QUERY,
};
