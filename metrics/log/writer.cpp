#include "log/writer.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/error.h"
#include "log/log_file.h"

namespace qc {
namespace {

// Wide enough for any speed; filled in at the end of the stream, white space until then.
constexpr size_t kFpsRoom = 16;
const std::string kXmlFpsEnd = "\" />";

constexpr std::pair<const char*, QCPool> kPooled[] = {
    {"min", QC_POOL_MIN},
    {"max", QC_POOL_MAX},
    {"mean", QC_POOL_MEAN},
    {"harmonic_mean", QC_POOL_HARMONIC_MEAN},
};

bool has_score(LogRow row) {
  return std::any_of(row.begin(), row.end(), [](const auto& score) { return score.has_value(); });
}

std::string two_decimals(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}

class TextLog : public LogWriter {
 public:
  TextLog(const LogSettings& settings, std::vector<std::string> columns)
      : columns_(std::move(columns)), decimals_(settings.decimals), file_(settings.path) {}

  void frame(int64_t index, LogRow row) final {
    if (!has_score(row)) return;
    write_frame(index, row);
    file_.hand_over();
  }

  void finish(std::span<const Pool> pools, int64_t frames,
              const std::vector<std::pair<std::string, double>>& aggregates, double fps) final {
    write_end(pools, frames, aggregates, fps);
    file_.finish();
  }

 protected:
  virtual void write_frame(int64_t index, LogRow row) = 0;
  virtual void write_end(std::span<const Pool>, int64_t, const std::vector<std::pair<std::string, double>>&, double) {}
  std::string number(double value) const { return format_score(value, decimals_); }

  std::vector<std::string> columns_;
  int decimals_;
  LogFile file_;
};

// Attribute names can't be escaped: a character that no XML name has becomes '_'.
std::string xml_name(const std::string& text) {
  std::string name = text;
  for (char& c : name) {
    const auto u = static_cast<unsigned char>(c);
    const bool letter = (u >= 'a' && u <= 'z') || (u >= 'A' && u <= 'Z') || u == '_' || u >= 0x80;
    const bool inner = (u >= '0' && u <= '9') || u == '-' || u == '.' || u == ':';
    if (!letter && !inner) c = '_';
  }
  if (!name.empty() && (name[0] == '-' || name[0] == '.' || name[0] == ':' || (name[0] >= '0' && name[0] <= '9')))
    name.insert(0, "_");
  return name;
}

std::string xml_text(const std::string& text) {
  std::string escaped;
  for (char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += static_cast<unsigned char>(c) < 0x20 ? '_' : c;
    }
  }
  return escaped;
}

class XmlLog final : public TextLog {
 public:
  XmlLog(const LogSettings& settings, std::vector<std::string> columns) : TextLog(settings, std::move(columns)) {
    for (const std::string& name : columns_) attributes_.push_back(xml_name(name));
    file_.write("<VMAF version=\"" QC_VERSION "\">\n");
    file_.write("  <params qualityWidth=\"" + std::to_string(settings.width) + "\" qualityHeight=\"" +
                std::to_string(settings.height) + "\" />\n");
    file_.write("  <fyi fps=\"");
    // The attribute and the rest of its element go into the room, so that the padding stands between two elements.
    if (file_.patchable())
      file_.leave_room(kFpsRoom + kXmlFpsEnd.size());
    else
      file_.write("nan" + kXmlFpsEnd);
    file_.write("\n  <frames>\n");
  }

 private:
  void write_frame(int64_t index, LogRow row) override {
    std::string line = "    <frame frameNum=\"" + std::to_string(index) + "\" ";
    for (size_t c = 0; c < row.size(); ++c)
      if (row[c]) line += attribute(attributes_[c], *row[c]);
    file_.write(line + "/>\n");
  }

  void write_end(std::span<const Pool> pools, int64_t frames,
                 const std::vector<std::pair<std::string, double>>& aggregates, double fps) override {
    file_.write("  </frames>\n  <pooled_metrics>\n");
    for (size_t c = 0; c < columns_.size(); ++c) {
      std::string line = "    <metric name=\"" + xml_text(columns_[c]) + "\" ";
      if (pools[c].count() > 0 && pools[c].count() == frames)
        for (const auto& [name, method] : kPooled) line += attribute(name, pools[c].value(method));
      file_.write(line + "/>\n");
    }
    file_.write("  </pooled_metrics>\n  <aggregate_metrics ");
    for (const auto& [name, value] : aggregates) file_.write(attribute(xml_name(name), value));
    file_.write("/>\n</VMAF>\n");
    if (file_.patchable()) file_.fill(two_decimals(fps).substr(0, kFpsRoom) + kXmlFpsEnd);
  }

