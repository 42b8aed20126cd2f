#include <array>
#include <catch2/catch.hpp>
#include <cstdint>

#include "tests/engine/invariants.hpp"
#include "tests/engine/samples.hpp"

namespace catena::engine::test {
namespace {

std::string packed(const Json& json) {
  std::string bytes;
  Json::to_msgpack(json, bytes);
  return bytes;
}

}  // namespace

TEST_CASE("any event survives being written and read") {
  Samples samples{1};
  for (int i = 0; i < 5000; ++i) {
    const auto event = samples.event();
    REQUIRE(check_codec(event) == "");
    REQUIRE(decode_event(encode(event))->index() == event.index());
  }
}

TEST_CASE("events are written as MessagePack of their JSON, byte for byte") {
  Samples samples{3};
  std::vector<Event> events;
  auto list = Json::array();
  for (int i = 0; i < 5000; ++i) {
    events.push_back(samples.event());
    list.push_back(to_json(events.back()));
    REQUIRE(encode(events.back()) == packed(list.back()));
  }
  CHECK(encode(events) == packed(list));
  for (const std::int64_t after :
       {std::int64_t{-1}, std::int64_t{-32}, std::int64_t{-33}, std::int64_t{-128}, std::int64_t{-129}, std::int64_t{-32'768}, std::int64_t{-32'769},
        std::int64_t{INT32_MIN}, std::int64_t{INT32_MIN} - 1, INT64_MIN, std::int64_t{127}, std::int64_t{128}, std::int64_t{255}, std::int64_t{256},
        std::int64_t{65'535}, std::int64_t{65'536}, std::int64_t{UINT32_MAX}, std::int64_t{UINT32_MAX} + 1, INT64_MAX}) {
    const Event armed = RetryArmed{{1, 2}, IndexSet::range(0, 40), std::vector<std::int64_t>(20, after), after};
    CHECK(encode(armed) == packed(to_json(armed)));
  }
  const std::string long_name(70'000, 'n');
  ChainStarted started;
  started.arguments = {{}, std::string(64, 'a'), UINT64_MAX};
  started.labels = {{long_name, std::string(300, 'v')}, {"k", ""}};
  CHECK(encode(Event{started}) == packed(to_json(Event{started})));
}

TEST_CASE("an error keeps its place, notes, details and cause in the journal") {
  auto error = make_error(Code::tool_failed, "it fell over", {"a.tool", 3, 9});
  error.notes = {"look there"};
  error.details = Json{{"exit_code", 3}};
  error.cause = std::make_shared<const Error>(make_error(Code::tool_killed, "by a signal"));
  const auto read = decode_event(encode(Event{ChainFailing{error, 5}}));
  REQUIRE(read);
  CHECK(std::get<ChainFailing>(*read).error == error);
  CHECK(std::get<ChainFailing>(*read).error.where == error.where);
}

TEST_CASE("unknown members are ignored and absent ones take their default") {
  const auto event = decode_event(packed({{"event", "Granted"}, {"grant", 7}, {"from_the_future", Json{{"x", 1}}}}));
  REQUIRE(event);
  CHECK(std::get<Granted>(*event).grant == 7);
  CHECK(std::get<Granted>(*event).items.empty());
  auto state = Json::from_msgpack(encode(ChainState{}));
  state["from_the_future"] = 1;
  const auto read = decode_state(packed(state));
  REQUIRE(read);
  CHECK(*read == ChainState{});
}

TEST_CASE("members of a wrong type are passed over") {
  const auto event =
      decode_event(packed({{"event", "ChainFailing"}, {"at", "noon"}, {"error", {{"code", 5}, {"message", nullptr}, {"retryable", "yes"}}}}));
  REQUIRE(event);
  CHECK(std::get<ChainFailing>(*event).at == 0);
  CHECK(std::get<ChainFailing>(*event).error.code == Code::internal);
}

TEST_CASE("an unknown event and what is no event are storage_corrupt") {
  for (const auto& json : {Json{{"event", "Teleported"}}, Json{{"event", 3}}, Json::object(), Json::array(), Json(nullptr)}) {
    const auto event = decode_event(packed(json));
    REQUIRE_FALSE(event);
    CHECK(event.error().code == Code::storage_corrupt);
  }
}

TEST_CASE("cut or altered bytes are refused or read, never a crash") {
  Samples samples{2};
  for (int i = 0; i < 300; ++i) {
    const auto whole = encode(samples.event());
    for (std::size_t length = 0; length < whole.size(); ++length) {
      const auto cut = decode_event(std::string_view{whole}.substr(0, length));
      REQUIRE_FALSE(cut);
      REQUIRE(cut.error().code == Code::storage_corrupt);
    }
    auto altered = whole;
    for (auto changes = 1 + samples.below(4); changes > 0; --changes) {
      altered[samples.below(static_cast<std::uint32_t>(altered.size()))] = static_cast<char>(samples.below(256));
    }
    if (const auto event = decode_event(altered)) {
      ChainState state;
      evolve(state, *event);
    }
  }
}

TEST_CASE("a checkpoint of a step wider than any can be is refused before it is given memory") {
  ChainState state;
  state.steps.resize(1);
  auto json = Json::from_msgpack(encode(state));
  for (const auto& width : {Json(UINT32_MAX), Json(-1), Json("wide")}) {
    json["steps"][0]["width"] = width;
    const auto read = decode_state(packed(json));
    REQUIRE_FALSE(read);
    CHECK(read.error().code == Code::storage_corrupt);
  }
}

TEST_CASE("a checkpoint whose grants are no list is refused") {
  auto json = Json::from_msgpack(encode(ChainState{}));
  for (const auto& grants : {Json(5), Json::object(), Json("none"), Json::array({5})}) {
    json["grants"] = grants;
    CHECK_FALSE(decode_state(packed(json)));
  }
}

TEST_CASE("a checkpoint in the middle of things survives being written, and cut or altered is never a crash") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Samples samples{seed};
    ChainState state;
    ChainStarted started;
    started.steps = 4;
    evolve(state, started);
    for (int i = 0; i < 60; ++i) {
      const auto event = samples.event();
      const auto* expanded = std::get_if<ItemsExpanded>(&event);
      if (!std::holds_alternative<ChainFinished>(event) && (expanded == nullptr || expanded->width < 100)) evolve(state, event);
    }
    REQUIRE(check_codec(state) == "");
    const auto whole = encode(state);
    REQUIRE(packed(Json::from_msgpack(whole)) == whole);  // as it was written by way of JSON
    for (std::size_t length = 0; length < whole.size(); length += 7) REQUIRE_FALSE(decode_state(std::string_view{whole}.substr(0, length)));
    auto altered = whole;
    altered[samples.below(static_cast<std::uint32_t>(altered.size()))] = static_cast<char>(samples.below(256));
    (void)decode_state(altered);
  }
}

