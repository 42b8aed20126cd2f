// Any bytes as the first line of a link, and as the gate's answer to it.
#include "actors/preamble.hpp"
#include "tests/fuzz/check.hpp"
#include "tests/fuzz/targets.hpp"

namespace catena::fuzz {
namespace {

/// The line that says the same, without its end.
template <class What>
std::string line_of(const What& what) {
  auto line = actors::to_line(what);
  check(line.size() <= actors::kPreambleBytesMax, "a line is within its limit");
  check(line.find('\n') == line.size() - 1, "a line has one end", line);
  line.pop_back();
  return line;
}

void read_preamble(std::string_view text) {
  const auto parsed = actors::parse_preamble(text);
  const auto* preamble = std::get_if<actors::Preamble>(&parsed);
  if (preamble == nullptr) {
    const auto refusal = std::get<actors::Refusal>(parsed);
    check(refusal == actors::Refusal::preamble || refusal == actors::Refusal::version, "nothing else is known of a line",
                actors::name(refusal));
    return;
  }
  check(preamble->token.empty() || actors::valid_token(preamble->token), "a token is one that can be configured", text);
  const auto again = actors::parse_preamble(line_of(*preamble));
  check(std::holds_alternative<actors::Preamble>(again) && std::get<actors::Preamble>(again) == *preamble,
              "a preamble is read as it was written", text);
}

void read_answer(std::string_view text) {
  const auto answer = actors::parse_gate_answer(text);
  if (!answer) return;
  check(actors::parse_gate_answer(line_of(*answer)) == answer, "an answer is read as it was written", text);
}

}  // namespace

void fuzz_preamble(std::string_view text) {
  read_preamble(text);
  read_answer(text);
  // what a gate answers may have any words in it
  const auto said = line_of(actors::GateAnswer{"busy", std::string{text}});
  check(actors::parse_gate_answer(said).has_value(), "whatever the words, the answer can be read", said);
}

}  // namespace catena::fuzz
