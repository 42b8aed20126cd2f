#include <catch2/catch.hpp>

#include "actors/wire.hpp"

namespace catena::actors::test {

TEST_CASE("what is encoded is read back") {
  WorkOrder order{"c",
                  5,
                  3,
                  "echo",
                  "exec",
                  "/bin/echo",
                  {"-n"},
                  10,
                  20,
                  {"in"},
                  {"out"},
                  "{}",
                  {{"c/a/4", 4, 1, "{}"}, {"c/a/7", 7, 2, "{\"x\": 1}"}},
                  "abc"};
  const auto read = decode_message(encode(order));
  REQUIRE(read);
  const auto* back = std::get_if<WorkOrder>(&*read);
  REQUIRE(back != nullptr);
  CHECK(back->chain == "c");
  CHECK(back->args == order.args);
  CHECK(back->timeout_ms == 10);
  CHECK(back->program == "abc");
  REQUIRE(back->attempts.size() == 2);
  CHECK(back->attempts[1].item == 7);
  CHECK(back->attempts[1].arguments == "{\"x\": 1}");
  const auto answer = decode_message(encode(ClientAnswer{9, true, true, "body", std::string("a\0b", 3)}));
  REQUIRE(answer);
  CHECK(std::get<ClientAnswer>(*answer).content.size() == 3);
}

TEST_CASE("bytes that are no message are refused, whatever is cut off or changed") {
  CHECK(!decode_message(""));
  CHECK(!decode_message("\xff"));
  const auto whole = encode(WorkReport{5, 3, {{1, true, "{}", 7}}, "chain"});
  for (std::size_t length = 0; length < whole.size(); ++length) CHECK(!decode_message(whole.substr(0, length)));
  CHECK(!decode_message(whole + "x"));
  for (std::size_t at = 0; at < whole.size(); ++at) {
    auto changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x80);
    static_cast<void>(decode_message(changed));  // anything but a crash
  }
}

}  // namespace catena::actors::test
