// Deadlines of chains, as a person has them.
#include <catch2/catch.hpp>

#include "tests/cli/scene.hpp"

namespace cli_test {

TEST_CASE("a chain that has not ended at its deadline fails, and what was said of it is shown") {
  const Scene scene;
  const auto nap =
      definition({step("rest", json{{"system_event_endpoint", "builtin:wait"}, {"additional_arguments", true}}, {{"arguments", {{"for", "1h"}}}})});
  const auto tool = scene.define("nap.tool", nap);
  const auto late = scene.run({"run", tool, "--id", "late", "--deadline", "300ms"});
  CHECK(late.code == 1);
  CHECK(late.says("chain_deadline"));
  CHECK(late.says("the chain had not ended at its deadline, 20"));
  const auto shown = json::parse(scene.run({"show", "late", "-o", "json"}).out);
  CHECK(shown.at("status") == "failed");
  CHECK(shown.at("error").at("code") == "chain_deadline");
  CHECK(scene.run({"show", "late"}).prints("deadline   20"));
  CHECK(json::parse(scene.run({"list", "-o", "json"}).out).at("deadline") == shown.at("deadline"));
  CHECK(scene.run({"list", "-o", "wide"}).prints("DEADLINE"));
  CHECK(scene.run({"history", "late"}).prints("its deadline"));
  CHECK(scene.run({"store", "verify"}).says("all is well"));
  const auto early =
      scene.run({"run", scene.define("greeting.tool", greeting()), "--id", "early", "-p", "name=x", "--deadline", "2097-01-31T08:00:00+01:00", "-q"});
  CHECK(early.code == 0);
  CHECK(json::parse(scene.run({"show", "early", "-o", "json"}).out).at("deadline") == "2097-01-31T07:00:00.000Z");
}

TEST_CASE("what is no deadline is refused before anything begins") {
  const Scene scene;
  const auto tool = scene.define("greeting.tool", greeting());
  for (const auto* wrong : {"soon", "0s", "2097-01-31T08:00:00"}) {
    const auto refused = scene.run({"run", tool, "-p", "name=x", "--deadline", wrong});
    CHECK(refused.code == 2);
    CHECK(refused.says("a deadline is a span like"));
  }
  CHECK(scene.run({"list", "-o", "name"}).out.empty());
}

}  // namespace cli_test
