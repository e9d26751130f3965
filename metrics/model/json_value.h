// A JSON document as models need it: numbers with their text, and members in the order of the file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace qc {

struct JsonMember;

struct JsonValue {
  enum class Type { Null, Bool, Number, String, Array, Object };

  Type type = Type::Null;
  bool boolean = false;
  double number = 0;
  std::string text;  // of a string, or a number as it is written
  std::vector<JsonValue> elements;
  std::vector<JsonMember> members;  // a key that is written twice is here twice

  // The only member called `key`, nullptr if there is none. Throws if there are several.
  const JsonValue* find(std::string_view key) const;
};

struct JsonMember {
  std::string key;
  JsonValue value;
};

// Parses the first value of `text` by the grammar of RFC 8259; what follows it is ignored. Throws on malformed text.
JsonValue parse_json(const std::string& text);

}  // namespace qc
