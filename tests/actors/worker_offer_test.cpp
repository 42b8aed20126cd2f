#include "actors/worker_offer.hpp"

#include <catch2/catch.hpp>

namespace catena::actors::test {
namespace {

Greeting offer(const std::string& name) {
  Greeting greeting;
  greeting.role = "worker";
  greeting.name = name;
  greeting.slots = 4;
  return greeting;
}

}  // namespace

TEST_CASE("a worker's name is 1 to 64 letters, digits, dots, underscores and hyphens") {
  for (const auto& name : {std::string{"w"}, std::string{"Build-box_2.example"}, std::string(64, 'x')}) CHECK_FALSE(wrong_offer(offer(name)));
  for (const auto& name : {std::string{}, std::string{"build box"}, std::string{"w/1"}, std::string{"wörker"}, std::string(65, 'x')}) {
    const auto wrong = wrong_offer(offer(name));
    REQUIRE(wrong);
    CHECK(wrong->find("a worker's name is") != std::string::npos);
    CHECK(wrong->find("--name") != std::string::npos);
  }
}

TEST_CASE("the names that a coordinator has for itself are no worker's") {
  for (const auto name : {kChainsWorkerName, kOwnWorkerName}) CHECK(wrong_offer(offer(std::string{name})));
}

TEST_CASE("a worker offers 1 to 4096 slots") {
  auto greeting = offer("w");
  for (const auto slots : {1U, 4096U}) {
    greeting.slots = slots;
    CHECK_FALSE(wrong_offer(greeting));
  }
  for (const auto slots : {0U, 4097U}) {
    greeting.slots = slots;
    CHECK(wrong_offer(greeting));
  }
}

TEST_CASE("what a worker says of itself is bounded, and the list that is too long is named") {
  auto greeting = offer("w");
  greeting.labels.assign(1025, "x");
  CHECK(wrong_offer(greeting)->find("labels") != std::string::npos);
  greeting.labels.resize(1024);
  CHECK_FALSE(wrong_offer(greeting));
  greeting.tool_roots = {std::string(4097, '/')};
  CHECK(wrong_offer(greeting)->find("tool roots") != std::string::npos);
}

}  // namespace catena::actors::test
