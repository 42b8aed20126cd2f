// Orders that wait for a program, and what a link was asked for.
#include "worker/program_waits.hpp"

#include <catch2/catch.hpp>

namespace catena::worker {
namespace {

actors::WorkOrder wanting(const std::string& hash, std::uint64_t grant) {
  actors::WorkOrder order;
  order.chain = "c";
  order.grant = grant;
  order.program = hash;
  return order;
}

TEST_CASE("a program is asked for once a link, however many orders wait for it") {
  ProgramWaits waits;
  CHECK(waits.add(wanting("abc", 1)));
  CHECK_FALSE(waits.add(wanting("abc", 2)));
  CHECK(waits.add(wanting("def", 3)));
  CHECK(waits.begin_link() == std::vector<std::string>{"abc", "def"});
  CHECK_FALSE(waits.add(wanting("abc", 4)));
  const auto come = waits.come("abc");
  CHECK(come.asked);
  CHECK(come.orders.size() == 3);
  CHECK(waits.come("abc").orders.empty());
  CHECK_FALSE(waits.come("abc").asked);
  CHECK(waits.begin_link() == std::vector<std::string>{"def"});
}

TEST_CASE("a program that came for orders which were given back was asked for all the same") {
  ProgramWaits waits;
  CHECK(waits.add(wanting("abc", 1)));
  CHECK(waits.add(wanting("def", 1)));
  CHECK(waits.take("d", 1).empty());
  CHECK(waits.take("c", 1).size() == 2);
  CHECK(waits.take("c", 1).empty());
  const auto come = waits.come("abc");
  CHECK(come.asked);
  CHECK(come.orders.empty());
  CHECK(waits.begin_link().empty());
  CHECK_FALSE(waits.come("def").asked);  // that link owes nothing
}

}  // namespace
}  // namespace catena::worker
