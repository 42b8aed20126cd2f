#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <cstdint>
#include <limits>
#include <random>

#include "base/packed_reader.hpp"

namespace catena {

enum class ReadHue : std::uint8_t { red, green, blue };

struct ReadInner {
  std::string name;
  std::optional<std::int64_t> due;
  bool operator==(const ReadInner&) const = default;
};
template <class V>
void fields(V& v, ReadInner& inner) {
  v("name", inner.name);
  v("due", inner.due);
}

struct ReadOuter {
  bool flag = false;
  ReadHue hue = ReadHue::green;
  std::uint32_t small = 0;
  std::int64_t large = 0;
  std::uint64_t largest = 0;
  std::string text;
  ChainId chain;
  VisitId visit;
  IndexSet items;
  std::vector<ReadInner> list;
  std::map<std::string, ReadInner> map;
  std::vector<std::optional<std::int64_t>> gaps;
  Error error;
  ReadInner inner;
  bool operator==(const ReadOuter&) const = default;
};
template <class V>
void fields(V& v, ReadOuter& outer) {
  v("flag", outer.flag), v("hue", outer.hue), v("small", outer.small), v("large", outer.large), v("largest", outer.largest), v("text", outer.text);
  v("chain", outer.chain), v("visit", outer.visit), v("items", outer.items), v("list", outer.list), v("map", outer.map), v("gaps", outer.gaps);
  v("error", outer.error), v("inner", outer.inner);
}

namespace {

std::string packed_json(const Json& json) {
  std::string bytes;
  Json::to_msgpack(json, bytes);
  return bytes;
}

ReadOuter outer_of_json(const Json& json) {
  ReadOuter outer;
  unpack(json, outer);
  return outer;
}

ReadOuter outer_of_bytes(std::string_view bytes) {
  ReadOuter outer;
  const auto value = PackedValue::whole(bytes);
  REQUIRE(value);
  read_packed(*value, outer);
  return outer;
}

/// Values at every border of the format, and of every type.
std::vector<Json> border_values() {
  std::vector<Json> all{nullptr, true, false, 0.5, "", Json::array(), Json::object(), Json::binary({1, 2, 3}), Json::binary({})};
  for (const std::int64_t number : {std::int64_t{-1}, std::int64_t{-32}, std::int64_t{-33}, std::int64_t{-128}, std::int64_t{-129},
                                    std::int64_t{-32'768}, std::int64_t{-32'769}, std::int64_t{INT32_MIN}, std::int64_t{INT32_MIN} - 1, INT64_MIN})
    all.emplace_back(number);
  for (const std::uint64_t number :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{127}, std::uint64_t{128}, std::uint64_t{255}, std::uint64_t{256},
        std::uint64_t{65'535}, std::uint64_t{65'536}, std::uint64_t{UINT32_MAX}, std::uint64_t{UINT32_MAX} + 1, UINT64_MAX})
    all.emplace_back(number);
  for (const std::size_t size : {1U, 15U, 16U, 31U, 32U, 255U, 256U, 65'535U, 65'536U}) {
    all.emplace_back(std::string(size, 'x'));
    all.emplace_back(std::vector<int>(size, -7));
    all.emplace_back(Json::binary(std::vector<std::uint8_t>(size, 9)));
  }
  Json many = Json::object();
  for (int name = 0; name < 300; ++name) many[fmt::format("n{}", name)] = name;
  all.push_back(many);
  all.push_back({{"name", "n"}, {"due", 5}, {"more", {{"deep", {1, {2, 3}}}}}});
  all.push_back(Json::array({1, 2}));
  all.push_back(Json::array({Json::array({1, 3}), Json::array({7, 7}), Json::array({9}), "none"}));
  all.push_back(Json::array({nullptr, 4, Json{{"name", "x"}}, -4}));
  all.push_back({{"code", "tool_failed"}, {"message", "it fell over"}, {"where", {"a.tool", 3, 9}}, {"notes", {"look there"}}});
  return all;
}

TEST_CASE("packed reader: a member of any type reads as its JSON does") {
  for (const char* name : {"flag", "hue", "small", "large", "largest", "text", "chain", "visit", "items", "list", "map", "gaps", "error", "inner"}) {
    for (const auto& value : border_values()) {
      const Json json{{name, value}, {"unknown", value}};
      INFO(name << " " << value.dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, 80));
      const auto bytes = packed_json(json);
      REQUIRE(outer_of_bytes(bytes) == outer_of_json(Json::from_msgpack(bytes)));
    }
  }
}

TEST_CASE("packed reader: what is no object changes nothing") {
  for (const auto& value : border_values()) {
    if (!value.is_object()) CHECK(outer_of_bytes(packed_json(value)) == ReadOuter{});
  }
}

TEST_CASE("packed reader: a value that is cut, or that something follows, is not whole") {
  for (const auto& value : border_values()) {
    const auto bytes = packed_json(value);
    REQUIRE(PackedValue::whole(bytes));
    REQUIRE(PackedValue::whole(bytes)->json() == value);
    for (std::size_t length = 0; length < std::min<std::size_t>(bytes.size(), 400); ++length)
      REQUIRE_FALSE(PackedValue::whole(std::string_view{bytes}.substr(0, length)));
    REQUIRE_FALSE(PackedValue::whole(std::string_view{bytes}.substr(0, bytes.size() - 1)));
    REQUIRE_FALSE(PackedValue::whole(bytes + '\0'));
  }
}

TEST_CASE("packed reader: altered bytes are refused, or read as their JSON is") {
  std::mt19937_64 random{7};
  const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(random() % bound); };
  const Json json{{"flag", true},
                  {"small", 70'000},
                  {"text", "some"},
                  {"visit", {1, 2}},
                  {"items", {{1, 3}, {7, 7}}},
                  {"list", {{{"name", "a"}, {"due", -5}}}},
                  {"map", {{"k", {{"name", "b"}}}}},
                  {"gaps", {1, nullptr, 300}}};
  const auto whole = packed_json(json);
  int read = 0;
  for (int round = 0; round < 20'000; ++round) {
    auto altered = whole;
    for (auto changes = 1 + below(3); changes > 0; --changes) altered[below(altered.size())] = static_cast<char>(below(256));
    const auto reference = Json::from_msgpack(altered, true, false);
    const auto value = PackedValue::whole(altered);
    REQUIRE(value.has_value() == !reference.is_discarded());
    if (!value) continue;
    ++read;
    ReadOuter outer;
    read_packed(*value, outer);
    REQUIRE(outer == outer_of_json(reference));
  }
  CHECK(read > 1000);
}

}  // namespace
}  // namespace catena
