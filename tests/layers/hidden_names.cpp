#include "tests/layers/hidden_names.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace house {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string_view first_word(std::string_view code) {
  const auto end = std::ranges::find_if_not(code, is_word);
  return code.substr(0, static_cast<std::size_t>(end - code.begin()));
}

/// What stands behind a word and blanks; empty when it is another word.
std::string_view behind(std::string_view code, std::string_view word) {
  if (first_word(code) != word) return {};
  code.remove_prefix(std::min(code.find_first_not_of(' ', word.size()), code.size()));
  return code;
}

std::string_view without_attribute(std::string_view code) {
  if (!code.starts_with("[[")) return code;
  const auto end = code.find("]] ");
  return end == std::string_view::npos ? std::string_view{} : code.substr(end + 3);
}

/// Of a function or a variable: the word before the first of ( { = ; [ that is not within < >.
std::string_view object_name(std::string_view code) {
  int depth = 0;
  std::size_t at = 0;
  for (; at < code.size(); ++at) {
    if (code[at] == '<') ++depth;
    if (code[at] == '>') --depth;
    if (depth == 0 && std::string_view{"({=;["}.find(code[at]) != std::string_view::npos) break;
  }
  if (at == code.size()) return {};
  auto end = at;
  while (end > 0 && code[end - 1] == ' ') --end;
  auto begin = end;
  while (begin > 0 && is_word(code[begin - 1])) --begin;
  if (begin > 0 && code[begin - 1] == ':') return {};  // a member of a class, defined
  const auto name = code.substr(begin, end - begin);
  return begin == 0 || name == "operator" ? std::string_view{} : name;  // begin == 0: a macro
}

std::string_view declared_name(std::string_view code) {
  for (const std::string_view other : {"", "namespace", "template", "static_assert"}) {
    if (first_word(code) == other) return {};
  }
  if (const auto alias = behind(code, "using"); !alias.empty()) {
    return alias.find('=') == std::string_view::npos ? std::string_view{} : first_word(alias);
  }
  for (const std::string_view kind : {"struct", "class", "union", "enum"}) {
    const auto type = behind(code, kind);
    if (type.empty()) continue;
    const auto scoped = behind(type, "class");
    return first_word(scoped.empty() ? type : scoped);
  }
  return object_name(code);
}

}  // namespace

std::string HiddenNames::in(std::string_view line) {
  constexpr std::string_view kEnd = "}  // namespace";
  if (line.starts_with("namespace ") && line.ends_with(" {")) {
    scopes_.emplace_back(line.substr(sizeof "namespace" - 1, line.size() - sizeof "namespace" - 1));
  } else if (line.starts_with(kEnd) && !scopes_.empty()) {
    scopes_.pop_back();
  } else if (!scopes_.empty() && scopes_.back().empty()) {
    const auto name = declared_name(without_attribute(line));
    if (!name.empty()) return std::accumulate(scopes_.begin(), scopes_.end(), std::string{}).append(" ").append(name);
  }
  return {};
}

}  // namespace house
