#pragma once
// The value of a checked expression. Pure: what it sees comes in here, and it is bounded in steps, memory and depth.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "lang/expr/ast.hpp"
#include "lang/expr/limits.hpp"
#include "lang/file/file_port.hpp"

namespace catena::lang::expr {

/// What names and references mean. Values nest no deeper than documents may.
class Variables {
 public:
  virtual ~Variables() = default;
  /// nullptr: there is none of that name. The value has to last as long as the evaluation.
  [[nodiscard]] virtual const Json* find(std::string_view name) const = 0;
  /// object.segment of a variable that is too large to be had whole; nothing: find() knows the object. Errors get a caret.
  [[nodiscard]] virtual std::optional<Result<const Json*>> member(std::string_view object, std::string_view segment) const;
  /// How the message begins that says there is none of that name.
  [[nodiscard]] virtual std::string unknown(std::string_view name) const;
  /// For messages.
  [[nodiscard]] virtual std::vector<std::string> names() const = 0;
  /// `text` begins with REF:.
  [[nodiscard]] virtual Result<Json> reference(std::string_view text) const = 0;
};

/// Work that was done: counts on over several evaluations that share their limits.
struct Usage {
  std::uint64_t steps = 0;
  std::uint64_t bytes = 0;
};

struct Input {
  const Variables& variables;
  UnixMillis now = 0;
  Limits limits{};
  const FileReader* files = nullptr;             // of the functions that read files; null: they fail
  std::vector<std::string>* warnings = nullptr;  // what a person should know of a value that was made all the same
  Usage* usage = nullptr;                        // null: this evaluation has its limits for itself
};

/// Errors, each with a caret: kUnresolved, kUnknownVariable, kType, kRange, kTooLong, kTooLarge, kTooDeep, feature_unavailable, those of a
/// text that a variable holds, and what the variables report.
[[nodiscard]] Result<Json> evaluate(const Expression& expression, const Input& input);

}  // namespace catena::lang::expr
