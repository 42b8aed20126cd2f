#include "lang/program/endpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/characters.hpp"
#include "base/suggest.hpp"
#include "lang/program/description.hpp"
#include "lang/program/reference.hpp"

namespace catena::lang {
namespace {

constexpr std::string_view kForms =
    "builtin:<name>, exec:<program> [args…], serve:<program> [args…], http://…, https://…, remote:<capability> or "
    "signal:<name>";
// Of the language, but executed by a later version.
constexpr std::array<std::string_view, 1> kLater{"mcp"};

tl::unexpected<Error> bad_endpoint(std::string message, const Place& where) { return fail(Code::endpoint_unknown, std::move(message), where); }

Result<Endpoint> builtin(std::string_view kind, std::string_view target, const Place& where) {
  if (target.empty()) return bad_endpoint("'builtin:' names no builtin; write builtin:<name>", where);
  if (std::ranges::any_of(target, is_space)) {
    return bad_endpoint(fmt::format("'builtin:{}': a builtin takes its arguments as JSON, not as words behind its name", target), where);
  }
  return Endpoint{std::string{kind}, std::string{target}, {}};
}

Result<Endpoint> process(std::string_view kind, std::string_view command, const Place& where) {
  auto words = split_words(command);
  if (!words) return bad_endpoint(fmt::format("'{}:{}' has a quote that is not closed", kind, command), where);
  if (words->empty() || words->front().empty()) return bad_endpoint(fmt::format("'{0}:' names no program; write {0}:<program> [args…]", kind), where);
  // `tools.py#square`: of the tools that the program serves, one; a word of its own then, which is not for the program
  const auto hash = words->back().rfind('#');
  if (kind == "serve" && hash != std::string::npos && hash > 0 && is_step_id(std::string_view{words->back()}.substr(hash + 1))) {
    auto tool = words->back().substr(hash);
    words->back().resize(hash);
    words->push_back(std::move(tool));
  }
  auto program = std::move(words->front());
  words->erase(words->begin());
  return Endpoint{std::string{kind}, std::move(program), std::move(*words)};
}

bool is_port(std::string_view text) {
  return !text.empty() && text.size() <= 5 && text.find_first_not_of("0123456789") == std::string_view::npos &&
         std::stoul(std::string{text}) - 1 < 65535;
}

/// What is wrong with the address behind `http:` or `https:`; empty: nothing.
std::string_view address_problem(std::string_view address) {
  if (!address.starts_with("//")) return "must go on with '//' and a host";
  const bool strange =
      std::ranges::any_of(address, [](char c) { return c <= ' ' || c > '~' || std::string_view{"\"<>\\^`{|}"}.find(c) != std::string_view::npos; });
  if (strange) return "has a space or another character that no address has; write it as %XX";
  address.remove_prefix(2);
  auto host = address.substr(0, address.find_first_of("/?#"));
  // and not shown: it ends up in messages and records
  if (host.find('@') != std::string_view::npos) return "must hold no credentials";
  const bool bracketed = host.starts_with('[');
  const auto end = bracketed ? host.find(']') : host.find(':');
  if (bracketed && end == std::string_view::npos) return "has a '[' that is not closed";
  const auto rest = end == std::string_view::npos ? std::string_view{} : host.substr(bracketed ? end + 1 : end);
  host = host.substr(bracketed ? 1 : 0, bracketed ? end - 1 : end);
  if (host.empty()) return "has no host";
  if (!rest.empty() && (!rest.starts_with(':') || !is_port(rest.substr(1)))) return "has a port that is no number from 1 to 65535";
  return {};
}

Result<Endpoint> http(std::string_view kind, std::string_view address, const Place& where) {
  const auto problem = address_problem(address);
  if (problem.empty()) return Endpoint{std::string{kind}, std::string{address}, {}};
  const auto shown = address.find('@') == std::string_view::npos ? address : std::string_view{"//…"};
  return bad_endpoint(fmt::format("the endpoint '{0}:{1}' {2}; write {0}://host[:port]/path", kind, shown, problem), where);
}

Result<Endpoint> remote(std::string_view kind, std::string_view capability, const Place& where) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
  if (capability.empty()) return bad_endpoint("'remote:' names no capability; write remote:<capability>", where);
  if (capability.find_first_not_of(kAllowed) != std::string_view::npos) {
    return bad_endpoint(fmt::format("the capability of 'remote:{}' must be made of letters, digits, '_', '.' and '-'", capability), where);
  }
  return Endpoint{std::string{kind}, std::string{capability}, {}};
}

Result<Endpoint> signal(std::string_view kind, std::string_view name, const Place& where) {
  if (!is_signal_name(name))
    return bad_endpoint(
        fmt::format("'signal:{}' names no signal; write signal:<name>, with {}", name.substr(0, kSignalNameBytesMax), kSignalNameRule), where);
  return Endpoint{std::string{kind}, std::string{name}, {}};
}

struct Form {
  std::string_view kind;
  Result<Endpoint> (*read)(std::string_view kind, std::string_view target, const Place& where);
};
constexpr std::array kOwnForms{Form{"builtin", builtin}, Form{"exec", process},  Form{"serve", process}, Form{"http", http},
                               Form{"https", http},      Form{"remote", remote}, Form{"signal", signal}};

std::string_view endpoint_kind(std::string_view text) { return text.substr(0, text.find(':')); }

}  // namespace

