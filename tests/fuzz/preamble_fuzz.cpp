// Any bytes as the first line of a link, and as the gate's answer to it.
#include "link/preamble.hpp"
#include "tests/fuzz/check.hpp"
#include "tests/fuzz/targets.hpp"

namespace catena::fuzz {
namespace {

/// The line that says the same, without its end.
template <class What>
std::string line_of(const What& what) {
  auto line = link::to_line(what);
  check(line.size() <= link::kPreambleBytesMax, "a line is within its limit");
  check(line.find('\n') == line.size() - 1, "a line has one end", line);
  line.pop_back();
  return line;
}

void read_preamble(std::string_view text) {
  const auto parsed = link::parse_preamble(text);
  const auto* preamble = std::get_if<link::Preamble>(&parsed);
  if (preamble == nullptr) {
    const auto refusal = std::get<link::Refusal>(parsed);
    check(refusal == link::Refusal::preamble || refusal == link::Refusal::version, "nothing else is known of a line", link::name(refusal));
    return;
  }
  check(preamble->token.empty() || link::valid_token(preamble->token), "a token is one that can be configured", text);
  const auto again = link::parse_preamble(line_of(*preamble));
  check(std::holds_alternative<link::Preamble>(again) && std::get<link::Preamble>(again) == *preamble, "a preamble is read as it was written", text);
}

void read_answer(std::string_view text) {
  const auto answer = link::parse_gate_answer(text);
  if (!answer) return;
  check(link::parse_gate_answer(line_of(*answer)) == answer, "an answer is read as it was written", text);
}

}  // namespace

void fuzz_preamble(std::string_view text) {
  read_preamble(text);
  read_answer(text);
  // what a gate answers may have any words in it
  const auto said = line_of(link::GateAnswer{"busy", std::string{text}});
  check(link::parse_gate_answer(said).has_value(), "whatever the words, the answer can be read", said);
}

}  // namespace catena::fuzz
