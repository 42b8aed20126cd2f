// Deadlines of chains, as a person has them.
#include <catch2/catch.hpp>

#include "tests/cli/scene.hpp"
#include "tests/link/sockets.hpp"

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

TEST_CASE("the deadline of a chain that goes on is moved and taken off, and what it is now is shown and explained") {
  const Scene scene;
  const auto asks = scene.define("asks.tool", json{{"instructions", json::array({{{"execution_id", "ask"}, {"signal", {{"name", "go"}}}}})}});
  auto waits = scene.start({"run", asks, "--id", "waits", "--deadline", "2h"});
  REQUIRE(links_test::eventually([&] { return scene.run({"explain", "waits"}).prints("waits for the signal"); }));
  const auto deadline = [&] { return json::parse(scene.run({"show", "waits", "-o", "json"}).out).value("deadline", std::string{}); };
  REQUIRE(scene.run({"amend", "waits", "--deadline", "2097-01-31T08:00:00+01:00", "--reason", "it may take long"}).code == 0);
  CHECK(deadline() == "2097-01-31T07:00:00.000Z");
  CHECK(scene.run({"explain", "waits"}).prints("it fails at its deadline, "));
  CHECK(scene.run({"explain", "waits"}).prints("(2097-01-31T07:00:00.000Z)"));
  CHECK(scene.run({"history", "waits"}).prints(": it may take long"));
  REQUIRE(scene.run({"amend", "waits", "--deadline", "none"}).code == 0);
  CHECK(deadline().empty());
  const auto wrong = scene.run({"amend", "waits", "--deadline", "soon"});
  CHECK(wrong.code == 2);
  CHECK(wrong.says("or none"));
  const auto of_step = scene.run({"amend", "waits", "ask", "--deadline", "2h"});
  CHECK(of_step.code != 0);
  CHECK(of_step.says("of the whole chain"));
  REQUIRE(scene.run({"amend", "waits", "--deadline", "100ms"}).code == 0);
  CHECK(waits.wait() == 1);
  CHECK(json::parse(scene.run({"show", "waits", "-o", "json"}).out).at("error").at("code") == "chain_deadline");
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