TEST_CASE("a checkpoint from before attempts could be postponed is read") {
  ChainState state;
  state.steps.resize(1);
  state.steps[0].tries[3] = {1, 2, 4};
  auto json = Json::from_msgpack(encode(state));
  json["steps"][0]["tries"] = Json::array({Json::array({3, 1, 2})});
  std::string bytes;
  Json::to_msgpack(json, bytes);
  const auto read = decode_state(bytes);
  REQUIRE(read);
  CHECK(read->steps[0].tries.at(3) == Tries{1, 2, 0});
  CHECK(decode_state(encode(state))->steps[0].tries == state.steps[0].tries);
}

TEST_CASE("a journal and a checkpoint from before chains had traces are read, and such a chain has none that was given") {
  constexpr std::array kSince{"traceparent", "tracestate", "trace_linked", "trace_part"};
  const auto without_traces = [&](const std::string& whole) {
    auto json = Json::from_msgpack(whole);
    for (const auto* member : kSince) json.erase(member);
    std::string bytes;
    Json::to_msgpack(json, bytes);
    return bytes;
  };
  ChainStarted started;
  started.package = "p";
  started.definition = "/a.tool";
  started.steps = 1;
  started.at = 7;
  const TraceContext given{.parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", .state = "v=1", .linked = true};
  started.trace = given;
  const auto event = decode_event(without_traces(encode(Event{started})));
  REQUIRE(event);
  const auto& read = std::get<ChainStarted>(*event);
  CHECK(read.trace == TraceContext{});
  CHECK(read.definition == "/a.tool");
  CHECK(read.at == 7);
  ChainState state;
  state.definition = "/a.tool";
  state.trace = KeptTrace{given};
  state.trace_part = 2;
  const auto kept = decode_state(without_traces(encode(state)));
  REQUIRE(kept);
  CHECK(kept->trace.get() == TraceContext{});
  CHECK(kept->trace_part == 0);
  CHECK(kept->definition == "/a.tool");
}

}  // namespace catena::engine::test
