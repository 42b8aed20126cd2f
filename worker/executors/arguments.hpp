#pragma once
// Reading a builtin's arguments: every mistake is an error that names the builtin, the argument, what it is and what it should be.
#include <optional>
#include <string>
#include <string_view>

#include "worker/executor.hpp"

namespace catena::worker {

/// 128 bits: a list of 64-bit numbers cannot overflow their sum.
__extension__ using WideInteger = __int128;

/// A JSON number: exact while it is an integer of 64 bits.
struct Number {
  bool exact = true;
  WideInteger whole = 0;  // when exact
  double real = 0;        // otherwise
  /// Exact for every value of either kind: the mantissa has 64 bits.
  [[nodiscard]] long double value() const { return exact ? static_cast<long double>(whole) : static_cast<long double>(real); }
};

[[nodiscard]] Number read_number(lang::JsonView number);
/// As JSON; error number_out_of_range when it does not fit.
[[nodiscard]] Result<std::string> print(const Number& number);

class Arguments {
 public:
  /// The task must outlive it.
  explicit Arguments(const Task& task) : builtin_{task.endpoint.target}, object_{task.arguments} {}

  /// Absent and null are the same.
  [[nodiscard]] std::optional<lang::JsonView> find(std::string_view name) const;
  [[nodiscard]] bool has(std::string_view name) const { return find(name).has_value(); }
  [[nodiscard]] Result<lang::JsonView> required(std::string_view name, lang::JsonKind kind) const;
  [[nodiscard]] Result<std::optional<lang::JsonView>> optional(std::string_view name, lang::JsonKind kind) const;
  [[nodiscard]] Result<std::string> string(std::string_view name) const;
  [[nodiscard]] Result<std::string> string_or(std::string_view name, std::string_view otherwise) const;
  /// An integer within [low, high].
  [[nodiscard]] Result<std::int64_t> integer_or(std::string_view name, std::int64_t otherwise, std::int64_t low, std::int64_t high) const;

  /// "builtin 'x': argument 'y' " and the rest.
  [[nodiscard]] Error error(Code code, std::string_view name, std::string_view rest) const;
  [[nodiscard]] Error wrong_type(std::string_view name, std::string_view wanted, lang::JsonKind given) const;

 private:
  std::string_view builtin_;
  lang::JsonView object_;
};

}  // namespace catena::worker
