#pragma once
// The functions of expressions: one constant table for checking, evaluation, tests and `catena functions`.
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "lang/fn/value.hpp"

namespace catena::lang::fn {

class Invocation;

/// What a parameter takes.
enum class Takes {
  value,
  pattern,     // a regular expression; a literal is checked before anything runs
  per_item,    // an expression over `item`, a text that holds one, or a lambda
  operations,  // a list of expressions over `current`, of texts that hold such, or of lambdas
};

struct Param {
  std::string_view name;
  Takes takes = Takes::value;
  bool required = true;
  std::string_view fallback = "null";  // JSON: what an omitted argument is
};

/// Arguments beyond the parameters.
enum class Rest { none, positional, named };

enum class Purity {
  pure,
  reads_time,   // of the evaluation's input, so replay sees the same
  reads_files,  // of the evaluation's input, which may have none
};

inline constexpr std::size_t kParamsMax = 4;

struct FnSpec {
  std::string_view name;
  std::array<Param, kParamsMax> slots;  // those without a name are not there
  Rest rest = Rest::none;
  Purity purity = Purity::pure;
  std::string_view doc;
  std::string_view example;
  std::string_view result;  // of the example, as JSON
  Result<Value> (*run)(Invocation&) = nullptr;

  [[nodiscard]] constexpr std::size_t param_count() const {
    std::size_t count = 0;
    while (count < kParamsMax && !slots[count].name.empty()) ++count;
    return count;
  }
  [[nodiscard]] constexpr std::span<const Param> params() const { return std::span{slots}.first(param_count()); }
};

[[nodiscard]] std::span<const FnSpec> functions();
/// The row of that name, or nullptr.
[[nodiscard]] const FnSpec* find_function(std::string_view name);
/// For messages and suggestions, in the order of the table.
[[nodiscard]] const std::vector<std::string>& function_names();
/// "sort(array, key_path=null, direction="asc")"
[[nodiscard]] std::string signature(const FnSpec& spec);

}  // namespace catena::lang::fn
