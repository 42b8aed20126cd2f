#pragma once
// What the tools of a case answer, from its text.
#include <string>

#include "base/time.hpp"
#include "tests/coordinator/fixture.hpp"

namespace catena::golden {

/// What an attempt answers: `=> JSON`, `!> code [message]` (for good), `~> code [message]` (may be tried again), each after an optional
/// `after DURATION`.
inline coordinator::test::Reply reply_of(std::string text) {
  Millis after{0};
  if (text.starts_with("after ")) {
    const auto space = text.find(' ', 6);
    after = parse_duration(text.substr(6, space - 6)).value();
    text = text.substr(space + 1);
  }
  const auto rest = text.size() > 3 ? text.substr(3) : std::string{};
  auto reply = coordinator::test::answer(rest);
  if (text.starts_with("!>") || text.starts_with("~>")) {
    const auto space = rest.find(' ');
    auto error = make_error(code_named(rest.substr(0, space)), space == std::string::npos ? "as the case says" : rest.substr(space + 1));
    error.retryable = text.starts_with("~>");
    reply.ok = false;
    reply.text = to_json(error).dump();
  } else if (text == "held") {
    reply = coordinator::test::held();
  }
  reply.after = after;
  return reply;
}

}  // namespace catena::golden
