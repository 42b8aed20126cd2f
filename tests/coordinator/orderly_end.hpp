#pragma once
// Whether a process that ends in order leaves actors behind.
#include <catch2/catch.hpp>
#include <functional>
#include <tuple>

#include "tests/coordinator/fixture.hpp"

namespace catena::coordinator::test {

/// After `begin` the process ends behind each number of messages there is, and each time as few actors are left as of one that handled none.
inline void check_orderly_end(const std::function<void(Fixture&)>& begin) {
  constexpr std::size_t kMessagesMax = 400;
  const auto left_after = [&](std::size_t messages) {
    Fixture f;
    begin(f);
    const bool all = f.run_messages(messages) < messages;
    return std::pair{f.end(), all};
  };
  const auto standing = left_after(0).first;
  bool all = false;
  for (std::size_t messages = 1; !all; ++messages) {
    INFO(messages << " messages");
    REQUIRE(messages < kMessagesMax);
    std::size_t left = 0;
    std::tie(left, all) = left_after(messages);
    REQUIRE(left == standing);
  }
}

}  // namespace catena::coordinator::test
