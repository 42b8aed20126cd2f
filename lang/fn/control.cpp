#include <algorithm>
#include <array>

#include "lang/fn/families.hpp"

namespace catena::lang::fn {
namespace {

/// if() alone takes the words of other programs for false, too.
bool says_false(const Json& value) {
  constexpr std::array<std::string_view, 4> kFalse{"false", "0", "null", "none"};
  if (!value.is_string()) return !truthy(value);
  const auto& text = value.get_ref<const std::string&>();
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; };
  return text.empty() || std::ranges::any_of(kFalse, [&](std::string_view word) { return std::ranges::equal(text, word, {}, lower); });
}

bool finds_nothing(Code code) { return code == Code::reference_unresolved || code == Code::file_not_found || code == Code::file_version_not_found; }

}  // namespace

Result<Value> pipeline(Invocation& call) {
  auto initial = call.value(0);
  if (!initial) return initial;
  return call.run_operations(1, std::move(*initial));
}

Result<Value> choose(Invocation& call) {
  const auto condition = call.value(0);
  if (!condition) return condition;
  return call.value(says_false(condition->get()) ? 2 : 1);
}

Result<Value> fallback(Invocation& call) {
  auto value = call.value(0);
  const bool missing = value ? value->get().is_null() : finds_nothing(value.error().code);
  return missing ? call.value(1) : value;
}

}  // namespace catena::lang::fn
