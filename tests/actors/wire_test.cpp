#include <catch2/catch.hpp>

#include "actors/wire.hpp"
#include "link/frame_bytes.hpp"

namespace catena::actors::test {
namespace {

WorkOrder sample_order() {
  WorkOrder order;
  order.chain = "c";
  order.grant = 5;
  order.incarnation = 3;
  order.tool = "echo";
  order.kind = "exec";
  order.target = "/bin/echo";
  order.args = {"-n"};
  order.timeout_ms = 10;
  order.age_ms = -1;
  order.attempts = {{"c/a/4", 4, 1, "{}"}, {"c/a/7", 7, 2, R"({"x": 1})"}};
  order.program = "abc";
  return order;
}

link::Frame frame(std::uint64_t number, std::string bytes, bool ends = true) { return {number, number * 3, ends, std::move(bytes)}; }

}  // namespace

TEST_CASE("what is encoded is read back") {
  const auto order = sample_order();
  const auto read = decode_message(encode(order));
  REQUIRE(read);
  const auto* back = std::get_if<WorkOrder>(&*read);
  REQUIRE(back != nullptr);
  CHECK(back->chain == "c");
  CHECK(back->args == order.args);
  CHECK(back->timeout_ms == 10);
  CHECK(back->age_ms == -1);
  CHECK(back->program == "abc");
  REQUIRE(back->attempts.size() == 2);
  CHECK(back->attempts[1].item == 7);
  CHECK(back->attempts[1].arguments == R"({"x": 1})");
  const auto drain = decode_message(encode(DrainNode{false}));
  REQUIRE(drain);
  CHECK_FALSE(std::get<DrainNode>(*drain).begin);  // what a struct takes by default is no reason to leave it out
  const auto answer = decode_message(encode(ClientAnswer{9, std::string("a\0b", 3)}));
  REQUIRE(answer);
  CHECK(std::get<ClientAnswer>(*answer).body.size() == 3);
}

TEST_CASE("pieces of what attempts print are read back as they were, without what never leaves the process") {
  const std::string bytes{"\0\xff\n", 3};
  LogPiece piece{"c", 5, 7, 2, LogStream::standard_output, 1ULL << 40U, bytes, "step", 3};
  const auto read = decode_message(encode(LogPieces{{piece}, 9}));
  REQUIRE(read);
  const auto& back = std::get<LogPieces>(*read);
  CHECK(back.dropped == 9);
  REQUIRE(back.pieces.size() == 1);
  const auto& one = back.pieces.front();
  CHECK(one.chain == "c");
  CHECK(one.grant == 5);
  CHECK(one.item == 7);
  CHECK(one.attempt == 2);
  CHECK(one.stream == LogStream::standard_output);
  CHECK(one.offset == 1ULL << 40U);
  CHECK(one.text == bytes);
  CHECK(one.step.empty());
  CHECK(one.visit == 0);
  CHECK(std::get<LogCredit>(decode_message(encode(LogCredit{77})).value()).bytes == 77);
  Welcome welcome;
  welcome.logs = LogKeep::failed;
  welcome.log_attempt_max = 1000;
  welcome.log_credit = 2000;
  const auto welcomed = std::get<Welcome>(decode_message(encode(welcome)).value());
  CHECK(welcomed.logs == LogKeep::failed);
  CHECK(welcomed.log_attempt_max == 1000);
  CHECK(welcomed.log_credit == 2000);
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

TEST_CASE("a kind of a later version is known to be one") {
  const auto read = decode_message(encode(codec::Unknown{"poem"}));
  REQUIRE(read);
  CHECK(std::get<codec::Unknown>(*read).kind == "poem");
}

TEST_CASE("frames come out of a stream as they went into it, wherever it is cut") {
  const std::vector<link::Frame> sent{frame(1, "a"), frame(0, ""), frame(2, std::string(link::kFrameBytesMax, 'x'), false), frame(UINT64_MAX, "end")};
  std::string bytes;
  for (const auto& one : sent) link::append_frame(bytes, one);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{1000}, bytes.size()}) {
    link::FrameReader reader;
    std::vector<link::Frame> read;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      auto frames = reader.feed(std::string_view{bytes}.substr(at, piece));
      REQUIRE(frames);
      for (auto& one : *frames) read.push_back(std::move(one));
    }
    REQUIRE(read.size() == sent.size());
    for (std::size_t at = 0; at < sent.size(); ++at) {
      CHECK(read[at].number == sent[at].number);
      CHECK(read[at].acked == sent[at].acked);
      CHECK(read[at].ends == sent[at].ends);
      CHECK(read[at].bytes == sent[at].bytes);
    }
  }
}

TEST_CASE("a head that claims more than a frame holds, or flags that mean nothing, are refused at once") {
  std::string sound;
  link::append_frame(sound, frame(1, ""));
  std::string large = sound;
  large[0] = '\x7f';
  CHECK_FALSE(link::FrameReader{}.feed(large));
  std::string odd = sound;
  odd.back() = '\x02';
  CHECK_FALSE(link::FrameReader{}.feed(odd));
  link::FrameReader slow;
  for (std::size_t at = 0; at + 1 < large.size(); ++at) CHECK(slow.feed(large.substr(at, 1)));
  CHECK_FALSE(slow.feed(large.substr(large.size() - 1)));
}

}  // namespace catena::actors::test
