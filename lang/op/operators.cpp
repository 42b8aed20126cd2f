#include "lang/op/operators.hpp"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <compare>

#include "lang/document/json_equal.hpp"
#include "lang/fn/value.hpp"

namespace catena::lang {
namespace {

bool unfit(std::string_view op, std::string_view needs, const Json& param, const Json& value, std::string& warning) {
  warning = fmt::format("'{}' needs {}, got {} and {}; the condition counts as false", op, needs, fn::kind_of(param), fn::kind_of(value));
  return false;
}

template <class Holds>
bool ordered(std::string_view op, const Json& param, const Json& value, std::string& warning, Holds holds) {
  if (param.is_number() && value.is_number()) return holds(compare_numbers(param, value));
  if (param.is_string() && value.is_string()) {
    return holds(std::partial_ordering{param.get_ref<const std::string&>() <=> value.get_ref<const std::string&>()});
  }
  return unfit(op, "two numbers or two strings", param, value, warning);
}

enum class Membership { yes, no, unfit };

/// A substring of a string, a member of a list, a key of an object.
Membership membership(const Json& whole, const Json& part) {
  const auto answer = [](bool found) { return found ? Membership::yes : Membership::no; };
  if (whole.is_array()) return answer(std::ranges::any_of(whole, [&](const Json& member) { return json_equal(member, part); }));
  if (!part.is_string()) return Membership::unfit;
  const auto& text = part.get_ref<const std::string&>();
  if (whole.is_string()) return answer(whole.get_ref<const std::string&>().find(text) != std::string::npos);
  return whole.is_object() ? answer(whole.contains(text)) : Membership::unfit;
}

constexpr std::string_view kContainsNeeds = "a list, or a string or an object with a string";
constexpr std::string_view kInNeeds = "anything and a list, or a string and a string or an object";

bool equals(const Json& param, const Json& value, std::string& /*warning*/) { return json_equal(param, value); }
bool not_equals(const Json& param, const Json& value, std::string& /*warning*/) { return !json_equal(param, value); }
bool exists(const Json& param, const Json& /*value*/, std::string& /*warning*/) { return !param.is_null(); }
bool not_exists(const Json& param, const Json& /*value*/, std::string& /*warning*/) { return param.is_null(); }

bool greater_than(const Json& param, const Json& value, std::string& warning) {
  return ordered("greater_than", param, value, warning, [](std::partial_ordering order) { return order > 0; });
}
bool less_than(const Json& param, const Json& value, std::string& warning) {
  return ordered("less_than", param, value, warning, [](std::partial_ordering order) { return order < 0; });
}
bool greater_than_or_equal(const Json& param, const Json& value, std::string& warning) {
  return ordered("greater_than_or_equal", param, value, warning, [](std::partial_ordering order) { return order >= 0; });
}
bool less_than_or_equal(const Json& param, const Json& value, std::string& warning) {
  return ordered("less_than_or_equal", param, value, warning, [](std::partial_ordering order) { return order <= 0; });
}

bool contains(const Json& param, const Json& value, std::string& warning) {
  const auto found = membership(param, value);
  return found == Membership::unfit ? unfit("contains", kContainsNeeds, param, value, warning) : found == Membership::yes;
}
bool not_contains(const Json& param, const Json& value, std::string& warning) {
  const auto found = membership(param, value);
  return found == Membership::unfit ? unfit("not_contains", kContainsNeeds, param, value, warning) : found == Membership::no;
}
bool in(const Json& param, const Json& value, std::string& warning) {
  const auto found = membership(value, param);
  return found == Membership::unfit ? unfit("in", kInNeeds, param, value, warning) : found == Membership::yes;
}
bool not_in(const Json& param, const Json& value, std::string& warning) {
  const auto found = membership(value, param);
  return found == Membership::unfit ? unfit("not_in", kInNeeds, param, value, warning) : found == Membership::no;
}

bool starts_with(const Json& param, const Json& value, std::string& warning) {
  if (!param.is_string() || !value.is_string()) return unfit("starts_with", "two strings", param, value, warning);
  return param.get_ref<const std::string&>().starts_with(value.get_ref<const std::string&>());
}
bool ends_with(const Json& param, const Json& value, std::string& warning) {
  if (!param.is_string() || !value.is_string()) return unfit("ends_with", "two strings", param, value, warning);
  return param.get_ref<const std::string&>().ends_with(value.get_ref<const std::string&>());
}

/// RE2 takes time linear in the text, whatever the pattern.
RE2::Options quiet() {
  RE2::Options options;
  options.set_log_errors(false);
  return options;
}

bool matches(const Json& param, const Json& value, std::string& warning) {
  if (!param.is_string() || !value.is_string()) return unfit("matches", "two strings", param, value, warning);
  const RE2 pattern{value.get_ref<const std::string&>(), quiet()};
  if (!pattern.ok()) {
    warning = fmt::format("'matches' has a pattern that cannot be read ({}); the condition counts as false", pattern.error());
    return false;
  }
  return RE2::PartialMatch(param.get_ref<const std::string&>(), pattern);
}

constexpr std::array kOperators{
    Operator{"equals", true, "the two are equal as JSON; 1 equals 1.0, true never equals 1", equals},
    Operator{"not_equals", true, "the two are not equal as JSON", not_equals},
    Operator{"exists", false, "param is not null", exists},
    Operator{"not_exists", false, "param is null", not_exists},
    Operator{"greater_than", true, "param > value: two numbers or two strings", greater_than},
    Operator{"less_than", true, "param < value: two numbers or two strings", less_than},
    Operator{"greater_than_or_equal", true, "param >= value: two numbers or two strings", greater_than_or_equal},
    Operator{"less_than_or_equal", true, "param <= value: two numbers or two strings", less_than_or_equal},
    Operator{"contains", true, "value is a substring of the string, a member of the list or a key of the object param", contains},
    Operator{"not_contains", true, "value is no substring, member or key of param", not_contains},
    Operator{"in", true, "param is a member of the list, a substring of the string or a key of the object value", in},
    Operator{"not_in", true, "param is no member, substring or key of value", not_in},
    Operator{"starts_with", true, "the string param begins with the string value", starts_with},
    Operator{"ends_with", true, "the string param ends with the string value", ends_with},
    Operator{"matches", true, "the regular expression value (RE2 syntax) matches somewhere in the string param; anchor it with ^ and $", matches},
};

}  // namespace

std::span<const Operator> operators() { return kOperators; }

const Operator* find_operator(std::string_view name) {
  const auto row = std::ranges::find(kOperators, name, &Operator::name);
  return row == kOperators.end() ? nullptr : &*row;
}

const std::vector<std::string>& operator_names() {
  static const auto names = [] {
    std::vector<std::string> made;
    for (const auto& row : kOperators) made.emplace_back(row.name);
    return made;
  }();
  return names;
}

Result<void> check_pattern(std::string_view pattern) {
  const RE2 compiled{re2::StringPiece{pattern.data(), pattern.size()}, quiet()};
  if (compiled.ok()) return {};
  return fail(Code::pattern_invalid, fmt::format("the regular expression '{}' cannot be read: {}", pattern, compiled.error()));
}

}  // namespace catena::lang
