// The C API: every entry point runs its body through guarded(), which turns exceptions into codes and messages.
#include <locale.h>

#include <new>
#include <string>

#include "core/context_options.h"
#include "core/error.h"
#include "core/feature.h"
#include "core/session.h"
#include "qualitycuda.h"

struct QCContext {
  void (*callback)(void*, QCLogLevel, const char*) = nullptr;
  void* callback_opaque = nullptr;
  std::string error;
  bool failed = false;
  qc::Session session{[this](QCLogLevel level, const std::string& line) {
    if (callback) callback(callback_opaque, level, line.c_str());
  }};
};

namespace {

// Numbers are read and printed with the C locale's decimal point, whatever the application's locale is.
class CLocale {
 public:
  CLocale() : previous_(uselocale(c_locale())) {}
  ~CLocale() { uselocale(previous_); }
  CLocale(const CLocale&) = delete;
  CLocale& operator=(const CLocale&) = delete;

 private:
  static locale_t c_locale() {
    static const locale_t locale = newlocale(LC_ALL_MASK, "C", nullptr);
    return locale;
  }
  locale_t previous_;
};

void set_message(std::string& message, const char* text) noexcept {
  try {
    message = text;
  } catch (...) {
    message.clear();
    message.append("no memory");  // short enough for the string's own buffer
  }
}

template <class Body>
QCStatus guarded(std::string& message, Body&& body) noexcept {
  try {
    const CLocale locale;
    return body();
  } catch (const qc::Error& e) {
    set_message(message, e.what());
    return e.code();
  } catch (const std::bad_alloc&) {
    set_message(message, "out of memory");
    return QC_ERROR_MEMORY;
  } catch (const std::exception& e) {
    set_message(message, e.what());
    return QC_ERROR_INTERNAL;
  } catch (...) {
    set_message(message, "internal error");
    return QC_ERROR_INTERNAL;
  }
}

// For calls on an open stream: after a failure every further one fails too.
template <class Body>
QCStatus streaming(QCContext* ctx, Body&& body) noexcept {
  if (ctx->failed) return QC_ERROR_INVALID;
  const QCStatus status = guarded(ctx->error, body);
  ctx->failed = status < 0;
  return status;
}

QCStatus describe(std::span<const qc::OptionDef> table, int i, QCOptionInfo* info) {
  if (i < 0 || static_cast<size_t>(i) >= table.size()) return QC_EOF;
  const qc::OptionDef& def = table[static_cast<size_t>(i)];
  *info = {def.name, def.suffix, def.type, def.default_value, def.default_text, def.min, def.max, def.help};
  return QC_OK;
}

bool column_exists(const QCContext* ctx, int i) {
  return i >= 0 && static_cast<size_t>(i) < ctx->session.columns().size();
}

const qc::FeatureDef* feature_at(int i) {
  if (i < 0 || static_cast<size_t>(i) >= qc::registry().size()) return nullptr;
  return qc::registry()[static_cast<size_t>(i)].definition;
}

}  // namespace

