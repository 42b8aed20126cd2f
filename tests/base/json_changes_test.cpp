#include "base/json_changes.hpp"

#include <catch2/catch.hpp>

namespace catena {
namespace {

struct Told {
  std::string path;
  std::string first;
  std::string second;
  friend bool operator==(const Told&, const Told&) = default;
};
std::vector<Told> changes_of(std::string_view first, std::string_view second) {
  std::vector<Told> told;
  for (auto& change : json_changes(Json::parse(first), Json::parse(second)).changes)
    told.push_back({std::move(change.path), std::move(change.first), std::move(change.second)});
  return told;
}

}  // namespace

TEST_CASE("values that are the same have no changes, whatever their spelling") {
  CHECK(changes_of(R"({"a": 1, "b": [1, 2]})", R"({"b":[1,2],"a":1})").empty());
  CHECK(changes_of("null", "null").empty());
}

TEST_CASE("changes name the member, and have the value on both sides") {
  CHECK(changes_of(R"({"a": 1})", R"({"a": 2})") == std::vector<Told>{{"/a", "1", "2"}});
  CHECK(changes_of(R"({"a": 1})", R"({"a": 1, "b": {"c": []}})") == std::vector<Told>{{"/b", "", R"({"c":[]})"}});
  CHECK(changes_of(R"({"a/b": "x", "c": 1})", R"({"c": 1})") == std::vector<Told>{{"/a~1b", R"("x")", ""}});
  CHECK(changes_of("[1]", R"({"a": 1})") == std::vector<Told>{{"", "[1]", R"({"a":1})"}});
}

TEST_CASE("lists are compared by place, and what one has more is told element by element") {
  CHECK(changes_of("[1, 2, 3, 4]", "[1, 5]") == std::vector<Told>{{"/1", "2", "5"}, {"/3", "4", ""}, {"/2", "3", ""}});
  CHECK(changes_of(R"([{"a": 1}])", R"([{"a": 2}, true])") == std::vector<Told>{{"/0/a", "1", "2"}, {"/-", "", "true"}});
}

TEST_CASE("of many changes the first are told and the others counted, and of a long value its beginning") {
  auto first = Json::array();
  auto second = Json::array();
  for (std::size_t i = 0; i < kChangesMax + 7; ++i) {
    first.push_back(i);
    second.push_back(std::string(kChangeTextBytesMax * 2, 'x'));
  }
  const auto told = json_changes(first, second);
  CHECK(told.changes.size() == kChangesMax);
  CHECK(told.others == 7);
  CHECK(told.changes.front().second.size() == kChangeTextBytesMax);
}

}  // namespace catena
