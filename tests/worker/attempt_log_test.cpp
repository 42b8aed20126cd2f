// What an attempt prints, cut into pieces: lines, bounds, secrets, time. Pure.
#include "worker/attempt_log.hpp"

#include <catch2/catch.hpp>

namespace catena::worker::test {
namespace {

using Time = AttemptLog::Time;
using actors::LogKeep;
using actors::LogPiece;
using actors::LogStream;

constexpr Time kBegin{std::chrono::hours{1}};
constexpr auto kGather = AttemptLog::kGatherTime;

struct Printing {
  explicit Printing(LogKeep keep = LogKeep::all, std::uint64_t attempt_max = 64UL << 10U, const std::vector<std::string>& secrets = {})
      : buffer{keep, attempt_max} {
    task.order = std::make_shared<const TaskOrder>(TaskOrder{"c", GrantId{7}, "a", 1U});
    task.item = 5;
    task.attempt = 2;
    for (const auto& secret : secrets) masks.add(secret);
    log.emplace(&buffer, task, masks);
  }
  std::vector<LogPiece> taken() { return buffer.take(UINT64_MAX).pieces; }
  std::string text() {
    std::string all;
    for (const auto& piece : taken()) all += piece.text;
    return all;
  }
  LogBuffer buffer;
  Task task;
  Masks masks;
  std::optional<AttemptLog> log;
};

/// Pieces put back in their places; what was cut shows as '~', once.
std::string in_place(const std::vector<LogPiece>& pieces) {
  std::string text;
  std::uint64_t next = 0;
  for (const auto& piece : pieces) {
    if (piece.offset != next) text += '~';
    text += piece.text;
    next = piece.offset + piece.text.size();
  }
  return text;
}

std::string numbered_lines(int count) {
  std::string text;
  for (int line = 0; line < count; ++line) text += "line " + std::to_string(100'000 + line) + "\n";
  return text;
}

}  // namespace

TEST_CASE("whole lines are sent when half a second has passed, what is not ended waits for its end") {
  Printing printing;
  CHECK_FALSE(printing.log->due());
  printing.log->print_error("one\ntwo\nthr", kBegin);
  CHECK(printing.taken().empty());
  CHECK(printing.log->due() == kBegin + kGather);
  printing.log->look(kBegin + kGather);
  const auto pieces = printing.taken();
  REQUIRE(pieces.size() == 1);
  const auto& piece = pieces.front();
  CHECK(piece.text == "one\ntwo\n");
  CHECK(piece.offset == 0);
  CHECK(piece.chain == "c");
  CHECK(piece.grant == 7);
  CHECK(piece.step == "a");
  CHECK(piece.item == 5);
  CHECK(piece.attempt == 2);
  CHECK(piece.stream == LogStream::standard_error);
  printing.log->print_error("ee", kBegin + kGather);
  printing.log->look(kBegin + 3 * kGather);
  CHECK(printing.taken().empty());
  printing.log->end(false);
  CHECK(printing.text() == "three");
}

TEST_CASE("much that comes at once is sent at once, in pieces that end with lines") {
  Printing printing;
  const auto text = numbered_lines(2500);  // 30,000 bytes
  printing.log->print_error(text, kBegin);
  const auto pieces = printing.taken();
  REQUIRE(pieces.size() == 2);
  CHECK(pieces[0].text.size() <= actors::kLogPieceBytes);
  CHECK(pieces[0].text.back() == '\n');
  CHECK(in_place(pieces) == text);
}

TEST_CASE("of a stream the beginning and the end are kept, and places say how much is missing") {
  Printing printing{LogKeep::all, 2000};
  const auto text = numbered_lines(1000);  // 12,000 bytes
  for (std::size_t at = 0; at < text.size(); at += 500) printing.log->print_error(text.substr(at, 500), kBegin);
  printing.log->end(false);
  const auto pieces = printing.taken();
  const auto kept = in_place(pieces);
  const auto gap = kept.find('~');
  REQUIRE(gap != std::string::npos);
  CHECK(gap <= 1000);
  CHECK(gap > 900);
  CHECK(kept.size() - gap - 1 <= 1000);
  CHECK(kept.size() - gap - 1 > 700);
  CHECK(text.starts_with(kept.substr(0, gap)));
  CHECK(text.ends_with(kept.substr(gap + 1)));
  CHECK(pieces.back().offset + pieces.back().text.size() == text.size());
}

TEST_CASE("behind its beginning a stream that goes on is seen twice a second, as much as its end may have") {
  Printing printing{LogKeep::all, 2000};
  const auto text = numbered_lines(500);
  auto now = kBegin;
  std::size_t most = 0;
  std::size_t looks = 0;
  for (std::size_t at = 0; at < text.size(); at += 600) {
    printing.log->print_error(text.substr(at, 600), now);
    now += std::chrono::milliseconds{200};
    printing.log->look(now);
    const auto sent = printing.text();
    most = std::max(most, sent.size());
    if (!sent.empty()) ++looks;
  }
  CHECK(looks >= 3);
  CHECK(most <= 2000);
}

TEST_CASE("a secret is masked before anything is cut, over pieces, lines and the end") {
  const std::string secret = "top\nsecret-value";
  SECTION("in the middle, a byte at a time") {
    Printing printing{LogKeep::all, 64UL << 10U, {secret}};
    const auto text = "a " + secret + " b\n" + std::string(20'000, 'x') + secret + "\nend";
    auto now = kBegin;
    for (const auto c : text) {
      now += kGather;
      printing.log->print_error({&c, 1}, now);
    }
    printing.log->end(true);
    CHECK(printing.text() == "a *** b\n" + std::string(20'000, 'x') + "***\nend");
  }
  SECTION("where its first line ends a page") {
    Printing printing{LogKeep::all, 64UL << 10U, {secret}};
    printing.log->print_error("hello\ntop\n", kBegin);
    printing.log->look(kBegin + kGather);
    CHECK(printing.text() == "hello\n");
    printing.log->print_error("secret-value\n", kBegin + kGather);
    printing.log->end(false);
    CHECK(printing.text() == "***\n");
  }
  SECTION("where the tool ends within it") {
    Printing printing{LogKeep::all, 64UL << 10U, {secret}};
    printing.log->print_error("password: top\nsecr", kBegin);
    printing.log->end(true);
    CHECK(printing.text() == "password: ***");
  }
  SECTION("in what it wrote to stdout") {
    Printing printing{LogKeep::all, 64, {secret}};
    printing.log->set_output(std::string(25, '.') + secret + std::string(100, ',') + secret + "...");
    printing.log->end(true);
    const auto kept = in_place(printing.taken());
    CHECK(kept.find("secr") == std::string::npos);
    CHECK(kept.find("alue") == std::string::npos);
    CHECK(kept.ends_with("***..."));
  }
}

TEST_CASE("stdout is kept of an attempt that failed only") {
  for (const bool failed : {false, true}) {
    Printing printing;
    printing.log->set_output("{\"a\":1}");
    printing.log->end(failed);
    const auto pieces = printing.taken();
    REQUIRE(pieces.size() == (failed ? 1U : 0U));
    if (failed) CHECK(pieces.front().stream == LogStream::standard_output);
  }
}

TEST_CASE("where only attempts that failed are kept nothing is sent before that is known") {
  for (const bool failed : {false, true}) {
    Printing printing{LogKeep::failed, 2000};
    const auto text = numbered_lines(300);
    printing.log->print_error(text, kBegin);
    printing.log->look(kBegin + 10 * kGather);
    CHECK(printing.taken().empty());
    printing.log->end(failed);
    const auto kept = in_place(printing.taken());
    CHECK(kept.empty() != failed);
    if (failed) CHECK(text.ends_with(kept.substr(kept.find('~') + 1)));
  }
}

TEST_CASE("nothing is gathered where nothing is kept, or nobody says of which order it is") {
  Printing none{LogKeep::none};
  CHECK_FALSE(none.log->keeps());
  none.log->print_error("a\n", kBegin);
  none.log->end(true);
  CHECK(none.taken().empty());
  Printing silent;
  silent.log->end(true);
  CHECK(silent.taken().empty());
  Task stray;
  AttemptLog log{&silent.buffer, stray, silent.masks};
  CHECK_FALSE(log.keeps());
}

TEST_CASE("a buffer that nobody empties drops the oldest and counts it, and wakes whoever empties it once") {
  LogBuffer buffer{LogKeep::all, 1000, 3 * (100 + actors::kLogPieceCost)};
  int woken = 0;
  buffer.wake_with([&] { ++woken; });
  for (std::uint32_t item = 0; item < 5; ++item) buffer.offer({"c", 1, item, 1, LogStream::standard_error, 0, std::string(100, 'x')});
  CHECK(woken == 1);
  CHECK(buffer.take(100).pieces.empty());
  const auto one = buffer.take(100 + actors::kLogPieceCost);
  REQUIRE(one.pieces.size() == 1);
  CHECK(one.pieces.front().item == 2);
  CHECK(one.dropped == 200);
  const auto rest = buffer.take(UINT64_MAX);
  CHECK(rest.pieces.size() == 2);
  CHECK(rest.dropped == 0);
  CHECK(rest.bytes == 2 * (100 + actors::kLogPieceCost));
  buffer.offer({"c", 1, 9, 1, LogStream::standard_error, 0, "y"});
  CHECK(woken == 2);
}

}  // namespace catena::worker::test
