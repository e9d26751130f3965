// Logs in libvmaf's layouts (names-and-logs.md §7), written frame by frame.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/pool.h"

namespace qc {

// A number as the logs print it. `decimals` -1: libvmaf's rule (6 decimals, 16 for small fractions); -2: the shortest
// text that reads back to the same double; otherwise that many decimals. NaN and infinities as printf has them.
std::string format_score(double value, int decimals);

// The value of the option log_precision as `decimals` of format_score(): "" or "default", "max", or a number 0 to 20.
int parse_log_precision(const std::string& text);

struct LogSettings {
  std::string path;
  std::string format;  // xml, json, csv or sub
  int decimals = -1;
  int width = 0;
  int height = 0;
};

// Scores of one frame, in column order; no value: the column has none for this frame.
using LogRow = std::span<const std::optional<double>>;

class LogWriter {
 public:
  // Removes the log if finish() was not called.
  virtual ~LogWriter() = default;
  // Columns are given once, before the first frame.
  virtual void frame(int64_t index, LogRow row) = 0;
  // Pools belong to the columns; an empty pool, or one whose count is not `frames`, has no pooled values. Completes the
  // file and gives it its name.
  virtual void finish(std::span<const Pool> pools, int64_t frames,
                      const std::vector<std::pair<std::string, double>>& aggregates, double fps) = 0;
};

// Opens the log (log_file.h says where). Throws QC_ERROR_IO with the reason if that fails. The speed of a log that is
// written to a pipe is nan (XML) or null (JSON), for it is known only at the end.
std::unique_ptr<LogWriter> open_log(const LogSettings& settings, std::vector<std::string> columns);

}  // namespace qc
