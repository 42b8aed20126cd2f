// Access tokens, as a person has them.
#include <catch2/catch.hpp>

#include "tests/cli/scene.hpp"

namespace cli_test {

TEST_CASE("a token is printed once, listed without its secret, and revoked") {
  const Scene scene;
  CHECK(scene.run({"token", "list"}).says("there are no access tokens"));
  CHECK_FALSE(scene.has_data());
  const auto made = scene.run({"token", "create", "--role", "operator", "--name", "deploys", "--expires", "30d"});
  INFO(made.error);
  REQUIRE(made.code == 0);
  CHECK(made.out.starts_with("catena_"));
  CHECK(made.out.size() == 93);
  const auto id = made.out.substr(7, 12);
  CHECK(made.says("the only time"));
  CHECK(made.says("catena token revoke " + id));
  const auto listed = scene.run({"token", "list", "-o", "json"});
  const auto row = json::parse(listed.out);
  CHECK(row.at("id") == id);
  CHECK(row.at("role") == "operator");
  CHECK(row.at("name") == "deploys");
  CHECK(row.at("state") == "valid");
  CHECK(listed.out.find(made.out.substr(20, 64)) == std::string::npos);
  const auto second = json::parse(scene.run({"token", "create", "--role", "viewer", "-o", "json"}).out);
  CHECK_FALSE(second.contains("expires_at"));
  CHECK(scene.run({"token", "revoke", id}).says("is revoked"));
  CHECK(scene.run({"token", "list"}).prints("revoked"));
  CHECK(scene.run({"token", "revoke", "nobody"}).code == 2);
  CHECK(scene.run({"token", "create", "--role", "root"}).says("there are viewer, operator and admin"));
  CHECK(scene.run({"token", "create", "--role", "oparator"}).says("did you mean 'operator'"));
  CHECK(scene.run({"token", "create", "--role", "viewer", "--expires", "soon"}).says("is no span of time"));
  CHECK_FALSE(scene.run({"token", "list"}).prints("RATE"));
  CHECK(scene.run({"token", "create", "--role", "viewer", "--rate", "50/s", "--burst", "100"}).code == 0);
  CHECK(scene.run({"token", "list"}).prints("50/s with a burst of 100"));
  CHECK(scene.run({"token", "create", "--role", "viewer", "--rate", "5/m"}).says("write one such as 50/s"));
  CHECK(scene.run({"token", "create", "--role", "viewer", "--burst", "5"}).says("needs a rate"));
  CHECK(scene.run({"store", "verify"}).code == 0);
}

}  // namespace cli_test
