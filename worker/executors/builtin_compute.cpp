// Builtins that compute: math, render_template.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/cut_text.hpp"
#include "base/suggest.hpp"
#include "lang/expr/eval_text.hpp"
#include "lang/fn/arithmetic.hpp"
#include "lang/template/text_template.hpp"
#include "worker/executors/arguments.hpp"
#include "worker/executors/builtin_functions.hpp"
#include "worker/executors/core_support.hpp"

namespace catena::worker::builtin {
namespace {

using lang::fn::Trouble;
using NumberOrTrouble = lang::fn::Number;
using Numbers = std::vector<Json>;

constexpr double kExactIntegers = 0x1p53;

tl::unexpected<Trouble> trouble(Code code, std::string message) { return tl::unexpected<Trouble>{Trouble{code, std::move(message)}}; }

template <NumberOrTrouble (*step)(const Json&, const Json&)>
NumberOrTrouble fold(const Numbers& numbers, std::int64_t) {
  NumberOrTrouble total = numbers.front();
  for (std::size_t index = 1; total && index < numbers.size(); ++index) total = step(*total, numbers[index]);
  return total;
}

NumberOrTrouble sum_of(const Numbers& numbers, std::int64_t) {
  NumberOrTrouble total = Json(0U);
  for (const auto& number : numbers) {
    if (!total) break;
    total = lang::fn::add(*total, number);
  }
  return total;
}

NumberOrTrouble average(const Numbers& numbers, std::int64_t digits) {
  const auto total = sum_of(numbers, digits);
  return total ? lang::fn::divide(*total, Json(numbers.size())) : total;
}

/// JSON compares an integer with a double by its value as a double, which is what a person expects of 1 and 1.0.
NumberOrTrouble least(const Numbers& numbers, std::int64_t) { return *std::ranges::min_element(numbers); }
NumberOrTrouble greatest(const Numbers& numbers, std::int64_t) { return *std::ranges::max_element(numbers); }

/// Of integers by squaring, so that the result is exact or an error.
NumberOrTrouble power(const Json& base, const Json& exponent) {
  if (base.is_number_float() || exponent.is_number_float() || exponent.get<double>() < 0) {
    const auto value = std::pow(base.get<double>(), exponent.get<double>());
    if (std::isnan(value)) return trouble(Code::number_out_of_range, "a negative number has no power with a fraction for exponent");
    return lang::fn::finite(value);
  }
  NumberOrTrouble result = Json(1U);
  NumberOrTrouble square = base;
  for (auto left = exponent.get<std::uint64_t>(); left != 0; left >>= 1U) {
    if ((left & 1U) != 0) result = square ? lang::fn::multiply(*result, *square) : square;
    if (!result) return result;
    // one square more than is needed may overflow, and is not
    if (left > 1) square = square ? lang::fn::multiply(*square, *square) : square;
  }
  return result;
}
NumberOrTrouble power_of(const Numbers& numbers, std::int64_t) { return power(numbers[0], numbers[1]); }

NumberOrTrouble square_root(const Numbers& numbers, std::int64_t) {
  const auto& number = numbers.front();
  if (number.get<double>() < 0) return trouble(Code::number_out_of_range, "a negative number has no square root");
  const auto root = std::sqrt(number.get<double>());
  if (!number.is_number_float() && root < kExactIntegers && std::trunc(root) == root) {
    const Json whole(static_cast<std::uint64_t>(root));
    if (const auto square = lang::fn::multiply(whole, whole); square && *square == number) return whole;
  }
  return lang::fn::finite(root);
}

NumberOrTrouble absolute(const Numbers& numbers, std::int64_t) {
  return numbers.front().get<double>() < 0 ? lang::fn::negate(numbers.front()) : NumberOrTrouble{numbers.front()};
}

NumberOrTrouble whole(double value) {
  if (value >= -0x1p63 && value < 0) return Json(static_cast<std::int64_t>(value));
  if (value >= 0 && value < 0x1p64) return Json(static_cast<std::uint64_t>(value));
  return trouble(Code::number_out_of_range, "the result does not fit in an integer of 64 bits");
}

template <double (*step)(double)>
NumberOrTrouble to_whole(const Numbers& numbers, std::int64_t) {
  return numbers.front().is_number_float() ? whole(step(numbers.front().get<double>())) : NumberOrTrouble{numbers.front()};
}
double down(double value) { return std::floor(value); }
double up(double value) { return std::ceil(value); }

NumberOrTrouble rounded(const Numbers& numbers, std::int64_t digits) {
  const auto& number = numbers.front();
  if (!number.is_number_float()) return number;
  if (digits == 0) return whole(std::round(number.get<double>()));
  const auto scale = std::pow(10.0, static_cast<double>(digits));
  const auto scaled = std::round(number.get<double>() * scale) / scale;
  return std::isfinite(scaled) ? Json(scaled) : number;  // too large to have digits behind its point
}

struct Operation {
  std::string_view name;
  std::size_t least;
  std::size_t most;  // 0: any number
  NumberOrTrouble (*run)(const Numbers& numbers, std::int64_t digits);
};
constexpr std::array kOperations{
    Operation{"add", 1, 0, &fold<&lang::fn::add>},
    Operation{"subtract", 2, 0, &fold<&lang::fn::subtract>},
    Operation{"multiply", 1, 0, &fold<&lang::fn::multiply>},
    Operation{"divide", 2, 0, &fold<&lang::fn::divide>},
    Operation{"modulo", 2, 2, &fold<&lang::fn::modulo>},
    Operation{"power", 2, 2, &power_of},
    Operation{"min", 1, 0, &least},
    Operation{"max", 1, 0, &greatest},
    Operation{"sum", 0, 0, &sum_of},
    Operation{"average", 1, 0, &average},
    Operation{"round", 1, 1, &rounded},
    Operation{"floor", 1, 1, &to_whole<&down>},
    Operation{"ceil", 1, 1, &to_whole<&up>},
    Operation{"abs", 1, 1, &absolute},
    Operation{"negate", 1, 1, [](const Numbers& numbers, std::int64_t) { return lang::fn::negate(numbers.front()); }},
    Operation{"sqrt", 1, 1, &square_root},
};

/// `values`, or `a` and `b`.
Result<Numbers> operands(const Arguments& arguments) {
  Numbers numbers;
  if (arguments.has("values")) {
    for (const auto* other : {"a", "b"}) {
      if (arguments.has(other)) return fail(arguments.error(Code::fields_exclusive, other, "and argument 'values' are both given; give one"));
    }
    const auto values = arguments.required("values", lang::JsonKind::list);
    if (!values) return fail(values.error());
    numbers = values->parse().get<Numbers>();
    for (std::size_t index = 0; index < numbers.size(); ++index) {
      if (numbers[index].is_number()) continue;
      return fail(arguments.error(Code::argument_type, fmt::format("values[{}]", index),
                                  fmt::format("must be a number, but it is {}", cut_text(numbers[index].dump(), 40))));
    }
    return numbers;
  }
  for (const auto* operand : {"a", "b"}) {
    const auto given = arguments.optional(operand, lang::JsonKind::number);
    if (!given) return fail(given.error());
    if (*given) numbers.push_back((*given)->parse());
  }
  return numbers;
}

Result<Json> calculate(const Arguments& arguments, const std::string& operation) {
  const auto* const row = std::ranges::find(kOperations, operation, &Operation::name);
  if (row == kOperations.end()) {
    std::vector<std::string> known;
    for (const auto& each : kOperations) known.emplace_back(each.name);
    return fail(arguments.error(Code::argument_enum, "operation",
                                fmt::format("is '{}', which is none of {}{}", operation, fmt::join(known, ", "), did_you_mean(operation, known))));
  }
  const auto numbers = operands(arguments);
  if (!numbers) return fail(numbers.error());
  if (numbers->size() < row->least || (row->most != 0 && numbers->size() > row->most)) {
    const auto wanted = row->most == row->least ? fmt::format("{}", row->least) : fmt::format("at least {}", row->least);
    return fail(arguments.error(Code::argument_missing, "operation",
                                fmt::format("is '{}', which takes {} number{}, but {} {} given: a and b, or values", operation, wanted,
                                            row->least == 1 ? "" : "s", numbers->size(), numbers->size() == 1 ? "is" : "are")));
  }
  const auto digits = arguments.integer_or("digits", 0, 0, 15);
  if (!digits) return fail(digits.error());
  auto result = row->run(*numbers, *digits);
  if (!result) return fail(result.error().code, fmt::format("builtin 'math': operation '{}': {}", operation, result.error().message));
  return std::move(*result);
}

Result<Json> variables_of(const Arguments& arguments) {
  const auto given = arguments.optional("variables", lang::JsonKind::object);
  if (!given) return fail(given.error());
  return *given ? (*given)->parse() : Json::object();
}

Result<Json> evaluate(const Arguments& arguments, const std::string& expression, const BuiltinContext& around) {
  const auto variables = variables_of(arguments);
  if (!variables) return fail(variables.error());
  auto value = lang::expr::evaluate_text(expression, *variables, around.options.clock->now());
  if (!value) return fail(told_whole(std::move(value.error())));
  return value;
}

}  // namespace

Result<lang::JsonText> math(const Task& task, const BuiltinContext& around) {
  const Arguments arguments{task};
  const auto operation = arguments.optional("operation", lang::JsonKind::string);
  if (!operation) return fail(operation.error());
  const auto expression = arguments.optional("expression", lang::JsonKind::string);
  if (!expression) return fail(expression.error());
  if (operation->has_value() == expression->has_value()) {
    const auto code = *operation ? Code::fields_exclusive : Code::argument_missing;
    return fail(arguments.error(code, "operation", fmt::format("and argument 'expression' are {} given; give one", *operation ? "both" : "not")));
  }
  auto result = *operation ? calculate(arguments, (*operation)->string()) : evaluate(arguments, (*expression)->string(), around);
  if (!result) return fail(std::move(result.error()));
  return lang::to_text(Json{{"result", std::move(*result)}});
}

Result<lang::JsonText> render_template(const Task& task, const BuiltinContext& around) {
  const Arguments arguments{task};
  const bool from_file = arguments.has("template_path");
  if (from_file == arguments.has("template")) {
    const auto code = from_file ? Code::fields_exclusive : Code::argument_missing;
    return fail(arguments.error(code, "template", fmt::format("and argument 'template_path' are {} given; give one", from_file ? "both" : "not")));
  }
  const auto given = arguments.string(from_file ? "template_path" : "template");
  if (!given) return fail(given.error());
  const auto variables = variables_of(arguments);
  if (!variables) return fail(variables.error());
  const auto content = from_file ? read_stored_text(arguments, "template_path", *given, "", around) : given;
  if (!content) return fail(content.error());
  const auto parsed = lang::TextTemplate::parse(*content, from_file ? *given : "template");
  if (!parsed) return fail(told_whole(parsed.error()));
  const lang::expr::ObjectVariables names{*variables};
  auto text = parsed->render({.variables = names, .now = around.options.clock->now(), .files = around.options.files});
  if (!text) return fail(told_whole(std::move(text.error())));
  return lang::to_text(Json{{"text", std::move(*text)}});
}

}  // namespace catena::worker::builtin
