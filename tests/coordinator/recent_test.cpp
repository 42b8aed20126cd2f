// What a coordinator remembers of names that others choose.
#include "coordinator/recent.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace catena::coordinator::test {
namespace {

std::vector<std::string> keys_of(const Recent<std::string>& recent) {
  std::vector<std::string> keys;
  recent.for_each([&](const std::string& key) { keys.push_back(key); });
  return keys;
}

TEST_CASE("of more keys than there may be, those that were put longest ago make room") {
  Recent<std::string> recent{3};
  for (const auto* key : {"b", "a", "c"}) recent.put(key);
  CHECK(keys_of(recent) == std::vector<std::string>{"a", "b", "c"});
  recent.put("b");  // again: now it is the latest
  recent.put("d");
  CHECK(keys_of(recent) == std::vector<std::string>{"b", "c", "d"});
  CHECK_FALSE(recent.contains("a"));
  recent.erase("c");
  recent.erase("a");
  recent.put("e");
  CHECK(keys_of(recent) == std::vector<std::string>{"b", "d", "e"});
  CHECK(recent.size() == 3);
}

}  // namespace
}  // namespace catena::coordinator::test
