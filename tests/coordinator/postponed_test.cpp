// Attempts that ask to be made again later, and errors that say when.
#include <catch2/catch.hpp>

#include "tests/coordinator/fixture.hpp"

namespace catena::coordinator::test {
namespace {

using engine::ChainStatus;
using namespace std::chrono_literals;

}  // namespace

TEST_CASE("a postponed attempt is made again at its time, though the step has but one attempt, and gives its slot away meanwhile") {
  Fixture f;
  f.script.on("c/a", 1, postponed(10s));
  f.script.on("c/a", 2, postponed(90min));
  f.submit(pin(composite({step("a")})));
  f.run();
  CHECK(f.tickets_free() == 8);
  f.advance(9999ms);
  CHECK(f.script.count("c/a") == 1);
  f.advance(1ms);
  CHECK(f.script.count("c/a") == 2);
  f.advance(90min - 1ms);
  CHECK(f.script.count("c/a") == 2);
  f.advance(1ms);
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(f.script.last("c/a").attempt == 3);
  CHECK(f.script.executions[0].age_ms == 0);
  CHECK(f.script.executions[1].age_ms == 10'000);
  CHECK(Millis{f.script.executions[2].age_ms} == 10s + 90min);
}

TEST_CASE("what was postponed waits on after a crash, until the time it had been given") {
  Fixture f;
  f.script.on("c/a", 1, postponed(10s));
  f.submit(pin(composite({step("a")})));
  f.advance(4s);
  f.crash();
  f.resume();
  f.await();
  f.advance(5999ms);
  CHECK(f.script.count("c/a") == 1);
  f.advance(1ms);
  CHECK(f.script.count("c/a") == 2);
  CHECK(f.script.last("c/a").attempt == 2);
  CHECK(f.finish().status == ChainStatus::succeeded);
}

TEST_CASE("postponed attempts use up none of those that may fail") {
  Fixture f;
  f.script.on("c/a", 1, postponed(1s));
  f.script.on("c/a", 2, failure(Code::tool_temporary, true));
  f.script.on("c/a", 3, postponed(1s));
  f.script.on("c/a", 4, failure(Code::tool_temporary, true));
  const auto ended = f.complete(pin(composite({step("a", R"("retry": {"max_attempts": 2, "initial_interval": "1s", "jitter": 0})")})));
  CHECK(ended.status == ChainStatus::failed);
  CHECK(f.script.count("c/a") == 4);
}

TEST_CASE("items of a fan-out are postponed each by itself") {
  Fixture f;
  f.script.on("c/a/1", 1, postponed(10s));
  f.submit(pin(composite({step("a", R"("parallel_execution": {"iterate_over": [1, 2, 3], "child_argument_name": "i", "max_concurrency": 1})")})));
  f.run();
  CHECK(f.script.keys() == std::vector<std::string>{"c/a/0", "c/a/1", "c/a/2"});
  f.advance(10s);
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(f.script.executions.size() == 4);
}

TEST_CASE("an error that says after how long to retry is waited for at least that long") {
  Fixture f;
  auto busy = make_error(Code::tool_temporary, "busy");
  busy.details = Json{{"retry_after_ms", 30'000}};
  f.script.on("c/a", 1, Reply{Reply::How::once, false, to_json(busy).dump(), {}});
  f.submit(pin(composite({step("a", R"("retry": {"max_attempts": 2, "initial_interval": "1s", "jitter": 0})")})));
  f.advance(29'999ms);
  CHECK(f.script.count("c/a") == 1);
  f.advance(1ms);
  CHECK(f.script.count("c/a") == 2);
  CHECK(f.finish().status == ChainStatus::succeeded);
}

}  // namespace catena::coordinator::test
