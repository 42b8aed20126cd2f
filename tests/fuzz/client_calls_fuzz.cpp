// Any bytes as a call of a client, and as an answer to one: the first line is the name of the call, the second its body, the rest its
// content.
#include "coordinator/client_calls.hpp"
#include "tests/fuzz/check.hpp"
#include "tests/fuzz/targets.hpp"

namespace catena::fuzz {
namespace {

/// What was read is written as it was meant: reading it once more gives the same.
void read_and_write_call(actors::ClientCall call) {
  auto asked = coordinator::read_call(std::move(call));
  if (!asked) {
    check(!asked.error().message.empty(), "a refused call says why");
    return;
  }
  const auto written = coordinator::write_call(std::move(*asked));
  auto again = coordinator::read_call(written);
  check(again.has_value(), "what was written can be read", written.body);
  const auto once_more = coordinator::write_call(std::move(*again));
  check(once_more.what == written.what && once_more.body == written.body && once_more.content == written.content,
              "reading and writing changes nothing", once_more.body);
}

void read_answers(const actors::ClientAnswer& answer) {
  std::size_t bytes = 0;
  const auto page = coordinator::read_page(answer, [&](std::string_view key, std::string_view value) {
    bytes += key.size() + value.size();
    return true;
  });
  check(!page || bytes <= answer.content.size(), "a page has no more than its bytes");
  static_cast<void>(coordinator::read_value(answer));
  static_cast<void>(coordinator::read_ended(answer));
  static_cast<void>(coordinator::read_progress(answer));
  static_cast<void>(coordinator::read_words(answer));
  static_cast<void>(coordinator::read_nodes(answer));
}

}  // namespace

void fuzz_client_calls(std::string_view text) {
  const auto name_end = std::min(text.find('\n'), text.size());
  const auto rest = text.substr(std::min(name_end + 1, text.size()));
  const auto body_end = std::min(rest.find('\n'), rest.size());
  const std::string body{rest.substr(0, body_end)};
  const std::string content{rest.substr(std::min(body_end + 1, rest.size()))};
  read_and_write_call({1, std::string{text.substr(0, name_end)}, body, content});
  read_answers({1, true, false, body, content});
  read_answers({1, false, false, body, content});
}

}  // namespace catena::fuzz
