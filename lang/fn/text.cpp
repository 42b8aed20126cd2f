#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>

#include "base/unicode.hpp"
#include "lang/fn/families.hpp"

namespace catena::lang::fn {
namespace {

/// A scalar as people read it: strings as they are, everything else as JSON.
std::string written(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

/// A text made of another, character by character: none grows to more than three bytes a byte.
Result<Value> changed(Invocation& call, std::string (*change)(std::string_view)) {
  const auto text = call.text(0);
  if (!text) return text;
  const auto& whole = text->get().get_ref<const std::string&>();
  if (auto paid = call.charge(1 + whole.size() / 16, whole.size() * 3); !paid) return fail(paid.error());
  return Value{change(whole)};
}

/// The text behind the space that it begins with, and ahead of the space that it ends with.
std::string_view trimmed(std::string_view text) {
  while (!text.empty()) {
    const auto next = first_character(text);
    if (!is_space(next.code)) break;
    text.remove_prefix(next.bytes.size());
  }
  std::size_t end = 0;
  for (auto rest = text; !rest.empty();) {
    const auto next = first_character(rest);
    rest.remove_prefix(next.bytes.size());
    if (!is_space(next.code)) end = text.size() - rest.size();
  }
  return text.substr(0, end);
}

}  // namespace

Result<Value> join(Invocation& call) {
  const auto array = call.list(0);
  if (!array) return array;
  const auto separator = call.text(1);
  if (!separator) return separator;
  const auto& between = separator->get().get_ref<const std::string&>();
  std::string joined;
  bool first = true;
  for (const auto& element : array->get()) {
    const auto name = element.is_object() ? element.find("name") : element.end();
    const auto& shown = element.is_object() && name != element.end() ? *name : element;
    if (shown.is_null()) continue;
    if (auto paid = call.charge(steps_of(shown), bytes_of(shown) + between.size()); !paid) return fail(paid.error());
    if (!first) joined += between;
    first = false;
    joined += written(shown);
  }
  return Value{std::move(joined)};
}

Result<Value> split(Invocation& call) {
  const auto text = call.text(0);
  if (!text) return text;
  const auto separator = call.text(1);
  if (!separator) return separator;
  const auto& whole = text->get().get_ref<const std::string&>();
  const auto& between = separator->get().get_ref<const std::string&>();
  if (between.empty()) return call.refuse(Code::expression_value, "must not be empty", 1);
  Json made = Json::array();
  for (std::size_t from = 0;;) {
    const auto end = find_text(whole, between, from);
    auto piece = whole.substr(from, end == std::string::npos ? end : end - from);
    if (auto paid = call.charge(1, bytes_of(piece)); !paid) return fail(paid.error());
    made.push_back(std::move(piece));
    if (end == std::string::npos) return Value{std::move(made)};
    from = end + between.size();
  }
}

Result<Value> replace(Invocation& call) {
  const auto text = call.text(0);
  if (!text) return text;
  const auto search = call.text(1);
  if (!search) return search;
  const auto replacement = call.text(2);
  if (!replacement) return replacement;
  const auto& whole = text->get().get_ref<const std::string&>();
  const auto& old = search->get().get_ref<const std::string&>();
  const auto& fresh = replacement->get().get_ref<const std::string&>();
  if (old.empty()) return call.refuse(Code::expression_value, "must not be empty", 1);
  if (auto paid = call.charge(0, whole.size()); !paid) return fail(paid.error());
  std::string made;
  for (std::size_t from = 0;;) {
    const auto end = find_text(whole, old, from);
    made.append(whole, from, end == std::string::npos ? end : end - from);
    if (end == std::string::npos) return Value{std::move(made)};
    if (auto paid = call.charge(1, fresh.size()); !paid) return fail(paid.error());
    made += fresh;
    from = end + old.size();
  }
}

Result<Value> lower(Invocation& call) { return changed(call, to_lower); }

Result<Value> upper(Invocation& call) { return changed(call, to_upper); }

Result<Value> trim(Invocation& call) {
  const auto text = call.text(0);
  if (!text) return text;
  const auto& whole = text->get().get_ref<const std::string&>();
  if (auto paid = call.charge(1 + whole.size() / 16, whole.size()); !paid) return fail(paid.error());
  return Value{std::string{trimmed(whole)}};
}

Result<Value> to_string(Invocation& call) {
  auto value = call.value(0);
  if (!value || value->get().is_string()) return value;
  if (auto paid = call.charge(steps_of(value->get()), bytes_of(value->get()) * 6); !paid) return fail(paid.error());
  return Value{value->get().dump()};
}

Result<Value> regex_match(Invocation& call) {
  constexpr std::uint64_t kCompileSteps = 100;
  constexpr std::size_t kPatternBytesMax = 4096;
  const auto text = call.text(0);
  if (!text) return text;
  const auto pattern = call.text(1);
  if (!pattern) return pattern;
  const auto& written_pattern = pattern->get().get_ref<const std::string&>();
  if (written_pattern.size() > kPatternBytesMax) {
    return call.refuse(Code::pattern_invalid, fmt::format("has {} bytes; {} are allowed", written_pattern.size(), kPatternBytesMax), 1);
  }
  if (auto paid = call.charge(kCompileSteps + written_pattern.size() * 4 + steps_of(text->get()) * 4, 0); !paid) return fail(paid.error());
  RE2::Options options;
  options.set_log_errors(false);
  const RE2 compiled{written_pattern, options};
  if (!compiled.ok()) {
    return call.refuse(Code::pattern_invalid, fmt::format("the regular expression '{}' cannot be read: {}", written_pattern, compiled.error()), 1);
  }
  return Value{RE2::PartialMatch(text->get().get_ref<const std::string&>(), compiled)};
}

}  // namespace catena::lang::fn
