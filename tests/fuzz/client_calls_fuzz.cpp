// Any bytes as a call of a client, and as an answer to one.
#include "coordinator/client_calls.hpp"
#include "tests/fuzz/check.hpp"
#include "tests/fuzz/targets.hpp"

namespace catena::fuzz {

void fuzz_client_calls(std::string_view text) {
  if (const auto asked = coordinator::read_call(text)) {
    const auto written = codec::encode_kind(*asked);
    const auto again = coordinator::read_call(written);
    check(again.has_value(), "what was written can be read", written);
    check(codec::encode_kind(*again) == written, "reading and writing changes nothing", written);
  } else {
    check(!asked.error().message.empty(), "a refused call says why");
  }
  if (const auto told = coordinator::read_answer(text)) {
    const auto written = coordinator::encode_answer(*told);
    const auto again = coordinator::read_answer(written);
    check(again.has_value() && coordinator::encode_answer(*again) == written, "an answer is read as it was written", written);
  } else {
    check(!told.error().message.empty(), "an answer that cannot be read is an error with words");
  }
}

}  // namespace catena::fuzz