extern "C" {

const char* qc_version(void) { return QC_VERSION; }

int qc_has_cuda(void) { return QC_CUDA; }

QCStatus qc_create(QCContext** ctx) {
  if (!ctx) return QC_ERROR_INVALID;
  *ctx = nullptr;
  std::string message;
  return guarded(message, [&] {
    *ctx = new QCContext;
    return QC_OK;
  });
}

void qc_destroy(QCContext** ctx) {
  if (!ctx || !*ctx) return;
  delete *ctx;
  *ctx = nullptr;
}

const char* qc_error(const QCContext* ctx) { return ctx ? ctx->error.c_str() : "no context"; }

void qc_set_log_callback(QCContext* ctx, void (*callback)(void*, QCLogLevel, const char*), void* opaque) {
  if (!ctx) return;
  ctx->callback = callback;
  ctx->callback_opaque = opaque;
}

QCStatus qc_set(QCContext* ctx, const char* key, const char* value) {
  if (!ctx || !key || !value) return QC_ERROR_INVALID;
  return guarded(ctx->error, [&] {
    ctx->session.set(key, value);
    return QC_OK;
  });
}

int qc_accepts_rgb(const QCContext* ctx) {
  std::string ignored;
  return ctx && guarded(ignored, [&] { return ctx->session.accepts_rgb() ? QC_OK : QC_EOF; }) == QC_OK;
}

int qc_uses_colour(const QCContext* ctx) {
  std::string ignored;
  return ctx && guarded(ignored, [&] { return ctx->session.uses_colour() ? QC_OK : QC_EOF; }) == QC_OK;
}

QCStatus qc_open(QCContext* ctx, const QCFormat* reference, const QCFormat* distorted, const QCDevice* device) {
  if (!ctx || !reference || !distorted) return QC_ERROR_INVALID;
  return streaming(ctx, [&] {
    ctx->session.open(*reference, *distorted, device);
    return QC_OK;
  });
}

QCStatus qc_send(QCContext* ctx, const QCPair* pair) {
  if (!ctx) return QC_ERROR_INVALID;
  return streaming(ctx, [&] { return ctx->session.send(pair); });
}

QCStatus qc_receive(QCContext* ctx, QCResult* result) {
  if (!ctx || !result) return QC_ERROR_INVALID;
  return streaming(ctx, [&] { return ctx->session.receive(*result); });
}

int qc_score_count(const QCContext* ctx) { return ctx ? static_cast<int>(ctx->session.columns().size()) : 0; }

const char* qc_score_name(const QCContext* ctx, int i) {
  if (!ctx || !column_exists(ctx, i)) return nullptr;
  return ctx->session.columns()[static_cast<size_t>(i)].name.c_str();
}

QCScoreKind qc_score_kind(const QCContext* ctx, int i) {
  if (!ctx || !column_exists(ctx, i)) return QC_SCORE_FEATURE;
  return ctx->session.columns()[static_cast<size_t>(i)].kind;
}

QCStatus qc_pooled(const QCContext* ctx, int i, QCPool method, double* value) {
  if (!ctx || !value || !column_exists(ctx, i)) return QC_ERROR_INVALID;
  const qc::Pool& pool = ctx->session.pools()[static_cast<size_t>(i)];
  if (pool.count() == 0 || pool.count() != ctx->session.scored_frames()) return QC_ERROR_INVALID;
  *value = pool.value(method);
  return QC_OK;
}

int qc_aggregate_count(const QCContext* ctx) { return ctx ? static_cast<int>(ctx->session.aggregates().size()) : 0; }

const char* qc_aggregate_name(const QCContext* ctx, int i) {
  if (i < 0 || i >= qc_aggregate_count(ctx)) return nullptr;
  return ctx->session.aggregates()[static_cast<size_t>(i)].first.c_str();
}

double qc_aggregate_value(const QCContext* ctx, int i) {
  if (i < 0 || i >= qc_aggregate_count(ctx)) return 0;
  return ctx->session.aggregates()[static_cast<size_t>(i)].second;
}

QCPool qc_pool_method(const QCContext* ctx) { return ctx ? ctx->session.pool_method() : QC_POOL_MEAN; }

QCStatus qc_finish_log(QCContext* ctx) {
  if (!ctx) return QC_ERROR_INVALID;
  return streaming(ctx, [&] {
    ctx->session.finish_log();
    return QC_OK;
  });
}

QCStatus qc_option_info(int i, QCOptionInfo* info) { return describe(qc::context_option_table(), i, info); }

QCStatus qc_feature_info(int i, QCFeatureInfo* info) {
  const qc::FeatureDef* def = feature_at(i);
  if (!def) return QC_EOF;
  *info = {def->name, def->summary, static_cast<int>(def->options.size()), static_cast<int>(def->outputs.size()),
           qc::registry()[static_cast<size_t>(i)].make_cuda_kernels != nullptr};
  return QC_OK;
}

QCStatus qc_feature_option_info(int i, int k, QCOptionInfo* info) {
  const qc::FeatureDef* def = feature_at(i);
  return def ? describe(def->options, k, info) : QC_EOF;
}

QCStatus qc_feature_output_info(int i, int k, const char** name, const char** help) {
  const qc::FeatureDef* def = feature_at(i);
  if (!def || k < 0 || static_cast<size_t>(k) >= def->outputs.size()) return QC_EOF;
  *name = def->outputs[static_cast<size_t>(k)].log_name;
  *help = def->outputs[static_cast<size_t>(k)].help;
  return QC_OK;
}

}  // extern "C"
