// What tools may say while they run: how it is read, and how often it is passed on.
#include "worker/notes.hpp"

#include <catch2/catch.hpp>

#include "worker/held_notes.hpp"

namespace catena::worker::test {
namespace {

template <class T>
T said(std::string_view line) {
  const auto note = parse_note(line);
  if (!note) FAIL(note.error().message);
  return std::get<T>(*note);
}
std::string refusal(std::string_view line) {
  const auto note = parse_note(line);
  if (note) FAIL("it was read: " << line);
  CHECK(note.error().code == Code::tool_output_invalid);
  return note.error().message;
}
SaidCheckpoint checkpoint_of(std::string text) { return {lang::JsonText{std::move(text)}}; }

}  // namespace

TEST_CASE("each message is read as what it is, with or without the frame of JSON-RPC") {
  const auto progress = said<SaidProgress>(R"({"method":"progress","params":{"done":5,"of":100,"text":"reads"}})");
  CHECK(progress.done == 5);
  CHECK(progress.of == 100);
  CHECK(progress.text == "reads");
  CHECK(said<SaidProgress>(R"({"method":"progress"})").done == -1);
  CHECK(said<SaidCheckpoint>(R"({"jsonrpc":"2.0","method":"checkpoint","params":{"state": {"row" : 7}}})").state.text == R"({"row":7})");
  CHECK(said<SaidCheckpoint>(R"({"method":"checkpoint","params":{"state":7}})").state.text == "7");
  CHECK(said<SaidLog>(R"({"method":"log","params":{"level":"warning","text":"x"}})").level == "warning");
  CHECK(said<SaidChunk>(R"({"method":"chunk","params":{"text":"ab\ncd"}})").text == "ab\ncd");
  CHECK(said<SaidUsage>(R"({"method":"usage","params":{"tokens":12,"calls":1}})").amounts ==
        std::map<std::string, std::int64_t>{{"calls", 1}, {"tokens", 12}});
  CHECK(said<SaidContinue>(R"({"method":"continue","params":{"after_ms":250}})").after == Millis{250});
}

TEST_CASE("what is no message is refused with what is wrong") {
  CHECK(refusal("hello").starts_with("is not JSON"));
  CHECK(refusal("[1]") == "is no JSON object");
  CHECK(refusal(R"({"params":{}})") == "has no 'method'");
  CHECK(refusal(R"({"method":"progres"})").ends_with("did you mean 'progress'?"));
  CHECK(refusal(R"({"method":"progress","params":[5]})") == "has 'params' that are no object");
  CHECK(refusal(R"({"method":"progress","params":{"done":-1}})") == "has a 'done' that is no whole number of at least 0");
  CHECK(refusal(R"({"method":"progress","params":{"of":1.5}})") == "has a 'of' that is no whole number of at least 0");
  CHECK(refusal(R"({"method":"progress","params":{"done":18446744073709551615}})") == "has a 'done' that is no whole number of at least 0");
  CHECK(refusal(R"({"method":"checkpoint","params":{}})").starts_with("is a checkpoint without 'state'"));
  const auto large = std::string(actors::kCheckpointBytesMax, 'x');
  CHECK(refusal(R"({"method":"checkpoint","params":{"state":")" + large + R"("}})").starts_with("is a checkpoint of 65538 bytes"));
  CHECK(refusal(R"({"method":"log","params":{"text":7}})") == "has a 'text' that is no text");
  CHECK(refusal(std::string(kNoteBytesMax + 1, ' ')).starts_with("is longer than"));
}

TEST_CASE("a notification is told from an answer") {
  CHECK(is_notification(R"({"jsonrpc":"2.0","method":"progress"})"));
  CHECK_FALSE(is_notification(R"({"jsonrpc":"2.0","id":1,"result":{"method":"progress"}})"));
  CHECK_FALSE(is_notification(R"({"id":1,"method":"progress"})"));
  CHECK_FALSE(is_notification("\"method\""));
}

TEST_CASE("of many messages the newest is passed on, each kind at its pace, and the first at once") {
  NoteKeeper keeper;
  CHECK_FALSE(keeper.due());
  keeper.add(SaidProgress{1, 10, {}});
  CHECK(keeper.due() == 0);
  REQUIRE(keeper.take(5'000));
  CHECK_FALSE(keeper.due());
  for (int row = 2; row <= 9; ++row) keeper.add(SaidProgress{row, 10, {}});
  CHECK(keeper.due() == 5'500);
  CHECK_FALSE(keeper.take(5'499));
  CHECK(keeper.take(5'500)->done == 9);

  keeper.add(checkpoint_of("1"));
  CHECK(keeper.take(5'501)->checkpoint == "1");  // a checkpoint does not wait for the pace of a progress
  keeper.add(checkpoint_of("2"));
  keeper.add(checkpoint_of("3"));
  CHECK(keeper.due() == 6'501);
  keeper.add(SaidProgress{10, 10, {}});
  CHECK(keeper.due() == 6'001);
  const auto early = keeper.take(6'001);
  REQUIRE(early);
  CHECK(early->done == 10);
  CHECK(early->checkpoint.empty());
  CHECK(keeper.take(6'501)->checkpoint == "3");
  CHECK(keeper.checkpoint() == "3");
}

TEST_CASE("usage is summed by its names, and neither overflows nor grows without bound") {
  NoteKeeper keeper;
  REQUIRE(keeper.add(SaidUsage{{{"tokens", 5}}}));
  REQUIRE(keeper.add(SaidUsage{{{"tokens", 7}, {"calls", 1}}}));
  CHECK(keeper.take(0)->usage == std::map<std::string, std::int64_t>{{"calls", 1}, {"tokens", 12}});
  CHECK_FALSE(keeper.add(SaidUsage{{{"tokens", INT64_MAX}}}));
  NoteKeeper many;
  Result<void> last;
  for (int name = 0; name < 40 && last; ++name) last = many.add(SaidUsage{{{std::to_string(name), 1}}});
  CHECK_FALSE(last);
  CHECK(many.usage().size() <= actors::kUsageNamesMax + 1);
}

TEST_CASE("an uplink holds the newest note of each attempt, until it has ended, and says it again when it is asked") {
  HeldNotes held;
  actors::AttemptNote note{"c", 1, 0};
  note.checkpoint = "1";
  held.add(note);
  note.checkpoint.clear();
  note.done = 7;
  held.add(note);  // not sent yet: the checkpoint stays
  auto taken = held.take();
  REQUIRE(taken.size() == 1);
  CHECK(taken[0].checkpoint == "1");
  CHECK(taken[0].done == 7);
  CHECK(held.take().empty());
  held.say_again("c", 2);
  CHECK(held.take().empty());
  held.say_again("c", 1);
  CHECK(held.take().size() == 1);
  held.say_again("c", 1);
  held.ended("c", 1, 0);
  CHECK(held.take().empty());

  for (std::uint32_t item = 0; item < 10; ++item) {
    actors::AttemptNote large{"c", 3, item};
    large.checkpoint = std::string(actors::kCheckpointBytesMax, '1');
    held.add(large);
  }
  std::size_t messages = 0;
  for (auto some = held.take(); !some.empty(); some = held.take()) {
    ++messages;
    CHECK(some.size() <= 4);
  }
  CHECK(messages >= 3);
  held.say_again("c", 3);
  held.forget("c", 3);
  CHECK(held.take().empty());
}

}  // namespace catena::worker::test