  std::string attribute(const std::string& name, double value) const { return name + "=\"" + number(value) + "\" "; }

  std::vector<std::string> attributes_;
};

std::string json_string(const std::string& text) {
  std::string escaped = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') escaped += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
      escaped += code;
    } else {
      escaped += c;
    }
  }
  return escaped + '"';
}

class JsonLog final : public TextLog {
 public:
  JsonLog(const LogSettings& settings, std::vector<std::string> columns) : TextLog(settings, std::move(columns)) {
    for (const std::string& name : columns_) keys_.push_back(json_string(name) + ": ");
    file_.write("{\n  \"version\": \"" QC_VERSION "\",\n  \"fps\": ");
    // The comma goes into the room, so that the padding ends the line.
    if (file_.patchable())
      file_.leave_room(kFpsRoom + 1);
    else
      file_.write("null,");
    file_.write("\n  \"frames\": [");
  }

 private:
  void write_frame(int64_t index, LogRow row) override {
    std::string text = first_ ? "\n" : ",\n";
    first_ = false;
    text += "    {\n      \"frameNum\": " + std::to_string(index) + ",\n      \"metrics\": {\n";
    size_t left =
        static_cast<size_t>(std::count_if(row.begin(), row.end(), [](const auto& s) { return s.has_value(); }));
    for (size_t c = 0; c < row.size(); ++c) {
      if (!row[c]) continue;
      --left;
      text += "        " + keys_[c] + number_or_null(*row[c]);
      if (left > 0) text += ',';
      // libvmaf ends the line of a null differently from that of a number.
      if (std::isfinite(*row[c])) text += '\n';
    }
    file_.write(text + "      }\n    }");
  }

  void write_end(std::span<const Pool> pools, int64_t frames,
                 const std::vector<std::pair<std::string, double>>& aggregates, double fps) override {
    file_.write("\n  ],\n  \"pooled_metrics\": {");
    for (size_t c = 0; c < columns_.size(); ++c) {
      std::string text = (c > 0 ? ",\n    " : "\n    ") + keys_[c] + "{";
      if (pools[c].count() > 0 && pools[c].count() == frames) {
        const char* separator = "\n";
        for (const auto& [name, method] : kPooled) {
          text += std::string(separator) + "      \"" + name + "\": " + number_or_null(pools[c].value(method));
          separator = ",\n";
        }
      }
      file_.write(text + "\n    }");
    }
    file_.write("\n  },\n  \"aggregate_metrics\": {");
    for (size_t i = 0; i < aggregates.size(); ++i)
      file_.write((i > 0 ? ",\n    " : "\n    ") + json_string(aggregates[i].first) + ": " +
                  number_or_null(aggregates[i].second));
    file_.write("\n  }\n}\n");
    const std::string speed = std::isfinite(fps) ? two_decimals(fps) : "null";
    if (file_.patchable()) file_.fill(speed.substr(0, kFpsRoom) + ",");
  }

  std::string number_or_null(double value) const { return std::isfinite(value) ? number(value) : "null"; }

  std::vector<std::string> keys_;
  bool first_ = true;
};

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

class CsvLog final : public TextLog {
 public:
  CsvLog(const LogSettings& settings, std::vector<std::string> columns) : TextLog(settings, std::move(columns)) {
    std::string header = "Frame,";
    for (const std::string& name : columns_) header += csv_field(name) + ',';
    file_.write(header + '\n');
  }

 private:
  void write_frame(int64_t index, LogRow row) override {
    std::string line = std::to_string(index) + ',';
    for (const auto& score : row) line += (score ? number(*score) : "") + ',';
    file_.write(line + '\n');
  }
};

class SubLog final : public TextLog {
 public:
  using TextLog::TextLog;

 private:
  void write_frame(int64_t index, LogRow row) override {
    const std::string i = std::to_string(index);
    std::string line = "{" + i + "}{" + std::to_string(index + 1) + "}frame: " + i + "|";
    for (size_t c = 0; c < row.size(); ++c)
      if (row[c]) line += columns_[c] + ": " + number(*row[c]) + "|";
    file_.write(line + '\n');
  }
};

}  // namespace

std::unique_ptr<LogWriter> open_log(const LogSettings& settings, std::vector<std::string> columns) {
  if (settings.format == "xml") return std::make_unique<XmlLog>(settings, std::move(columns));
  if (settings.format == "json") return std::make_unique<JsonLog>(settings, std::move(columns));
  if (settings.format == "csv") return std::make_unique<CsvLog>(settings, std::move(columns));
  if (settings.format == "sub") return std::make_unique<SubLog>(settings, std::move(columns));
  fail_invalid("log_fmt '" + settings.format + "' is none of xml, json, csv, sub");
}

}  // namespace qc
