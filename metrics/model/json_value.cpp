#include "model/json_value.h"

#include <nlohmann/json.hpp>

#include "core/error.h"

namespace qc {
namespace {

// Models nest five levels deep; a limit keeps hostile files from exhausting the stack.
constexpr size_t kMaxDepth = 64;

class Builder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Builder(JsonValue& root) : root_(root) {}

  bool null() override { return add({}); }
  bool boolean(bool value) override {
    JsonValue v;
    v.type = JsonValue::Type::Bool;
    v.boolean = value;
    return add(std::move(v));
  }
  bool number_integer(number_integer_t value) override {
    return add_number(static_cast<double>(value), std::to_string(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return add_number(static_cast<double>(value), std::to_string(value));
  }
  bool number_float(number_float_t value, const string_t& text) override { return add_number(value, text); }
  bool string(string_t& value) override {
    JsonValue v;
    v.type = JsonValue::Type::String;
    v.text = value;
    return add(std::move(v));
  }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(JsonValue::Type::Object); }
  bool key(string_t& value) override {
    key_ = value;
    return true;
  }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(JsonValue::Type::Array); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& e) override {
    // nlohmann's message begins with its own error code in brackets.
    std::string reason = e.what();
    if (const size_t bracket = reason.find("] "); bracket != std::string::npos) reason.erase(0, bracket + 2);
    fail_invalid("malformed JSON at byte " + std::to_string(position) + ": " + reason);
  }

 private:
  JsonValue* place(JsonValue value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    JsonValue& parent = *open_.back();
    if (parent.type == JsonValue::Type::Array) return &parent.elements.emplace_back(std::move(value));
    parent.members.push_back({key_, std::move(value)});
    return &parent.members.back().value;
  }
  bool add(JsonValue value) {
    place(std::move(value));
    return true;
  }
  bool add_number(double value, std::string text) {
    JsonValue v;
    v.type = JsonValue::Type::Number;
    v.number = value;
    v.text = std::move(text);
    return add(std::move(v));
  }
  bool open(JsonValue::Type type) {
    if (open_.size() == kMaxDepth) fail_invalid("the JSON is nested too deeply");
    JsonValue v;
    v.type = type;
    open_.push_back(place(std::move(v)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  JsonValue& root_;
  std::vector<JsonValue*> open_;  // a parent grows only while its last child is closed, so these stay valid
  std::string key_;
};

}  // namespace

const JsonValue* JsonValue::find(std::string_view key) const {
  const JsonValue* found = nullptr;
  for (const auto& [name, value] : members) {
    if (name != key) continue;
    if (found) fail_invalid("the key \"" + std::string(key) + "\" is there twice");
    found = &value;
  }
  return found;
}

JsonValue parse_json(const std::string& text) {
  JsonValue root;
  Builder builder(root);
  if (!nlohmann::json::sax_parse(text, &builder, nlohmann::json::input_format_t::json, false))
    fail_invalid("malformed JSON");
  return root;
}

}  // namespace qc
