#include "link/preamble.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace catena::link {
namespace {

constexpr std::string_view kProtocol = "catena/";
constexpr std::string_view kVersion = "catena/2";
constexpr std::array<std::string_view, 10> kRefusals{"tls", "certificate", "preamble", "version", "token", "role", "busy", "files", "silent", "gone"};
static_assert(kRefusals.size() == static_cast<std::size_t>(Refusal::gone) + 1);

constexpr std::size_t kPreambleWordBytesMax = 32;

bool printable(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= ' ' && c < 0x7f; });
}

bool is_word(std::string_view text, std::size_t most) {
  return !text.empty() && text.size() <= most && std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7f; });
}

/// Up to the next blank, which is taken too.
std::string_view next_word(std::string_view& rest) {
  const auto end = std::min(rest.find(' '), rest.size());
  const auto word = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return word;
}

}  // namespace

std::string_view name(Refusal reason) { return kRefusals.at(static_cast<std::size_t>(reason)); }

bool valid_token(std::string_view token) { return token != "-" && is_word(token, kTokenBytesMax); }

std::string to_line(const Preamble& preamble) {
  return std::string{kVersion} + ' ' + preamble.role + ' ' + (preamble.token.empty() ? "-" : preamble.token) + '\n';
}

std::variant<Preamble, Refusal> parse_preamble(std::string_view line) {
  // A blank at the end would be taken for the end of the token.
  if (line.size() >= kPreambleBytesMax || !printable(line) || line.ends_with(' ')) return Refusal::preamble;
  const auto version = next_word(line);
  if (!version.starts_with(kProtocol) || version.size() == kProtocol.size()) return Refusal::preamble;
  // What another version says after its number is not ours to judge.
  if (version != kVersion) return Refusal::version;
  const auto role = next_word(line);
  const auto token = next_word(line);
  if (!is_word(role, kPreambleWordBytesMax) || !is_word(token, kTokenBytesMax) || !line.empty()) return Refusal::preamble;
  return Preamble{std::string{role}, token == "-" ? std::string{} : std::string{token}};
}

std::string to_line(const GateAnswer& answer) {
  auto line = answer.reason.empty() ? std::string{"ok"} : "no " + answer.reason + ' ' + answer.words;
  std::ranges::replace_if(
      line, [](char c) { return c < ' ' || c >= 0x7f; }, '?');
  line.resize(std::min(line.size(), kPreambleBytesMax - 1));
  return line + '\n';
}

std::optional<GateAnswer> parse_gate_answer(std::string_view line) {
  if (line.size() >= kPreambleBytesMax || !printable(line)) return std::nullopt;
  const auto verdict = next_word(line);
  const auto word = next_word(line);
  if (verdict == "ok" && word.empty() && line.empty()) return GateAnswer{};
  if (verdict == "no" && is_word(word, kPreambleWordBytesMax)) return GateAnswer{std::string{word}, std::string{line}};
  return std::nullopt;
}

}  // namespace catena::link
