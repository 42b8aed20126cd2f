#pragma once
// What a JSON Schema (draft 7) asks of arguments beyond what fields can say. The library that reads it stays behind this class.
#include <memory>
#include <string>
#include <string_view>

#include "base/json.hpp"
#include "base/result.hpp"

namespace catena::lang {

class JsonSchema {
 public:
  /// Error field_value: all that is wrong with the schema, each with the place inside. References into other documents are never followed.
  [[nodiscard]] static Result<std::shared_ptr<const JsonSchema>> compile(const Json& schema);

  /// Error argument_schema: everything in the value that does not fit, each with its place. `who` begins the message.
  [[nodiscard]] Result<void> check(const Json& value, std::string_view who) const;

  /// As JSON text.
  [[nodiscard]] const std::string& source() const;

  JsonSchema(const JsonSchema&) = delete;
  JsonSchema& operator=(const JsonSchema&) = delete;
  ~JsonSchema();

 private:
  struct Compiled;
  explicit JsonSchema(std::unique_ptr<const Compiled> compiled);
  std::unique_ptr<const Compiled> compiled_;
};

}  // namespace catena::lang
