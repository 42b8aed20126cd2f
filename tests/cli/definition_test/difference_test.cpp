#include "cli/definition_test/difference.hpp"

#include <catch2/catch.hpp>

namespace catena::cli {

TEST_CASE("only the parts that differ are told, each with its path") {
  const auto expected = Json::parse(R"({"a": {"b": [1, 2, 3]}, "c": "x", "gone": null})");
  const auto got = Json::parse(R"({"a": {"b": [1, 5]}, "c": "x", "more": true})");
  CHECK(differences(expected, got, "response", Compare::exactly) == std::vector<Difference>{{"response.a.b.1", "2", "5"},
                                                                                            {"response.a.b.2", "3", "nothing"},
                                                                                            {"response.gone", "null", "nothing"},
                                                                                            {"response.more", "nothing", "true"}});
}

TEST_CASE("what is contained may have more members, and no more elements") {
  CHECK(differences(Json{{"a", 1}}, Json{{"a", 1}, {"b", 2}}, "x", Compare::contained).empty());
  CHECK(differences(Json{{"a", {{{"b", 1}}}}}, Json{{"a", {{{"b", 1}, {"c", 2}}}}}, "x", Compare::contained).empty());
  CHECK(differences(Json::array({1}), Json::array({1, 2}), "x", Compare::contained) == std::vector<Difference>{{"x.1", "nothing", "2"}});
}

TEST_CASE("numbers are equal by value, and nothing else is equal across kinds") {
  CHECK(differences(1, 1.0, "x", Compare::exactly).empty());
  CHECK(differences(1, true, "x", Compare::exactly).size() == 1);
  CHECK(differences(1, "1", "x", Compare::exactly).size() == 1);
  CHECK(differences(nullptr, false, "x", Compare::exactly).size() == 1);
}

TEST_CASE("no more differences are told than are asked for") {
  CHECK(differences(Json::array({1, 2, 3}), Json::array(), "x", Compare::exactly, 2).size() == 2);
}

TEST_CASE("a part is found by keys and indices") {
  const auto value = Json::parse(R"({"items": [{"name": "Ada"}], "a": {"b": 1}})");
  CHECK(*part_at(value, "items.0.name") == "Ada");
  CHECK(*part_at(value, "a.b") == 1);
  CHECK(part_at(value, "") == &value);
  for (const auto* path : {"items.1", "items.x", "items.0x", "a.c", "a.b.c", "b"}) {
    CAPTURE(path);
    CHECK(part_at(value, path) == nullptr);
  }
}

}  // namespace catena::cli
