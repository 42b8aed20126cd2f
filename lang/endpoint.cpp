#include "lang/endpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/suggest.hpp"

namespace catena::lang {
namespace {

constexpr std::string_view kForms = "builtin:<name> or exec:<program> [args…]";
// Of the language, but executed by a later version.
constexpr std::array<std::string_view, 5> kLater{"serve", "http", "https", "mcp", "remote"};
constexpr std::string_view kSpace = " \t\r\n";

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

Result<Endpoint> builtin(std::string_view target, const Place& where) {
  if (target.empty()) return fail(Code::endpoint_unknown, "'builtin:' names no builtin; write builtin:<name>", where);
  if (target.find_first_of(kSpace) != std::string_view::npos) {
    return fail(Code::endpoint_unknown,
                fmt::format("'builtin:{}': a builtin takes its arguments as JSON, not as words behind its name", target), where);
  }
  return Endpoint{"builtin", std::string{target}, {}};
}

Result<Endpoint> process(std::string_view command, const Place& where) {
  auto words = split_words(command);
  if (!words) return fail(Code::endpoint_unknown, fmt::format("'exec:{}' has a quote that is not closed", command), where);
  if (words->empty() || words->front().empty()) {
    return fail(Code::endpoint_unknown, "'exec:' names no program; write exec:<program> [args…]", where);
  }
  auto program = std::move(words->front());
  words->erase(words->begin());
  return Endpoint{"exec", std::move(program), std::move(*words)};
}

}  // namespace

Result<Endpoint> parse_endpoint(std::string_view text, const Place& where) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) {
    return fail(Code::endpoint_unknown, fmt::format("'{}' is not an endpoint; write {}", text, kForms), where);
  }
  const auto kind = text.substr(0, colon);
  const auto target = trim(text.substr(colon + 1));
  if (kind == "builtin") return builtin(target, where);
  if (kind == "exec") return process(target, where);
  if (std::ranges::find(kLater, kind) != kLater.end()) {
    return fail(Code::feature_unavailable, fmt::format("'{}:' endpoints are not in this version; it executes {}", kind, kForms), where);
  }
  const std::array<std::string, 2> kinds{"builtin", "exec"};
  return fail(Code::endpoint_unknown,
              fmt::format("nothing executes endpoints of the form '{}'; write {}{}", text, kForms, did_you_mean(kind, kinds)), where);
}

std::optional<std::vector<std::string>> split_words(std::string_view text) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = 0;
  for (const char c : text) {
    if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else {
        words.back() += c;
      }
      continue;
    }
    if (kSpace.find(c) != std::string_view::npos) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (c == '\'' || c == '"') {
      quote = c;
    } else {
      words.back() += c;
    }
  }
  if (quote != 0) return std::nullopt;
  return words;
}

}  // namespace catena::lang