Result<Endpoint> parse_endpoint(std::string_view text, const Place& where) {
  text = without_space_around(text);
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) return bad_endpoint(fmt::format("'{}' is not an endpoint; write {}", text, kForms), where);
  const auto kind = endpoint_kind(text);
  const auto form = std::ranges::find(kOwnForms, kind, &Form::kind);
  if (form != kOwnForms.end()) return form->read(kind, without_space_around(text.substr(colon + 1)), where);
  if (std::ranges::find(kLater, kind) != kLater.end()) {
    return fail(Code::feature_unavailable, fmt::format("'{}:' endpoints are not in this version; it executes {}", kind, kForms), where);
  }
  std::vector<std::string> kinds;
  for (const auto& own : kOwnForms) kinds.emplace_back(own.kind);
  // a slip of the pen rather than a form of another system
  const auto meant = text.substr(colon).starts_with("::") ? std::string{} : did_you_mean(kind, kinds);
  if (!meant.empty()) return bad_endpoint(fmt::format("nothing executes endpoints of the form '{}'; write {}{}", text, kForms, meant), where);
  return fail(Code::endpoint_unmapped, fmt::format("nothing executes endpoints of the form '{}'", text), where);
}

bool is_own_form(std::string_view text) {
  text = without_space_around(text);
  if (text.find(':') == std::string_view::npos) return false;
  const auto kind = endpoint_kind(text);
  return std::ranges::find(kOwnForms, kind, &Form::kind) != kOwnForms.end() || std::ranges::find(kLater, kind) != kLater.end();
}

bool is_signal_name(std::string_view name) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
  return !name.empty() && name.size() <= kSignalNameBytesMax && name.find_first_not_of(kAllowed) == std::string_view::npos;
}

bool runs_program(const Endpoint& endpoint) { return endpoint.kind == "exec" || endpoint.kind == "serve"; }

std::string endpoint_text(const Endpoint& endpoint) {
  auto text = fmt::format("{}:{}", endpoint.kind, endpoint.target);
  for (const auto& arg : command_arguments(endpoint)) {
    const bool plain = !arg.empty() && arg.find_first_of(" \t\r\n'\"") == std::string::npos;
    const char quote = arg.find('\'') == std::string::npos ? '\'' : '"';
    text += plain ? " " + arg : fmt::format(" {0}{1}{0}", quote, arg);
  }
  if (const auto tool = served_tool(endpoint); !tool.empty()) text += '#' + tool;
  return text;
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
    if (is_space(c)) {
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
