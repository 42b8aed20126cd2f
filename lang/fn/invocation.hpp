#pragma once
// What a function sees of its call. Arguments are evaluated when they are asked for, so a branch not taken costs nothing.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/time.hpp"
#include "lang/file/file_port.hpp"
#include "lang/fn/arithmetic.hpp"
#include "lang/fn/functions.hpp"

namespace catena::lang::fn {

/// In sum's item_path, `item.value` of a scalar element is the element itself.
enum class ScalarValue { no_parts, itself };

class Invocation {
 public:
  virtual ~Invocation() = default;
  [[nodiscard]] virtual bool given(std::size_t param) const = 0;
  [[nodiscard]] virtual Result<Value> value(std::size_t param) = 0;
  /// Arguments beyond the parameters.
  [[nodiscard]] virtual std::size_t rest_count() const = 0;
  [[nodiscard]] virtual std::string_view rest_name(std::size_t index) const = 0;
  [[nodiscard]] virtual Result<Value> rest(std::size_t index) = 0;
  /// A per_item argument's value for an element. The value may be a window on the element.
  [[nodiscard]] virtual Result<Value> apply(std::size_t param, const Json& element, ScalarValue scalar) = 0;
  /// The operations of that argument, one after another, each on what the one before returned.
  [[nodiscard]] virtual Result<Value> run_operations(std::size_t param, Value initial) = 0;
  [[nodiscard]] virtual UnixMillis now() const = 0;
  /// The file store; null where there is none.
  [[nodiscard]] virtual const FileReader* files() const = 0;
  /// What a person should know of a value that is made all the same.
  virtual void warn(std::string message) = 0;
  /// Counts work and memory, before they are spent. Errors: the limits.
  [[nodiscard]] virtual Result<void> charge(std::uint64_t steps, std::uint64_t bytes) = 0;
  /// The error points to a parameter's argument, or to the call.
  [[nodiscard]] virtual tl::unexpected<Error> refuse(Code code, std::string message, std::size_t param) const = 0;
  [[nodiscard]] virtual tl::unexpected<Error> refuse_rest(Code code, std::string message, std::size_t index) const = 0;

  /// The value as the function's own; a copy is charged.
  [[nodiscard]] Result<Json> take(Value value);
  /// A list; null is the empty one.
  [[nodiscard]] Result<Value> list(std::size_t param);
  [[nodiscard]] Result<Value> text(std::size_t param);
  [[nodiscard]] Result<std::int64_t> integer(std::size_t param);
  [[nodiscard]] Result<std::int64_t> integer_of(const Json& value, std::size_t param) const;
  /// An omitted or null argument is `otherwise`.
  [[nodiscard]] Result<std::int64_t> integer_or(std::size_t param, std::int64_t otherwise);
  /// A number that was computed, or why it could not be.
  [[nodiscard]] Result<Value> number(Number computed);
  [[nodiscard]] tl::unexpected<Error> expected(std::string_view what, const Json& got, std::size_t param) const;
};

}  // namespace catena::lang::fn
