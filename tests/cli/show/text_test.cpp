// How values look to a person: text.hpp, progress.hpp and what a console takes out.
#include "cli/show/text.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "cli/console.hpp"
#include "cli/show/progress.hpp"
#include "cli/since.hpp"

namespace catena::cli::test {
namespace {

std::string pretty(const std::string& compact) {
  std::string out;
  pretty_json(compact, [&](std::string_view piece) { out += piece; });
  return out;
}

}  // namespace

TEST_CASE("pretty_json prints what dump(2) prints") {
  for (const std::string compact : {R"({})", R"([])", R"(1)", R"("")", R"(null)", R"([1,2.5,-7,true,false,null])",
                                    R"({"a":{"b":[{"c":[]},{}]},"d":[[1],[2]]})", R"({"a:b,c":"{[\"x\\\",:]}","ü":"\\"})", R"({"a":"","b":[""]})"}) {
    INFO(compact);
    const auto value = nlohmann::ordered_json::parse(compact);
    REQUIRE(value.dump() == compact);
    CHECK(pretty(compact) == value.dump(2));
  }
}

TEST_CASE("pretty_json indents deeper than its run of spaces is long") {
  const std::string deep = std::string(100, '[') + "1" + std::string(100, ']');
  CHECK(pretty(deep) == nlohmann::ordered_json::parse(deep).dump(2));
}

TEST_CASE("pretty_json ends on text that is cut off") {
  for (const std::string cut_off : {"\"abc", "\"abc\\", "{\"a\"", "[1,", "{"}) CHECK_NOTHROW(pretty(cut_off));
}

TEST_CASE("a table is as wide as its cells, in code points, without spaces at the ends of lines") {
  CHECK(table({"ID", "N"}, {}).empty());
  CHECK(table({"ID", "N"}, {{"日本", "1"}, {"abc", "2"}}) == "ID    N\n日本  1\nabc   2\n");
  CHECK(table({"NAME", "TEXT"}, {{"a", "0123456789abcdef"}}, 16) == "NAME  TEXT\na     012345678…\n");
  CHECK(table({"NAME", "TEXT"}, {{"a", "0123456789abcdef"}}, 5) == "NAME  TEXT\na     0123456…\n");
  CHECK(table({"ID", "NAME"}, {{"1", "a"}, {"größe", ""}}) == "ID     NAME\n1      a\ngröße\n");
}

TEST_CASE("a span has the two units that matter") {
  CHECK(span_text(Millis{-5}) == "0.0s");
  CHECK(span_text(Millis{449}) == "0.4s");
  CHECK(span_text(Millis{9'999}) == "9.9s");
  CHECK(span_text(Millis{10'000}) == "10s");
  CHECK(span_text(Millis{59'999}) == "59s");
  CHECK(span_text(Millis{185'000}) == "3m 5s");
  CHECK(span_text(Millis{7'440'000}) == "2h 4m");
  CHECK(span_text(Millis{442'800'000}) == "5d 3h");
}

TEST_CASE("cut text has at most so many code points, the last an ellipsis") {
  CHECK(cut("größe", 5) == "größe");
  CHECK(cut("größe", 4) == "grö…");
  CHECK(cut("größe", 1) == "…");
  CHECK(cut("größe", 0).empty());
  CHECK(cut("", 0).empty());
}

TEST_CASE("a count has its noun") {
  CHECK(counted(0, "step") == "0 steps");
  CHECK(counted(1, "step") == "1 step");
  CHECK(counted(2, "step") == "2 steps");
}

TEST_CASE("printable text has no control characters, and all else as it was") {
  CHECK(printable("a\x1b[31m\n\tü\x7f") == "a\\x1b[31m\\x0a\\x09ü\\x7f");
}

TEST_CASE("an age has the one unit that matters") {
  CHECK(age_text(-5) == "just now");
  CHECK(age_text(999) == "just now");
  CHECK(age_text(59'999) == "59s ago");
  CHECK(age_text(185'000) == "3m ago");
  CHECK(age_text(7'440'000) == "2h ago");
  CHECK(age_text(442'800'000) == "5d ago");
}

TEST_CASE("a point in time for a filter is a span before now, or a date") {
  CHECK(parse_since("2h", 10'000'000).value() == 2'800'000);
  CHECK(parse_since("1970-01-02", 0).value() == 86'400'000);
  CHECK(parse_since("9000d", 5).value() == 1);
  CHECK(parse_since("yesterday", 0).error().message.find("2h, 3d") != std::string::npos);
}

TEST_CASE("the progress line is empty before there are numbers, and has no items where there are none") {
  ProgressMeter meter{1'000};
  CHECK(meter.line(2'000, 80).empty());
  meter.take({.steps_settled = 2, .steps_total = 5}, 2'000);
  CHECK(meter.line(4'500, 80) == "2/5 steps · 3.5s");
}

TEST_CASE("the progress line tells the pace and what is left of it") {
  ProgressMeter meter{0};
  const ProgressCounts counts{.steps_settled = 2, .steps_total = 5, .fan_outs = {{"resize", 0, 1000}}};
  meter.take(counts, 0);
  CHECK(meter.line(0, 80) == "2/5 steps · resize 0/1000 items · 0.0s");
  auto later = counts;
  later.fan_outs[0].settled = 120;
  meter.take(later, 3'000);
  CHECK(meter.line(3'000, 80) == "2/5 steps · resize 120/1000 items · 40/s · 22s left · 3.0s");
  later.fan_outs[0].settled = 1000;
  meter.take(later, 10'000);
  CHECK(meter.line(10'000, 80) == "2/5 steps · resize 1000/1000 items · 10s");
}

TEST_CASE("each fan-out counts by itself, and so do child chains") {
  ProgressMeter meter{0};
  meter.take({.steps_total = 3, .fan_outs = {{"resize", 0, 100}, {"score", 0, 10}}}, 0);
  meter.take({.steps_total = 3, .fan_outs = {{"resize", 20, 100}, {"score", 0, 10}}, .family = "2 child chains: 2 running"}, 1'000);
  CHECK(meter.line(1'000, 200) == "0/3 steps · resize 20/100 items · 20/s · 4.0s left · score 0/10 items · 2 child chains: 2 running · 1.0s");
  meter.take({.steps_settled = 1, .steps_total = 3, .fan_outs = {{"score", 5, 10}}}, 2'000);
  CHECK(meter.line(2'000, 200) == "1/3 steps · score 5/10 items · 2.5/s · 2.0s left · 2.0s");
}

TEST_CASE("the pace is that of the last seconds") {
  ProgressMeter meter{0};
  ProgressCounts counts{.steps_total = 1, .fan_outs = {{"x", 0, 10'000}}};
  for (UnixMillis now = 0; now <= 100'000; now += 1'000) {
    counts.fan_outs[0].settled += now <= 80'000 ? 100 : 1;
    meter.take(counts, now);
  }
  CHECK(meter.line(100'000, 200).find(" 1.0/s ") != std::string::npos);
}

TEST_CASE("a loop that enters a fan-out again has no pace below nothing") {
  ProgressMeter meter{0};
  meter.take({.steps_total = 1, .fan_outs = {{"x", 90, 100}}}, 0);
  meter.take({.steps_total = 1, .fan_outs = {{"x", 10, 100}}}, 1'000);
  CHECK(meter.line(1'000, 80) == "0/1 steps · x 10/100 items · 1.0s");
}

TEST_CASE("the progress line fits the terminal") {
  ProgressMeter meter{0};
  meter.take({.steps_total = 1, .fan_outs = {{std::string(200, 'x'), 0, 100}}}, 0);
  CHECK(meter.line(0, 20) == "0/1 steps · xxxxxxx…");
}

}  // namespace catena::cli::test
