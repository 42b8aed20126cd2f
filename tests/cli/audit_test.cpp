// The audit log, as a person reads it.
#include <catch2/catch.hpp>

#include "tests/cli/scene.hpp"

namespace cli_test {

TEST_CASE("audit lists what was asked of chains, and nothing of what was only submitted or read") {
  const Scene scene;
  const auto fails =
      scene.define("fails.tool", definition({step("no", builtin("fail"), {{"arguments", {{"message", "no luck"}, {"code", "tool_failed"}}}})}));
  CHECK(scene.run({"audit"}).code == 0);
  CHECK(scene.run({"run", fails, "--id", "one"}).code == 1);
  CHECK(scene.run({"run", fails, "--id", "two"}).code == 1);
  CHECK(scene.run({"retry", "one", "--failed"}).code == 1);
  CHECK(scene.run({"rm", "two"}).code == 0);
  const auto all = scene.run({"audit"});
  INFO(all.out << all.error);
  CHECK(all.prints("retry"));
  CHECK(all.prints("only what failed"));
  CHECK_FALSE(all.prints("submit"));
  const auto last = json::parse(scene.run({"audit", "--tail", "1", "-o", "json"}).out);
  CHECK(last.at("act") == "remove");
  CHECK(last.at("subject") == "two");
  CHECK(last.at("by").at("via") == "local");
  CHECK_FALSE(last.at("by").at("name").get<std::string>().empty());
  CHECK(scene.run({"audit", "--subject", "on?", "-o", "name"}).out == scene.run({"audit", "--act", "retry", "-o", "name"}).out);
  CHECK(scene.run({"audit", "--since", "yesterdayish"}).code == 2);
  CHECK(scene.run({"store", "verify"}).code == 0);
}

}  // namespace cli_test
