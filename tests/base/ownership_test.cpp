#include "base/ownership.hpp"

#include <catch2/catch.hpp>

namespace catena {

TEST_CASE("a user and a group have their names, or their numbers where there are none") {
  CHECK(ownership(0, 0).owner == "root");
  CHECK(ownership(0, 0).group == "root");
  constexpr uid_t kNobodys = 4'000'000'123;
  CHECK(ownership(kNobodys, kNobodys).owner == "4000000123");
  CHECK(ownership(kNobodys, kNobodys).group == "4000000123");
}

}  // namespace catena
