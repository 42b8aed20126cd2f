#pragma once
// The one reader of JSON from outside: nlohmann's SAX parser, plus what it does not check (NUL bytes, nesting, duplicate keys, integers over
// 64 bits) and the offset of every token. Memory is O(nesting + keys of the open objects). Internal to lang/.
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/error.hpp"
#include "base/json.hpp"

namespace catena::lang {

/// What is wrong with a text, and where it begins.
struct Fault {
  Code code = Code::json_syntax;
  std::size_t offset = 0;
  std::string message;
};

/// Receives the tokens of a document in its order, each with the offset of its first byte.
class JsonSink {
 public:
  virtual ~JsonSink() = default;
  virtual void open_object(std::size_t offset) = 0;
  virtual void open_list(std::size_t offset) = 0;
  virtual void close() = 0;
  virtual void key(std::size_t offset, std::string_view key) = 0;
  virtual void scalar(std::size_t offset, Json value) = 0;
};

/// Checks a whole JSON text; `sink` may be null. What a sink received before a fault is worth nothing.
[[nodiscard]] std::optional<Fault> read_json(std::string_view text, JsonSink* sink);

/// The offset of the first byte that is not part of well-formed UTF-8 (overlong forms and surrogates are not).
[[nodiscard]] std::optional<std::size_t> find_invalid_utf8(std::string_view text);

/// Without the UTF-8 byte-order mark that some editors write.
[[nodiscard]] std::string_view without_byte_order_mark(std::string_view text);

/// Line and column (in bytes, as compilers count) of an offset. O(offset).
[[nodiscard]] Place place_at(std::string_view text, std::size_t offset, std::string_view file);

/// The keys of the objects that are open, to find duplicates.
class OpenKeys {
 public:
  void open();
  void close();
  /// False when the innermost object has that key already.
  [[nodiscard]] bool add(std::string_view key);

 private:
  std::vector<std::unordered_set<std::string>> sets_;  // kept for reuse: a million small objects need few allocations
  std::size_t depth_ = 0;
};

}  // namespace catena::lang
